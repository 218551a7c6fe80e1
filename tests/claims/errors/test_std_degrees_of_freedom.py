"""One element."""

from __future__ import annotations

import pytest
import torch

from claims.claimlib import claim


@claim("There is one element, or one along `dim`, so `std` (or `var`) divides by `n - 1 = 0`; the result is `nan`.")
@pytest.mark.filterwarnings("ignore:.*degrees of freedom")
def test_one() -> None:
    assert torch.tensor([1.0]).std().isnan()
    assert torch.ones(1, 3).var(dim=0).isnan().all()
    assert not torch.ones(1, 3).var(dim=1).isnan()


@claim("`correction=0` gives 0 instead; if you divide by it, as to normalize, add a small number first:")
def test_correction() -> None:
    assert torch.tensor([5.0]).std(correction=0) == 0
