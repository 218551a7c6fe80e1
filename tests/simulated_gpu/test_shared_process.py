"""Sections that share a process with CUDA find the allocator's counters as they are in a fresh process."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytestmark = pytest.mark.cuda_build

PROGRAM = """
import torch
from samedevice.running.sharing import Sharing

sharing = Sharing("/nowhere", [])

def section():
    before = torch.cuda.memory_allocated(), torch.cuda.max_memory_allocated(), torch.cuda.memory_stats()
    x = torch.rand(512, 512, device="cuda")
    y = x @ x
    counted = torch.cuda.memory_allocated(), torch.cuda.max_memory_allocated(), torch.cuda.memory_reserved()
    return before, counted, x.sum().item(), torch.rand(1).item()

def number(stats):
    return {name: value for name, value in stats.items() if value}

first = section()
print("left:", repr(sharing.left([])))
second = section()
print("the same:", first[1:] == second[1:], first[0][:2] == second[0][:2])
print("counters that differ:", sorted(number(first[0][2]).items() ^ number(second[0][2]).items()))
sharing.left([])
kept = torch.ones(1, device="cuda")
print("left:", sharing.left([]))
del kept
print("left:", repr(sharing.left([])))
torch.cuda.set_per_process_memory_fraction(0.5)
print("left:", sharing.left([]))
"""


def test_memory_and_random_numbers_are_as_in_a_fresh_process(simulated: Callable[..., str]) -> None:
    """A page counts bytes, those of cuBLAS's workspace too; a tensor that is kept ends the process."""
    lines = simulated(PROGRAM).strip().split("\n")
    assert lines[:4] == ["left: ''", "the same: True True", "counters that differ: []", lines[3]]
    assert "memory_allocated" in lines[3]
    assert lines[4] == "left: ''"
    assert "get_per_process_memory_fraction" in lines[5]
