"""publish: what a built site has beside its pages, and what it must not have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from mkdocs.structure.files import File

from samedevice.extras import need
from samedevice.integration.mkdocs.assets import OWN, joined
from samedevice.pages.source import inside


def links_out(files: Iterable[File], docs: Path, root: Path) -> Iterator[File]:
    """The files, but for pages, that a link of the documentation folder leads to outside of the repository."""
    for file in files:
        if file.is_documentation_page() or not file.src_dir or Path(file.src_dir).resolve() != docs:
            continue
        if not inside(docs / file.src_uri, root):
            yield file


def shrink(site: Path, docs: Path, kept: Path) -> None:
    """Take comments and indentation out of the style and the script, and unused rules out of the site's styles.

    `docs` is the folder of pages: its own style and script, if it has them, take in those of the engine. `kept` is the
    file that keeps the theme's rules for the next build. Raises OSError, and MissingExtra.
    """
    need("site", "making the site's styles and scripts smaller")
    from rcssmin import cssmin  # type: ignore[import-untyped]
    from rjsmin import jsmin  # type: ignore[import-untyped]

    from samedevice.integration.mkdocs.unused_styles import drop_unused_styles

    styles = []
    for name, own in OWN.items():
        shorten = cssmin if name.endswith(".css") else jsmin
        taken = (docs / own).exists()
        file = site / (own if taken else name)
        if not taken and not file.exists():
            continue
        text = joined(name, docs / own) if taken else file.read_text(encoding="utf-8")
        file.write_text(shorten(text), encoding="utf-8")
        if file.suffix == ".css":
            styles.append(file)
    drop_unused_styles(site, styles, kept)
