"""What the simulated GPU knows to be uncertain about its own values."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager

from .build import library


@contextmanager
def unsure() -> Iterator[list[str]]:
    """Collect the operators of a span whose values a real GPU may give differently, each once, in order.

    The list is filled when the span ends. These are operators with random numbers that the simulated GPU draws by
    another algorithm than CUDA's, such as "aten::poisson", and convolutions that GPUs since Ampere round to TF32. What
    it cannot compute at all raises NotSimulated instead.
    """
    extension = ctypes.CDLL(str(library()))
    count, name = extension.simulated_gpu_values_unsure_count, extension.simulated_gpu_values_unsure
    count.restype, name.restype = ctypes.c_size_t, ctypes.c_char_p
    name.argtypes = [ctypes.c_size_t]
    names: list[str] = []
    before = count()
    yield names
    names.extend(dict.fromkeys(name(i).decode() for i in range(before, count())))
