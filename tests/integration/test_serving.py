"""The MkDocs plugin in one process: while serving, from site to site, and when Ctrl-C ends it."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from made_site import GOOD, Site
from mkdocs.config import load_config

from same_device_site.settings import parse_page
from samedevice.outputs.output import Output
from samedevice.outputs.recording_files import Recordings
from samedevice.outputs.recordings import update
from samedevice.project import CACHE


def test_while_serving_one_server_runs_the_page_that_was_saved(site: Site) -> None:
    """A save shows within a moment; the other pages are not run."""
    from mkdocs.commands.build import build

    site.build(index=GOOD, other=GOOD)
    said: list[str] = []
    books = []
    for text in (GOOD, GOOD.replace("by the page", "again")):
        (site.root / "docs/index.md").write_text(text)
        config = load_config(str(site.root / "mkdocs.yml"))
        plugin: Any = config.plugins["samedevice"]
        config.plugins.on_startup(command="serve", dirty=False)
        config.plugins.on_config(config)
        plugin.runs.report = said.append
        build(config)
        books.append(plugin.runs)
    assert [line.split(":")[0] for line in said] == ["ran docs/index.md on cpu"]
    assert site.texts("index")[1] == "printed again"
    assert books[0] is books[1]
    assert books[0].sessions is not None
    config.plugins.on_shutdown()
    assert books[0].sessions is None


def test_recordings_and_snippets_are_watched_while_serving(site: Site) -> None:
    """A recording that was just pulled must show."""
    for folder in ("snippets", "tests/recordings"):
        (site.root / folder).mkdir(parents=True)
    config = load_config(str(site.root / "mkdocs.yml"))
    config.plugins["samedevice"].on_config(config)
    assert {str(site.root / "snippets"), str(site.root / "tests/recordings")} <= set(config.watch)


def test_a_second_site_in_the_same_process_is_built_by_itself(
    site: Site, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """MkDocs keeps the plugin; the first site's folder must not stick to it."""
    site.build(index=GOOD)
    other = tmp_path_factory.mktemp("other")
    (other / "docs").mkdir()
    second = Site(other)
    result = second.build(index=GOOD.replace("by the page", "by the other"))
    assert result.exit_code == 0, result.output
    assert second.texts("index")[1] == "printed by the other"


class Served:
    """A site that `mkdocs serve` shows."""

    def __init__(self, address: str) -> None:
        self.address = address

    def text(self, path: str = "") -> str:
        """What it answers; empty while it is not there."""
        with contextlib.suppress(OSError), urlopen(self.address + path, timeout=60) as answer:
            return str(answer.read().decode())
        return ""

    def until(self, *wanted: str, path: str = "") -> str:
        """Ask until the answer has these texts, for two minutes at most; return the last one."""
        end, text = time.monotonic() + 120, ""
        while not (text and all(one in text for one in wanted)) and time.monotonic() < end:
            time.sleep(0.1)
            text = self.text(path)
        return text


@pytest.fixture
def serve(light_torch: None, site: Site) -> Iterator[Callable[..., Served]]:
    """Serves a site, by the command that authors use; PyTorch is a stand-in, which takes no time to import."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        place = f"127.0.0.1:{free.getsockname()[1]}"
    command = [sys.executable, "-m", "mkdocs", "serve", "-f", str(site.root / "mkdocs.yml"), "-a", place]
    with contextlib.ExitStack() as running:

        def serve() -> Served:
            said = running.enter_context((site.root / "said.txt").open("w", encoding="utf-8"))
            process = running.enter_context(subprocess.Popen(command, cwd=site.root, stdout=said, stderr=said))
            running.callback(process.terminate)
            return Served(f"http://{place}/")

        yield serve


def recorded_otherwise(site: Site, name: str) -> None:
    """Record that a page printed something else, and forget what it printed."""
    page = parse_page(site.root / f"docs/{name}.md", site.root)
    site.record(name)
    files = Recordings(site.root, "tests/recordings")
    ((found,), _) = files.load(page)
    other = update(None, page, found.environment, [Output("as recorded\n")])
    assert other is not None
    files.save(page, other)
    shutil.rmtree(site.root / CACHE)


def test_a_served_site_shows_what_is_recorded_and_again_where_this_machine_prints_something_else(
    site: Site, serve: Callable[..., Served]
) -> None:
    """Nobody waits for what is in the repository; what is wrong with it is on the page a moment later."""
    site.build(index=GOOD, other=GOOD)
    site.record("other")
    recorded_otherwise(site, "index")
    served = serve()
    first = served.until("as recorded")
    assert "on this machine</p>" in first
    assert "not what was recorded" not in first
    assert "printed by the page" in served.until("not what was recorded", "Checked on this machine")
    assert "printed by the page" in served.until("Checked on this machine", path="other/")
    states = json.loads(served.text("samedevice-checked.json"))
    assert states == dict.fromkeys(("index.md", "other.md"), "Checked on this machine")
    said = (site.root / "said.txt").read_text(encoding="utf-8")
    assert "2 pages are shown as recorded, and run in the background" in said
    assert re.search(r"checked 2 pages on this machine in \d+ s: 1 are shown again", said)
    assert "ran docs/" not in said


def test_a_page_without_code_has_no_mark(site: Site, serve: Callable[..., Served]) -> None:
    """There is nothing to check."""
    site.build(index="# Prose\n")
    assert "sd-checked" not in serve().until("Prose")


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="waits for a process by its descriptor, as Linux can")
def test_ctrl_c_ends_a_build_and_its_processes(
    light_torch: None,
    root: Path,
    interrupt: Callable[..., tuple[str, list[int]]],
    gone: Callable[[int], bool],
) -> None:
    """Whoever presses it does not want to wait for the pages that are still to run."""
    site = Site(root)
    for name in ("a", "b", "c"):
        (root / f"docs/{name}.md").write_text("```console\n$ exec sleep 600\n```\n")
    (root / "docs/index.md").write_text("```console\n$ echo $PPID $$ > pipe; exec sleep 600\n```\n")
    command = [sys.executable, "-m", "mkdocs", "build", "-f", str(site.root / "mkdocs.yml")]
    output, processes = interrupt(root / "pipe", *command)
    assert "Aborted!" in output
    assert [gone(process) for process in processes] == [True, True]
