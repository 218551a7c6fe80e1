"""The MkDocs plugin: what a person sees who builds the site, in the terminal and on the pages."""

from __future__ import annotations

import subprocess
import sys

import pytest
from made_site import GOOD, Site


def test_a_build_runs_the_pages_and_shows_their_outputs(site: Site) -> None:
    """The whole way from a block to the page, with a line of progress."""
    result = site.build(index=GOOD, prose="# Prose\n")
    assert result.exit_code == 0
    assert "INFO    -  ran docs/index.md on cpu: 1 blocks, " in result.output
    assert site.texts("index") == ["print('printed ' + 'by the page')\n", "printed by the page"]
    assert "docs/prose.md" not in result.output


def test_a_second_build_starts_no_process_of_a_page_and_does_not_import_torch(site: Site) -> None:
    """Whoever mends a typing error does not want to wait for PyTorch; one call of git tells when pages changed."""
    site.build(index=GOOD)
    first = site.html("index")
    code = (
        "import subprocess, sys\n"
        "from mkdocs.__main__ import cli\n"
        "class OnlyGit(subprocess.Popen):\n"
        "    def __init__(self, command, *rest, **options):\n"
        "        assert command[0] == 'git', command\n"
        "        super().__init__(command, *rest, **options)\n"
        "subprocess.Popen = OnlyGit\n"
        f"cli(['build', '-f', {str(site.root / 'mkdocs.yml')!r}], standalone_mode=False)\n"
        "print('imported:', {'torch', 'numpy', 'matplotlib', 'pytest'} & set(sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "imported: set()\n", done.stderr
    assert "ran docs/" not in done.stderr
    assert site.html("index").split("MkDocs version")[0] == first.split("MkDocs version")[0]


FAULTS = {
    "raises": ("1 / 0", "docs/index.md:3 on cpu raised ZeroDivisionError: division by zero"),
    "syntax": ("if", "docs/index.md:3 on cpu raised SyntaxError: invalid syntax"),
    "crashes": ("import os; os._exit(3)", "docs/index.md:3 on cpu ended its process with exit status 3"),
}


@pytest.mark.parametrize(("code", "message"), FAULTS.values(), ids=FAULTS.keys())
def test_a_fault_is_told_and_shown_and_the_build_goes_on(site: Site, code: str, message: str) -> None:
    """Under `mkdocs serve` the author sees it on the page; the other pages are there as ever."""
    result = site.build(index=f"# Bad\n\n```python\n{code}\n```\n\n```python\nprint('later')\n```\n", good=GOOD)
    assert result.exit_code == 0
    assert f"ERROR   -  {message}" in result.output
    assert message in site.html("index")
    assert site.texts("good")[1] == "printed by the page"


def test_a_page_that_cannot_be_read_is_told_and_shown_and_the_build_fails_at_its_end(site: Site) -> None:
    """There is nothing to run, but the author must see why."""
    result = site.build(index='# Bad\n\n```python needs="cud"\nx\n```\n', good=GOOD)
    message = 'docs/index.md:3: needs="cud" names no device; use cuda, mps or cpu'
    assert result.exit_code != 0
    assert "ERROR   -  1 pages cannot be shown, as told above: index.md" in result.output
    assert f"ERROR   -  {message}" in result.output
    assert message in site.html("index")
    assert site.texts("good")[1] == "printed by the page"


def test_all_errors_of_a_page_are_told_and_shown(site: Site) -> None:
    """An author should not have to build once for each."""
    result = site.build(index='# Bad\n\n```python needs="cud"\nx\n```\n\n```bash\nls\n```\n', good=GOOD)
    for message in ('docs/index.md:3: needs="cud" names no device', 'docs/index.md:7: "bash" would not be run'):
        assert f"ERROR   -  {message}" in result.output
        assert message in site.html("index")
    assert site.texts("good")[1] == "printed by the page"


UNSEEN = {
    "shown and not run": ("<div>\n\n    ```python\n    shown = 1\n    ```\n\n</div>\n", 5, "and nothing runs it"),
    "run and not shown": ("<style>\n```python\nx = 1\n```\n</style>\n", 4, "does not show it as code"),
}


@pytest.mark.parametrize(("text", "line", "message"), UNSEEN.values(), ids=UNSEEN.keys())
def test_a_page_that_does_not_show_what_is_run_is_an_error(site: Site, text: str, line: int, message: str) -> None:
    """In every build: what is kept of a page must not hide it. The page shows why, and no code that nothing ran."""
    for _ in range(2):
        result = site.build("--strict", index=f"# Page\n\n{text}", good=GOOD)
        assert result.exit_code != 0
        assert f"ERROR   -  docs/index.md:{line}: " in result.output
        assert message in result.output
    site.build()
    assert message in site.html("index")
    assert site.texts("index") == []
    assert site.texts("good")[1] == "printed by the page"


def test_a_disk_that_fails_ends_the_build_with_a_message(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """A traceback of ours helps nobody to make room."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", "site/index.md")

    monkeypatch.setattr("samedevice.integration.mkdocs.build.write_exports", full)
    result = site.build(index=GOOD)
    assert result.exit_code != 0
    assert "No space left on device: site/index.md; make room on the disk" in result.output
    assert "Traceback" not in result.output


NASTY = [
    "`one` ```three```",
    "```python",
    "<script>alert(1)</script> <b>&amp;</b> </pre> <!-- x -->",
    "# Title",
    "- **list** [a](b) ![c](d) {: .class }",
    "{{ variable }} {% block %} {# comment #}",
    "    indented",
    "wzxhzdk:0",
    "quotes \" and '",
]


def test_what_a_block_prints_shows_literally(site: Site) -> None:
    """Through the capture, the cache, the weaving, the Markdown and the template: character by character."""
    code = f"for line in {NASTY!r}:\n    print(line)\nprint('\\x1b[31mred\\x1b[0m', '\\x02wzxhzdk:0\\x03', '\\x07')"
    assert site.build(index=f"# Page\n\n- item\n\n    ```python\n{indented(code)}\n    ```\n").exit_code == 0
    assert site.texts("index")[1] == "\n".join([*NASTY, "red ␂wzxhzdk:0␃ ␇"])


def indented(code: str) -> str:
    """The code, four blanks further in."""
    return "\n".join(f"    {line}" for line in code.split("\n"))


def test_front_matter_stays_front_matter(site: Site) -> None:
    """The title of the page is in it."""
    site.build(index="# Home", page=f"---\ntitle: From the front matter\n---\n\n{GOOD}")
    assert "<title>From the front matter - Made up</title>" in site.html("page")
    assert site.texts("page")[1] == "printed by the page"


def test_a_part_that_is_made_from_all_pages_is_on_the_page_and_follows_them(site: Site) -> None:
    """Under `mkdocs serve` the index of errors changes with the page that the author saves."""
    error = "# `it {}` {{ #err-it }}\n\nWhy.\n"
    pages = {"errors/it": error.format("broke"), "index": "# Index\n\n<!-- samedevice: errors -->\n"}
    site.build(**pages)
    assert '<a href="errors/it/"><code>it broke</code></a>' in site.html("index")
    site.build(**{"errors/it": error.format("stopped")})
    assert "<code>it stopped</code>" in site.html("index")
    assert "it broke" not in site.html("index")


def test_a_marker_that_is_not_known_ends_the_build(site: Site) -> None:
    """A page must not lack its index."""
    result = site.build(index="# Index\n\n<!-- samedevice: erors -->\n")
    assert result.exit_code != 0
    assert (
        'docs/index.md:3: "erors" is unknown; write errors, apis, claims, figures, options, proof, sett'
        in result.output
    )
