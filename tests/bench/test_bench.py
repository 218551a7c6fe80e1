"""What `make bench` measures: the same work for all, on sites that are what they are said to be."""

from __future__ import annotations

import json
import re
from pathlib import Path

import nbformat
import pytest
import real
import results
import scale
from measure import Cost, in_turn, median, ratio
from ours import commands
from peers import PEERS
from sites import blocks, make_site, markdown, names, notebook

from same_device_site.settings import parse_page

PAGE = "# T\n\n```python\na = 1\n```\n\n```python\nb = 2\n```\n"


@pytest.mark.parametrize("later", ["python", "python continuation"])
def test_every_tool_gets_the_same_blocks(tmp_path: Path, later: str) -> None:
    """On a page, in a notebook, and in the program that has them alone."""
    path = tmp_path / "docs/page.md"
    path.parent.mkdir()
    path.write_text(markdown(7, later="python"))
    assert [block.code for block in parse_page(path, tmp_path).blocks] == blocks(7)
    assert re.findall(rf"```(?:python|{later})\n(.*?)```", markdown(7, later=later), re.S) == blocks(7)
    cells = nbformat.reads(notebook(7), as_version=4)
    nbformat.validate(cells)
    assert [cell.source for cell in cells.cells[1:]] == blocks(7)
    make_site(tmp_path / "site", 8)
    assert list(json.loads((tmp_path / "site/blocks.json").read_text()).values())[7] == blocks(7)


def test_a_large_site_has_at_most_ten_entries_in_each_part_of_its_navigation() -> None:
    """Otherwise each page would grow with the site, with any tool."""
    found = names(1000)
    assert len(set(found)) == 1000
    folders = [name.rpartition("/")[0] for name in found[1:]]
    assert max(folders.count(folder) for folder in folders) == 10
    above = {folder.rpartition("/")[0] for folder in folders}
    assert len(above) == 10


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.name)
def test_each_peer_gets_all_pages(tmp_path: Path, peer: object) -> None:
    """Each in its own form."""
    peer.prepare(tmp_path, 12)  # type: ignore[attr-defined]
    assert len([path for path in (tmp_path / "docs").rglob("*") if path.is_file()]) == 12


def test_the_plain_site_is_the_same_but_for_our_plugin() -> None:
    """And whoever changes mkdocs.yml so that this would fail is told."""
    text = (results.ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    left = [line for line in text.splitlines() if line not in real.without_plugin(text).splitlines()]
    ours = ("samedevice", "same_device_site")
    assert len(left) == 6
    assert all(any(name in line for name in ours) for line in left)
    with pytest.raises(SystemExit, match="has no line of its own for the plugin"):
        real.without_plugin("plugins: [search, samedevice]\n")


def test_an_edited_page_is_another_in_each_round_and_as_before_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same edit twice would be found in the cache."""
    seen = []
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    monkeypatch.setattr("ours.run", lambda *_: seen.append(page.read_text()) or Cost(1, 1, 1))
    edited = commands(tmp_path, "page.md")["edited"]
    edited()
    edited()
    assert seen == [PAGE.replace("a = 1", f"changed = {n}\na = 1") for n in (1, 2)]
    assert page.read_text() == PAGE


def test_commands_are_run_in_turn_and_the_first_round_does_not_count() -> None:
    """A machine that slows down meanwhile slows all of them."""
    said = []
    costs = {"a": iter([9, 1, 2, 6]), "b": iter([9, 2, 8, 3])}

    def command(name: str) -> Cost:
        said.append(name)
        return Cost(next(costs[name]), 0, 0)

    found = in_turn({"a": lambda: command("a"), "b": lambda: command("b")}, 3)
    assert "".join(said) == "abababab"
    assert (median(found["a"]).seconds, median(found["b"]).seconds) == (2, 3)
    assert ratio(found, "a", "b") == 0.5
    assert ratio(found, "a", "a", "b") == pytest.approx(1 / 3)


@pytest.mark.parametrize(("seconds", "found"), [([3, 12, 102], 1.0), ([3, 12, 192], 2.0)])
def test_growth_compares_what_a_page_more_costs(seconds: list[float], found: float) -> None:
    """What every build costs, however small, does not count."""
    assert scale.growth({"pages": [10, 100, 1000], "cold": seconds}, "cold") == pytest.approx(found)


def test_the_page_gets_the_figures_that_were_kept() -> None:
    """As code that can be copied and run, formatted as the page's other code is."""
    about = {"processor": "A processor", "cores": 2, "day": "2026-11-21"}
    figures = {"pages": [10, 100, 1000], "plain": [1.0, 2.5, 20], "cold": [3, 9, 70], "warm": [1, 2, 18]}
    code = results.literal({"machine": about, "measured": figures | {"memory_mb": [1, 2, 3]}})
    assert results.LITERAL.fullmatch(code)
    held: dict[str, dict[str, object]] = {}
    exec(code, held)
    assert held["measured"] == figures | {"where": "A processor, 2 cores, 2026-11-21"}


@pytest.mark.skipif(not results.FILE.exists(), reason="nothing was measured yet")
def test_the_page_shows_what_was_measured() -> None:
    """A figure that was typed is no measurement."""
    kept = json.loads(results.FILE.read_text(encoding="utf-8"))["scale"]
    assert results.literal(kept) in results.PAGE.read_text(encoding="utf-8")
