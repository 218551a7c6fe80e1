"""assets: the style and the scripts that outputs need, which ship in this package, put into every page of a site."""

from __future__ import annotations

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from samedevice.project import PACKAGE

FOLDER = PACKAGE / "assets"
"""Where they are in this package."""
STYLE = "assets/samedevice/outputs.css"
SCRIPT = "assets/samedevice/outputs.js"
"""Where they are on the site."""
CHOICE = "choice.js"
"""The script of a page's head: it runs before the outputs are seen, so that none of them moves."""


def take_assets(config: MkDocsConfig, files: Files) -> None:
    """Have the site hold and load them, before its own style, which may say otherwise."""
    for name in (STYLE, SCRIPT):
        files.append(File.generated(config, name, abs_src_path=str(FOLDER / Path(name).name)))
    config.extra_css = [STYLE, *config.extra_css]
    config.extra_javascript = [*config.extra_javascript, SCRIPT]


def with_choice(html: str) -> str:
    """A page's HTML with that script in its head."""
    code = (FOLDER / CHOICE).read_text(encoding="utf-8").partition("*/\n")[2]
    head, end, body = html.partition("</head>")
    return f"{head}<script>{code}</script>{end}{body}" if end else html
