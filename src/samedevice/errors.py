"""errors: what a person meets: one class a kind of failure, each saying where, what, and what to do."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager


class SameDeviceError(Exception):
    """Base of every error that this package raises on purpose."""


class PageError(SameDeviceError):
    """A page that cannot be read: a bad fence, an unknown option, a missing file."""

    def __init__(self, path: str, line: int, message: str) -> None:
        super().__init__(f"{path}:{line}: {message}")
        self.path = path
        self.line = line
        self.message = message


class PageErrors(PageError):  # noqa: N818
    """All that is wrong with one page. Path and line are those of the first error; its `str` has a line for each."""

    def __init__(self, errors: Sequence[PageError]) -> None:
        super().__init__(errors[0].path, errors[0].line, errors[0].message)
        self.errors = tuple(errors)

    def __str__(self) -> str:
        return "\n".join(map(str, self.errors))


class Complaints:
    """Collects the errors of one page, so that an author sees all of them at once."""

    def __init__(self) -> None:
        self.found: list[PageError] = []

    def add(self, error: PageError) -> None:
        """Take in an error, or each of several."""
        self.found += error.errors if isinstance(error, PageErrors) else [error]

    @contextmanager
    def collecting(self) -> Iterator[None]:
        """Take in the PageError that is raised meanwhile, and go on after it."""
        try:
            yield
        except PageError as error:
            self.add(error)

    def raise_all(self) -> None:
        """Raise what was collected, in the order of the page: PageError for one, PageErrors for several."""
        found = sorted(self.found, key=lambda error: error.line)
        if found:
            raise PageErrors(found) if len(found) > 1 else found[0]


class RecordingError(SameDeviceError):
    """A recording that cannot be used: truncated, damaged by hand, of an unknown format."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(f"{path}: {message}")
        self.path = path
        self.message = message


class SessionError(SameDeviceError):
    """The machinery that runs pages failed, not a page: no interpreter, no torch, no such device."""


EXTRAS = {
    "mkdocs": ("mkdocs", "markdown", "pymdownx", "pygments"),
    "notebooks": ("mkdocs_jupyter",),
}
"""The modules that each extra installs. Those of `torch` are missing: pages import them, and the engine does not."""


class MissingExtra(SameDeviceError):  # noqa: N818
    """A package is missing that only a part of the engine needs."""


def need(extra: str, purpose: str) -> None:
    """Raise MissingExtra where a module of an extra is not installed; `purpose` is what would need it."""
    missing = [module for module in EXTRAS[extra] if importlib.util.find_spec(module) is None]
    if missing:
        command = f'{sys.executable} -m pip install "samedevice[{extra}]"'
        raise MissingExtra(f"{purpose} needs {', '.join(missing)}, which {_are(missing)} not installed; run {command}")


def _are(names: list[str]) -> str:
    return "is" if len(names) == 1 else "are"
