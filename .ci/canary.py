"""Builds the site with Zensical, the successor of Material for MkDocs, and prints a report in Markdown.

Zensical reads mkdocs.yml and runs no plugin of MkDocs. So the pages are woven first, as the plugin does, into a folder
of their own; notebooks go there as the Markdown that readers can download. The exit status is 1 if Zensical fails, or
leaves out a page or an output.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

from samedevice.book import Book
from samedevice.generated.markers import fill
from samedevice.pages.page import Page
from samedevice.pages.parsing import parse_page
from samedevice.project import NOTEBOOK, PACKAGE, page_paths
from samedevice.weaving.markdown_export import markdown
from samedevice.weaving.weave import held_outputs, weave

ROOT = Path(__file__).resolve().parents[1]
NOT_READ = ("[!relative $docs_dir]", "[docs]")
"""What mkdocs.yml says in a way that Zensical does not read, and what stands for it here."""
STYLES = ("extra_css: [", "extra_css: [assets/samedevice/outputs.css, ")
SCRIPTS = "\nextra_javascript: [assets/samedevice/choice.js, assets/samedevice/outputs.js]\n"
"""What the plugin adds for MkDocs."""
SHOWN = re.compile(r"<div class=\"[^\"]*\" data-devices=")


def woven(pages: list[Page]) -> Iterator[tuple[str, str]]:
    """Path below docs/ and Markdown of each page, with its outputs."""
    book = Book(ROOT, lambda line: print(line, file=sys.stderr))
    try:
        book.start(pages)
        reference = book.reference(pages)
        for page in pages:
            shown, _ = book.read(page)
            path = page.path.partition("/")[2]
            if path.endswith(NOTEBOOK):
                yield f"{path.removesuffix(NOTEBOOK)}.md", markdown(page, shown)
            else:
                yield path, weave(fill(page, reference.make(page)), shown, book.copies(page, shown))
    finally:
        book.close()


def prepare(folder: Path) -> dict[str, int]:
    """Write the site's sources for Zensical; for each page, by its path, how many outputs it has."""
    left_out = shutil.ignore_patterns(f"*{NOTEBOOK}")
    shutil.copytree(ROOT / "docs", folder / "docs", ignore=left_out)
    config = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").replace(*NOT_READ)
    config = re.sub(rf"(?<=\w)\{NOTEBOOK}$", ".md", config, flags=re.M)
    (folder / "mkdocs.yml").write_text(config.replace(*STYLES) + SCRIPTS, encoding="utf-8")
    shutil.copytree(PACKAGE / "assets", folder / "docs/assets/samedevice")
    outputs = {}
    for path, text in woven([parse_page(path, ROOT) for path in page_paths(ROOT)]):
        (folder / "docs" / path).write_text(text, encoding="utf-8")
        outputs[path] = len(held_outputs(text))
    return outputs


def missing(folder: Path, outputs: dict[str, int]) -> Iterator[str]:
    """What of the site is not there."""
    for path, count in outputs.items():
        name = path.removesuffix(".md")
        places = (folder / "site" / f"{name}.html", folder / "site" / name / "index.html")
        found = [len(SHOWN.findall(place.read_text(encoding="utf-8"))) for place in places if place.exists()]
        if not found:
            yield f"- {path} was not built"
        elif found != [count]:
            yield f"- {path} shows {found[0]} outputs of {count}"


def main() -> int:
    """Build and report."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        outputs = prepare(folder)
        command = [sys.executable, "-m", "zensical", "build"]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        done = subprocess.run(command, cwd=folder, env=os.environ | {"NO_COLOR": "1"}, check=False, **pipes)  # type: ignore[call-overload]
        said = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout.decode(errors="replace"))
        lost = list(missing(folder, outputs))
    print(f"## Zensical {version('zensical')}: exit status {done.returncode}\n")
    print(f"{len(outputs)} pages with {sum(outputs.values())} outputs; {len(lost)} pages are not whole.\n")
    print("\n".join([*lost, "", "````text", said[-20_000:].strip(), "````"]))
    return 1 if done.returncode or lost else 0


if __name__ == "__main__":
    sys.exit(main())
