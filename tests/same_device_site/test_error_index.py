"""The index of errors: what is one entry, in which order, and how it reads."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from same_device_site.error_index import cut_short, entries, error_index, normal
from same_device_site.site import Site
from samedevice.outputs.environments import Environment
from samedevice.outputs.output import Output, Raised
from samedevice.outputs.recordings import update
from samedevice.pages.page import Page

Write = Callable[..., Page]
CPU = Environment("cpu", "EPYC", "2.13.0", "3.11.7", "", "2026-11-21")


def section(title: str, id: str, prose: str = "It is so.") -> str:
    """A section about a message, with code of its own: equal programs have one recording."""
    block = f'```python raises="ValueError"\nfail("{id}")\n```\n'
    return f"# {title} {{ #err-{id} }}\n\n{prose}\n\n{block}\n"


def page(write: Write, name: str, first: str, *others: str) -> Page:
    """A page about the message of its title, and more of them."""
    return write(first + "".join(f"#{other}" for other in others), f"docs/errors/{name}.md")


def site(*found: tuple[Page, list[str]]) -> Site:
    """Pages, each with the messages that its blocks gave on the CPU."""
    recordings = {}
    for one, messages in found:
        outputs = [Output(raised=Raised("ValueError", message)) for message in messages]
        made = update(None, one, CPU, outputs or [None] * len(one.blocks))
        recordings[one.path] = (made,) if made else ()
    return Site(tuple(one for one, _ in found), recordings, {})


def test_one_message_on_two_pages_is_one_entry_with_the_better_evidence_first(write: Write) -> None:
    """A reader who pastes a message wants one answer, and all places."""
    here = page(write, "here", section("`size (3) is wrong`", "a"))
    there = page(write, "there", section("`ValueError: size (7) is wrong.`", "b"))
    (entry,) = entries(site((here, ["another"]), (there, ["size (5) is wrong."])))
    assert [one.id for one, _ in entry.found] == ["err-b", "err-a"]
    assert entry.text == "ValueError: size (7) is wrong."


SAME = [("No CUDA GPUs are available", "no cuda gpus are available"), ("`x` is [1, 2]!", "x is #"), ("a  b", "a b")]


@pytest.mark.parametrize(("message", "expected"), SAME)
def test_what_varies_is_no_difference(message: str, expected: str) -> None:
    """Values, quotes and the full stop differ from page to page, the message does not."""
    assert normal(message) == expected


def test_a_message_that_is_cut_short_is_the_same_if_it_has_some_words() -> None:
    """A heading may leave out the end of a long message; but two messages may begin alike."""
    assert cut_short("cannot copy out of meta", "cannot copy out of meta tensor")
    assert not cut_short("cannot copy out of me", "cannot copy out of meta")
    assert not cut_short("cannot copy", "cannot copy out of meta tensor")
    assert not cut_short("no module named torch", "no module named torch._six")
    assert cut_short("the program ended there", "the program ended there. and more")


def test_a_longer_message_is_put_to_the_shorter_one_past_another(write: Write) -> None:
    """In the alphabet, one that is no continuation may stand between them."""
    titles = ("`it does not work at all`", "`it does not work at allocation`", "`it does not work at all times`")
    one = page(write, "one", *(section(title, str(number)) for number, title in enumerate(titles)))
    assert [len(entry.found) for entry in entries(site((one, [])))] == [2, 1]


def test_the_order_is_that_of_what_a_reader_pastes(write: Write) -> None:
    """Quotes and the class do not count; failures without a message come last."""
    titles = ("A silent one", "`UserWarning: Beta`", "`'gamma' is no name`", "`alpha`", "`1D tensor`")
    one = page(write, "one", *(section(title, str(number)) for number, title in enumerate(titles)))
    found = [entry.text for entry in entries(site((one, [])))]
    assert found == ["1D tensor", "alpha", "UserWarning: Beta", "'gamma' is no name", "A silent one"]


def test_an_entry_reads_as_a_definition(write: Write) -> None:
    """The whole of it, as Markdown: message with its link, class and device, cause without links and citations."""
    cited = "(bitsandbytes [#1](https://example.org/1), [a report](https://example.org/2))"
    prose = f"It is `so`, see [there](../b/y.md#z) and [`x[0]`](#up) (or not) {cited}.\nA second.\nA third."
    one = page(write, "x", section("``a `quoted` word``", "q", prose), section("`other`", "o", "Seen:"))
    where = Page("docs/reference/errors.md", "# Errors", ())
    assert error_index(where, entries(site((one, ["a `quoted` word", "not that"])))) == "\n\n".join(
        [
            "## A { #messages-a data-search-exclude }",
            "[``a `quoted` word``](../errors/x.md) { #err-q }\n"
            ":   ValueError.\n"
            "    It is `so`, see there and `x[0]` (or not).",
            "## O { #messages-o data-search-exclude }",
            "[`other`](../errors/x.md#err-o) { #err-o }\n:   ValueError.\n    Seen:\n    No block raises it now.",
        ]
    )


def test_an_entry_has_one_sentence(write: Write) -> None:
    """The index holds hundreds of entries, and has to open quickly on a phone."""
    one = page(write, "one", section("`it fails`", "one", "The sizes\ndiffer.\nPrint both."))
    text = error_index(one, entries(site((one, ["it fails"]))))
    assert text.endswith("    The sizes\n    differ.")


def test_an_entry_has_the_id_of_its_section_if_no_other_has_it(write: Write) -> None:
    """A short link that stays when the message is worded anew; a section's second message has an id of its own."""
    here = page(write, "here", section("`alpha` and `beta`", "both"), section("`gamma`", "same"))
    there = page(write, "there", section("`delta`", "same"))
    where = Page("docs/reference/errors.md", "# Errors", ())
    found = error_index(where, entries(site((here, []), (there, []))))
    ids = dict(re.findall(r"^\[`(\w+)`\]\(.*\) \{ #([\w-]+) \}$", found, re.M))
    assert ids == {
        "alpha": "err-both",
        "beta": "error-f44e64e7",
        "gamma": "error-be9d587d",
        "delta": "error-4f4a9410",
    }


def test_a_cited_message_says_so_and_links_another_page_about_it(write: Write) -> None:
    """A reader who doubts it can look."""
    here = write("# `it does not work` { #err-a }\n\n[Seen](https://a.b/c).\n", "docs/errors/a.md")
    there = write("# `it does not work.` { #err-b }\n\n[Seen](https://a.b/d).\n", "docs/errors/b.md")
    text = error_index(Page("docs/reference/errors.md", "# Errors", ()), entries(site((here, []), (there, []))))
    assert "Cited. Also: [`it does not work.`](../errors/b.md)" in text
