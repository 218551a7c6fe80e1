"""What `make bench` measures: the same work for all, on sites that are what they are said to be."""

from __future__ import annotations

import json
from pathlib import Path

import bench
import pytest

from same_device_site.settings import parse_page


def test_every_command_gets_the_same_blocks(tmp_path: Path) -> None:
    """On a page, and in the program that has them alone."""
    bench.make_site(tmp_path, 8)
    page = parse_page(tmp_path / "docs/00/000/page-0007.md", tmp_path)
    assert len(page.blocks) == 10
    assert [block.code for block in page.blocks] == list(json.loads((tmp_path / "blocks.json").read_text()).values())[7]


def test_a_large_site_has_at_most_ten_entries_in_each_part_of_its_navigation(tmp_path: Path) -> None:
    """Otherwise each page would grow with the site, with any tool."""
    bench.make_site(tmp_path, 1000)
    found = [path.relative_to(tmp_path / "docs").as_posix() for path in (tmp_path / "docs").rglob("*.md")]
    assert len(found) == 1000
    folders = [name.rpartition("/")[0] for name in found if name != "index.md"]
    assert max(folders.count(folder) for folder in folders) == 10
    assert len({folder.rpartition("/")[0] for folder in folders}) == 10


def test_commands_are_run_in_turn_and_the_first_round_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine that slows down meanwhile slows all of them; and the cache is emptied before each cold build alone."""
    said: list[tuple[str, bool]] = []

    def seconds(arguments: list[str], folder: Path) -> float:
        said.append((arguments[-1], (folder / ".cache").is_dir()))
        (folder / ".cache").mkdir(exist_ok=True)
        return float(len(said))

    monkeypatch.setattr(bench, "seconds", seconds)
    found = bench.measured(tmp_path, 2, 2)
    turn = [arguments[-1] for arguments in bench.COMMANDS.values()]
    assert [name for name, _ in said] == ["--record", *turn * 3]
    assert [kept for _, kept in said[1:6]] == [True, True, False, True, True]
    assert found["plain"] == [7.0, 12.0]
    assert bench.ratio({"a": [1, 2, 6], "b": [2, 8, 3]}, "a", ["b"]) == 0.5
    assert bench.ratio({"a": [1], "b": [1], "c": [1]}, "a", ["b", "c"]) == 0.5


def test_the_page_has_figures_as_they_are_written() -> None:
    """A figure that was typed is no measurement; and who formats the page otherwise would keep the next ones off it."""
    (held,) = bench.LITERAL.findall(bench.PAGE.read_text(encoding="utf-8"))
    names: dict[str, dict[str, object]] = {}
    exec(held, names)
    found = names["measured"]
    assert held == bench.literal(found["where"], found["pages"], found)  # type: ignore[arg-type]


def test_a_command_that_fails_ends_the_run_with_its_last_words(tmp_path: Path) -> None:
    """What is measured of a build that did not happen would be very quick."""
    with pytest.raises(SystemExit, match=r"(?s)-c.*failed in .*no such luck"):
        bench.seconds(["-c", "raise SystemExit('no such luck')"], tmp_path)
