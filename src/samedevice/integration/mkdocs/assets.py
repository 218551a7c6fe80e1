"""assets: the style and the scripts that outputs need, which ship in this package, put into every page of a site."""

from __future__ import annotations

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from samedevice.integration.page_assets import FOLDER, SCRIPT, STYLE


def take_assets(config: MkDocsConfig, files: Files) -> None:
    """Have the site hold and load them, before its own style, which may say otherwise."""
    for name in (STYLE, SCRIPT):
        files.append(File.generated(config, name, abs_src_path=str(FOLDER / Path(name).name)))
    config.extra_css = [STYLE, *config.extra_css]
    config.extra_javascript = [*config.extra_javascript, SCRIPT]
