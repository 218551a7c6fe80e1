"""plugin: the MkDocs plugin: its settings and hooks, and nothing else. What they do is in `build`."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from mkdocs.config import config_options as c
from mkdocs.config.base import LegacyConfig
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import BasePlugin, event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page as SitePage
from mkdocs.utils.templates import TemplateContext

from samedevice.devices import present_devices
from samedevice.errors import MissingExtra, need
from samedevice.integration.page_weaver import FOLDER, SCRIPT, STYLE, where_used
from samedevice.integration.project_file import PLUGIN, ProjectError
from samedevice.integration.project_file import settings_of as read_settings
from samedevice.page_runs import PageRuns
from samedevice.pages.page import Page
from samedevice.project import CACHE, DEFAULTS, SETTINGS, Settings

if TYPE_CHECKING:
    from samedevice.integration.mkdocs.build import SiteBuild
    from samedevice.integration.mkdocs.serving import BackgroundCheck

log = logging.getLogger("mkdocs.plugins.samedevice")
LAST = -100
"""The priority of a hook that comes after those of other plugins."""
SCHEME = tuple((name, c.Type(object, default=getattr(DEFAULTS, name))) for name in SETTINGS)
"""The settings of the plugin; `settings_of` checks them."""


class SameDevicePlugin(BasePlugin[LegacyConfig]):  # type: ignore[no-untyped-call]
    """Runs the pages' code blocks; the Markdown extension puts what each device printed under them."""

    config_scheme = SCHEME

    def __init__(self) -> None:
        self.serving = False
        self.runs: PageRuns | None = None
        self.build: SiteBuild | None = None
        self.check: BackgroundCheck | None = None

    def on_startup(self, *, command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:
        """Remember whether the processes are worth keeping between builds."""
        self.serving = command == "serve"

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Begin a build; under `mkdocs serve` watch what pages are made of."""
        root = Path(config.config_file_path).parent.resolve()
        settings = settings_of(config, self.config, root)
        if self.runs is None or self.runs.root != root:
            self.on_shutdown()
            devices = present_devices(settings.library)
            self.runs = PageRuns(root, devices=devices, report=log.info, serves=self.serving)
            if not self.runs.cache.writable:
                log.info(f"{CACHE.as_posix()} cannot be written: nothing is kept for the next build")
            if self.serving:
                from samedevice.integration.mkdocs.serving import BackgroundCheck

                self.check = BackgroundCheck(self.runs)
        self.build = begin(config, self.runs, settings)
        config.extra_css = [STYLE, *config.extra_css]  # before the site's own, which may say otherwise
        config.extra_javascript = [*config.extra_javascript, SCRIPT]
        read = [settings.programs, settings.recordings, *filter(None, [settings.setup])]
        config.watch += [str(root / one) for one in read if (root / one).exists()]
        return config

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Parse all pages and begin to run those that changed."""
        self._build.read(files)
        for name in (STYLE, SCRIPT):
            files.append(File.generated(config, name, abs_src_path=str(FOLDER / Path(name).name)))
        return files

    def on_page_read_source(self, *, page: SitePage, config: MkDocsConfig) -> str | None:
        """Give MkDocs the front matter of a notebook."""
        return self._build.source(page.file.src_uri)

    @event_priority(LAST)
    def on_page_markdown(self, markdown: str, *, page: SitePage, config: MkDocsConfig, files: Files) -> None:
        """Say which page the Markdown extension is about to see."""
        self._build.begin(page.file.src_uri)

    def on_page_content(self, html: str, *, page: SitePage, config: MkDocsConfig, files: Files) -> str | None:
        """Give MkDocs the content of a notebook's page."""
        return self._build.content(page, files)

    def on_page_context(
        self, context: TemplateContext, *, page: SitePage, config: MkDocsConfig, nav: Navigation
    ) -> TemplateContext:
        """Tell the template which files of the page there are to take along."""
        about = self._build.context(page)
        if about is not None:
            context["samedevice"] = about  # type: ignore[typeddict-unknown-key]
        return context

    def on_post_page(self, output: str, *, page: SitePage, config: MkDocsConfig) -> str:
        """Give pages with outputs the script that chooses which are seen; while serving, say if they are checked."""
        found = self._build.pages.get(page.file.src_uri)
        if self.check and isinstance(found, Page):
            output = self.check.marked(output, page.file.src_uri, page.url, found)
        return where_used(output, is_instant(config))

    def on_post_template(self, output_content: str, *, template_name: str, config: MkDocsConfig) -> str:
        """Give the site's page for a wrong address what it needs of style and scripts, and no more."""
        return where_used(output_content, is_instant(config)) if template_name.endswith(".html") else output_content

    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Write what readers take along; end the processes, unless the next build will want them.

        Raises PluginError if a page could not be shown, but not under `mkdocs serve`, where the author sees it.
        """
        self._build.write()
        if self.check:
            pages = {uri: page for uri, page in self._build.pages.items() if isinstance(page, Page)}
            self.check.built(Path(config.site_dir), pages)
        if not self.serving:
            self.on_shutdown()
            self._build.finish()

    def on_serve(self, server: LiveReloadServer, *, config: MkDocsConfig, builder: Any) -> LiveReloadServer:
        """After the first build, run in the background what this machine has not run."""
        if self.check:
            self.check.begin(server)
        return server

    def on_build_error(self, *, error: Exception) -> None:
        """End the processes when a build fails."""
        if not self.serving:
            self.on_shutdown()

    def on_shutdown(self, **_: Any) -> None:
        """End the processes."""
        if self.runs is not None:
            self.runs.close()
        if self.check is not None:
            self.check.close()

    @property
    def _build(self) -> SiteBuild:
        """The build that MkDocs is in."""
        assert self.build is not None
        return self.build


def is_instant(config: MkDocsConfig) -> bool:
    """Whether the theme takes readers from page to page without loading one."""
    return "navigation.instant" in (config.theme.get("features") or ())


def settings_of(config: MkDocsConfig, own: Mapping[str, Any], root: Path) -> Settings:
    """What a project says about itself, as MkDocs has it; `root` is the folder of mkdocs.yml. Raises PluginError."""
    docs = Path(config.docs_dir).resolve()
    if not docs.is_relative_to(root):
        raise PluginError(f"docs_dir: {docs} is not below {root}, the folder of mkdocs.yml; move one of them")
    given = {name: one for name, one in own.items() if one != getattr(DEFAULTS, name, None)}
    project = {
        "site_name": config.site_name,
        "docs_dir": docs.relative_to(root).as_posix(),
        "plugins": {**dict.fromkeys(config.plugins), PLUGIN: given},
        "markdown_extensions": {name: config.mdx_configs.get(name) for name in config.markdown_extensions},
    }
    try:
        return read_settings(project, root)
    except ProjectError as error:
        raise PluginError(str(error)) from None


def begin(config: MkDocsConfig, runs: PageRuns, settings: Settings) -> SiteBuild:
    """A fresh build. Raises PluginError where a package is missing; MkDocs brings not all that a build needs."""
    try:
        need("mkdocs", "the plugin samedevice")
    except MissingExtra as error:
        raise PluginError(str(error)) from None
    from samedevice.integration.mkdocs.build import SiteBuild

    return SiteBuild(config, runs, settings)
