"""The MkDocs plugin: what a person sees who builds the site, in the terminal and on the pages."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from mkdocs.__main__ import cli
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig

from samedevice.devices import torch_build
from samedevice.outputs.recording_files import load, place, save
from samedevice.pages.parsing import parse_page
from samedevice.project import CACHE, Settings

CPU_FOLDER = f"cpu-{torch_build().version}"
"""The folder of the recordings of this interpreter."""

ROOT = Path(__file__).parents[2]
CONFIG = f"""
INHERIT: {ROOT / "mkdocs.yml"}
site_name: Made up
docs_dir: docs
theme: mkdocs
plugins: [samedevice: {{console: true}}]
nav: null
hooks: []
extra_css: []
extra_javascript: []
"""
GOOD = "# Good\n\n```python\nprint('printed ' + 'by the page')\n```\n"
COMMAND = "pytest docs/{} --device cpu --record"


class Texts(HTMLParser):
    """The texts of the `pre` elements of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.inside = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag == "pre":
            self.inside = True
            self.found.append("")

    def handle_endtag(self, tag: str) -> None:
        self.inside = self.inside and tag != "pre"

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.found[-1] += data


class Site:
    """A site in a folder of its own, built in this process."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "mkdocs.yml").write_text(CONFIG, encoding="utf-8")
        (root / "conftest.py").write_text('pytest_plugins = ("samedevice.integration.pytest",)\n', encoding="utf-8")
        (root / "docs/assets").mkdir()
        shutil.copy(ROOT / "docs/assets/glossary.txt", root / "docs/assets")

    def build(self, *options: str, **pages: str) -> Result:
        """Write these pages and build, as `mkdocs build` does."""
        for name, text in pages.items():
            (self.root / f"docs/{name}.md").write_text(text, encoding="utf-8")
        return CliRunner().invoke(cli, ["build", "-f", str(self.root / "mkdocs.yml"), *options])

    def html(self, name: str) -> str:
        """The HTML of a page."""
        path = self.root / "site" / ("index.html" if name == "index" else f"{name}/index.html")
        return path.read_text(encoding="utf-8")

    def texts(self, name: str) -> list[str]:
        """The texts of a page's code blocks and outputs."""
        return Texts(self.html(name)).found

    def record(self, name: str) -> Path:
        """Record what the last build printed."""
        page = parse_page(self.root / f"docs/{name}.md", self.root)
        found = load(place(self.root / CACHE, CPU_FOLDER, page))
        assert found is not None
        path = place(self.root / "tests/recordings", CPU_FOLDER, page)
        save(path, found)
        return path


@pytest.fixture
def site(one_server: object, root: Path) -> Iterator[Site]:
    """A site with the Markdown extensions of ours; MkDocs keeps plugins from build to build, this forgets them."""
    yield Site(root)
    MkDocsConfig.plugins.plugin_cache.clear()


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


def test_a_page_that_cannot_be_read_is_told_and_shown_and_the_build_goes_on(site: Site) -> None:
    """There is nothing to run, but the author must see why."""
    result = site.build(index='# Bad\n\n```python needs="cud"\nx\n```\n', good=GOOD)
    message = 'docs/index.md:3: needs="cud" names no device; use cuda, mps or cpu'
    assert result.exit_code == 0
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


NAMED = """
markdown_extensions:
  - pymdownx.highlight: {pygments_lang_class: true}
  - pymdownx.superfences:
      custom_fences:
        - name: samedevice
          class: samedevice
          format: !!python/name:samedevice.weaving.weave.output_fence
"""


def test_the_check_leaves_no_trace_on_the_page(site: Site) -> None:
    """Code names its language while it is compared, and on the page only where the site wants that."""
    site.build(index=GOOD)
    assert re.search('<div id="b-[0-9a-f]{8}" class="highlight" data-block="0">', site.html("index"))
    (site.root / "mkdocs.yml").write_text(CONFIG + NAMED, encoding="utf-8")
    site.build(index=GOOD)
    assert re.search('<div id="b-[0-9a-f]{8}" class="language-python highlight" data-block="0">', site.html("index"))


def test_a_site_need_not_list_the_extension_that_highlights(site: Site) -> None:
    """superfences highlights without it, and would not name the language of code."""
    without = NAMED.replace("  - pymdownx.highlight: {pygments_lang_class: true}\n", "")
    (site.root / "mkdocs.yml").write_text(CONFIG + without, encoding="utf-8")
    site.build(index=GOOD)
    assert site.texts("index") == ["print('printed ' + 'by the page')\n", "printed by the page"]


@pytest.mark.parametrize("theme", ["mkdocs", "readthedocs", "material"])
@pytest.mark.parametrize("extensions", ["", "markdown_extensions: [pymdownx.superfences]\n"])
def test_two_lines_are_enough(site: Site, theme: str, extensions: str) -> None:
    """A project installs the package and names the plugin; fence, style and scripts come by themselves."""
    config = f"site_name: Plain\ntheme: {theme}\nplugins: [samedevice]\n{extensions}"
    (site.root / "mkdocs.yml").write_text(config, encoding="utf-8")
    result = site.build(index=GOOD.replace("```python", '```python fold="Code"'))
    assert result.exit_code == 0, result.output
    assert sorted(site.texts("index")) == ["print('printed ' + 'by the page')\n", "printed by the page"]
    html = site.html("index")
    assert '<details class="code">' in html
    assert html.index("var sd = ") < html.index("</head>")
    for name in ("outputs.css", "outputs.js"):
        assert f'="assets/samedevice/{name}"' in html
        assert (site.root / "site/assets/samedevice" / name).is_file()


OTHER = """\
site_name: Other
docs_dir: documentation/en
plugins:
  - samedevice:
      recordings: golden
      leave: [changelog.md]
      foreign: [.annotate, linenums]
"""
PAGE = """\
# Page

```console
$ touch made-by-the-build
```

```python { .annotate linenums="1" }
print("printed " + "here")
```

```python run="no" reason="needs <an account>"
login(...)
```
"""


def test_a_project_with_folders_and_tools_of_its_own(site: Site) -> None:
    """Options of other tools reach the page, a shell's commands are shown, and what is not run says why."""
    docs = site.root / "documentation/en"
    docs.mkdir(parents=True)
    (docs / "index.md").write_text(PAGE, encoding="utf-8")
    (docs / "changelog.md").write_text("# Changes\n\n```python title=bad\nnot python\n```\n", encoding="utf-8")
    (docs / "helper.py").write_text("raise SystemExit\n", encoding="utf-8")
    (site.root / "mkdocs.yml").write_text(OTHER, encoding="utf-8")
    result = site.build()
    assert result.exit_code == 0, result.output
    assert "ERROR   -  documentation/en/index.md:7: 1 blocks from here on are not recorded" in result.output
    html = site.html("index")
    assert "annotate" in html
    assert 'class="linenos"' in html
    assert "Not run: needs &lt;an account&gt;" in html
    assert not (site.root / "made-by-the-build").exists()
    assert "printed here" in site.texts("index")
    assert "This page has an error" not in site.html("changelog")
    assert (site.root / "site/helper.py").exists()
    settings = Settings("documentation/en", recordings="golden", foreign=(".annotate", "linenums"), console=False)
    page = parse_page(docs / "index.md", site.root, settings=settings)
    made = load(place(site.root / CACHE, CPU_FOLDER, page))
    assert made is not None
    save(place(site.root / "golden", CPU_FOLDER, page), made)
    again = site.build("--strict")
    assert again.exit_code == 0, again.output


def test_a_setting_that_does_not_exist_is_told(site: Site) -> None:
    """As MkDocs tells of its own."""
    for given, told in (("recording: golden", "Unrecognised configuration name: recording"), ("leave: x", "a list")):
        text = f"site_name: Other\nplugins: [samedevice: {{{given}}}]\n"
        (site.root / "mkdocs.yml").write_text(text, encoding="utf-8")
        assert told in site.build("--strict", index="# Page\n").output


def test_a_site_without_blocks_keeps_its_markdown(site: Site) -> None:
    """superfences would render some of its pages otherwise."""
    (site.root / "mkdocs.yml").write_text("site_name: Plain\nplugins: [samedevice]\n", encoding="utf-8")
    site.build(index="# Plain\n\n```text\nx\n```\n")
    assert '<code class="language-text">x' in site.html("index")


def test_a_disk_that_fails_ends_the_build_with_a_message(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """A traceback of ours helps nobody to make room."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", "site/index.md")

    monkeypatch.setattr("samedevice.integration.mkdocs.build.write_exports", full)
    result = site.build(index=GOOD)
    assert result.exit_code != 0
    assert "No space left on device: site/index.md; make room on the disk" in result.output
    assert "Traceback" not in result.output


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


def test_a_strict_build_refuses_a_mismatch(site: Site) -> None:
    """The page would show what was not recorded, or hide that two runs differ."""
    said = site.root / "said.txt"
    text = f"# Page\n\n```python\nprint(open({str(said)!r}).read())\n```\n"
    said.write_text("one")
    site.build(index=text)
    site.record("index")
    said.write_text("two")
    (site.root / CACHE / CPU_FOLDER / "index.json").unlink()
    result = site.build("--strict")
    assert result.exit_code != 0
    assert "docs/index.md:3 on cpu: not what was recorded (" in result.output
    assert "-one\n" in result.output
    assert site.build().exit_code == 0
    assert "-one\n+two" in site.html("index")


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_a_strict_build_refuses_a_damaged_recording(site: Site, device: str) -> None:
    """Of a device that this machine lacks, too."""
    site.build(index=GOOD)
    path = site.record("index")
    damaged = site.root / f"tests/recordings/{device}/index.json"
    damaged.parent.mkdir(exist_ok=True)
    damaged.write_text(path.read_text(encoding="utf-8")[:100], encoding="utf-8")
    result = site.build("--strict")
    assert result.exit_code != 0
    assert f"ERROR   -  tests/recordings/{device}/index.json: is damaged (JSONDecodeError: " in result.output
    assert "bring it back with git checkout, or delete it and record again" in result.output


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


def test_while_serving_one_server_runs_the_page_that_was_saved(site: Site) -> None:
    """A save shows within a moment; the other pages are not run."""
    from mkdocs.commands.build import build

    site.build(index=GOOD, other=GOOD)
    said: list[str] = []
    books = []
    for text in (GOOD, GOOD.replace("by the page", "again")):
        (site.root / "docs/index.md").write_text(text)
        config = load_config(str(site.root / "mkdocs.yml"))
        plugin = config.plugins["samedevice"]
        config.plugins.on_startup(command="serve", dirty=False)
        config.plugins.on_config(config)
        plugin.book.report = said.append
        build(config)
        books.append(plugin.book)
    assert [line.split(":")[0] for line in said] == ["ran docs/index.md on cpu"]
    assert site.texts("index")[1] == "printed again"
    assert books[0] is books[1]
    assert books[0].runs.sessions is not None
    config.plugins.on_shutdown()
    assert books[0].runs.sessions is None


def test_recordings_and_snippets_are_watched_while_serving(site: Site) -> None:
    """A recording that was just pulled must show."""
    for folder in ("snippets", "tests/recordings"):
        (site.root / folder).mkdir(parents=True)
    config = load_config(str(site.root / "mkdocs.yml"))
    config.plugins["samedevice"].on_config(config)
    assert {str(site.root / "snippets"), str(site.root / "tests/recordings")} <= set(config.watch)


def test_a_second_site_in_the_same_process_is_built_by_itself(
    site: Site, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """MkDocs keeps the plugin; the first site's folder must not stick to it."""
    site.build(index=GOOD)
    other = tmp_path_factory.mktemp("other")
    (other / "docs").mkdir()
    second = Site(other)
    result = second.build(index=GOOD.replace("by the page", "by the other"))
    assert result.exit_code == 0, result.output
    assert second.texts("index")[1] == "printed by the other"


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="waits for a process by its descriptor, as Linux can")
def test_ctrl_c_ends_a_build_and_its_processes(
    light_torch: None,
    root: Path,
    interrupt: Callable[..., tuple[str, list[int]]],
    gone: Callable[[int], bool],
) -> None:
    """Whoever presses it does not want to wait for the pages that are still to run."""
    site = Site(root)
    for name in ("a", "b", "c"):
        (root / f"docs/{name}.md").write_text("```console\n$ exec sleep 600\n```\n")
    (root / "docs/index.md").write_text("```console\n$ echo $PPID $$ > pipe; exec sleep 600\n```\n")
    command = [sys.executable, "-m", "mkdocs", "build", "-f", str(site.root / "mkdocs.yml")]
    output, processes = interrupt(root / "pipe", *command)
    assert "Aborted!" in output
    assert [gone(process) for process in processes] == [True, True]


def test_a_part_that_is_made_from_all_pages_is_on_the_page_and_follows_them(site: Site) -> None:
    """Under `mkdocs serve` the index of errors changes with the page that the author saves."""
    error = "# Page\n\n## Error messages\n\n### `it {}` {{ #err-it }}\n\nWhy.\n"
    site.build(page=error.format("broke"), index="# Index\n\n<!-- samedevice: errors -->\n")
    assert '<a href="page/#err-it">Page</a>' in site.html("index")
    assert "<code>it broke</code>" in site.html("index")
    site.build(page=error.format("stopped"))
    assert "<code>it stopped</code>" in site.html("index")
    assert "it broke" not in site.html("index")


def test_a_marker_that_is_not_known_is_told_and_shown(site: Site) -> None:
    """Like any other page that cannot be read."""
    result = site.build(index="# Index\n\n<!-- samedevice: erors -->\n")
    message = 'docs/index.md:3: "erors" is unknown; write errors, apis, figures, options, settings, status'
    assert f"ERROR   -  {message}" in result.output
    assert "is unknown; write errors, apis, figures, options, settings, status" in site.html("index")
