"""The complete program: what it says of devices, seeds and its numbers."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st

from claims.claimlib import claim, on_cuda


@claim("For comparison: a model that gives each spiral the same probability has a loss of `log(3)`, about 1.1.")
@given(st.lists(st.integers(0, 2), min_size=1))
def test_even_chance(targets: list[int]) -> None:
    loss = F.cross_entropy(torch.zeros(len(targets), 3), torch.tensor(targets))
    assert math.isclose(loss.item(), math.log(3), rel_tol=1e-6)


@claim(
    "With `check_available=True` it returns `None` if there is no GPU that PyTorch can use; without it, a build for CUDA returns `cuda` on every machine."
)
def test_current_accelerator() -> None:
    found = torch.accelerator.current_accelerator(check_available=True)
    assert (found is not None) == torch.accelerator.is_available()
    built = torch.accelerator.current_accelerator()
    if torch.version.cuda:
        assert built == torch.device("cuda")


@claim("The random numbers come from the CPU on every machine, because the same seed gives other numbers on a GPU.")
@on_cuda
def test_other_numbers() -> None:
    torch.manual_seed(0)
    here = torch.rand(8)
    torch.manual_seed(0)
    assert not torch.rand(8, device="cuda").cpu().equal(here)
