"""config: what a project says of the plugin in its mkdocs.yml, as MkDocs reads it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mkdocs.config import base
from mkdocs.config import config_options as c
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError

from samedevice.integration.project_file import SUPERFENCES, ProjectError, checked, custom
from samedevice.pages.parsing import SNIPPETS
from samedevice.project import CHOICES, DEFAULTS, KINDS, SETTINGS, Settings


def _option(name: str) -> base.BaseConfigOption[Any]:
    """What MkDocs takes for a setting."""
    default, kind = getattr(DEFAULTS, name), KINDS[name]
    if kind is list:
        one = c.Choice(CHOICES[name]) if name in CHOICES else c.Type(str)
        return c.ListOfItems(one, default=list(default))
    if name in CHOICES:
        return c.Choice(CHOICES[name], default=default)
    if kind is dict:
        return c.Type(dict, default={})
    return c.Type((int, float) if kind is float else kind, default=default)


SCHEME = tuple((name, _option(name)) for name in SETTINGS)
"""The settings of the plugin, as MkDocs checks them. A project of plain Python needs none of them."""


def settings_of(config: MkDocsConfig, own: Mapping[str, Any], root: Path) -> Settings:
    """What a project says about itself; `root` is the folder of its mkdocs.yml. Raises PluginError."""
    try:
        checked(own)
    except ProjectError as error:
        raise PluginError(str(error)) from None
    docs = Path(config.docs_dir).resolve()
    if not docs.is_relative_to(root):
        raise PluginError(f"docs_dir: {docs} is not below {root}, the folder of mkdocs.yml; move one of them")
    snippets = "" if own["console"] else _snippets(config)
    said = {**own, "snippets": snippets, "macros": "macros" in config.plugins, "time_limit": float(own["time_limit"])}
    said["custom"] = custom(config.mdx_configs.get(SUPERFENCES))
    return Settings.of(said, root, config.site_name, docs.relative_to(root).as_posix())


def _snippets(config: MkDocsConfig) -> str:
    """The settings of pymdownx.snippets, if the project uses it. It looks for files from where the build starts."""
    if SNIPPETS not in config.markdown_extensions:
        return ""
    return json.dumps(config.mdx_configs.get(SNIPPETS, {}), default=os.fspath, sort_keys=True)
