"""What the tests of the widgets share: what the search reads, run by Node."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

WIDGETS = Path(__file__).parents[2] / "docs/assets/widgets"


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
