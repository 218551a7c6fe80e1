"""extension: a page that Python-Markdown renders to the same page with its outputs, under every builder.

    markdown_extensions:
      - samedevice

Before any other preprocessor sees the page, it replaces the page's text by the woven one, and after rendering it checks
the HTML. Which page is rendered, the builder says: the MkDocs plugin gives the extension a `Weaving`; Zensical keeps
the page in a preprocessor of its own. Text that belongs to no page, such as a docstring, stays as it is.
"""

from __future__ import annotations

import re
from inspect import signature
from typing import Any
from xml.etree.ElementTree import Element

from markdown import Extension, Markdown  # type: ignore[import-untyped]
from markdown.postprocessors import Postprocessor  # type: ignore[import-untyped]
from markdown.preprocessors import Preprocessor  # type: ignore[import-untyped]
from markdown.treeprocessors import Treeprocessor  # type: ignore[import-untyped]

from samedevice.integration.page_weaver import RenderedSite, Weaving
from samedevice.pages.options import OURS
from samedevice.pages.page import Page
from samedevice.weaving.weave import FENCE, output_fence

FENCES = "fenced_code_block"
"""The name of the preprocessor of pymdownx.superfences."""
FIRST = 1000
"""Before every other preprocessor: none may change code, and none may see it but encoded."""
BEFORE_FENCES = 26
"""Right before the preprocessor of fences."""
LAST = -1000
"""After every other processor, when the tree or the HTML is whole."""
FOLDED = re.compile(r"^[ \t>]*\?\?\? code ", re.M)
"""A block in a closed box."""
SUPERFENCES = "pymdownx.superfences"
DETAILS = "pymdownx.details"
HIGHLIGHT = "pymdownx.highlight"
INDENTED = "indent-highlight"
"""What it does to code that is indented, which is none of our business."""
NAMED = "pygments_lang_class"
"""The option that has highlighted code name its language as a class, so that it can be compared with the blocks."""
LANGUAGE = re.compile(r'(<(?:div (?:id="[^"]*" )?|code )class=")language-[\w+#.-]+ (?=(?:[\w-]+ )*highlight")')
"""That class."""


class Weaver(Preprocessor):  # type: ignore[misc]
    """Puts the woven page in the place of the page as it is in its file."""

    def __init__(self, md: Markdown, weaving: Weaving | None) -> None:
        super().__init__(md)
        self.weaving = weaving
        self.wove = False
        self.named = False
        """Whether the project itself wants code to name its language."""

    def run(self, lines: list[str]) -> list[str]:
        """The lines to render."""
        weaving = self.weaving or _zensical(self.md)
        text = weaving.woven(self.md, "\n".join(lines)) if weaving else None
        self.wove = text is not None
        if text is None:
            return lines
        self.weaving = weaving
        self.named = prepare(self.md)
        if FOLDED.search(text) and "details" not in self.md.parser.blockprocessors:
            self.md.registerExtensions([DETAILS], {})
        return text.split("\n")


class Fences(Preprocessor):  # type: ignore[misc]
    """Shows our fences where the project has no pymdownx.superfences. It shows all others as it did before."""

    def __init__(self, md: Markdown, weaver: Weaver) -> None:
        super().__init__(md)
        self.weaver = weaver

    def run(self, lines: list[str]) -> list[str]:
        """The lines, our fences as HTML that other processors leave alone."""
        if not self.weaver.wove or _superfences(self.md):
            return lines
        own = Markdown(extensions=[SUPERFENCES])
        prepare(own)
        own.preprocessors[FENCES].get_hl_settings()

        def shown(fence: re.Match[str]) -> str:
            html = output_fence(fence["body"], OURS, OURS, {}, own)
            return f"{fence['prefix']}{self.md.htmlStash.store(html)}"

        return FENCE.sub(shown, "\n".join(lines)).split("\n")


class Tree(Treeprocessor):  # type: ignore[misc]
    """Notes that the tree of elements is done: before, postprocessors are run for the texts of headings alone."""

    done = False

    def run(self, root: Element) -> None:
        """Note that the tree is done."""
        self.done = True


class Checker(Postprocessor):  # type: ignore[misc]
    """Compares the HTML of a woven page with its blocks and outputs."""

    def __init__(self, md: Markdown, weaver: Weaver, tree: Tree) -> None:
        super().__init__(md)
        self.weaver = weaver
        self.tree = tree

    def run(self, text: str) -> str:
        """The HTML of the page."""
        if not (self.weaver.wove and self.tree.done) or self.weaver.weaving is None:
            return text
        html = self.weaver.weaving.checked(text)
        return html if self.weaver.named else LANGUAGE.sub(r"\1", html)


def rendered_page(md: Markdown) -> tuple[RenderedSite, Page] | None:
    """The site and the page that a Markdown instance renders; None if it renders something else."""
    weaver = next((one for one in md.preprocessors if isinstance(one, Weaver)), None)
    weaving = (weaver and weaver.weaving) or _zensical(md)
    return weaving.rendered() if weaving else None


def _zensical(md: Markdown) -> Weaving | None:
    """What Zensical says about the page that it renders; None under other builders.

    None, too, for what others render within that page, such as docstrings: Zensical hands its page on to them.
    """
    from samedevice.integration.zensical import PAGE, ZensicalPage

    if PAGE not in md.preprocessors:
        return None
    context = md.preprocessors[PAGE]
    return ZensicalPage(context) if vars(context.page).setdefault(OURS, md) is md else None


def prepare(md: Markdown) -> bool:
    """Have a Markdown instance show blocks and outputs: add what its project does not list.

    Return whether the project wants code to name its language. One without pymdownx.superfences stays as it is.
    """
    fences = _superfences(md)
    if fences is None:
        return True
    ours = (OURS, _formatted, lambda *_: True, None)  # before version 11 it took three
    if OURS not in [fence["name"] for fence in fences.superfences]:
        fences.extend_super_fences(*ours[: len(signature(fences.extend_super_fences).parameters)])
    found = [one for one in md.registeredExtensions if hasattr(one, "get_pymdownx_highlight_settings")]
    named = any(extension.enabled and extension.getConfig(NAMED) for extension in found)
    for extension in found:
        extension.setConfig(NAMED, True)
    if not any(extension.enabled for extension in found):
        md.registerExtensions([HIGHLIGHT], {HIGHLIGHT: {NAMED: True}})
        md.treeprocessors.deregister(INDENTED)
    return named


def _superfences(md: Markdown) -> Any:
    """The extension pymdownx.superfences of a Markdown instance; None if it has none."""
    return getattr(md.preprocessors[FENCES], "extension", None) if FENCES in md.preprocessors else None


def _formatted(src: str, language: str, options: object, md: Markdown, **rest: object) -> str:
    """What superfences calls, by these names."""
    return output_fence(src, language, OURS, options, md, **rest)


class SameDeviceExtension(Extension):  # type: ignore[misc]
    """Shows what each device printed."""

    def __init__(self, **options: Any) -> None:
        self.config = {"weaving": ["", "what the MkDocs plugin says about the page that is rendered"]}
        super().__init__(**options)

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        """Add the processors."""
        weaver, tree = Weaver(md, self.getConfig("weaving") or None), Tree(md)
        md.preprocessors.register(weaver, OURS, FIRST)
        md.preprocessors.register(Fences(md, weaver), f"{OURS}-fences", BEFORE_FENCES)
        md.treeprocessors.register(tree, OURS, LAST)
        md.postprocessors.register(Checker(md, weaver, tree), OURS, LAST)


def makeExtension(**options: Any) -> SameDeviceExtension:  # noqa: N802
    """What Python-Markdown calls."""
    return SameDeviceExtension(**options)
