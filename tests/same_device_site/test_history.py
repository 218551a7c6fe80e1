"""history: when pages changed, as git tells it."""

from __future__ import annotations

import subprocess
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from same_device_site.history import ATOM, FEED, Commit, feed, last_changes, read_history

SITE = "https://someone.github.io/same-device/"
PAGES = {"a": ("A & B", f"{SITE}a.html"), "devices/cuda": ("CUDA", f"{SITE}devices/cuda.html")}


def git(root: Path, *arguments: str) -> None:
    """Run git as somebody."""
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)


def commit(root: Path, subject: str, **files: str) -> None:
    """Commit files by path, in which "__" stands for a slash."""
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_md", ".md").replace("_json", ".json")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", subject)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Three commits: two pages, a change of one, a recording of the other."""
    root = tmp_path / "repository"
    root.mkdir()
    git(root, "init", "-q")
    commit(root, "Add pages", docs__a_md="1", docs__devices__cuda_md="1")
    commit(root, "Mend A", docs__a_md="2")
    commit(root, "Record on CUDA", tests__recordings__cuda__devices__cuda_json="{}")
    return root


def test_the_newest_commit_that_changed_a_page_is_its_last_change(repository: Path) -> None:
    """A recording changes what a reader sees just as the text does."""
    found = last_changes(read_history(repository))
    assert {page: change.subject for page, change in found.items()} == {"a": "Mend A", "devices/cuda": "Record on CUDA"}


def test_a_plot_belongs_to_its_page(repository: Path) -> None:
    """Its file is named after the page and a hash."""
    plot = repository / "tests/recordings/cuda/a@12ab.svg"
    plot.write_text("<svg/>", encoding="utf-8")
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "Draw")
    assert last_changes(read_history(repository))["a"].subject == "Draw"


def test_a_subject_may_hold_any_character(repository: Path) -> None:
    """Git takes it, and a feed reader must be able to read it."""
    subject = "Say \x1f, \x1b[2J, <b> & \u2028"
    commit(repository, subject, docs__a_md="3")
    change = last_changes(read_history(repository))["a"]
    assert change.subject == subject
    root = ET.fromstring(feed("Name", SITE, [change], PAGES))
    assert root.findtext(f"{{{ATOM}}}entry/{{{ATOM}}}title") == "Say \ufffd, \ufffd[2J, <b> & \u2028"


def test_a_shallow_clone_tells_only_what_it_knows(repository: Path, tmp_path: Path) -> None:
    """Its oldest commit seems to have added every file; a date from there would be wrong."""
    git(tmp_path, "clone", "-q", "--depth", "2", repository.as_uri(), "shallow")
    assert [change.subject for change in read_history(tmp_path / "shallow")] == ["Record on CUDA"]


def test_a_folder_without_git_has_no_history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A source archive builds the same site, without dates; so does a machine without git."""
    assert read_history(tmp_path) == ()
    monkeypatch.setenv("PATH", "")
    assert read_history(tmp_path) == ()


def test_the_feed_has_an_entry_for_each_commit_that_changed_pages(repository: Path) -> None:
    """Newest first, with the pages by their titles."""
    root = ET.fromstring(feed("Same Device", SITE, read_history(repository), PAGES))
    entries = root.findall(f"{{{ATOM}}}entry")
    texts = [[entry.findtext(f"{{{ATOM}}}{tag}") for tag in ("title", "summary")] for entry in entries]
    assert texts == [["Record on CUDA", "CUDA"], ["Mend A", "A & B"], ["Add pages", "A & B, CUDA"]]
    assert root.findtext(f"{{{ATOM}}}updated") == entries[0].findtext(f"{{{ATOM}}}updated")
    assert len({entry.findtext(f"{{{ATOM}}}id") for entry in entries}) == 3


def test_the_feed_does_not_link_to_pages_that_are_gone() -> None:
    """A commit that changed only those is left out; the rest is cut at a length that readers poll without harm."""
    gone = Commit("0", "2026-01-02T00:00:00Z", "Remove", frozenset({"gone"}))
    changes = [gone] + [Commit(str(n), "2026-01-01T00:00:00Z", f"{n}", frozenset({"a", "gone"})) for n in range(99)]
    root = ET.fromstring(feed("Same Device", SITE, changes, PAGES))
    assert [entry.findtext(f"{{{ATOM}}}summary") for entry in root.findall(f"{{{ATOM}}}entry")] == ["A & B"] * FEED
