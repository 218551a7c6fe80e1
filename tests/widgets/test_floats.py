"""The explorer of floats holds the numbers and bits that PyTorch holds."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
import torch

INTEGERS = {torch.float32: torch.int32, torch.float16: torch.int16, torch.bfloat16: torch.int16}
EDGES = [
    0.0,
    0.1,
    1.0,
    -1.0,
    257.0,
    65504.0,
    65519.0,
    65520.0,
    6e-8,
    2e-8,
    1e-8,
    6.1e-5,
    1e-40,
    1e-46,
    3.4e38,
    3.39e38,
    16777217.0,
]


def values() -> list[float]:
    """Edges of the three dtypes, and numbers of every size."""
    choose = random.Random(0)
    return EDGES + [
        choose.choice([-1, 1]) * choose.uniform(1, 2) * 2.0 ** choose.randrange(-150, 128) for _ in range(500)
    ]


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_numbers_and_bits_are_those_of_pytorch(ask: Any, dtype: torch.dtype) -> None:
    """Subnormal numbers, rounding to even and overflow too."""
    name, given = str(dtype)[6:], values()
    tensor = torch.tensor(given, dtype=dtype)
    expected = tensor.tolist()
    found = [float(one) for one in ask("floats", "round", [[value, name] for value in given])]
    assert found == expected
    width = 8 * dtype.itemsize
    patterns = [format(one % 2**width, f"0{width}b") for one in tensor.view(INTEGERS[dtype]).tolist()]
    finite = [(value, text) for value, text in zip(expected, patterns, strict=True) if math.isfinite(value)]
    assert ask("floats", "bits", [[value, name] for value, _ in finite]) == [text for _, text in finite]
    assert [float(one) for one in ask("floats", "number", [[text, name] for text in patterns])] == expected


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_the_next_number_is_that_of_pytorch(ask: Any, dtype: torch.dtype) -> None:
    """The gap to it, for numbers that are positive and not the last one."""
    tensor = torch.tensor([value for value in values() if value >= 0], dtype=dtype)
    tensor = tensor[tensor < torch.finfo(dtype).max]
    gaps = torch.nextafter(tensor, torch.tensor(math.inf, dtype=dtype)).double() - tensor.double()
    found = ask("floats", "gap", [[value, str(dtype)[6:]] for value in tensor.tolist()])
    assert list(map(float, found)) == gaps.tolist()
