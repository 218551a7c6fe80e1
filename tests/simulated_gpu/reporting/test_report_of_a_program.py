"""`python -m simulated_gpu --report`: what it says of a training loop, line by line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.cuda_build

PROGRAM = """\
import torch
model = torch.nn.Linear(1000, 1000, device="cuda")
optimizer = torch.optim.Adam(model.parameters())
pageable, pinned = torch.ones(64, 1000), torch.ones(64, 1000).pin_memory()
for _ in range(3):
    x = pageable.cuda()
    y = pinned.to("cuda", non_blocking=True)
    loss = (model(x) - y).square().sum()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    print(loss.item() > 0)
torch.cuda.synchronize()
print(torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved())
"""


@pytest.fixture
def made(simulated: Callable[..., str], tmp_path: Path) -> tuple[dict[str, Any], str]:
    """Run the program with a report, and return the report and what the program printed."""
    printed = simulated(PROGRAM, "--report-json", "report.json", "--report-svg", "memory.svg", "--report-github")
    return json.loads((tmp_path / "report.json").read_text()), printed


def test_each_line_has_its_waits_copies_and_bytes(made: tuple[dict[str, Any], str], tmp_path: Path) -> None:
    """One run, as starting takes the most time: all that the report says of this program was counted by hand."""
    report, printed = made
    assert [(row["line"], row["what"], row["count"]) for row in report["waits"]] == [
        ("program.py:6", "cudaStreamSynchronize", 3),
        ("program.py:12", "cudaStreamSynchronize", 3),
        ("program.py:13", "cudaDeviceSynchronize", 1),
    ]
    copies = {row.pop("line"): row for row in report["copies"]}
    assert copies == {
        "program.py:6": {"to_gpu": True, "pinned": False, "blocking": True, "count": 3, "bytes": 768_000},
        "program.py:7": {"to_gpu": True, "pinned": True, "blocking": False, "count": 3, "bytes": 768_000},
        "program.py:12": {"to_gpu": False, "pinned": True, "blocking": True, "count": 3, "bytes": 12},
    }
    phases = {row["line"]: row["phase"] for row in report["kernels"]}
    assert phases["program.py:9"] == "backward"
    assert phases["program.py:10"] == "step"

    (memory,) = report["memory"]
    peak, reserved = (int(number) for number in printed.splitlines()[3].split())
    assert (memory["peak"], memory["reserved"]) == (peak, reserved)
    assert sum(held["bytes"] for held in memory["held"]) == peak
    weights = -(-1000 * 1000 * 4 // 512) * 512 + 4096  # with the bias
    held = {(row["line"], row["category"]): row["bytes"] for row in memory["held"]}
    assert held["program.py:2", "parameters"] == weights
    assert held["program.py:9", "gradients"] == weights
    assert held["program.py:10", "optimizer state"] == 2 * weights
    assert {row["bytes"] for row in memory["held"] if row["category"] == "workspaces"} == {8_519_680}
    assert (memory["line"], memory["phase"]) == ("program.py:10", "step")

    assert "::notice file=program.py,line=12,title=Python waits for the GPU::3 times, in cudaStream" in printed
    picture = (tmp_path / "memory.svg").read_text()
    assert picture.startswith("<svg ")
    assert "<title>optimizer state</title>" in picture


def test_the_line_that_does_not_fit_is_named(simulated: Callable[..., str]) -> None:
    """People ask "Will it fit?". The report comes even though the program ends with the error."""
    program = """\
import contextlib, simulated_gpu, torch
layer = torch.nn.Linear(1000, 1000, device="cuda")
with simulated_gpu.report() as report, contextlib.suppress(torch.OutOfMemoryError):
    hidden = layer(torch.ones(10_000, 1000, device="cuda"))
    wide = torch.ones(30_000, 1000, device="cuda")
print(report)
"""
    lines = simulated(program, "--memory", "128MiB").splitlines()
    assert any("program.py:5" in line and "out of memory in forward: 114 MiB did not fit" in line for line in lines)
    assert any("; does not fit, PyTorch took" in line for line in lines)
    assert any("parameters 3.8 MiB" in line for line in lines)  # of before, as the call of the layer shows


def test_a_file_that_cannot_be_written_is_said_before_the_program_runs(python: Callable[..., Any]) -> None:
    """An hour later would be too late."""
    done = python("-m", "simulated_gpu", "--report-json", "none/report.json", __file__)
    assert done.returncode == 2
    assert done.stderr == (
        "simulated_gpu: the report cannot be written to none/report.json: there is no such folder to write to\n"
    )
