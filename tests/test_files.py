"""What is kept in files that can be made again: found under the key of what it was made from, and under no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from samedevice.files import engine, find, find_or_make, ignore, keep, key


def test_a_key_tells_apart_what_is_made_from_other_data() -> None:
    """Two texts joined are not one text."""
    assert key("a", "b") == key("a", "b")
    assert len({key("a", "b"), key("ab"), key("b", "a"), key("a", "b", ""), key("a\0b"), key("\ud800", "b")}) == 6


def test_a_key_follows_the_engine(tmp_path: Path) -> None:
    """Whoever works on the engine must see what it makes now."""
    found = list[str]()
    for name, code in (("a.py", "1"), ("a.py", "2"), ("b.py", "2"), ("templates/c.j2", "3")):
        folder = tmp_path / str(len(found))
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text(code)
        found.append(engine(folder))
    assert len(set(found[:2] + found[3:])) == 3
    assert found[1] == found[2]


def test_what_is_kept_is_found_under_its_key_alone(tmp_path: Path) -> None:
    """Also where nothing was kept, or something else since."""
    path = tmp_path / "new/folder/x.json"
    assert find(path, "key") is None
    keep(path, "key", {"a": [1, "ä"]})
    assert find(path, "key") == {"a": [1, "ä"]}
    assert find(path, "other") is None
    keep(path, "other", 2)
    assert find(path, "key") is None


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b"7", b"{}", b"\xff", b'{"key": "key"}'], ids=repr)
def test_what_is_damaged_is_made_anew_without_a_word(tmp_path: Path, damage: bytes) -> None:
    """Nobody wants to hear of a file that can be made again."""
    path = tmp_path / "x.json"
    path.write_bytes(damage)
    assert find_or_make(path, "key", lambda: ["made"]) == ["made"]
    assert find_or_make(path, "key", lambda: ["made again"]) == ["made"]


def test_git_ignores_a_folder_by_itself(tmp_path: Path) -> None:
    """Nobody else's .gitignore has to name it; one that is there is left as it is."""
    ignore(tmp_path / "a/b")
    path = tmp_path / "a/b/.gitignore"
    assert path.read_text(encoding="utf-8") == "*\n"
    path.write_text("mine\n", encoding="utf-8")
    ignore(tmp_path / "a/b")
    assert path.read_text(encoding="utf-8") == "mine\n"
