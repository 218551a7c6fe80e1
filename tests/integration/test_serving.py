"""The MkDocs plugin in one process: while serving, from site to site, and when Ctrl-C ends it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from made_site import GOOD, Site
from mkdocs.config import load_config


def test_while_serving_one_server_runs_the_page_that_was_saved(site: Site) -> None:
    """A save shows within a moment; the other pages are not run."""
    from mkdocs.commands.build import build

    site.build(index=GOOD, other=GOOD)
    said: list[str] = []
    books = []
    for text in (GOOD, GOOD.replace("by the page", "again")):
        (site.root / "docs/index.md").write_text(text)
        config = load_config(str(site.root / "mkdocs.yml"))
        plugin = config.plugins["samedevice"]
        config.plugins.on_startup(command="serve", dirty=False)
        config.plugins.on_config(config)
        plugin.site_outputs.report = said.append
        build(config)
        books.append(plugin.site_outputs)
    assert [line.split(":")[0] for line in said] == ["ran docs/index.md on cpu"]
    assert site.texts("index")[1] == "printed again"
    assert books[0] is books[1]
    assert books[0].runs.sessions is not None
    config.plugins.on_shutdown()
    assert books[0].runs.sessions is None


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
