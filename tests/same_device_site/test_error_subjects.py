"""The subjects of messages: the closed index, and what is related to a message."""

from __future__ import annotations

from collections.abc import Callable

from same_device_site.error_subjects import by_subject, listed, related
from same_device_site.site import Site
from samedevice.pages.page import Page

Write = Callable[..., Page]
INDEX = """\
## A { #messages-a }

[`a`](../errors/a.md) { #err-a }
:   It is a.

[`b`](../errors/b.md#err-b) { #err-b }
:   It is b.

## No message { #no-message }

[c fails](../errors/c.md) { #err-c }
:   Silently.

<script></script>"""


def site(write: Write) -> Site:
    """Two pages of topics that list three messages; one message is on both."""
    return Site(
        (
            write("# Where\n", "docs/reference/errors.md"),
            write("# `b`\n", "docs/errors/b.md"),
            write("# `a`\n", "docs/errors/a.md"),
            write("# c fails\n", "docs/errors/c.md"),
            write("# Levers\n\n[b](../errors/b.md)\n", "docs/memory/levers.md"),
            write("# Mul\n\n[b](../errors/b.md#x) [a](../errors/a.md) [c](../errors/c.md)\n", "docs/tensors/mul.md"),
            write("# The tensors\n", "docs/tensors/index.md"),
        ),
        {},
        {},
    )


def test_a_message_belongs_to_the_first_page_that_lists_it(write: Write) -> None:
    """Each is in one place of the index."""
    found = {"docs/tensors/mul.md": [f"docs/errors/{name}.md" for name in "bac"]}
    assert listed(site(write)) == found


def test_the_index_is_closed_subject_by_subject(write: Write) -> None:
    """One list of all of them was 68,000 pixels high. What else the index holds stays."""
    made = site(write)
    text = by_subject(INDEX, made.pages[0], made, listed(made))
    assert text.split("\n\n")[0] == "## The tensors { #messages-tensors data-search-exclude }"
    assert '??? sd-subject "Mul: 2 messages"' in text
    assert "    [`b`](../errors/b.md#err-b) { #err-b }\n    :   It is b." in text
    assert text.index("`b`") < text.index("`a`"), "not in the order of the page that lists them"
    assert '## No message { #no-message }\n\n??? sd-subject "The tensors: 1 failure"' in text
    assert text.endswith("\n\n<script></script>")


def test_a_message_that_no_page_lists_is_not_lost(write: Write) -> None:
    """A page about a new message comes first, its row in a table later."""
    made = site(write)
    text = by_subject(INDEX.replace("errors/a.md", "errors/new.md"), made.pages[0], made, listed(made))
    assert "## Others" in text
    assert "errors/new.md" in text


def test_a_page_about_a_message_leads_on(write: Write) -> None:
    """To the page of its topic, and to its neighbors there; 389 pages were islands."""
    made = site(write)
    lines = related(made.pages[2], made, listed(made)).split("\n")
    assert lines[-3:] == ["- [Mul](../tensors/mul.md)", "- [`b`](../errors/b.md)", "- [c fails](../errors/c.md)"]
    text = f"{made.pages[2].text}\nRead more: [Mul](../tensors/mul.md).\n"
    again = related(write(text, made.pages[2].path), made, listed(made)).split("\n")
    assert again == [*lines[:-3], *lines[-2:]]
