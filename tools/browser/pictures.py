"""pictures: the pictures of the README, taken anew in Chromium. `make pictures`.

Usage: python tools/browser/pictures.py [SITE]. SITE is the built site, `site` if none is named. Two are pictures of its
pages; for the third a project with one page is made, recorded and built, as somebody else would.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import ViewportSize, sync_playwright

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests/browser"))

from served import served  # noqa: E402 - it is found there

PICTURES = ROOT / ".github/pictures"
SIZE: ViewportSize = {"width": 860, "height": 560}
COLORS = 64
"""Colors of a picture: a page has few, and the file is a third of the size."""
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")
PROJECT = {
    "mkdocs.yml": "site_name: A library of yours\ntheme: {name: material, font: false}\n",
    "docs/index.md": Path(__file__).with_name("project.md").read_text(encoding="utf-8"),
}


ABOVE = "one => scrollTo(0, one.getBoundingClientRect().top - 80)"
SHOWN = {
    "reader": ("errors/mat1-and-mat2-shapes-cannot-be-multiplied.html", "article h1", ABOVE),
    "author": ("index.html", "body", ""),
    "tester": ("devices/without-a-gpu.html", ".sd-simulated", "one => one.scrollIntoView({block: 'center'})"),
}
"""A page of an error message: the program that raises it, and what it printed; the page of another project; a page with
a program that runs on a simulated GPU, and its report. What is scrolled to, and how."""


@contextmanager
def project() -> Iterator[Path]:
    """The site of a project that this engine was added to."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path, text in PROJECT.items():
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
        for command in (["samedevice", "init"], ["mkdocs", "build", "--quiet", "--strict"]):
            subprocess.run([sys.executable, "-m", *command], cwd=folder, check=True)
        yield folder / "site"


def main() -> None:
    """Take them."""
    site = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "site"
    PICTURES.mkdir(exist_ok=True)
    with project() as made, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=[*FLAGS])
        for name, (path, what, scroll) in SHOWN.items():
            with served(made if name == "author" else site) as address:
                page = browser.new_page(viewport=SIZE, device_scale_factor=1.5)
                page.goto(f"{address}{path}")
                if scroll:
                    page.locator(what).first.evaluate(scroll)
                page.wait_for_timeout(1_000)
                taken = Image.open(BytesIO(page.screenshot())).convert("RGB")
            taken.quantize(COLORS, dither=Image.Dither.NONE).save(PICTURES / f"{name}.png", optimize=True)
        browser.close()


if __name__ == "__main__":
    main()
