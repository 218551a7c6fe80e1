"""Several views at once."""

from __future__ import annotations

import torch

from claims.claimlib import claim, raises


@claim(
    "After `split` and `chunk` the name begins with `Split`, and in PyTorch 2.9 and 2.11 these names end in `Backward0`."
)
def test_names() -> None:
    x = torch.ones(2, 2, requires_grad=True) * 1
    raises("Output 0 of Split", x.split(1)[0].mul_, 2)
    raises("Output 0 of Split", x.chunk(2)[0].mul_, 2)
    raises("Output 0 of Unbind", x.unbind()[0].mul_, 2)


@claim("Write through an index, or make a new tensor: `q = q * 0.5`.")
def test_index() -> None:
    x = torch.ones(2, 2, requires_grad=True) * 1
    x[0] *= 0.5
    assert x.tolist() == [[0.5, 0.5], [1, 1]]
