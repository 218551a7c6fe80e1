"""Numbers of tensors."""

from __future__ import annotations

import math

import numpy as np
import torch

from claims.claimlib import claim, raises

TEXT = "only one element tensors can be converted to Python scalars"


@claim("`float(x)` and `int(x)` take a tensor with one element, and this one has more, or none.")
def test_elements() -> None:
    for size in (0, 2):
        raises(TEXT, float, torch.ones(size))
        raises(TEXT, int, torch.ones(size))
    assert float(torch.ones(1, 1)) == 1


@claim(
    "`math.sqrt(x)` and `array[0] = x` with a NumPy array raise it too: use `torch.sqrt(x)`, or reduce `x` to one number first."
)
def test_others() -> None:
    raises(TEXT, math.sqrt, torch.ones(2))
    raises(TEXT, np.zeros(2).__setitem__, 0, torch.ones(2))


@claim("A list of integer or boolean tensors gives a `TypeError` with other words:")
def test_integers() -> None:
    raises(TEXT, torch.tensor, [torch.ones(2), torch.ones(2)])
    for dtype in (torch.int64, torch.bool):
        raises("only integer tensors of a single element", torch.tensor, [torch.ones(2, dtype=dtype)])
