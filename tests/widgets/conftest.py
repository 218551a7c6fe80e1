"""What the tests of the widgets share: their functions, run by Node."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

WIDGETS = Path(__file__).parents[2] / "docs/assets/widgets"
Ask = Callable[[str, str, list[list[Any]]], list[Any]]
RUN = """
const [file, name, call] = process.argv.slice(1), fs = require("fs");
require("vm").runInThisContext(fs.readFileSync(file, "utf8"));
const special = (key, value) => typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
const asked = JSON.parse(fs.readFileSync(0, "utf8"));
console.log(JSON.stringify(asked.map((given) => sdWidgets[name][call](...given)), special));
"""


@pytest.fixture(scope="session")
def ask() -> Ask:
    """Calls a function of a widget once for each list of arguments, and returns what it returned."""
    node = shutil.which("node")
    if node is None and not os.environ.get("CI"):
        pytest.skip("needs node")

    def ask(widget: str, function: str, given: list[list[Any]]) -> list[Any]:
        command = [node or "node", "-e", RUN, str(WIDGETS / f"{widget}.js"), widget, function]
        done = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True, check=True)
        found: list[Any] = json.loads(done.stdout)
        return found

    return ask


@pytest.fixture(scope="session")
def errors() -> Callable[[str], list[dict[str, str]]]:
    """Reads the errors in a text as the search does."""
    node = shutil.which("node")
    if node is None and not os.environ.get("CI"):
        pytest.skip("needs node")
    run = (
        'const fs = require("fs"); require("vm").runInThisContext(fs.readFileSync(process.argv[1], "utf8"));'
        'console.log(JSON.stringify(sdSearch.errors(fs.readFileSync(0, "utf8"))));'
    )

    def read(log: str) -> list[dict[str, str]]:
        command = [node or "node", "-e", run, str(WIDGETS.parent / "search.js")]
        found: list[dict[str, str]] = json.loads(
            subprocess.run(command, input=log, capture_output=True, text=True, check=True).stdout
        )
        return found

    return read
