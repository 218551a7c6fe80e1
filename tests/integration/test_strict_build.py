"""A strict build: what it lets pass, and what it refuses."""

from __future__ import annotations

import pytest
from made_site import COMMAND, GOOD, Site

from samedevice.project import CACHE


def test_a_strict_build_of_what_is_recorded_passes(site: Site) -> None:
    """It is what is committed."""
    site.build(index=GOOD)
    site.record("index")
    assert site.build("--strict").exit_code == 0


BAD_PAGES = {
    "unreadable": "# Bad\n\n```python\nx\n",
    "faulty": "# Bad\n\n```python\n1 / 0\n```\n",
    "unrecorded": GOOD,
}


BAD_LINES = {
    "unreadable": "docs/index.md:3: this fence is never closed; end it with ```",
    "faulty": "docs/index.md:3 on cpu raised ZeroDivisionError",
    "unrecorded": f"docs/index.md:3: 1 blocks from here on are not recorded on cpu as they stand; run {COMMAND}",
}


@pytest.mark.parametrize("kind", BAD_PAGES)
def test_a_strict_build_refuses(site: Site, kind: str) -> None:
    """What is published has run, and is recorded."""
    result = site.build("--strict", index=BAD_PAGES[kind])
    assert result.exit_code != 0
    assert BAD_LINES[kind].format("index.md") in result.output


def test_a_strict_build_refuses_a_stale_recording(site: Site) -> None:
    """The code has changed since, and someone has to look at what it prints now."""
    site.build(index=GOOD)
    site.record("index")
    result = site.build("--strict", index=GOOD.replace("printed ", "shown "))
    assert result.exit_code != 0
    assert "docs/index.md:3: 1 blocks from here on are not recorded on cpu as they stand" in result.output


def test_a_strict_build_refuses_a_mismatch(site: Site, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The page would show what was not recorded, or hide that two runs differ."""
    said = tmp_path_factory.mktemp("said") / "said.txt"  # outside of the repository, where no change is seen
    text = f"# Page\n\n```python\nprint(open({str(said)!r}).read())\n```\n"
    said.write_text("one")
    site.build(index=text)
    site.record("index")
    said.write_text("two")
    (site.root / CACHE / "outputs/index.json").unlink()
    result = site.build("--strict")
    assert result.exit_code != 0
    assert "docs/index.md:3 on cpu: not what was recorded (" in result.output
    assert "-one\n" in result.output
    assert site.build().exit_code == 0
    assert "-one\n+two" in site.html("index")


def test_a_strict_build_refuses_a_damaged_recording(site: Site) -> None:
    """It may hold outputs of devices that this machine lacks."""
    site.build(index=GOOD)
    path = site.record("index")
    path.write_text(path.read_text(encoding="utf-8")[:100], encoding="utf-8")
    result = site.build("--strict")
    assert result.exit_code != 0
    assert "ERROR   -  tests/recordings/index.json: cannot be read: it is no JSON that can be read: " in result.output
    assert "bring it back with git checkout, or delete it and record again" in result.output
