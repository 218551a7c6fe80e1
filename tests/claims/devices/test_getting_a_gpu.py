"""Getting a GPU: what a build and a GPU say of themselves."""

from __future__ import annotations

import re

import torch

from claims.claimlib import claim, on_cuda


@claim(
    "ends in the build if pip installed it on Linux or Windows: `+cu130` is CUDA 13.0, `+cpu` is the CPU build.",
    "is the version of CUDA that the build contains, or `None`. `torch.version.hip` and `torch.version.xpu` do the same for AMD and Intel.",
)
def test_the_end_of_the_version() -> None:
    build = str(torch.__version__).partition("+")[2]
    if found := re.fullmatch(r"cu(\d+)(\d)", build):
        assert torch.version.cuda == f"{found[1]}.{found[2]}"
    if build == "cpu":
        assert (torch.version.cuda, torch.version.hip, torch.version.xpu) == (None, None, None)
    assert build or torch.version.cuda is None


@claim(
    "says whether the build contains CUDA or ROCm, not whether there is a GPU. `torch.backends.mps.is_built()` does the same for MPS."
)
def test_is_built() -> None:
    assert torch.backends.cuda.is_built() == bool(torch.version.cuda or torch.version.hip)
    assert torch.backends.mps.is_built() == torch._C._has_mps
    assert torch.backends.mps.is_built() or not torch.backends.mps.is_available()


@claim(
    "`torch.cuda.get_device_name(i)` returns the name of GPU `i`, for `i` in `range(torch.cuda.device_count())`.",
    "`torch.cuda.mem_get_info(i)` returns its free and its total memory in bytes.",
)
@on_cuda
def test_a_gpu() -> None:
    for index in range(torch.cuda.device_count()):
        properties = torch.cuda.get_device_properties(index)
        free, total = torch.cuda.mem_get_info(index)
        assert torch.cuda.get_device_name(index) == properties.name
        assert 0 < free <= total == properties.total_memory


@claim(
    "A CUDA build contains code for some generations only, and `torch.cuda.get_arch_list()` names them. There are two kinds of entries (NVIDIA's compatibility guide):"
)
@on_cuda
def test_arch_list() -> None:
    names = torch.cuda.get_arch_list()
    assert names
    assert all(re.fullmatch(r"(sm|compute)_\d+[af]?|gfx\w+", name) for name in names)
