"""extensions: the Markdown extensions that the engine needs, and what it sets in their options."""

from __future__ import annotations

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError

from samedevice.pages.options import OURS

SUPERFENCES = "pymdownx.superfences"
HIGHLIGHT = "pymdownx.highlight"
NAMED = "pygments_lang_class"
"""The option that has highlighted code name its language as a class."""
FORMAT = "!!python/name:samedevice.weaving.weave.output_fence"


def name_languages(config: MkDocsConfig) -> bool:
    """Have highlighted code name its language, so that it can be compared with the blocks; return whether it did.

    Where superfences is used without pymdownx.highlight, that is added: superfences takes such options from it alone.
    """
    options = config.mdx_configs.setdefault(HIGHLIGHT, {})
    before = bool(options.get(NAMED))
    options[NAMED] = True
    if SUPERFENCES in config.markdown_extensions and HIGHLIGHT not in config.markdown_extensions:
        config.markdown_extensions.append(HIGHLIGHT)
    return before


def check_fences(config: MkDocsConfig) -> None:
    """Raise PluginError where the site's Markdown has nothing that puts blocks and outputs into pages."""
    fences = config.mdx_configs.get(SUPERFENCES, {}).get("custom_fences", ())
    if SUPERFENCES not in config.markdown_extensions or OURS not in [fence.get("name") for fence in fences]:
        what = f"markdown_extensions lacks a custom fence {OURS} of {SUPERFENCES}, which shows the code"
        raise PluginError(f"mkdocs.yml: {what}; add name: {OURS}, class: {OURS}, format: {FORMAT}")
