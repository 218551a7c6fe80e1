"""The tables of messages on pages of topics: each row leads to the page about its message; old addresses."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

import pytest

from same_device_site.error_sections import ErrorSection, error_sections, pattern
from same_device_site.settings import page_paths, parse_page

ROOT = Path(__file__).parents[2]
OLD = ROOT / "tests/samples/reference/old_addresses.txt"
ROW = re.compile(r"^\| \[(?P<text>.*)\]\((?P<url>[^()]*)\)(?:\{ #(?P<id>[\w-]+) \})? \| (?P<cause>.+) \|$", re.M)
LINK = re.compile(r"\]\((?P<url>[^()\s]*)\)\{ #(?P<id>[\w-]+) \}")
CHAPTER = "\n## Error messages { #error-messages data-search-exclude }\n"


@pytest.fixture(scope="module")
def rows() -> list[tuple[str, re.Match[str]]]:
    """Each row with the name of its page."""
    found = []
    for path in page_paths(ROOT):
        name = path.relative_to(ROOT / "docs").with_suffix("").as_posix()
        table = path.read_text(encoding="utf-8").partition(CHAPTER)[2].partition("\n## ")[0]
        found += [(name, row) for row in ROW.finditer(table)]
    return found


@pytest.fixture(scope="module")
def sections() -> dict[str, ErrorSection]:
    """The sections about messages, by their address; that of a title has no id."""
    pages = [parse_page(path, ROOT) for path in (ROOT / "docs/errors").glob("*.md")]
    return {one.page.name + (f"#{one.id}" * (not one.main)): one for page in pages for one in error_sections(page)}


def target(name: str, url: str) -> str:
    """The address that a link of a page leads to."""
    path, mark, anchor = url.partition("#")
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), path)).removesuffix(".md") + mark + anchor


def test_every_old_address_is_a_link_that_leads_to_its_page() -> None:
    """Forums and issues link to messages and to sections that moved. Without JavaScript it is one click more."""
    known: dict[str, str] = {}
    for path in page_paths(ROOT):
        name = path.relative_to(ROOT / "docs").with_suffix("").as_posix()
        links = LINK.finditer(path.read_text(encoding="utf-8"))
        known.update({f"{name}#{link['id']}": target(name, link["url"]) for link in links})
    old = dict(line.split() for line in OLD.read_text(encoding="utf-8").splitlines())
    assert {address: known.get(address) for address in old} == old
    assert sum("#err-" in address for address in old) == 345


def test_every_row_names_the_message_that_it_leads_to(
    rows: list[tuple[str, re.Match[str]]], sections: dict[str, ErrorSection]
) -> None:
    """It may be cut short; a message that is told in another one's section has a wording of its own."""
    wrong = []
    for name, row in rows:
        section = sections[target(name, row["url"])]
        shown = re.findall(r"`+ ?(.+?) ?`+", row["text"]) if section.messages else []
        wrong += [f"{name}: {text}" for text in shown if not pattern(text).search(" ".join(section.page.text.split()))]
    assert wrong == []


def test_every_message_is_in_a_table(rows: list[tuple[str, re.Match[str]]], sections: dict[str, ErrorSection]) -> None:
    """The pages about messages are not in the navigation."""
    listed = {target(name, row["url"]).partition("#")[0] for name, row in rows}
    assert {section.page.name for section in sections.values()} == listed


def test_a_page_about_a_message_links_back_to_the_pages_that_list_it(
    rows: list[tuple[str, re.Match[str]]], sections: dict[str, ErrorSection]
) -> None:
    """Its last line: a reader who wants to understand goes on there."""
    last = {section.page.name: section.page.text.rstrip().split("\n")[-1] for section in sections.values()}
    listed = {(target(name, row["url"]).partition("#")[0], name) for name, row in rows}
    assert [f"{page}: {name}" for page, name in sorted(listed) if f"(../{name}.md)" not in last[page]] == []
