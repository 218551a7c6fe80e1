"""peers: other tools that run the code of pages, each set up as its own documentation says, on the made-up pages."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from measure import Command, Cost, run
from sites import CONFIG, PROVES, blocks, markdown, names, notebook, write_pages

REQUIREMENTS = Path(__file__).with_name("peers.txt")
PLAIN = "markdown_extensions: [admonition, pymdownx.highlight, pymdownx.superfences]\n"
SYBIL = """from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser
pytest_collect_file = Sybil(parsers=[PythonCodeBlockParser()], patterns=["*.md"]).pytest()
"""
PYTEST = ["-m", "pytest", "-q", "-p", "no:cacheprovider"]
CONTINUED = ["-p", "pytest_markdown_docs.plugin", "--markdown-docs"]
AGAIN = ", again"
"""What follows a peer's name where it finds what it kept."""
BUILD = ["-m", "mkdocs", "build", "-q"]


@dataclass(frozen=True)
class Peer:
    """A tool, and what it needs to run the made-up pages."""

    name: str
    """Its name."""
    builds: bool
    """Whether it makes a site; otherwise it tests."""
    prepare: Callable[[Path, int], None]
    """Writes that number of pages to a folder, and its configuration."""
    arguments: list[str]
    """What Python is called with."""
    cache: str = ""
    """The folder of what it keeps from one run to the next, in which case it is measured without and with that."""


def _executed(folder: Path, pages: int) -> None:
    def text(number: int) -> str:
        how = f'exec="1" session="page-{number}" source="above" result="text"'
        return markdown(number, f"python {how}", f"python {how}")

    write_pages(folder, [text(number) for number in range(pages)])
    (folder / "mkdocs.yml").write_text(CONFIG.format(plugins="search, markdown-exec") + PLAIN)


def _notebooks(folder: Path, pages: int) -> None:
    write_pages(folder, [notebook(number) for number in range(pages)], "ipynb")
    plugins = "search, mkdocs-jupyter: {execute: true, allow_errors: false}"
    (folder / "mkdocs.yml").write_text(CONFIG.format(plugins=plugins) + PLAIN)
    (folder / "pytest.ini").write_text("[pytest]\n")


def _sybil(folder: Path, pages: int) -> None:
    write_pages(folder, [markdown(number) for number in range(pages)])
    (folder / "conftest.py").write_text(SYBIL)
    (folder / "pytest.ini").write_text("[pytest]\n")


def _continued(folder: Path, pages: int) -> None:
    write_pages(folder, [markdown(number, later="python continuation") for number in range(pages)])
    (folder / "pytest.ini").write_text("[pytest]\n")


PEERS = (
    Peer("markdown-exec", True, _executed, BUILD),
    Peer("mkdocs-jupyter", True, _notebooks, BUILD, cache=".cache"),
    Peer("Sybil", False, _sybil, [*PYTEST, "docs"]),
    Peer("pytest-markdown-docs", False, _continued, [*PYTEST, *CONTINUED, "docs"]),
    Peer("nbmake", False, _notebooks, [*PYTEST, "-p", "nbmake.pytest_plugin", "--nbmake", "docs"]),
)


def environment(folder: Path) -> Path:
    """The interpreter of the peers' own environment, made in `folder` if it is not there.

    What it lacks, PyTorch above all, it takes from the environment of this interpreter.
    """
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    ready = folder / "ready"
    if ready.exists() and ready.read_text() == REQUIREMENTS.read_text():
        return python
    print("making an environment for the peers", file=sys.stderr)
    venv.create(folder, clear=True, with_pip=True)
    config = {"base": str(folder), "platbase": str(folder)}
    shared = Path(sysconfig.get_path("purelib", vars=config), "shared.pth")
    shared.write_text(sysconfig.get_path("purelib") + "\n")
    pip: list[str | Path] = [python, "-m", "pip", "install", "--disable-pip-version-check", "-q", "--no-deps"]
    subprocess.run([*pip, "-r", REQUIREMENTS], check=True)
    ready.write_text(REQUIREMENTS.read_text())
    return python


def commands(folder: Path, pages: int, python: Path) -> dict[str, Command]:
    """For each peer a command that runs all pages, by the peer's name; each has pages of its own below `folder`.

    A peer that keeps something has a second one, which follows the first and finds what that kept.
    """

    def command(peer: Peer, again: bool = False) -> Command:
        place = folder / peer.name

        def measured() -> Cost:
            if peer.cache and not again:
                shutil.rmtree(place / peer.cache, ignore_errors=True)
            cost = run(peer.arguments, place, python)
            _check(peer, place, pages)
            return cost

        return measured

    found = {}
    for peer in PEERS:
        (folder / peer.name).mkdir(parents=True)
        peer.prepare(folder / peer.name, pages)
        found[peer.name] = command(peer)
        if peer.cache:
            found[f"{peer.name}{AGAIN}"] = command(peer, again=True)
    return found


def _check(peer: Peer, place: Path, pages: int) -> None:
    """Raise SystemExit unless every page was run: a tool that runs nothing is quick."""
    if peer.builds:
        built = [place / "site" / ("index.html" if name == "index" else f"{name}/index.html") for name in names(pages)]
        ran = sum(PROVES in path.read_text(encoding="utf-8") for path in built)
    else:
        last = (place / "log").read_text().strip().splitlines()[-1]
        ran = int(last.split(" passed")[0].split()[-1]) if " passed" in last else 0
        ran //= len(blocks(0)) if ran > pages else 1
    if ran != pages:
        raise SystemExit(f"{peer.name} ran {ran} of {pages} pages; see {place / 'log'}")
