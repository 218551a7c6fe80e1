"""Attacks the simulated GPU with programs by lot, for so many seconds.

    python -m simulated_gpu --gpus 2 programs.py SECONDS SEED

A program takes an input of the database, puts its tensors on the first GPU, or by lot elsewhere, calls the operator
over memory that was dirtied, and composes the result with others. Prints each value that is not the CPU's, and each mix
of devices that is accepted where a tensor is neither a number nor empty.
"""

from __future__ import annotations

import random
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import inputs
import torch
from torch.utils._pytree import tree_leaves, tree_map

NOT_EQUAL = (
    *(
        "empty",
        "rand",
        "dropout",
        "normal",
        "multinomial",
        "bernoulli",
        "uniform",
        "cauchy",
        "exponential",
        "geometric",
    ),
    *(
        "svd",
        "eig",
        "pca",
        "rrelu",
        "fractional",
        "log_normal",
        "lobpcg",
        "nested",
        "sparse",
        "jiterator",
        "_attention_",
    ),
    *("linalg.qr", "qr", "ormqr", "householder", "ldl", "lu", "lstsq", "geqrf", "multi_head_attention", "dot_product"),
)
"""Random numbers, and results with a free sign, pivot or layout: their values are compared elsewhere."""
MIXED = (
    "atleast",
    "index",
    "copy",
    "to",
    "scatter",
    "where",
    "put",
    "take",
    "masked",
    "type_as",
    "broadcast",
    "resize_as",
    "set",
)
"""Operators that take tensors of several devices, and composites of copying."""
STEPS: list[Callable[[torch.Tensor], torch.Tensor]] = [
    lambda x: x + 1,
    lambda x: x * x,
    lambda x: x.flatten(),
    lambda x: torch.cat([x.flatten(), x.flatten()]),
    lambda x: x.relu(),
    lambda x: x.unsqueeze(-1).sum(-1),
    lambda x: x.flatten().sort().values,
    lambda x: x.softmax(-1) if x.dim() else x,
    lambda x: x.cumsum(0) if x.dim() else x,
    lambda x: x.transpose(0, -1).contiguous() if x.dim() else x,
    lambda x: torch.where(x > 0, x, -x),
    lambda x: x.flatten()[::2],
    lambda x: x.reshape(-1, 1) @ x.reshape(1, -1) if x.numel() < 200 else x,
    lambda x: x.flatten().flip(0),
    lambda x: x.clone().fill_(2.5).sub_(x),
]


def main(seconds: float, seed: int) -> None:
    """Print what is wrong, and how many programs ran."""
    lot, counts = random.Random(seed), {"equal": 0, "raised": 0, "not compared": 0}
    names = [name for name in inputs.names() if not name.startswith(("nested", "sparse"))]
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        name = lot.choice(names)
        cases = list(inputs.inputs(name, 8))
        for case in lot.sample(cases, min(4, len(cases))):
            said = _program(name, case, lot)
            if said in counts:
                counts[said] += 1
            else:
                print(f"{name}: {said}", flush=True)
    print(counts)


def _program(name: str, case: inputs.Input, lot: random.Random) -> str:
    steps = [lot.choice(STEPS) for _ in range(lot.randrange(4))]
    strange = lot.random() < 0.3
    torch.full((lot.choice([1000, 100_000, 4_000_000]),), lot.choice([777.0, float("nan")]), device="cuda")
    devices = set()

    def place(value: Any) -> Any:
        if not isinstance(value, torch.Tensor) or not value.is_cuda:
            return value
        device = lot.choice(["cpu", "cuda:1"]) if strange and lot.random() < 0.4 else "cuda:0"
        if value.dim() > 0 and value.numel() > 0:
            devices.add(device)
        return value.detach().clone().to(device)

    arguments, options = tree_map(place, (case.arguments, case.options))
    try:
        made = _result(case.function(*arguments, **options), steps)
        value = made.cpu() if made is not None else None
    except Exception:
        return "raised"
    if len(devices) > 1 and not any(word in name for word in MIXED):
        return f"accepted tensors on {sorted(devices)}"
    if value is None or any(word in name for word in NOT_EQUAL):
        return "not compared"
    try:
        on_cpu = tree_map(_on_cpu, (case.arguments, case.options))
        expected = _result(case.function(*on_cpu[0], **on_cpu[1]), steps)
    except Exception:
        return "not compared"
    try:
        torch.testing.assert_close(value, expected, rtol=1e-3, atol=1e-3, equal_nan=True, check_dtype=False)
    except AssertionError as error:
        return f"{len(steps)} steps: {str(error).splitlines()[0]} {value.flatten()[:4]} and {expected.flatten()[:4]}"
    return "equal"


def _on_cpu(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.detach().clone().cpu()
    return "cpu" if isinstance(value, str) and value.startswith("cuda") else value


def _result(made: Any, steps: list[Callable[[torch.Tensor], torch.Tensor]]) -> torch.Tensor | None:
    first = next((t for t in tree_leaves(made) if isinstance(t, torch.Tensor) and t.layout is torch.strided), None)
    if first is None or not first.is_floating_point():
        return first
    for step in steps:
        first = step(first)
    return first


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    main(float(sys.argv[1]), int(sys.argv[2]))
