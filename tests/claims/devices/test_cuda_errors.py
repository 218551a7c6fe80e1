"""CUDA errors: their class, and after which you can go on."""

from __future__ import annotations

import pytest
import torch

from claims.claimlib import claim, on_cuda


@claim(
    "PyTorch 2.7 and older raise a plain `RuntimeError`, which is its base class, so `except RuntimeError` catches both.",
    "`torch.OutOfMemoryError` is another class:",
)
def test_classes() -> None:
    assert issubclass(torch.AcceleratorError, RuntimeError)
    assert issubclass(torch.OutOfMemoryError, RuntimeError)
    assert not issubclass(torch.OutOfMemoryError, torch.AcceleratorError)
    assert not issubclass(torch.AcceleratorError, torch.OutOfMemoryError)


@claim(
    "An error of the CUDA runtime is a `torch.AcceleratorError`.",
    "Its attribute `error_code` is the number of the CUDA error.",
    "After some errors you can go on, for example after an invalid device ordinal.",
)
@on_cuda
def test_going_on() -> None:
    for _ in range(2):
        with pytest.raises(torch.AcceleratorError, match="invalid device ordinal") as found:
            torch.ones(1, device=f"cuda:{torch.cuda.device_count() + 3}")
        assert found.value.error_code == 101
        assert torch.ones(2, device="cuda").sum().item() == 2
