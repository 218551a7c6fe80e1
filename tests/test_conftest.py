"""The repository's conftest.py: a plain checkout, of which nothing is installed, says what it needs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
WITHOUT = "import sys; sys.modules['sybil'] = None; import pytest; sys.exit(pytest.main(sys.argv[1:]))"


def test_a_plain_checkout_says_which_package_it_misses() -> None:
    """Somebody with a GPU has PyTorch, and not Sybil; a traceback of our modules told them nothing."""
    command = [sys.executable, "-c", WITHOUT, "-q", "-p", "no:samedevice", "docs/index.md"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 4
    assert "The pages need Python 3.11 or newer with torch, numpy, matplotlib, sybil: this is Python 3." in done.stderr
    assert done.stderr.rstrip().endswith(", without sybil.")
