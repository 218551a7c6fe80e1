"""serving: while `mkdocs serve` shows what is recorded, runs in the background what this machine has not run.

The terminal has one line of progress, each page a mark. If an output differs or is new, the site is built again: MkDocs
watches a file that is written then.
"""

from __future__ import annotations

import contextlib
import json
import logging
import sys
import time
from collections.abc import Mapping
from concurrent.futures import CancelledError
from html import escape
from pathlib import Path

from mkdocs.livereload import LiveReloadServer
from mkdocs.utils import get_relative_url

from samedevice.errors import SameDeviceError
from samedevice.files import Folder, write_atomically
from samedevice.integration.page_weaver import text_of
from samedevice.page_runs import PageRun, PageRuns
from samedevice.pages.page import Page
from samedevice.weaving.shown import differ

log = logging.getLogger("mkdocs.plugins.samedevice")
STATES = "samedevice-checked.json"
"""The file of the site that says of each page whether it is checked."""
SCRIPT = "checked.js"
STYLE = (
    "position:fixed;right:0;bottom:0;z-index:9;margin:0;padding:.2em .6em;font:12px sans-serif;color:#fff;"
    "background:#444"
)
"""The style of the mark. It stands in the mark itself, so that only served pages have it."""


class BackgroundCheck:
    """Checks the pages of a served site, once, after its first build."""

    def __init__(self, runs: PageRuns) -> None:
        self.runs = runs
        self.folder = Folder()
        self.site_dir: Path | None = None
        self.pages: Mapping[str, Page] = {}
        self.count = self.done = self.changed = 0
        self.lacking: set[str] = set()
        self.began = 0.0

    def begin(self, server: LiveReloadServer) -> None:
        """Have MkDocs watch for changes, and run what this machine has not run."""
        server.watch(str(self.folder.path))
        self.began = time.monotonic()
        self.count = len(self.runs.run_rest(self._finished))
        if self.count:
            log.info(f"{self.count} pages are shown as recorded, and run in the background to check them")
            self._tell()

    def built(self, site_dir: Path, pages: Mapping[str, Page]) -> None:
        """Take note of a build: where the site is, and its pages by their paths."""
        self.site_dir, self.pages = site_dir, pages
        self._write_states()

    def marked(self, html: str, uri: str, url: str, page: Page) -> str:
        """A page's HTML with its mark; as it is for a page without code that runs here."""
        state = self.state(page)
        body, end, rest = html.rpartition("</body>")
        if not state or not end:
            return html
        about = f'data-page="{escape(uri)}" data-states="{get_relative_url(STATES, url)}"'
        mark = f'<p class="sd-checked" role="status" style="{STYLE}" {about}>{escape(state)}</p>'
        return f"{body}{mark}<script>{text_of(SCRIPT)}</script>{end}{rest}"

    def state(self, page: Page) -> str:
        """Whether this machine has checked a page, as a sentence; empty if no code of it runs here."""
        runs = self.runs.of(page)
        if not runs:
            return ""
        if not all(run.done for run in runs):
            return "Being checked on this machine" if self.began else "Not checked on this machine"
        lacking = dict.fromkeys(name for run in runs for name in run.lacking)
        return "Checked on this machine" + (f", but for what needs {', '.join(lacking)}" if lacking else "")

    def _finished(self, run: PageRun) -> None:
        """Tell what came of a run; the thread that ran it calls this."""
        self.done += 1
        try:
            run.result()
            before, after = (self.runs.known(run.page, {run.device: one}) for one in (run.kept, run.found))
            if differ(before, after):
                self.changed += 1
                (self.folder.path / "changed").write_text(str(self.changed), encoding="utf-8")
        except CancelledError:
            return
        except SameDeviceError as error:
            log.error(str(error))
        self.lacking.update(run.lacking)
        self._write_states()
        self._tell()

    def _write_states(self) -> None:
        if self.site_dir is not None:
            states = {uri: self.state(page) for uri, page in self.pages.items()}
            with contextlib.suppress(OSError):  # a build may be removing the folder; it calls this again at its end
                write_atomically(self.site_dir / STATES, json.dumps(states), durably=False)

    def _tell(self) -> None:
        """The one line of progress, which the next line of a terminal overwrites."""
        if self.done == self.count:
            log.info(self.summary())
        elif sys.stderr.isatty():
            print(f"checking: {self.done} of {self.count} pages\x1b[K\r", end="", file=sys.stderr, flush=True)

    def summary(self) -> str:
        """What came of it all, in a line."""
        told = f"checked {self.count} pages on this machine in {time.monotonic() - self.began:.0f} s: "
        told += f"{self.changed} are shown again" if self.changed else "all printed what is shown"
        names = ", ".join(sorted(self.lacking))
        return told + (f"; what needs {names}, not installed here, is shown as recorded" if names else "")

    def close(self) -> None:
        """Remove the folder that is watched."""
        self.folder.remove()
