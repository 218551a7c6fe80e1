"""assets: the style and the scripts that outputs need, which ship in this package, among the files of a site."""

from __future__ import annotations

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from samedevice.integration.page_assets import FOLDER, SCRIPT, STYLE


def name_assets(config: MkDocsConfig) -> None:
    """Have each page load them, the style before the site's own, which may say otherwise."""
    config.extra_css = [STYLE, *config.extra_css]
    config.extra_javascript = [*config.extra_javascript, SCRIPT]


def is_instant(config: MkDocsConfig) -> bool:
    """Whether the theme takes readers from page to page without loading one."""
    return "navigation.instant" in (config.theme.get("features") or ())


def take_assets(config: MkDocsConfig, files: Files) -> None:
    """Have the site hold them."""
    for name in (STYLE, SCRIPT):
        files.append(File.generated(config, name, abs_src_path=str(FOLDER / Path(name).name)))
