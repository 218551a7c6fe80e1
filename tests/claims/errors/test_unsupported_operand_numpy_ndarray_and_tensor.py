"""Arrays on one side."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from claims.claimlib import claim, refuses

pytestmark = pytest.mark.filterwarnings("ignore:__array_wrap__")


@claim("With the tensor on the left you often get a tensor, here in `float64` like the array.")
def test_left() -> None:
    array, x = np.ones(2), torch.ones(2)
    for result in (x + array, x - array, x * array, x**array, x @ array):
        assert isinstance(result, torch.Tensor)
        assert result.dtype == torch.float64
    assert refuses(lambda: array * x)
    assert refuses(lambda: array - x)


@claim("A division gives one in either order.")
def test_division() -> None:
    assert isinstance(np.ones(2) / torch.ones(2), torch.Tensor)
    assert isinstance(torch.ones(2) / np.ones(2), torch.Tensor)


@claim(
    "A tensor on a GPU or with `requires_grad` has no `numpy()`: `torch.from_numpy(array).to(tensor)` brings the array to its device and dtype."
)
def test_to() -> None:
    assert torch.from_numpy(np.ones(2)).to(torch.ones(1, device="meta", dtype=torch.float16)).dtype == torch.float16
