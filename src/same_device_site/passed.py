"""passed: which claims passed where, as `pytest tests/claims --claims-record` wrote it to `tests/claims/passed.json`.

The file has a line for each environment and file of tests. The line holds for the file's text as it was then, so that
a test that has changed since is not said to have passed.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from same_device_site.claims import ClaimError

RECORD = "passed.json"
"""The name of the record, below `tests/claims`."""
SHAPES = {
    "environment": re.compile(r"[a-z0-9-]+-\d[\w.+]*"),
    "file": re.compile(r"(?:\w+/)*test_\w+\.py"),
    "hash": re.compile(r"[0-9a-f]{16}"),
    "tests": re.compile(r"test_\w+"),
}
"""What the fields of a line look like; `tests` is a list of such."""


@dataclass(frozen=True, order=True)
class Passed:
    """The tests of one file that passed in one environment."""

    environment: str
    """The environment, as `Environment.folder` names it: `cpu-2.13.0+cpu`."""
    file: str
    """The file's path below `tests/claims`."""
    hash: str
    """The `fingerprint` of its text."""
    tests: tuple[str, ...]
    """Names of the tests, sorted."""

    @property
    def where(self) -> str:
        """The environment for a person: `CPU, PyTorch 2.13.0+cpu`."""
        device, _, version = self.environment.rpartition("-")
        name = "simulated CUDA" if device == "cuda-simulated" else device.upper().replace("-", " ")
        return f"{name}, PyTorch {version}"


def fingerprint(text: str) -> str:
    """What identifies the text of a file of tests, read with universal line ends."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def read(folder: Path) -> list[Passed]:
    """The record below `tests/claims`; none if there is no such file.

    Raises:
        ClaimError: it is not as `write` writes it.
    """
    path = folder / RECORD
    if not path.is_file():
        return []
    try:
        found = [_line(**line) for line in _list(json.loads(path.read_text(encoding="utf-8")))]
    except (ValueError, TypeError) as error:
        raise ClaimError(f"{path}: {error}; remove the file and run `make claims-record`") from error
    if found != sorted(found) or len({(one.environment, one.file) for one in found}) < len(found):
        raise ClaimError(f"{path}: its lines are not sorted, or two are about one file; run `make claims-record`")
    return found


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"this is no list: {value!r}")
    return value


def _line(environment: str, file: str, hash: str, tests: list[str]) -> Passed:
    """A line of the record. Raises ValueError, or TypeError for what is no text."""
    if not tests or _list(tests) != sorted(set(tests)):
        raise ValueError(f"the tests of {file} are not sorted, or there are none")
    for name, value in [
        ("environment", environment),
        ("file", file),
        ("hash", hash),
        *(("tests", one) for one in tests),
    ]:
        if not SHAPES[name].fullmatch(value):
            raise ValueError(f'"{name}" cannot be {value!r}')
    return Passed(environment, file, hash, tuple(tests))


def write(folder: Path, new: Iterable[Passed]) -> None:
    """Put lines into the record, each in the place of the one about its environment and file.

    Lines about files that have changed or are gone are left out. Raises ClaimError as `read` does.
    """
    lines = {(one.environment, one.file): one for one in [*read(folder), *new]}
    now = {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in folder.rglob("test_*.py")}
    lasting = {file: fingerprint(text) for file, text in now.items()}
    fresh = [one for one in sorted(lines.values()) if one.tests and lasting.get(one.file) == one.hash]
    text = ",\n".join(json.dumps(asdict(one)) for one in fresh)
    unfinished = folder / f".{RECORD}.unfinished"
    unfinished.write_text(f"[\n{text}\n]\n" if text else "[]\n", encoding="utf-8")
    unfinished.replace(folder / RECORD)
