"""reload: from saving a page under `mkdocs serve` to the browser showing what is new, in a real browser."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import real
from measure import ENVIRON
from playwright.sync_api import Page, sync_playwright

LIMIT = 120
"""Seconds after which a page that does not change is a failure."""
RAN = re.compile(r"ran (\S+) on cpu: \d+ blocks, ([\d.]+) s")


class Served:
    """A site under `mkdocs serve`, with one page of it open in a browser."""

    def __init__(self, folder: Path, config: str, address: str, page: Page) -> None:
        self.folder = folder
        self.file = folder / real.PAGE
        self.text = self.file.read_text(encoding="utf-8")
        self.log = folder / f"{config}.log"
        self.page = page
        self.address = address

    def save(self, addition: str, shown: str) -> float:
        """Save the page with something added at its end; the seconds until the browser shows it."""
        started = time.perf_counter()
        self.file.write_text(f"{self.text}\n{addition}\n", encoding="utf-8")
        wanted = "text => document.querySelector('article')?.innerText.includes(text)"
        self.page.wait_for_function(wanted, arg=shown, timeout=LIMIT * 1000, polling=20)
        return time.perf_counter() - started

    def ran(self) -> list[tuple[str, float]]:
        """The pages that were run since the server started, each with the seconds that it took."""
        return [(name, float(seconds)) for name, seconds in RAN.findall(self.log.read_text(encoding="utf-8"))]


@contextlib.contextmanager
def served(folder: Path, config: str, browser: Any) -> Iterator[Served]:
    """Serve a site until the end of the block; the page is open, and has been built once."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "mkdocs", "serve", "-f", config, "-a", f"127.0.0.1:{port}"]
    with (folder / f"{config}.log").open("w") as log:
        server = subprocess.Popen(
            command, cwd=folder, env=os.environ | ENVIRON, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            yield _opened(folder, config, f"http://127.0.0.1:{port}", browser)
        finally:
            server.terminate()
            server.wait()


def _opened(folder: Path, config: str, address: str, browser: Any) -> Served:
    log, ends = folder / f"{config}.log", time.monotonic() + LIMIT
    while "Serving on" not in log.read_text(encoding="utf-8"):
        if time.monotonic() > ends:
            raise SystemExit(f"mkdocs serve -f {config} does not begin to serve:\n{log.read_text()[-3000:]}")
        time.sleep(0.1)
    place = re.findall(r"Serving on (\S+)", log.read_text(encoding="utf-8"))[-1]
    page = browser.new_page()
    for name in (real.PAGE.removeprefix("docs/").removesuffix(".md") + end for end in ("/", ".html")):
        if page.goto(place + name).ok:
            return Served(folder, config, place, page)
    raise SystemExit(f"{real.PAGE} is not served at {place}")


def measure(folder: Path, rounds: int) -> dict[str, Any]:
    """Medians of the seconds from a save to the sight of it: a word, plain and ours, and the output of a new block.

    The word is prose, for which nothing has to run. The block stands on a page whose blocks all run again with it;
    how long that took is given too. Raises SystemExit if another page is run.
    """
    found: dict[str, list[float]] = {"plain_word": [], "word": [], "block": []}
    for config in ("plain", "ours"):
        shutil.copytree(folder, folder.parent / f"served-{config}", symlinks=True)
    with sync_playwright() as playwright, contextlib.ExitStack() as stack:
        browser = stack.enter_context(_browser(playwright))
        plain, ours = (
            stack.enter_context(served(folder.parent / f"served-{config}", f"{config}.yml", browser))
            for config in ("plain", "ours")
        )
        ours.save(_end(0, 0), "output 0")  # the page as it is run before the first round
        before = len(ours.ran())
        for number in range(1, rounds + 1):
            found["plain_word"].append(plain.save(_end(0, number), f"Word {number}."))
            found["word"].append(ours.save(_end(number - 1, number), f"Word {number}."))
            found["block"].append(ours.save(_end(number, number), f"output {number}"))
            print(f"  round {number} of {rounds}: {found['block'][-1]:.2f} s for a block", file=sys.stderr, flush=True)
        ran = ours.ran()[before:]
    if [name for name, _ in ran] != [real.PAGE] * rounds:
        raise SystemExit(f"{rounds} changed blocks of {real.PAGE} made these run: {', '.join(name for name, _ in ran)}")
    medians = {kind: round(statistics.median(seconds), 3) for kind, seconds in found.items()}
    return medians | {"run": statistics.median(seconds for _, seconds in ran)}


def _end(block: int, word: int) -> str:
    """What the page ends with: a block, and some prose."""
    return f'```python\nprint("out" + "put", {block})\n```\n\nWord {word}.'


@contextlib.contextmanager
def _browser(playwright: Any) -> Iterator[Any]:
    path = shutil.which("chromium")
    browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
    try:
        yield browser
    finally:
        browser.close()
