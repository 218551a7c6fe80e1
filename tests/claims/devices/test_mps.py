"""MPS: what can be asked without a Mac."""

from __future__ import annotations

import numpy as np
import torch
from torch.utils.data import default_collate

from claims.claimlib import claim, refuses


@claim(
    '`tensor.cuda()` | `tensor.to("mps")`; there is no `.mps()` | `tensor.to(device)`',
    "`torch.cuda.Event` | `torch.mps.Event` | `torch.Event`, on accelerators but not on a CPU",
    "`torch.cuda.set_per_process_memory_fraction` | `torch.mps.set_per_process_memory_fraction`",
)
def test_names() -> None:
    assert not hasattr(torch.Tensor, "mps")
    assert not hasattr(torch.nn.Module, "mps")
    names = "Event empty_cache current_allocated_memory set_per_process_memory_fraction synchronize manual_seed".split()
    assert all(hasattr(torch.mps, name) for name in names)
    assert refuses(torch.Event("cpu").record)


@claim(
    "`torch.cuda.memory_allocated()` | `torch.mps.current_allocated_memory()` | `torch.accelerator.memory_allocated()`, not with a build for the CPU; on MPS from 2.13 on",
    "`torch.cuda.empty_cache()` | `torch.mps.empty_cache()` | `torch.accelerator.empty_cache()`, not with a build for the CPU; on MPS from 2.13 on; before, it raises an assertion",
)
def test_any_device() -> None:
    built = torch.accelerator.current_accelerator() is not None
    for call in (torch.accelerator.memory_allocated, torch.accelerator.empty_cache):
        assert refuses(call) == (not built)
    if torch.cuda.is_available():
        kept = torch.ones(1000, device="cuda")
        assert torch.accelerator.memory_allocated() == torch.cuda.memory_allocated() >= kept.nbytes


@claim("NumPy brings it, and so does a `DataLoader` with Python's floats; `torch.tensor` makes these `float32`:")
def test_where_float64_comes_from() -> None:
    assert torch.from_numpy(np.linspace(0, 1, 3)).dtype == torch.tensor(np.ones(1)).dtype == torch.float64
    assert default_collate([1.5, 2.5]).dtype == torch.float64
    assert torch.tensor([1.5, 2.5]).dtype == torch.tensor(1.5).dtype == torch.float32


@claim("Autocast takes the device type `mps`, and uses `float16` there unless you choose a dtype.")
def test_autocast() -> None:
    assert torch.amp.is_autocast_available("mps")
    assert torch.get_autocast_dtype("mps") == torch.float16
    if torch.__version__ >= (2, 11):  # 2.9 asks for the version of macOS
        assert torch.autocast("mps", dtype=torch.bfloat16).fast_dtype == torch.bfloat16


@claim("PyTorch counts one MPS device or none, so there is no `mps:1` to use.")
def test_one_device() -> None:
    assert torch.mps.device_count() == int(torch.backends.mps.is_available())


@claim("`is_built()` asks the PyTorch that is installed. `is_available()` also asks the machine.")
def test_built_and_available() -> None:
    assert torch.backends.mps.is_built() or not torch.backends.mps.is_available()
    assert torch.backends.mps.is_built() == torch._C._has_mps
