"""What a report counts as a wait, against PyTorch's own warnings of synchronizing operations."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[1] / "programs" / "waits.py"


@pytest.mark.cuda_build
def test_waits_are_those_that_pytorch_warns_of(simulated: Callable[..., str]) -> None:
    """In 41 operations; two wait without a warning, and the program fails if any other differs."""
    printed = simulated(PROGRAM.read_text()).splitlines()
    assert printed[-1] == "41 operations, 2 differ"
    counted = {line[:46].strip(): line.split()[-1] for line in printed}
    assert counted["torch.unique(x)"] == counted["torch.unique_consecutive(x)"] == "1"
    assert counted["torch.isin(counts, many)"] in ("2", "3"), "an H100 waits three times with PyTorch 2.11"
