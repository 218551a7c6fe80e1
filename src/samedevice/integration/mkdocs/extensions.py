"""extensions: the Markdown extensions that the engine needs, and what it sets in their options."""

from __future__ import annotations

from collections.abc import Iterable

from mkdocs.config.defaults import MkDocsConfig

from samedevice.pages.options import OURS
from samedevice.pages.page import Page
from samedevice.weaving.weave import output_fence

SUPERFENCES = "pymdownx.superfences"
HIGHLIGHT = "pymdownx.highlight"
NAMED = "pygments_lang_class"
"""The option that has highlighted code name its language as a class."""
DETAILS = "pymdownx.details"


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


def take_fences(config: MkDocsConfig, pages: Iterable[Page]) -> None:
    """Have the site's Markdown show the blocks and outputs of pages: add the extensions and the fence that it lacks.

    A site whose pages have no blocks stays as it is.
    """
    blocks = [block for page in pages for block in page.blocks]
    needed = [SUPERFENCES] * bool(blocks) + [DETAILS] * any(block.options.fold for block in blocks)
    config.markdown_extensions += [name for name in needed if name not in config.markdown_extensions]
    if blocks:
        options = config.mdx_configs.setdefault(SUPERFENCES, {})
        fences = list(options.get("custom_fences", ()))
        if OURS not in [fence.get("name") for fence in fences]:
            options["custom_fences"] = [*fences, {"name": OURS, "class": OURS, "format": output_fence}]
        name_languages(config)
