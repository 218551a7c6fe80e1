"""PendingRuns: what a build waits for, what runs in the background, and what is left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from made_site_outputs import TWO, Write, texts

from samedevice.outputs.environments import Run
from samedevice.outputs.output import Output, Raised
from samedevice.pages.page import Page
from samedevice.pending_runs import PendingRun, without_lacking
from samedevice.running.threads import wait_for
from samedevice.site_outputs import SiteOutputs

PANDAS = "## A\n\n```python\nimport not_there\n```\n\n```python\nx\n```\n\n## B\n\n```python\nprint('b')\n```\n"


@pytest.fixture
def served(one_server: object, root: Path) -> Iterator[SiteOutputs]:
    """The outputs of a site whose first build waits for nothing."""
    found = SiteOutputs(root, lambda line: None, ["cpu"], later=True)
    yield found
    found.close()


def run_rest(served: SiteOutputs) -> list[PendingRun]:
    """Run the rest, and wait for it."""
    done: list[PendingRun] = []
    for run in served.run_rest(done.append):
        wait_for(run.future)
    return done


def test_the_first_build_shows_what_is_known_and_the_rest_runs_when_it_is_asked_for(
    served: SiteOutputs, write: Write
) -> None:
    """A reader waits for nothing that is in the repository."""
    page = write(TWO)
    served.start([page])
    assert texts(served.read(page)[0]) == [[], []]
    assert served.runs.sessions is None
    (run,) = run_rest(served)
    assert served.changes(run)
    assert texts(served.read(page)[0]) == [["cpu: one"], ["cpu: two"]]


def test_a_later_build_waits_for_what_was_saved_and_for_nothing_else(served: SiteOutputs, write: Write) -> None:
    """The author who saved a page wants to see what it prints; the others are still to run."""
    saved, other = write(TWO, "docs/saved.md"), write(TWO, "docs/other.md")
    served.start([saved, other])
    saved = write(TWO.replace("two", "2"), "docs/saved.md")
    served.start([saved, other])
    assert texts(served.read(saved)[0]) == [["cpu: one"], ["cpu: 2"]]
    assert texts(served.read(other)[0]) == [[], []]


def test_what_ran_once_does_not_run_again_until_it_changes(
    served: SiteOutputs, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A block that fails is not kept for the next build of another day, but shown by each of this one."""
    page = write("```python\n1 / 0\n```\n")
    served.start([page])
    run_rest(served)
    first = served.read(page)
    monkeypatch.setattr(served.runs, "submit", lambda *_, **__: pytest.fail("it runs again"))
    served.start([page])
    assert served.read(page) == first
    assert "ZeroDivisionError" in first[1][0]


def test_the_run_of_a_page_that_was_saved_meanwhile_is_not_kept(
    served: SiteOutputs, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would take the place of what the saved page printed."""
    kept: list[Page] = []
    monkeypatch.setattr(served.runs.cache, "keep", lambda page, *_: kept.append(page))
    old = write(TWO)
    served.start([old])
    (run,) = served.run_rest(lambda run: None)
    new = write(TWO.replace("two", "2"))
    served.start([new])
    served.read(new)
    wait_for(run.future)
    assert old not in kept
    assert new in kept


def outputs_of(*lacking: str) -> tuple[Output, ...]:
    """What the three blocks of that page do where a module is missing."""
    missing = [Output(raised=Raised("ModuleNotFoundError", f"No module named '{name}'")) for name in lacking]
    return (*missing, Output(raised=Raised("NameError", "name 'x' is not defined")), Output("b\n"))


def test_what_needs_a_module_that_is_not_installed_is_left_out_to_the_end_of_its_section(write: Write) -> None:
    """So a small installation can serve the site: these blocks show what is recorded."""
    run, lacking = without_lacking(sections(write, PANDAS), "cpu", Run(outputs_of("not_there"), None))
    assert lacking == ("not_there",)
    assert [output and output.text for output in run.outputs] == [None, None, "b\n"]


@pytest.mark.parametrize(
    ("text", "name"),
    [(PANDAS.replace("python", 'python raises="ModuleNotFoundError"', 1), "not_there"), (PANDAS, "json")],
    ids=["announced", "installed"],
)
def test_an_error_that_has_another_cause_stays(write: Write, text: str, name: str) -> None:
    """A page about that error, and a module whose import fails for itself."""
    run = Run(outputs_of(name), None)
    assert without_lacking(sections(write, text), "cpu", run) == (run, ())


def sections(write: Callable[..., Page], text: str) -> Page:
    """A page whose sections have namespaces of their own, as this site's have."""
    page = write(text)
    assert len(page.sections) == 2
    return page
