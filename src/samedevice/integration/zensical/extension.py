"""extension: the Python-Markdown extension that weaves pages under Zensical.

    markdown_extensions:
      - samedevice

It finds the page that is rendered by the preprocessor in which Zensical keeps it. Where there is none, as under MkDocs,
whose plugin weaves the pages, the extension does nothing; so one mkdocs.yml serves both.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from markdown import Extension, Markdown  # type: ignore[import-untyped]
from markdown.preprocessors import Preprocessor  # type: ignore[import-untyped]

from samedevice.integration.zensical.pages import Project, project_root, woven
from samedevice.integration.zensical.project_file import NAME, read, settings_of
from samedevice.pages.options import OURS
from samedevice.project import Settings
from samedevice.weaving.prose import Address
from samedevice.weaving.weave import output_fence

PAGE = "rendering_context"
"""The name of the preprocessor in which Zensical keeps the page and the configuration."""
FENCES = "fenced_code_block"
"""The name of the preprocessor of pymdownx.superfences, which Zensical always loads."""
FIRST = 1000
"""Before every other preprocessor: none may change code, and none may see it but encoded."""
DETAILS = "pymdownx.details"
HIGHLIGHT = "pymdownx.highlight"
NAMED = "pygments_lang_class"
"""The option that has highlighted code name its language as a class, so that it can be compared with the blocks."""


class Weaver(Preprocessor):  # type: ignore[misc]
    """Puts the woven page in the place of the page as it is in its file."""

    def run(self, lines: list[str]) -> list[str]:
        """The lines to render."""
        if PAGE not in self.md.preprocessors:
            return lines
        context = self.md.preprocessors[PAGE]
        text = woven(project_of(context.config), context.page.path)
        if text is None:
            return lines
        prepare(self.md)
        return text.split("\n")


def project_of(config: dict[str, Any]) -> Project:
    """The project that Zensical's configuration is of. Raises ProjectError."""
    root, copied = project_root(Path(config["root_dir"]).resolve())
    settings = (
        settings_of(read(root), root) if (root / NAME).is_file() else Settings(docs=config["docs_dir"], console=False)
    )
    return Project(root, settings, Address(config["site_url"] or "", config["use_directory_urls"]), copied)


def prepare(md: Markdown) -> None:
    """Have a Markdown instance show blocks and outputs: add what its project does not list."""
    fences = md.preprocessors[FENCES].extension
    if OURS not in [fence["name"] for fence in fences.superfences]:
        fences.extend_super_fences(OURS, _formatted, lambda *_: True, None)
    if "details" not in md.parser.blockprocessors:
        md.registerExtensions([DETAILS], {})
    found = [one for one in md.registeredExtensions if hasattr(one, "get_pymdownx_highlight_settings")]
    for extension in found:
        extension.setConfig(NAMED, True)
    if not any(extension.enabled for extension in found):
        md.registerExtensions([HIGHLIGHT], {HIGHLIGHT: {NAMED: True}})


def _formatted(src: str, language: str, options: object, md: Markdown, **rest: object) -> str:
    """What superfences calls, by these names."""
    return output_fence(src, language, OURS, options, md, **rest)


class SameDeviceExtension(Extension):  # type: ignore[misc]
    """Has Zensical show what each device printed."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        """Add the preprocessor."""
        md.preprocessors.register(Weaver(md), OURS, FIRST)


def makeExtension(**options: object) -> SameDeviceExtension:  # noqa: N802
    """What Python-Markdown calls; the options are those of the plugin, in mkdocs.yml."""
    return SameDeviceExtension(**options)
