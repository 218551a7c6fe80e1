"""Builds of a served site: what a build waits for, what runs in the background, and what is left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from made_build import TWO, Write, texts

from samedevice.outputs.environments import Run
from samedevice.outputs.output import Output, Raised
from samedevice.page_runs import PageRun, PageRuns, without_lacking
from samedevice.pages.page import Page
from samedevice.weaving.shown import differ, outputs_of

PANDAS = "## A\n\n```python\nimport not_there\n```\n\n```python\nx\n```\n\n## B\n\n```python\nprint('b')\n```\n"


@pytest.fixture
def served(one_server: object, root: Path) -> Iterator[PageRuns]:
    """The outputs of a site whose first build waits for nothing."""
    found = PageRuns(root, devices=("cpu",), serves=True)
    yield found
    found.close()


def shown(served: PageRuns, page: Page) -> list[list[str]]:
    """What a build shows of a page."""
    return texts(outputs_of(served.known(page))[0])


def run_rest(served: PageRuns) -> list[PageRun]:
    """Run the rest, and wait for it."""
    done: list[PageRun] = []
    for run in served.run_rest(done.append):
        run.result()
    return done


def test_the_first_build_shows_what_is_known_and_the_rest_runs_when_it_is_asked_for(
    served: PageRuns, write: Write
) -> None:
    """A reader waits for nothing that is in the repository."""
    page = write(TWO)
    served.build([page])
    assert shown(served, page) == [[], []]
    assert served.sessions is None
    (run,) = run_rest(served)
    assert differ(served.known(page, {"cpu": run.kept}), served.known(page))
    assert shown(served, page) == [["cpu: one"], ["cpu: two"]]


def test_a_later_build_waits_for_what_was_saved_and_for_nothing_else(served: PageRuns, write: Write) -> None:
    """The author who saved a page wants to see what it prints; the others are still to run."""
    saved, other = write(TWO, "docs/saved.md"), write(TWO, "docs/other.md")
    served.build([saved, other])
    saved = write(TWO.replace("two", "2"), "docs/saved.md")
    served.build([saved, other])
    assert shown(served, saved) == [["cpu: one"], ["cpu: 2"]]
    assert shown(served, other) == [[], []]


def test_what_ran_once_does_not_run_again_until_it_changes(
    served: PageRuns, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A block that fails is not kept for the next build of another day, but shown by each of this one."""
    page = write("```python\n1 / 0\n```\n")
    served.build([page])
    run_rest(served)
    first = outputs_of(served.known(page))
    monkeypatch.setattr(served.sessions, "submit", lambda *_, **__: pytest.fail("it runs again"))
    served.build([page])
    assert outputs_of(served.known(page)) == first
    assert "ZeroDivisionError" in first[1][0]


def test_the_run_of_a_page_that_was_saved_meanwhile_is_not_kept(
    served: PageRuns, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would take the place of what the saved page printed."""
    kept: list[Page] = []
    monkeypatch.setattr(served.cache, "keep", lambda page, *_: kept.append(page))
    old = write(TWO)
    served.build([old])
    (run,) = served.run_rest(lambda run: None)
    new = write(TWO.replace("two", "2"))
    served.build([new])
    served.known(new)
    run.result()
    assert old not in kept
    assert new in kept


def what_blocks_do(*lacking: str) -> tuple[Output, ...]:
    """What the three blocks of that page do where a module is missing."""
    missing = [Output(raised=Raised("ModuleNotFoundError", f"No module named '{name}'")) for name in lacking]
    return (*missing, Output(raised=Raised("NameError", "name 'x' is not defined")), Output("b\n"))


def test_what_needs_a_module_that_is_not_installed_is_left_out_to_the_end_of_its_section(write: Write) -> None:
    """So a small installation can serve the site: these blocks show what is recorded."""
    run, lacking = without_lacking(sections(write, PANDAS), "cpu", Run(what_blocks_do("not_there"), None))
    assert lacking == ("not_there",)
    assert [output and output.text for output in run.outputs] == [None, None, "b\n"]


@pytest.mark.parametrize(
    ("text", "name"),
    [(PANDAS.replace("python", 'python raises="ModuleNotFoundError"', 1), "not_there"), (PANDAS, "json")],
    ids=["announced", "installed"],
)
def test_an_error_that_has_another_cause_stays(write: Write, text: str, name: str) -> None:
    """A page about that error, and a module whose import fails for itself."""
    run = Run(what_blocks_do(name), None)
    assert without_lacking(sections(write, text), "cpu", run) == (run, ())


def sections(write: Callable[..., Page], text: str) -> Page:
    """A page whose sections have namespaces of their own, as this site's have."""
    page = write(text)
    assert len(page.sections) == 2
    return page
