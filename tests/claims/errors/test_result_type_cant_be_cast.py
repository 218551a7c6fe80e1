"""In-place operations on integers."""

from __future__ import annotations

import torch

from claims.claimlib import claim, raises


@claim("`/=` on an integer tensor raises the same error.")
def test_division() -> None:
    raises("result type Float can't be cast to the desired output type", torch.tensor([1]).div_, 2)


@claim("`clamp_` with a float limit ends its message in `long int`: pass `int(limit)`.")
def test_clamp() -> None:
    raises("result type Float can't be cast to the desired output type long int", torch.tensor([1]).clamp_, max=0.5)
    assert torch.tensor([1, 9]).clamp_(max=int(5.0)).tolist() == [1, 5]
