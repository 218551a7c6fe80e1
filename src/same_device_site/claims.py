"""claims: the tests that stand behind sentences of pages, read without running them.

`tests/claims/tensors/test_numpy_bridge.py` is about `docs/tensors/numpy-bridge.md`. A test there quotes the sentences
that it checks, each as a literal string:

    @claim("`from_numpy` and `from_dlpack` share, `tensor` copies.")
    def test_share_or_copy() -> None: ...
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from same_device_site.statements import quoted

CHECKS = {"raises", "warns", "same", "close", "fail"}
"""Functions that fail a test, besides those whose names begin with `assert`, and those of the same file that assert."""


class ClaimError(Exception):
    """A claim that checks nothing, or that quotes what its page does not say once."""


@dataclass(frozen=True)
class Claim:
    """A sentence of a page, and the test that checks it."""

    page: str
    """Path of the page below `docs`, such as `tensors/numpy-bridge.md`."""
    sentence: str
    """The sentence, as the test quotes it."""
    test: str
    """Name of the test."""
    path: Path
    """The file of the test."""
    line: int
    """Where the test's first decorator is in it."""
    end: int
    """The last line of the test."""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


def page_of(test: Path, folder: Path) -> str:
    """The page, below `docs`, that the tests of a file are about; `folder` is `tests/claims`."""
    place = test.relative_to(folder)
    return (place.parent / f"{place.stem.removeprefix('test_').replace('_', '-')}.md").as_posix()


def claims_in(folder: Path) -> list[Claim]:
    """All claims below `tests/claims`, in the order of their files.

    Raises:
        ClaimError: a test there quotes no sentence, quotes one that is no literal string, or asserts nothing.
    """
    return [claim for path in sorted(folder.rglob("test_*.py")) for claim in claims_of(path, folder)]


def claims_of(path: Path, folder: Path) -> Iterator[Claim]:
    """The claims of one file; raises as `claims_in` does."""
    functions = [node for node in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(node, ast.FunctionDef)]
    checks = CHECKS | {function.name for function in functions if _checks(function, CHECKS)}
    for test in (function for function in functions if function.name.startswith("test_")):
        first = min(decorator.lineno for decorator in test.decorator_list) if test.decorator_list else test.lineno
        sentences = list(_sentences(test, path))
        if not sentences:
            raise ClaimError(f"{path}:{first}: {test.name} quotes no sentence: put @claim(...) on it")
        if not _checks(test, checks):
            raise ClaimError(f"{path}:{first}: {test.name} asserts nothing, so it cannot fail")
        for sentence in sentences:
            yield Claim(page_of(path, folder), sentence, test.name, path, first, test.end_lineno or test.lineno)


def line_on_page(claim: Claim, docs: Path) -> int:
    """The line at which the page says it.

    Raises:
        ClaimError: there is no such page, or it does not say that, or says it twice.
    """
    page = docs / claim.page
    if not page.is_file():
        raise ClaimError(f"{claim}: {page} is gone: move the claim to the page that says this now, or remove it")
    lines = quoted(page.read_text(encoding="utf-8"), claim.sentence)
    if not lines:
        raise ClaimError(f"{claim}: {page} does not say, as whole sentences or cells of a row: {claim.sentence}")
    if len(lines) > 1:
        where = " and ".join(str(line) for line in lines)
        raise ClaimError(f"{claim}: {page} says this in lines {where}; quote more, so that it is one: {claim.sentence}")
    return lines[0]


def _sentences(test: ast.FunctionDef, path: Path) -> Iterator[str]:
    for decorator in test.decorator_list:
        if isinstance(decorator, ast.Call) and _name(decorator.func) == "claim":
            for argument in decorator.args:
                if not isinstance(argument, ast.Constant) or not isinstance(argument.value, str):
                    raise ClaimError(f"{path}:{argument.lineno}: @claim takes sentences as literal strings")
                yield argument.value


def _checks(function: ast.FunctionDef, checks: Collection[str]) -> bool:
    """Whether a function can fail a test on purpose: it asserts what is no constant, or calls one of the checks."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assert) and not isinstance(node.test, ast.Constant):
            return True
        if isinstance(node, ast.Call) and ((name := _name(node.func)) in checks or name.startswith("assert")):
            return True
    return False


def _name(function: ast.expr) -> str:
    """The last part of a function's name."""
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
