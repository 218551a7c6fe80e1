"""The builds of other projects: what counts as the same, and what is left out of both."""

from __future__ import annotations

import sys
from pathlib import Path

import alone
import own_build
import pytest
from own_build import FETCHED, LEFT, difference

PAGE = "<head><title>T</title></head><p>Text <b>bold</b></p><!-- Build Date UTC : 1\n-->"
CODE = "<pre><code>1</code></pre>"
OWN = '<div id="b-1" data-block="0"><span class="filename"></span><pre>'
OURS = '<div class="sd-out"><pre class="sd-text">3</pre></div>'


@pytest.mark.parametrize(
    ("name", "before", "after", "same"),
    [
        ("a.html", PAGE, PAGE.replace("UTC : 1", "UTC : 2"), True),
        ("a.html", PAGE, PAGE.replace("<p>", f"<script>x()</script>{OURS}<p>"), True),
        ("a.html", PAGE, PAGE.replace("bold", "bald"), False),
        ("a.html", PAGE, f"{PAGE}<p>3</p>", False),
        ("a.html", f"{PAGE}{CODE}", f"{PAGE}{CODE.replace('<pre>', OWN)}", True),
        ("a.html", f"{PAGE}{CODE}", f"{PAGE}{CODE.replace('<pre>', '<div><pre class=x>')}</div>", False),
        ("a.html", PAGE, f"{PAGE}<script>'<pre></pre>'</script>", True),
        ("objects.inv", "one", "two", False),
        ("search_index.json", "one", "two", True),
    ],
)
def test_a_page_is_the_same_but_for_what_is_ours(
    tmp_path: Path, name: str, before: str, after: str, same: bool
) -> None:
    """Outputs and scripts are what was asked for; any other text that comes or goes is a fault."""
    for site, text in (("before", before), ("after", after)):
        (tmp_path / site).mkdir()
        (tmp_path / site / name).write_text(text, encoding="utf-8")
    assert difference(tmp_path / "before", tmp_path / "after") == ([] if same else [name])


def test_a_file_that_comes_or_goes_is_told(tmp_path: Path) -> None:
    """But for our own."""
    for name in ("before/gone.html", "after/assets/samedevice/outputs.css", "after/new.html"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert difference(tmp_path / "before", tmp_path / "after") == ["gone.html", "new.html"]


def test_inventories_that_need_the_network_are_left_out() -> None:
    """In both builds; the rest of the file stays."""
    kept = "python:\n  options:\n    x: 1\n  paths: [.]\n"
    for key in ("inventories", "import"):
        fetched = f"  {key}:\n  - url: https://one/objects.inv\n    domains: [std]\n  - https://two/objects.inv\n"
        found = FETCHED.sub(r"\1 []\n", kept.replace("  paths", f"{fetched}  paths"))
        assert found == kept.replace("  paths", f"  {key}: []\n  paths")


def test_blocks_that_fail_are_counted_by_kind() -> None:
    """As `samedevice init` sums up."""
    said = """\
of those that failed, which show no output:
  12 lack a name, first docs/a.md:3 on cpu raised NameError: name 'x' is not defined
  1 raise other errors, first docs/a.md:9 on cpu raised ValueError: 3, first
"""
    assert LEFT.findall(said) == [("12", "lack a name"), ("1", "raise other errors")]


def test_the_fences_that_another_tool_does_not_read_become_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that both tools run the same: what one of them leaves costs it no time."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "mkdocs.yml").write_text("site_name: Other\n", encoding="utf-8")
    (tmp_path / "docs/program.py").write_text("1\n", encoding="utf-8")
    page = tmp_path / "docs/a.md"
    page.write_text("# A\n\n```python\n1\n```\n\n```pycon\n>>> 1\n1\n```\n", encoding="utf-8")
    monkeypatch.setattr(own_build, "call", lambda *_: ("docs/a.md::[CodeFence#1][line:3]\n", 0))
    assert own_build.keep_shared(tmp_path, Path("python"), ()) == 1
    assert page.read_text(encoding="utf-8") == "# A\n\n```python\n1\n```\n\n```text\n>>> 1\n1\n```\n"


def test_the_code_of_a_project_is_timed_alone(tmp_path: Path) -> None:
    """Whatever it prints, and whatever it leaves running until it ends."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "mkdocs.yml").write_text("site_name: Other\n", encoding="utf-8")
    code = "import os\nos.write(1, b'9')\nx = 1"
    (tmp_path / "docs/a.md").write_text(f"```python\n{code}\n```\n\n```python\nx\n```\n", encoding="utf-8")
    python = Path(sys.executable)
    found = [own_build.code_alone(tmp_path, python, *options) for options in ((), ("--fresh",))]
    assert [one["passed"] for one in found] == [2, 1]
    assert all(one["cpu"] > 0 for one in found)


def test_code_alone_runs_as_ours_and_as_theirs() -> None:
    """It is compared with what they take: with names of earlier blocks and `await`, and without."""
    wait = ("python", "import asyncio\nawait asyncio.sleep(0)")
    one = [("python", "x = 1"), ("python", "x"), ("python", "raise SystemExit"), wait]
    other = [("python", "x"), ("transcript", ">>> 1\n1\n"), ("transcript", ">>> 1\n2\n")]
    assert alone.passed([one, other], fresh=False) == 4
    assert alone.passed([one, other], fresh=True) == 1
