"""What changed from one PyTorch to the next, as the recordings have it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from same_device_site.error_index import entries, error_index
from same_device_site.site import Site
from same_device_site.version_changes import version_changes
from samedevice.outputs.environments import Environment
from samedevice.outputs.output import Figure, Output
from samedevice.outputs.recordings import Recording, update
from samedevice.pages.page import Page

NEW = Environment("cpu", "EPYC", "2.15.0+cu132", "3.11.7", "", "2026-11-21")
MIDDLE = replace(NEW, torch="2.13.0+cpu")
OLD = replace(NEW, torch="2.9.1+cu128")
WHERE = Page("docs/reference/versions.md", "", ())
TEXT = "# Products\n\n## A part { #part }\n\n```python\none\n```\n\n```python\ntwo\n```\n"

Write = Callable[..., Page]


def recorded(page: Page, where: Environment, *texts: str) -> Recording:
    """A recording of a page with these outputs."""
    found = update(None, page, where, [Output(text) for text in texts])
    assert found is not None
    return found


def test_a_block_that_prints_something_else_is_told_for_any_two_versions(write: Write) -> None:
    """A table says from which to which how many blocks differ; below it the differences, with links, equal ones once.

    Each box counts both, so that the table's number can be found again.
    """
    page = write(TEXT, "docs/topic/page.md")
    same = [
        recorded(page, where, *texts)
        for where, *texts in ((NEW, "mm: a", "mm: a"), (MIDDLE, "a", "a"), (OLD, "a", "a"))
    ]
    diff = "[Products](../topic/page.md#part), “A part”:\n\n    ```diff\n    -a\n    +mm: a\n    ```\n\n"
    box = f'??? sd-subject "CPU, {{}} to {{}}: 1 difference, in 2 blocks"\n\n    {diff}'
    assert version_changes(WHERE, Site((page,), {page.path: same}, {})) == (
        "| From | to 2.13 | to 2.15 |\n| --- | --: | --: |\n"
        "| 2.9 | [0 blocks](#from-2.9-to-2.13) | [2 blocks](#from-2.9-to-2.15) |\n"
        "| 2.13 |  | [2 blocks](#from-2.13-to-2.15) |\n\n"
        "## From 2.13 to 2.15 { #from-2.13-to-2.15 data-search-exclude }\n\n"
        + box.format("2.13.0+cpu", "2.15.0+cu132")
        + "## From 2.9 to 2.15 { #from-2.9-to-2.15 data-search-exclude }\n\n"
        + box.format("2.9.1+cu128", "2.15.0+cu132")
        + "## From 2.9 to 2.13 { #from-2.9-to-2.13 data-search-exclude }\n\n"
        "CPU, 2.9.1+cu128 to 2.13.0+cpu: every block that both have run prints the same."
    )


def test_stale_outputs_and_other_machines_are_no_neighbors(write: Write) -> None:
    """What differs between two GPUs did not change with PyTorch."""
    old, page = write(TEXT), write(TEXT.replace("two", "2"))
    gpu = replace(NEW, device="cuda", name="NVIDIA H200")
    other = replace(MIDDLE, device="cuda", name="NVIDIA T4")
    found = [recorded(page, NEW, "a", "a"), recorded(old, MIDDLE, "a", "b")]
    found += [recorded(page, gpu, "a", "a"), recorded(page, other, "b", "b")]
    told = version_changes(WHERE, Site((page,), {page.path: found}, {}))
    assert told.endswith("every block that both have run prints the same.")
    assert told.count("## ") == 1


def test_a_simulated_gpus_changes_are_told_but_not_those_of_the_cpu_again(write: Write) -> None:
    """Its messages change between versions as a GPU's do; its values change as the CPU's do."""
    page = write(TEXT, "docs/topic/page.md")
    new, middle = (replace(one, device="cuda", name="Simulated GPU", simulated=True) for one in (NEW, MIDDLE))
    found = [recorded(page, NEW, "mm: a", "c"), recorded(page, MIDDLE, "a", "c")]
    found += [recorded(page, new, "mm: a", "on cuda:1"), recorded(page, middle, "a", "on cuda:0")]
    told = version_changes(WHERE, Site((page,), {page.path: found}, {}))
    own = told.partition('"CUDA, simulated, 2.13.0+cpu to 2.15.0+cu132: 1 difference, in 1 block"')[2]
    assert own.endswith("“A part”:\n\n    ```diff\n    -on cuda:0\n    +on cuda:1\n    ```")
    assert "mm: a" in told
    assert "mm: a" not in own
    same = [recorded(page, new, "mm: a", "c"), recorded(page, middle, "a", "c")]
    told = version_changes(WHERE, Site((page,), {page.path: [*found[:2], *same]}, {}))
    assert told.endswith("every block that both have run prints the same, or differs as it does on the CPU.")


def test_the_page_itself_is_left_out(write: Write) -> None:
    """It shows its own blocks with every version, above the list."""
    page = write(TEXT, WHERE.path)
    found = [recorded(page, where, text, text) for where, text in ((NEW, "mm: a"), (MIDDLE, "a"))]
    told = version_changes(WHERE, Site((page,), {page.path: found}, {}))
    assert told.endswith("every block that both have run prints the same.")


def test_another_alt_text_is_no_change(write: Write) -> None:
    """The author wrote it, and may mend it without running the block again."""
    page = write("# A\n\n```python\none\n```\n")
    found = [
        update(None, page, where, [Output("a", figures=(Figure("<svg/>", alt),))])
        for where, alt in ((NEW, "A line."), (MIDDLE, "One line."))
    ]
    told = version_changes(WHERE, Site((page,), {page.path: [one for one in found if one]}, {}))
    assert told.endswith("every block that both have run prints the same.")


def test_one_version_alone_has_no_changes(write: Write) -> None:
    """The page says so, and is not empty."""
    page = write(TEXT)
    told = version_changes(WHERE, Site((page,), {page.path: [recorded(page, NEW, "a", "a")]}, {}))
    assert told == "Only one version of PyTorch is recorded."


def test_a_long_difference_is_cut(write: Write) -> None:
    """A reader wants to see what changed, not all of it."""
    page = write("# A\n\n```python\none\n```\n")
    texts = ("\n".join(f"{letter}{n}" for n in range(40)) for letter in "ab")
    found = [recorded(page, where, text) for where, text in zip((NEW, MIDDLE), texts, strict=True)]
    told = version_changes(WHERE, Site((page,), {page.path: found}, {}))
    assert " ... 50 more lines\n    ```" in told


def test_the_error_index_names_the_versions_that_give_a_message(write: Write) -> None:
    """A reader of 2.15 and one of 2.13 each find the text that their PyTorch printed."""
    page = write("# `no such thing here` { #err-no }\n\nWhy.\n\n```python\none\n```\n", "docs/errors/no.md")
    outputs = ((NEW, "no such thing here"), (MIDDLE, "no such thing here"), (OLD, "fine"))
    found = [recorded(page, where, text) for where, text in outputs]
    told = error_index(WHERE, entries(Site((page,), {page.path: found}, {})))
    assert "Seen on CPU with PyTorch 2.13, 2.15." in told
