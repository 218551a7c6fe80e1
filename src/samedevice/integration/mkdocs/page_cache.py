"""rendered: the HTML of the site's pages, kept until something that it is rendered from changes.

Rendering Markdown takes most of a build, and most pages are as they were. A page's HTML depends on its Markdown with
the outputs in it, the Markdown extensions and their options, the texts that are appended to every page, and on which
files the site has, because links lead to them. A page about which MkDocs had something to say is not kept, so that it
says it in each build; nor is one whose HTML does not show what was run, so that what is kept needs no check.
"""

from __future__ import annotations

import json
import logging
import re
from collections import UserDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import markdown  # type: ignore[import-untyped]
import mkdocs
import pygments  # type: ignore[import-untyped]
import pymdownx  # type: ignore[import-untyped]
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page as SitePage
from mkdocs.structure.toc import AnchorLink, get_toc

from samedevice import memo

SNIPPETS = "pymdownx.snippets"
INCLUDES = "--8<--"
"""A page that includes files is rendered in every build: what they are is known to the extension alone."""

LANGUAGE = re.compile(r'(<div (?:id="[^"]*" )?class=")language-[\w+#.-]+ (?=highlight")')
"""The class that names the language of highlighted code, which is there for the check alone."""
UNCOLORED = re.compile(r'<span class="(?:n|o|p|w)">([^<]*)</span>')


def lean(html: str) -> str:
    """HTML whose names, operators, punctuation and blanks in code, which have no color of their own, are no elements.

    They are three of four tokens; without them a long page has a third of its elements, and opens sooner on a phone.
    """
    return UNCOLORED.sub(r"\1", html)


class Renderer:
    """Renders the pages of one build of a site.

    `folder` is where their HTML is kept; `languages_named` whether the site wants code to name its language as a class.
    """

    def __init__(self, folder: Path, config: MkDocsConfig, files: Files, languages_named: bool) -> None:
        self.folder = folder
        self.config = config
        self.files = files
        self.languages_named = languages_named
        self.site = json.dumps([languages_named, *_site(config, files)], default=plain)

    def render(self, page: SitePage, verdict: Callable[[], str | None], *_: object) -> None:
        """Do what `page.render` does, or put in place what it did in an earlier build.

        `verdict` is asked about a page that was rendered; if it gives other Markdown, that is rendered in its place.
        """
        assert page.markdown is not None
        path = self.folder / f"{page.file.src_uri}.json"
        key = memo.key(self.site, page.file.src_uri, page.markdown)
        found = memo.find(path, key)
        if found is not None:
            self._put(page, found)
            return
        with _listening() as said:
            SitePage.render(page, self.config, self.files)
        page.content = lean(page.content or "")
        instead = verdict()
        if instead is not None:
            page.markdown = instead
            SitePage.render(page, self.config, self.files)
        if not self.languages_named:
            page.content = LANGUAGE.sub(r"\1", page.content or "")
        if not said and instead is None and page.links_to_anchors is not None and INCLUDES not in page.markdown:
            memo.keep(path, key, _taken(page))

    def _put(self, page: SitePage, found: dict[str, Any]) -> None:
        links = ((self.files.get_file_from_path(name), anchors) for name, anchors in found["links"].items())
        page.content = found["html"]
        page.toc = get_toc(found["toc"])
        page._title_from_render = found["title"]
        page.present_anchor_ids = set(found["anchors"])
        page.links_to_anchors = {file: anchors for file, anchors in links if file is not None}


def _site(config: MkDocsConfig, files: Files) -> list[Any]:
    """What the HTML of every page depends on."""
    versions = [module.__version__ for module in (markdown, mkdocs, pygments, pymdownx)]
    options = config.mdx_configs.get(SNIPPETS, {})
    names = [Path(base, name) for base in options.get("base_path", ()) for name in options.get("auto_append", ())]
    appended = [path.read_text(encoding="utf-8") for path in names if path.is_file()]
    listed = [(file.src_uri, file.url, file.inclusion.name) for file in files]
    rest = (config.markdown_extensions, config.mdx_configs, config.use_directory_urls, config.validation)
    return [versions, appended, listed, *rest]


def plain(value: object) -> object:
    """A value of the configuration that JSON does not know: a part of it, or a function or another object by name."""
    if isinstance(value, UserDict):
        return dict(value)
    named = value if hasattr(value, "__qualname__") else type(value)
    return f"{named.__module__}.{named.__qualname__}"


def _taken(page: SitePage) -> dict[str, Any]:
    """What rendering left on a page."""
    return {
        "html": page.content,
        "toc": [token(item) for item in page.toc],
        "title": page._title_from_render,
        "anchors": sorted(page.present_anchor_ids or ()),
        "links": {file.src_uri: anchors for file, anchors in (page.links_to_anchors or {}).items()},
    }


def token(item: AnchorLink) -> dict[str, Any]:
    """A heading with those below it, as MkDocs's toc tokens have it."""
    children = [token(child) for child in item.children]
    return {"level": item.level, "id": item.id, "name": item.title, "children": children}


class _Listener(logging.Handler):
    """Notes that something was logged."""

    def __init__(self, said: list[str]) -> None:
        super().__init__(logging.INFO)
        self.said = said

    def emit(self, record: logging.LogRecord) -> None:
        """Note it."""
        self.said.append(record.getMessage())


@contextmanager
def _listening() -> Iterator[list[str]]:
    """A list of what is logged meanwhile; where MkDocs is told to be quiet, of that it would not say all."""
    said: list[str] = []
    listener, loggers = _Listener(said), (logging.getLogger(), logging.getLogger("mkdocs"))
    for logger in loggers:  # where MkDocs is a command, its logger passes nothing on
        logger.addHandler(listener)
    try:
        if not loggers[1].isEnabledFor(logging.INFO):
            said.append("quiet: nobody can tell whether there was something to say")
        yield said
    finally:
        for logger in loggers:
            logger.removeHandler(listener)
