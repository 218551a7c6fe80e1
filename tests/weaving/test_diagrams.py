"""Diagrams: SVG files that are shown inline, so that they are readable in light and dark."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from same_device_site.settings import page_paths, parse_page
from samedevice.errors import PageError
from samedevice.pages.page import Page
from samedevice.weaving.between import DIAGRAM, diagram_html, draw, read_diagrams

ROOT = Path(__file__).parents[2]
DRAWN = sorted((ROOT / "docs/assets/diagrams").glob("*.svg"))
SMALL = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" aria-labelledby="t"><title id="t">T</title></svg>'
TEXT = "# Title\n\n![Two boxes & an arrow](../assets/diagrams/two.svg)\n"
Write = Callable[..., Page]


@pytest.fixture
def drawn(root: Path) -> Path:
    """A diagram in the documentation of a small project."""
    folder = root / "docs/assets/diagrams"
    folder.mkdir(parents=True)
    (folder / "two.svg").write_text(SMALL, encoding="utf-8")
    return root


def test_an_image_on_a_line_of_its_own_becomes_the_drawing(drawn: Path, write: Write) -> None:
    """As an `<img>` it would be black on black in the dark scheme."""
    page = write(TEXT, "docs/tensors/page.md")
    woven = draw(page.text, read_diagrams(page, drawn))
    assert '<figure class="sd-diagram"><svg role="img" aria-label="Two boxes &amp; an arrow" xmlns=' in woven
    assert "aria-labelledby" not in woven


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TEXT.replace("two.svg", "three.svg"), "three.svg does not exist"),
        (TEXT.replace("Two boxes & an arrow", " "), "no text alternative"),
    ],
)
def test_a_diagram_that_cannot_be_shown_is_an_error_at_its_line(
    drawn: Path, write: Write, text: str, message: str
) -> None:
    """A page with a hole in it must not be published."""
    with pytest.raises(PageError, match=rf"docs/tensors/page.md:3: .*{message}"):
        read_diagrams(write(text, "docs/tensors/page.md"), drawn)


def test_an_image_in_a_fence_is_text(drawn: Path, write: Write) -> None:
    """A page may show how it is written."""
    page = write(f"# Title\n\n```text\n{TEXT}```\n", "docs/tensors/page.md")
    assert read_diagrams(page, drawn) == {}


@pytest.mark.parametrize("path", DRAWN, ids=lambda path: path.stem)
def test_each_drawing_of_the_site_is_plain_and_readable_on_a_phone(path: Path) -> None:
    """Text is text, ink follows the page, nothing is loaded, and 12 units are 12 px at 358 px width."""
    text = path.read_text(encoding="utf-8")
    root = ET.fromstring(text)
    width = float(root.attrib["viewBox"].split()[2])
    sizes = [float(size) for size in re.findall(r'font-size="([\d.]+)(?:px)?"', text)]
    assert sizes
    assert min(sizes) * min(1, 358 / width) >= 11.9
    assert "currentColor" in text
    assert root.find("{http://www.w3.org/2000/svg}title") is not None
    assert not re.search(r"<(?:script|style|image|foreignObject)\b|\son\w+=|href=\"(?!#)|url\((?!#)", text)
    assert diagram_html(text, "x").count("<svg") == 1


def test_each_drawing_of_the_site_is_shown() -> None:
    """A drawing that no page shows is forgotten, or misspelled."""
    pages = [parse_page(path, ROOT).text for path in page_paths(ROOT)]
    shown = {Path(match["path"]).name for text in pages for match in DIAGRAM.finditer(text.replace("\n# ", "\n"))}
    assert {path.name for path in DRAWN} <= shown
