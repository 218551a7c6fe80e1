"""What the site that another builder makes does otherwise than that of MkDocs, and why: these tests fail there."""

from __future__ import annotations

import os

BUILDER = os.environ.get("SAMEDEVICE_BUILDER", "mkdocs")
"""What builds the site for these tests."""
FIRST_VIEW = {"zensical": 560_000}.get(BUILDER, 122_880)
"""Bytes that a page may weigh; Zensical loads its index of the search, 400 kB, with the first page."""
SEARCH = "Zensical has a search of its own, in a dialog: no box that a page can fill in, and no order of ours"
ALONG = "Zensical makes no downloads, no pages of notebooks, and knows no address of the repository"
OTHERWISE: dict[str, dict[str, str]] = {
    "zensical": {
        "test_copying.py::test_the_page_puts_together_what_python_does[notebooks/fundamentals.py]": ALONG,
        "test_folder.py::test_nothing_is_reported_or_asked_of_a_host": (
            "Zensical asks for redirect.json, which a browser refuses to a page of a folder, and says so"
        ),
        "test_folder.py::test_the_search_finds_sections": SEARCH,
        "test_pages.py::test_our_own_style_and_script_are_small": "under Zensical `shrink` does nothing",
        "test_reader.py::test_a_page_says_when_it_changed_and_where_to_edit_it": ALONG,
        "test_reader.py::test_each_page_can_be_taken_along": ALONG,
        "test_reader.py::test_a_missing_page_offers_a_search_that_works": SEARCH,
        "test_reader.py::test_menu_and_search_of_a_narrow_screen_open_by_keyboard": SEARCH,
        "test_whole.py::test_each_page_can_be_taken_along": ALONG,
        "test_switches.py::test_what_is_typed_does_not_switch": SEARCH,
        "test_search.py::test_a_pasted_message_brings": SEARCH,
        "test_search.py::test_a_short_query_is_searched": SEARCH,
        "test_search.py::test_each_page_that_is_found": SEARCH,
        "test_search.py::test_what_people_type_brings": SEARCH,
    }
}
"""By builder: the beginning of a test's name, as pytest has it below this folder, with the reason."""
