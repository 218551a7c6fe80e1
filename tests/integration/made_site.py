"""A site made for a test, built in this process."""

from __future__ import annotations

import logging
import shutil
from html.parser import HTMLParser
from pathlib import Path

from click.testing import CliRunner, Result
from made_conftest import CONFTEST
from mkdocs.__main__ import cli

from same_device_site.settings import parse_page
from samedevice.devices import torch_build
from samedevice.outputs.recording_files import Recordings, place
from samedevice.project import CACHE

CPU_FOLDER = f"cpu-{torch_build().version}"
"""The environment of this interpreter's CPU."""


ROOT = Path(__file__).parents[2]


CONFIG = f"""
INHERIT: {ROOT / "mkdocs.yml"}
site_name: Made up
docs_dir: docs
theme: mkdocs
plugins: [samedevice: {{console: true, exports: true}}]
nav: null
watch: []
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
        (root / "conftest.py").write_text(CONFTEST, encoding="utf-8")
        (root / "docs/assets").mkdir()
        shutil.copy(ROOT / "docs/assets/glossary.txt", root / "docs/assets")

    def build(self, *options: str, **pages: str) -> Result:
        """Write these pages and build, as `mkdocs build` does."""
        for name, text in pages.items():
            path = self.root / f"docs/{name}.md"
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        logging.getLogger("mkdocs.commands.build").filters.clear()  # each message once, in this whole process
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
        ((found,), _) = Recordings(self.root, CACHE / "outputs").load(page)
        files = Recordings(self.root, "tests/recordings")
        files.save(page, found)
        return place(files.folder, page)
