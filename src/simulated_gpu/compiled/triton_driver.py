"""A driver of Triton's that answers what PyTorch asks about the GPU, and runs nothing."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import torch
from triton.backends.compiler import GPUTarget  # type: ignore[import-not-found]
from triton.backends.driver import DriverBase  # type: ignore[import-not-found]
from triton.runtime.driver import driver  # type: ignore[import-not-found]

from ..errors import NotSimulated


class Driver(DriverBase):  # type: ignore[misc]  # Triton has no types
    """Takes the place of the driver for NVIDIA's GPUs, which looks for libcuda.so on the disk."""

    def __init__(self) -> None:
        pass

    @classmethod
    def is_active(cls) -> bool:
        return True

    def map_python_to_cpp_type(self, ty: str) -> str:
        return ty

    def get_current_target(self) -> Any:
        major, minor = torch.cuda.get_device_capability()
        return GPUTarget("cuda", 10 * major + minor, 32)

    def get_active_torch_device(self) -> torch.device:
        return torch.device("cuda", self.get_current_device())

    def get_current_device(self) -> int:
        return torch.cuda.current_device()

    def set_current_device(self, device: int) -> None:
        torch.cuda.set_device(device)

    def get_current_stream(self, device: int) -> int:
        raise NotSimulated(
            "a kernel of Triton's: the simulated GPU does not compile it. Set TRITON_INTERPRET=1 before Triton is "
            "imported, so that Triton's interpreter runs it, or use a real GPU."
        )

    def get_device_interface(self) -> Any:
        return torch.cuda

    def get_benchmarker(self) -> Callable[..., list[float]]:
        return _measure

    def get_empty_cache_for_benchmark(self) -> torch.Tensor:
        return torch.empty(256, dtype=torch.int, device="cuda")

    def clear_cache(self, cache: torch.Tensor) -> None:
        cache.zero_()


def stand_in() -> None:
    """Make it Triton's driver. Call it once Triton is imported."""
    driver.set_active(Driver())


def _measure(kernel: Callable[[], Any], *, quantiles: tuple[float, ...] = (0.5,), **_: Any) -> list[float]:
    """Return the CPU's milliseconds of one call for each quantile: which configuration is fastest, nobody knows."""
    start = time.perf_counter()
    kernel()
    return [(time.perf_counter() - start) * 1e3] * len(quantiles or (0.5,))
