"""The memory calculator of the page "A model of memory", against the report of the model that it describes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

GPT = Path(__file__).parents[2] / "widgets" / "gpt.py"
SIZES = {"layers": 12, "width": 768, "vocabulary": 50257, "tokens": 1024}  # what the calculator shows first
BATCH = 8
PARTS = ("parameters", "gradients", "optimizer state", "activations")
CHOICES = [
    {"dtype": dtype, "checkpointing": checkpointing}
    for dtype in ("float32", "float32, autocast to bfloat16", "bfloat16")
    for checkpointing in (False, True)
]
STEPS = """

import json
import sys
import torch
import simulated_gpu

def step(model, optimizer, autocast):
    words = torch.zeros(BATCH, SIZES["tokens"], dtype=torch.long, device="cuda")
    with torch.autocast("cuda", torch.bfloat16, enabled=autocast):
        loss = model(words)
    loss.backward()
    optimizer.step()

def most(choice):
    with simulated_gpu.report() as found:
        with torch.device("cuda"):
            model = Model(**SIZES, checkpointing=choice["checkpointing"])
        model.to(torch.bfloat16 if choice["dtype"] == "bfloat16" else torch.float32)
        step(model, torch.optim.AdamW(model.parameters()), "autocast" in choice["dtype"])
    sizes = [sizes for _, sizes in found.memory[0].curve]
    return {name: max(size.get(name, 0) for size in sizes) for name in PARTS}

print(json.dumps([most(choice) for choice in CHOICES]))
"""


@pytest.mark.cuda_build
def test_each_part_is_what_a_report_finds(simulated: Callable[..., str], ask: Any) -> None:
    """GPT-2 small: parameters, gradients and optimizer state within 0.1 percent, what backward needs within one."""
    program = f"{GPT.read_text()}\nSIZES, BATCH, CHOICES, PARTS = {SIZES!r}, {BATCH}, {CHOICES!r}, {PARTS!r}\n{STEPS}"
    reported = json.loads(simulated(program, "--shapes-only", "--memory", "80GiB"))
    calculated = ask(
        "memory", "memory", [[{**SIZES, "batch": BATCH, "optimizer": "Adam, AdamW", **one}] for one in CHOICES]
    )
    for choice, report, parts in zip(CHOICES, reported, calculated, strict=True):
        assert report["parameters"] == pytest.approx(parts["weights"], rel=0.001), choice
        assert report["gradients"] == pytest.approx(parts["gradients"], rel=0.001), choice
        assert report["optimizer state"] == pytest.approx(parts["optimizer"], rel=0.001), choice
        kept = parts["activations"] + parts["copies"]
        assert report["activations"] == pytest.approx(kept, rel=0.01), choice
