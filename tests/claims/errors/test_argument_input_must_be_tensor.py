"""What a layer got in place of a tensor."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from claims.claimlib import claim, raises


@claim(
    "`NoneType` | a function or a `forward` without `return` | return the result",
    "`ReLU` or another layer | `nn.ReLU(x)` makes a layer, and does not call one | `nn.ReLU()(x)`",
    "`builtin_function_or_method` or `method` | the parentheses are missing: `x.flatten` | `x.flatten()`",
    "`float`, `int`, `list` | Python numbers, or a list of tensors | `torch.tensor(...)` for numbers, `torch.stack(...)` for tensors of one shape",
)
@pytest.mark.parametrize(
    ("given", "name"),
    [
        (None, "NoneType"),
        (nn.ReLU(torch.ones(1)), "ReLU"),  # type: ignore[arg-type]
        (torch.ones(1).flatten, "builtin_function_or_method"),
        (1.0, "float"),
        (1, "int"),
        ([torch.ones(1)], "list"),
    ],
)
def test_types(given: object, name: str) -> None:
    raises(f"must be Tensor, not {name}", nn.Linear(1, 1), given)


@claim("A layer that indexes, such as `nn.Embedding`, names the array `'indices' (position 2)`:")
def test_embedding() -> None:
    raises("argument 'indices' (position 2) must be Tensor, not numpy.ndarray", nn.Embedding(3, 2), np.array([1]))
