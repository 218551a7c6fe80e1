"""A real Material site with hooks, overrides, mkdocstrings, markdown-exec and includes: it builds, and stays true.

A build that keeps something of an earlier one must make the very files that a first build makes, whatever changed.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from samedevice.project import CACHE

CONFIG = """\
site_name: Real
site_url: https://example.org/
theme:
  name: material
  font: false
  custom_dir: overrides
  icon: {repo: own/mark}
repo_url: https://example.org/code
hooks: [hook.py]
plugins:
  - search
  - samedevice: {leave: [made.md]}
  - markdown-exec
  - mkdocstrings:
      handlers: {python: {paths: [lib], options: {show_source: true, separate_signature: true}}}
markdown_extensions:
  - pymdownx.highlight: {anchor_linenums: true}
  - pymdownx.superfences
  - pymdownx.snippets: {base_path: [parts], check_paths: true}
  - reader
"""
FILES = {
    "mkdocs.yml": CONFIG,
    "hook.py": "def on_page_markdown(markdown, **_):\n    return markdown.replace('WORD', 'hooked once')\n",
    "reader.py": """\
from pathlib import Path

from markdown import Extension
from markdown.preprocessors import Preprocessor


class Reads(Preprocessor):
    def run(self, lines):
        return [line.replace("READ", (Path(__file__).parent / "data.txt").read_text()) for line in lines]


class Reader(Extension):
    def extendMarkdown(self, md):
        md.preprocessors.register(Reads(md), "reads", 40)


def makeExtension(**options):
    return Reader(**options)
""",
    "data.txt": "data once",
    "parts/long.md": "long once\n",
    "parts/short.md": "short once\n\n```python\nincluded = 1\n```\n",
    "overrides/main.html": '{% extends "base.html" %}{% block announce %}said once{% endblock %}',
    "overrides/.icons/own/mark.svg": '<svg xmlns="http://www.w3.org/2000/svg"><path d="M1 1"/></svg>',
    "lib/shapes.py": '''\
def area(side: float) -> float:
    """Area once.

    ```python
    area(2.0)
    ```
    """
    return side * side
''',
    "docs/index.md": "# Home\n\nSee [area][shapes.area], WORD, READ.\n\n```python\nprint('printed ' + 'here')\n```\n",
    "docs/api.md": "# API\n\n::: shapes\n",
    "docs/parts.md": '# Parts\n\n--8<-- "long.md"\n\n-8<- "short.md"\n',
    "docs/made.md": '# Made\n\n```python exec="on"\nprint(open("data.txt").read())\n```\n',
}
CHANGES = {
    "an include with two dashes": ("parts/long.md", "once", "twice", "parts/index.html"),
    "an include with one dash": ("parts/short.md", "once", "twice", "parts/index.html"),
    "a file that an extension reads": ("data.txt", "once", "twice", "index.html"),
    "a hook": ("hook.py", "once", "twice", "index.html"),
    "a template": ("overrides/main.html", "once", "twice", "index.html"),
    "an icon of the theme": ("overrides/.icons/own/mark.svg", "M1 1", "M2 2", "index.html"),
    "a docstring": ("lib/shapes.py", "once", "twice", "api/index.html"),
    "an option of an extension": ("mkdocs.yml", "anchor_linenums: true", "linenums: true", "index.html"),
    "a page": ("docs/index.md", "printed", "said", "index.html"),
}


class RealSite:
    """That site in a folder of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.failed = False
        """Whether the last build did."""
        for name, text in FILES.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def build(self) -> str:
        """Build by a command, since hooks and extensions are modules that a process loads once; what it prints."""
        command = [sys.executable, "-m", "mkdocs", "build"]
        done = subprocess.run(command, cwd=self.root, capture_output=True, text=True, check=False)
        self.failed = done.returncode != 0
        return done.stderr

    def files(self) -> dict[str, bytes]:
        """The built site; the inventory without its packing, pages without the time of the build."""
        site = self.root / "site"
        found = {path.relative_to(site).as_posix(): path.read_bytes() for path in site.rglob("*") if path.is_file()}
        head, mark, packed = found["objects.inv"].partition(b"zlib.\n")
        assert mark
        times = re.compile(rb"Build Date UTC : .*|<lastmod>.*</lastmod>")
        found = {name: times.sub(b"", text) for name, text in found.items() if name != "sitemap.xml.gz"}
        return found | {"objects.inv": head + zlib.decompress(packed)}


@pytest.fixture
def site(root: Path, light_torch: None) -> RealSite:
    """The site; `python -m mkdocs` finds its extension, because it runs in that folder."""
    return RealSite(root)


def test_it_builds_and_the_pages_of_others_are_as_without_us(site: RealSite) -> None:
    """Signatures, docstrings and includes are highlighted code that nobody here wrote; they stay what they are."""
    said = site.build()
    assert not site.failed, said
    ours = site.files()
    assert b"printed here" in ours["index.html"]
    for name in ("api/index.html", "parts/index.html", "made/index.html"):
        assert b"This page has an error" not in ours[name], name
    assert b"included" in ours["parts/index.html"]
    (site.root / "mkdocs.yml").write_text(CONFIG.replace("  - samedevice: {leave: [made.md]}\n", ""), encoding="utf-8")
    site.build()
    theirs = site.files()
    assert ours["objects.inv"] == theirs["objects.inv"]
    for name in ("api/index.html", "made/index.html"):
        assert article(ours[name]) == article(theirs[name])


def article(html: bytes) -> str:
    """The content of a page."""
    return html.decode().partition("<article")[2].partition("</article>")[0]


def test_every_edit_is_shown_and_nothing_of_an_earlier_build_stays(site: RealSite) -> None:
    """A second build makes the same files, also for mkdocstrings; after all edits they are those of a first build."""
    site.build()
    before = site.files()
    assert b"shapes.area" in before["objects.inv"]
    site.build()
    assert site.files() == before
    for what, (name, old, new, shown) in CHANGES.items():
        path = site.root / name
        path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
        said = site.build()
        assert not site.failed, said
        after = site.files()
        assert after[shown] != before[shown], what
        before = after
    shutil.rmtree(site.root / CACHE)
    site.build()
    assert site.files() == before


BROKEN = {
    "a page that cannot be read": "```python nedds='cuda'\n1\n```\n",
    "code of the page that nothing runs": "<div>\n\n    ```python\n    shown = 1\n    ```\n\n</div>\n",
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN.keys())
def test_a_build_with_a_page_that_cannot_be_shown_fails(site: RealSite, text: str) -> None:
    """Also one that is not strict: a page that is replaced by an error must not be published."""
    (site.root / "docs/bad.md").write_text(f"# Bad\n\n{text}", encoding="utf-8")
    said = site.build()
    assert site.failed
    assert "1 pages cannot be shown, as told above: bad.md" in said
    assert b"This page has an error" in site.files()["bad/index.html"]


def test_a_block_that_another_plugin_changes_is_an_error(site: RealSite) -> None:
    """The page would show what did not run."""
    with (site.root / "docs/index.md").open("a", encoding="utf-8") as page:
        page.write("\n```python\nx = 'WORD'\n```\n")
    said = site.build()
    assert site.failed
    assert "docs/index.md:9: another plugin or extension changed this block; " in said
