"""`torch.cuda.is_available()` is False: what the build says of itself."""

from __future__ import annotations

import torch

from claims.claimlib import claim


@claim(
    "the build has no CUDA | `torch.version.cuda` and `torch.version.hip` are `None` | uninstall it, and install another build; see `Torch not compiled with CUDA enabled`",
    "`None` means a build without CUDA; otherwise run `nvidia-smi`.",
)
def test_the_build() -> None:
    named = torch.version.cuda is not None or torch.version.hip is not None
    assert torch.backends.cuda.is_built() == named


@claim(
    "`is_available()` needs four things: a build with CUDA, a driver that is new enough for it, a GPU, and a process that may see it."
)
def test_available() -> None:
    assert torch.cuda.is_available() == (torch.backends.cuda.is_built() and torch.cuda.device_count() > 0)
