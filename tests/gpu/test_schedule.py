"""The schedule of a machine: what it takes to start CUDA counts once a process, and what is alone waits for all."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from schedule import Machine, table


def section(seconds: float, kind: str = "subjects, side by side", **other: Any) -> dict[str, Any]:
    """A section of a rehearsal."""
    found = {"kind": kind, "blocks": 1, "ran": 1, "milliseconds": round(1000 * seconds), "shares": False, "left": ""}
    return found | other


def machine(cores: int = 2, **other: Any) -> Machine:
    """A machine on which CUDA takes 2 s to start."""
    return Machine(cores, context=2.0, unknown=3.0, **{"one_by_one": False, **other})


@pytest.mark.parametrize(
    ("sections", "one_by_one", "seconds", "processes"),
    [
        ([section(1)] * 4, False, 6, 4),
        ([section(1, shares=True)] * 4, False, 4, 2),
        ([section(1, shares=True, left="it warned")] * 4, False, 6, 4),
        ([section(1)] * 4, True, 9, 4),
        ([section(1, blocks=3)], False, 9, 1),
    ],
    ids=["own processes", "shared ones", "shared ones that end", "a driver that starts one at a time", "not simulated"],
)
def test_starting_cuda_and_what_is_not_known_count(
    sections: list[dict[str, Any]], one_by_one: bool, seconds: float, processes: int
) -> None:
    """A schedule that leaves out what costs most says nothing."""
    own = machine(one_by_one=one_by_one)
    assert own.run(sections, own.cores) == seconds
    assert own.processes == processes


def test_a_group_waits_for_the_one_before_it() -> None:
    """What measures is alone on the machine."""
    alone = "subjects, alone"
    lines = list(table([section(1), section(4), section(1, alone), section(1, alone), section(1)], machine()))
    assert [line.split()[-3] for line in lines[1:-1]] == ["6.0", "6.0", "3.0"]
    assert lines[-1] == "5 sections in 5 processes that start CUDA: 0:15"


def test_cuda_is_started_for_several_sections_that_run_alone() -> None:
    """It is no part of what they measure."""
    sections = [section(1, shares=True)] * 3
    assert machine().run_alone(sections) == 2 + 2 + 2 + 1  # two at a time
    assert machine(one_by_one=True).run_alone(sections) == 4 + 2 + 2 + 1
    assert machine().run_alone([section(1)] * 3) == 9
