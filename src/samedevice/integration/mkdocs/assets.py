"""assets: the style and the scripts that outputs need, which ship in this package, put into every page of a site."""

from __future__ import annotations

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from samedevice.integration.page_assets import FOLDER, SCRIPT, STYLE

OWN = {STYLE: "assets/samedevice.css", SCRIPT: "assets/samedevice.js"}
"""The files of a site that take them in, if it has such files and `shrink` is on: fewer requests and bytes."""


def take_assets(config: MkDocsConfig, files: Files, join: bool = False) -> None:
    """Have the site hold and load them, before its own style, which may say otherwise.

    With `join`, not those that a file of the site takes in when it is published.
    """
    taken = [name for name, own in OWN.items() if not (join and files.get_file_from_path(own))]
    for name in taken:
        files.append(File.generated(config, name, abs_src_path=str(FOLDER / Path(name).name)))
    config.extra_css = [name for name in taken if name == STYLE] + config.extra_css
    config.extra_javascript = config.extra_javascript + [name for name in taken if name == SCRIPT]
