"""What a report says that a change would save, where a program ran out of memory."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simulated_gpu.reporting.levers import AtFailure, levers

PROGRAM = """\
import torch
layers = torch.nn.Sequential(*(torch.nn.Linear(1024, 1024, bias=False) for _ in range(4))).to("cuda")
optimizer = torch.optim.Adam(layers.parameters())
for size in (16, 16, 2**16):
    x = torch.ones(size, 1024, device="cuda")
    layers(x).sum().backward()
    optimizer.step()
"""


@pytest.mark.cuda_build
def test_the_line_that_fails_says_what_would_go(python: Callable[..., Any], tmp_path: Path) -> None:
    """The third batch is too large; gradients are still there, as nobody calls zero_grad()."""
    (tmp_path / "program.py").write_text(PROGRAM)
    options = ("--shapes-only", "--memory", "600MiB", "--report", "--report-json", "report.json")
    done = python("-m", "simulated_gpu", *options, "program.py")
    weights = 4 * 1024 * 1024 * 4
    ((memory,),) = (json.loads((tmp_path / "report.json").read_text())["memory"],)
    (failed,) = memory["failed"]
    assert (failed["line"], failed["phase"], failed["asked"]) == ("program.py:6", "forward", 2**28)
    assert 0 < failed["missing"] < 2**28
    saved = {lever["change"]: (lever["bytes"], lever["at_most"]) for lever in failed["levers"]}
    activations = failed["held"]["activations"]
    assert activations >= 2**28, "the batch itself"
    assert saved == {
        "zero_grad() before the forward": (weights, False),
        "SGD without momentum": (2 * weights, False),
        "parameters in bfloat16": (2 * weights, False),
        "fewer trained parameters": (3 * weights, True),
        "FSDP2 on two GPUs": (2 * weights, True),
        "checkpointing": (activations, True),
        "accumulation over two half batches": (activations // 2, True),
    }
    assert "  At least " in done.stderr
    assert "48.0 MiB would go with fewer trained parameters" in done.stderr


def test_each_change_counts_what_it_can_free() -> None:
    """By hand: a step that fails in its first backward pass, with mixed dtypes."""
    held = {"parameters": 100, "gradients": 60, "optimizer state": 200, "activations": 30, "temporary": 7}
    then = AtFailure("backward", held, float32=80, largest_gradient=20, has_trained=True)
    assert [(lever.change, lever.bytes) for lever in levers(then)] == [
        ("fewer trained parameters", 260),
        ("SGD without momentum", 200),
        ("FSDP2 on two GPUs", 180),
        ("the optimizer's step inside backward", 40),
        ("parameters in bfloat16", 40),
        ("checkpointing", 30),
        ("accumulation over two half batches", 15),
    ]


def test_an_evaluation_is_told_of_inference_mode() -> None:
    """Without a backward pass, what the forward keeps may be kept in vain."""
    then = AtFailure("forward", {"activations": 30}, float32=0, largest_gradient=0, has_trained=False)
    assert ("inference_mode(), for an evaluation", 30) in [(lever.change, lever.bytes) for lever in levers(then)]
