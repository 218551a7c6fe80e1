"""config: what a project may say of the plugin in its mkdocs.yml, with types and defaults."""

from __future__ import annotations

import json
import os
from pathlib import Path

from mkdocs.config import base
from mkdocs.config import config_options as c
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError

from samedevice.integration.project_file import SUPERFENCES, custom
from samedevice.pages.includes import SNIPPETS
from samedevice.project import CHOICES, DEFAULTS, Settings


class SameDeviceConfig(base.Config):  # type: ignore[no-untyped-call]
    """The settings of the plugin, which `project.SETTINGS` explains. A project of plain Python needs none of them."""

    recordings = c.Type(str, default=DEFAULTS.recordings)
    programs = c.Type(str, default=DEFAULTS.programs)
    fences = c.Choice(CHOICES["fences"], default=DEFAULTS.fences)
    expect = c.Choice(CHOICES["expect"], default=DEFAULTS.expect)
    pages = c.ListOfItems(c.Type(str), default=[])
    time_limit = c.Type((int, float), default=DEFAULTS.time_limit)
    preload = c.ListOfItems(c.Type(str), default=[])
    leave = c.ListOfItems(c.Type(str), default=[])
    foreign = c.ListOfItems(c.Type(str), default=[])
    console = c.Type(bool, default=False)
    namespace = c.Choice(CHOICES["namespace"], default=DEFAULTS.namespace)
    exports = c.Type(bool, default=False)
    simulated = c.Type(str, default="")


def settings_of(config: MkDocsConfig, own: SameDeviceConfig, root: Path) -> Settings:
    """What a project says about itself; `root` is the folder of its mkdocs.yml. Raises PluginError."""
    docs = Path(config.docs_dir).resolve()
    if not docs.is_relative_to(root):
        raise PluginError(f"docs_dir: {docs} is not below {root}, the folder of mkdocs.yml; move one of them")
    snippets = "" if own.console else _snippets(config)
    said = {**own, "snippets": snippets, "macros": "macros" in config.plugins, "time_limit": float(own.time_limit)}
    said["custom"] = custom(config.mdx_configs.get(SUPERFENCES))
    return Settings.of(said, root, config.site_name, docs.relative_to(root).as_posix())


def _snippets(config: MkDocsConfig) -> str:
    """The settings of pymdownx.snippets, if the project uses it. It looks for files from where the build starts."""
    if SNIPPETS not in config.markdown_extensions:
        return ""
    return json.dumps(config.mdx_configs.get(SNIPPETS, {}), default=os.fspath, sort_keys=True)
