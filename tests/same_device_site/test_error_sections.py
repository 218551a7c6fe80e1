"""Sections about errors: which message a heading names, and whether a block of the section still gives it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from same_device_site.error_sections import ErrorSection, Evidence, Proof, error_sections, evidence, pattern
from samedevice.outputs.environments import Environment
from samedevice.outputs.output import Output, Raised
from samedevice.outputs.recordings import Recording, update
from samedevice.pages.page import Page

Write = Callable[..., Page]
BLOCK = '```python raises="RuntimeError"\nfail()\n```\n'
PATH = "docs/errors/page.md"
PAGE = """---
description: About an error.
---

# {title} {{ #err-one }}

{section}
"""


def sections(write: Write, title: str, section: str = BLOCK) -> list[ErrorSection]:
    """The sections of a page about an error."""
    return list(error_sections(write(PAGE.format(title=title, section=section), PATH)))


def recorded(page: Page, *outputs: Output | None, device: str = "cpu") -> tuple[Recording, ...]:
    """A recording of these outputs."""
    about = Environment(device, "EPYC", "2.13.0", "3.11.7", "", "2026-11-21")
    found = update(None, page, about, outputs)
    assert found is not None
    return (found,)


def raised(message: str, name: str = "RuntimeError") -> Output:
    """The output of a block that raised."""
    return Output(raised=Raised(name, message))


HEADINGS = {
    "`one`": ("one",),
    "`` a `quoted` word ``": ("a `quoted` word",),
    "``with a tick at its `end` ``": ("with a tick at its `end`",),
    "`one` and `other`": ("one", "other"),
    "`one` from `f()`": ("one",),
    "`one`, at a line that is not the cause": ("one",),
    "`empty_cache()` frees nothing": (),
    "The loss does not fall": (),
}


@pytest.mark.parametrize(("title", "messages"), HEADINGS.items(), ids=HEADINGS.keys())
def test_a_heading_names_its_messages(write: Write, title: str, messages: tuple[str, ...]) -> None:
    """Authors write headings for readers; this is what the index takes from them."""
    (section,) = sections(write, title)
    assert section.messages == messages


def test_a_section_ends_at_the_next_heading_and_a_comment_in_code_is_none(write: Write) -> None:
    """Otherwise the next section's block would count as evidence for this one."""
    first = "Why it comes.\nSee [there](other.md#err-x).\n\n```python\n## not a heading\n1\n```\n\n### Causes\n\n[Source](https://a.b/c)\n"
    found = sections(write, "`one`", f"{first}\n## `two` {{ #err-two }}\n\n{BLOCK}")
    assert [(str(one), one.id, one.title) for one in found] == [
        (f"{PATH}:5", "err-one", "`one`"),
        (f"{PATH}:19", "err-two", "`two`"),
    ]
    assert [block.index for one in found for block in one.blocks] == [0, 1]
    assert found[0].prose == "Why it comes.\nSee [there](other.md#err-x)."
    assert found[0].sources == ("https://a.b/c",)
    assert [one.main for one in found] == [True, False]


def test_a_page_that_is_not_about_errors_has_no_such_section(write: Write) -> None:
    """Its headings may have code, too."""
    page = PAGE.format(title="`it failed`", section=BLOCK)
    assert list(error_sections(write(page, "docs/topic/page.md"))) == []
    assert list(error_sections(write(page, "docs/topic/errors/page.md"))) == []


def test_a_heading_without_an_id_is_found_too(write: Write) -> None:
    """So that a test can ask for the id."""
    page = write("# `one`\n", PATH)
    assert [section.id for section in error_sections(page)] == [""]


MATCHES = {
    "the same": ("too many dimensions 'str'", "ValueError: too many dimensions 'str'"),
    "shapes": ("shapes cannot be multiplied (3x2 and 3x2)", "shapes cannot be multiplied (64x784 and 10x5)"),
    "more dimensions": (
        "shape '[2, 5]' is invalid for input of size 9",
        "shape '[-1, 2, 8]' is invalid for input of size 9",
    ),
    "a device": ("can't convert cuda:0 device type", "can't convert cuda:3 device type"),
    "an address": ("object at 0x7f01", "object at 0x..."),
    "a number with a fraction": ("Tried to allocate 3.00 GiB.", "Tried to allocate 120.53 GiB."),
    "line breaks": ("options, do those steps", "options,\n\tdo those  steps"),
    "cut short": ("Cannot copy out of meta tensor; no data!", "Cannot copy out of meta tensor; no data! Please use"),
    "a gap": ("The operator 'aten::...' is not", "The operator 'aten::linalg_det' is not"),
}
OTHERS = {
    "another word": ("must match the size of tensor b", "must match the size of tensor c"),
    "another dtype": ("Got: Long", "Got: Int"),
    "a number in a name": ("mat1 and mat2", "mat3 and mat2"),
    "half a word": ("size of tensor", "size of tensors"),
    "the middle of a word": ("able to run", "unable to run"),
    "a word between": ("out of memory", "out of all memory"),
}


@pytest.mark.parametrize(("message", "text"), MATCHES.values(), ids=MATCHES.keys())
def test_a_message_matches_with_other_values(message: str, text: str) -> None:
    """The block of a section is run with values of its own."""
    assert pattern(message).search(" ".join(text.split()))


@pytest.mark.parametrize(("message", "text"), OTHERS.values(), ids=OTHERS.keys())
def test_a_message_does_not_match_other_words(message: str, text: str) -> None:
    """A new version of PyTorch that changes the wording must be noticed."""
    assert not pattern(message).search(" ".join(text.split()))


def judge(write: Write, section: str, *outputs: Output | None, title: str = "`it failed`") -> Evidence:
    """What stands behind the message of a page's one section."""
    (found,) = sections(write, title, section)
    recordings = recorded(found.page, *outputs) if outputs else ()
    return evidence(found, found.messages[0], recordings)


def test_a_message_that_a_block_gave_is_seen(write: Write) -> None:
    """The rule's plain case."""
    found = judge(write, BLOCK, raised("it failed"))
    assert (found.proof, found.name, found.devices) == (Proof.RAISED, "RuntimeError", ("cpu",))


def test_a_message_that_no_block_gives_any_more_is_gone(write: Write) -> None:
    """The index must not promise what is not so."""
    assert judge(write, BLOCK, raised("it went wrong")).proof is Proof.GONE


def test_a_warning_is_named_by_what_was_printed(write: Write) -> None:
    """A block that warns announces nothing on its fence."""
    block = "```python\nwarn()\n```\n"
    assert judge(write, block, Output(text="FutureWarning: it failed\n")).name == "FutureWarning"
    assert judge(write, block, Output(text="UserWarning: for x: it failed\n")).name == "UserWarning"


def test_a_message_whose_block_is_not_recorded_waits(write: Write) -> None:
    """On a machine without a GPU nobody can say more; the status page lists it."""
    block = BLOCK.replace("raises", 'needs="cuda" raises')
    assert judge(write, block) == Evidence(Proof.WAITING, "RuntimeError")
    assert judge(write, block.replace('raises="', 'raises="cuda: ')).proof is Proof.WAITING


def test_a_simulated_device_gives_a_message_or_shows_that_it_is_another(write: Write) -> None:
    """A heading that no device gives, simulated ones included, is wrong: that needs no GPU to be known."""
    (section,) = sections(write, "`it failed`", BLOCK.replace("raises", 'needs="cuda" raises'))
    about = Environment("cuda", "Simulated GPU", "2.13.0+cu130", "3.11.7", "", "2026-11-23", simulated=True)
    given, other = (update(None, section.page, about, [raised(text)]) for text in ("it failed", "it went wrong"))
    assert given is not None
    assert other is not None
    found = evidence(section, "it failed", (given,))
    assert (found.proof, found.name, found.environments) == (Proof.SIMULATED, "RuntimeError", (about,))
    assert evidence(section, "it failed", (other,)).proof is Proof.GONE


def test_a_block_that_mends_it_is_not_waited_for(write: Write) -> None:
    """A fix that needs a GPU must not hide that the error is gone from the CPU."""
    fix = '```python needs="cuda"\nmended()\n```\n'
    assert judge(write, f"{BLOCK}\n{fix}", raised("other"), None).proof is Proof.GONE


def test_a_stale_recording_is_no_evidence(write: Write) -> None:
    """It was made for other code."""
    old = sections(write, "`it failed`")[0].page
    (section,) = sections(write, "`it failed`", BLOCK.replace("fail()", "fail(1)"))
    assert evidence(section, "it failed", recorded(old, raised("it failed"))).proof is Proof.WAITING


def test_a_block_may_compare_the_message_where_builds_differ(write: Write) -> None:
    """Then its text stands in the block, and True in the output; any other output is no evidence."""
    block = "```python\nstr(error) == 'it failed'\n```\n"
    found = judge(write, block, Output(value="True"))
    assert (found.proof, found.name, found.devices) == (Proof.COMPARED, "", ("cpu",))
    assert judge(write, block, Output(value="False")).proof is Proof.GONE


def test_a_message_without_a_block_is_cited_or_gone(write: Write) -> None:
    """A source is better than nothing."""
    source = "[Reported](https://github.com/pytorch/pytorch/issues/1)."
    assert judge(write, source).proof is Proof.CITED
    assert judge(write, "It happens.").proof is Proof.GONE


def test_a_message_that_changed_its_class_has_both(write: Write) -> None:
    """PyTorch 2.15 raises NotImplementedError where 2.13 raised its base class: a reader may have either."""
    (section,) = sections(write, "`it failed`")
    found = [
        update(
            None,
            section.page,
            Environment("cpu", "EPYC", torch, "3.11.7", "", "2026-11-21"),
            [raised("it failed", name)],
        )
        for torch, name in (("2.15.0", "NotImplementedError"), ("2.13.0", "RuntimeError"))
    ]
    told = evidence(section, "it failed", [one for one in found if one])
    assert told.name == "NotImplementedError or RuntimeError"


def test_a_message_that_is_a_class_names_itself(write: Write) -> None:
    """The line before it is about another error."""
    said = Output(text="ValueError: boom\na.b.ChildFailedError:\n")
    assert judge(write, "```python\nrun()\n```\n", said, title="`a.b.ChildFailedError`").name == "ChildFailedError"
    assert judge(write, BLOCK, raised("ZeroDivisionError"), title="`ZeroDivisionError`").name == "RuntimeError"


def test_a_cited_message_has_no_class_of_a_block(write: Write) -> None:
    """The block of its section shows something else."""
    source = "[Reported](https://github.com/pytorch/pytorch/issues/1)."
    assert judge(write, f"{source}\n\n{BLOCK}", raised("other")) == Evidence(Proof.CITED, "")
