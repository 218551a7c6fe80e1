"""on_demand: `mkdocs serve` makes the home page, and each other page when it is asked for.

So the site answers seconds after its start and after a page is saved; a thread makes the rest meanwhile. `mkdocs build`
makes all pages. These hooks are for this site: none of its pages needs to know what another one became. Where a plugin
such as mkdocs-autorefs collects something from all pages, they would lose it.

mkdocs.yml names this file below `hooks`.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from jinja2 import Environment
from mkdocs.commands.build import _build_page, _populate_page
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

from same_device_site.hooks import write_index

log = logging.getLogger("mkdocs.plugins.same_device_site")
SEARCH = "search/search_index.json"
OF_ALL_PAGES = {"search", "samedevice"}
"""The plugins that write what is made of all pages at the end of a build: the index of the search, and downloads."""


class OnDemand:
    """The pages that one build leaves out. One thread at a time makes a page."""

    def __init__(self, config: MkDocsConfig, files: Files, nav: Navigation) -> None:
        self.config = config
        self.files = files
        self.nav = nav
        self.env: Environment | None = None
        pages = files.documentation_pages()
        self.left = {file.url: file for file in pages if file.page is None or not file.page.is_homepage}
        """The files of the pages that are still to be made, by their addresses below the site's."""
        self.levels = {file: file.inclusion for file in self.left.values()}
        self.lock = threading.Lock()
        self.done = threading.Event()
        self.stopped = False
        for file in self.left.values():
            if file.page is None:
                Page(None, file, config)
            else:
                file.page.read_source(config)  # the navigation names its title

    def hide(self, hidden: bool = True) -> None:
        """Keep these pages from MkDocs, which is about to go through all; or let it know that there are such pages."""
        for file, level in self.levels.items():
            file.inclusion = InclusionLevel.EXCLUDED if hidden else level

    def make(self, url: str) -> None:
        """Make a page, unless it is made."""
        with self.lock:
            file = self.left.get(url)
            if file is not None:
                try:
                    self._make(file)
                finally:
                    self.left.pop(url)

    def _make(self, file: File) -> None:
        assert self.env is not None
        assert file.page is not None
        _populate_page(file.page, self.config, self.files)
        _build_page(file.page, self.config, self.files.documentation_pages(), self.nav, self.env)

    def make_rest(self) -> None:
        """Make all pages, then what is made of all."""
        for url in list(self.left):
            try:
                self.make(url)
            except Exception:  # one page must not keep the others from readers
                log.exception(f"{url} cannot be shown")
            time.sleep(0.001)  # so that a request that waits for the lock comes first
        with self.lock:
            if not self.stopped:
                for name, plugin in self.config.plugins.items():
                    if name.rpartition("/")[2] in OF_ALL_PAGES:
                        plugin.on_post_build(config=self.config)
                write_index(self.config)
                self.done.set()

    def stop(self) -> None:
        """Make no more of them: there is another build."""
        with self.lock:
            self.stopped = True
            self.left.clear()
            self.done.set()

    def is_there(self, path: str) -> bool:
        """Have what is asked for be there, if it is to be; False if another build began meanwhile."""
        if path in self.left:
            self.make(path)
        elif path == SEARCH or not (path.startswith("livereload/") or Path(self.config.site_dir, path).exists()):
            self.done.wait()
        return not self.stopped


serving = False
pages: OnDemand | None = None
"""What the last build left out, under `mkdocs serve`; None if there is none, or if it failed."""
built = threading.Event()
"""Whether no build is under way."""


def on_startup(*, command: str, dirty: bool) -> None:
    """Remember whether the site is served."""
    global serving
    serving = command == "serve"


@event_priority(100)
def on_config(config: MkDocsConfig) -> None:
    """Begin a build, before any plugin does."""
    built.clear()
    if pages:
        pages.stop()


def on_nav(nav: Navigation, *, config: MkDocsConfig, files: Files) -> None:
    """Keep the pages from MkDocs when it renders all."""
    global pages
    if serving:
        pages = OnDemand(config, files, nav)
        pages.hide()
        config.extra["on_demand"] = True


def on_pre_page(page: Page, *, config: MkDocsConfig, files: Files) -> None:
    """Let the home page link to them."""
    if pages:
        pages.hide(False)


def on_env(env: Environment, *, config: MkDocsConfig, files: Files) -> None:
    """Keep them from MkDocs when it writes all."""
    if pages:
        pages.env = env
        pages.hide()


def on_page_context(context: Any, *, page: Page, config: MkDocsConfig, nav: Navigation) -> None:
    """Let the home page's template link to them."""
    if pages:
        pages.hide(False)


@event_priority(-100)
def on_post_build(*, config: MkDocsConfig) -> None:
    """Make the rest, from when all plugins have ended the build."""
    if pages:
        threading.Thread(target=pages.make_rest, daemon=True).start()
    built.set()


def on_build_error(*, error: Exception) -> None:
    """Let the server say what it says after a build that failed."""
    global pages
    if pages:
        pages.stop()
    pages = None
    built.set()


def on_serve(server: LiveReloadServer, *, config: MkDocsConfig, builder: Any) -> None:
    """Make pages when they are asked for."""
    application: Any = server.get_app()

    def answer(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        path = environ["PATH_INFO"].encode("latin-1").decode("utf-8", "replace").removeprefix(server.mount_path)
        while True:
            built.wait()
            asked, head = pages, list[Any]()
            if asked and not asked.is_there(path):
                continue
            body: Iterable[bytes] = application(environ, lambda *given, head=head: head.extend(given))
            if pages is asked:  # else the server has waited for a build of other pages
                start_response(*head)
                return body
            if hasattr(body, "close"):
                body.close()

    server.set_app(answer)
