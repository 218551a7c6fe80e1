"""publish: what a built site has beside its pages, and what it must not have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from mkdocs.structure.files import File

from samedevice.extras import need
from samedevice.integration.mkdocs.assets import OWN
from samedevice.integration.page_assets import STYLE, text_of
from samedevice.pages.source import inside


def links_out(files: Iterable[File], docs: Path, root: Path) -> Iterator[File]:
    """The files, but for pages, that a link of the documentation folder leads to outside of the repository."""
    for file in files:
        if file.is_documentation_page() or not file.src_dir or Path(file.src_dir).resolve() != docs:
            continue
        if not inside(docs / file.src_uri, root):
            yield file


def shrink(site: Path, docs: Path, kept: Path) -> None:
    """Take comments and indentation out of the style and the script, and unused rules out of theme and engine.

    `docs` is the folder of pages: its own style and script, if it has them, take in those of the engine. `kept` is the
    file that keeps the used rules for the next build. Raises OSError, and MissingExtra.
    """
    need("site", "making the site's styles and scripts smaller")
    from rcssmin import cssmin  # type: ignore[import-untyped]
    from rjsmin import jsmin  # type: ignore[import-untyped]

    from samedevice.integration.mkdocs.unused_styles import drop_unused_styles

    owns = {name: docs / own for name, own in OWN.items() if (docs / own).exists()}
    for name in owns:
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(text_of(name), encoding="utf-8")
    style = site / STYLE
    if style.exists():
        style.write_text(cssmin(style.read_text(encoding="utf-8")), encoding="utf-8")
    drop_unused_styles(site, [style] if style.exists() else [], kept)
    for name in OWN:
        shorten, file = cssmin if name == STYLE else jsmin, site / name
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        if name in owns:
            file.unlink()
            own = owns[name].read_text(encoding="utf-8")
            (site / OWN[name]).write_text(shorten(f"{text}\n{own}"), encoding="utf-8")
        elif text:
            file.write_text(shorten(text), encoding="utf-8")
    if owns and not any(style.parent.iterdir()):
        style.parent.rmdir()
