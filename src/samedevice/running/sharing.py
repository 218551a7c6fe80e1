"""sharing: whether a process is as it was before a section, so that another section can run there as in a fresh one.

Starting CUDA costs a second or two. So sections that need no process of their own run one after the other in one that
has started CUDA. After each, `Sharing.left` frees what PyTorch keeps, sets counters and random numbers back, and names
what is not as it was. If anything is left, the process ends, and the next section gets another one.

It sees settings, replaced functions, memory, modules and variables of the environment, and not what a library keeps to
itself, such as a warning that was given in silence or a graph that was compiled: whoever asks for a shared process
leaves such sections out.
"""

from __future__ import annotations

import gc
import os
import random
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from samedevice.running.machine import installed

WARNED = re.compile(r"Warning\b|^\[[WE]\d", re.M)
"""A warning in what a block printed: PyTorch gives many of them once a process."""
SETTINGS = (
    "torch.get_default_dtype()",
    "torch.get_default_device()",
    "torch.is_grad_enabled(), torch.is_inference_mode_enabled(), torch.is_anomaly_enabled()",
    "torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()",
    "torch.utils.deterministic.fill_uninitialized_memory",
    "torch.get_float32_matmul_precision(), torch.get_num_threads(), torch.is_warn_always_enabled()",
    "torch.is_autocast_enabled('cpu'), torch.is_autocast_enabled('cuda'), torch.is_autocast_cache_enabled()",
    "torch.get_autocast_dtype('cpu'), torch.get_autocast_dtype('cuda')",
    "torch.backends.cuda.matmul.allow_tf32",
    "torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction",
    "torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction",
    "torch.backends.cuda.flash_sdp_enabled(), torch.backends.cuda.mem_efficient_sdp_enabled()",
    "torch.backends.cuda.math_sdp_enabled(), torch.backends.cuda.cudnn_sdp_enabled()",
    "torch.backends.cuda.preferred_linalg_library(), torch.backends.cuda.preferred_blas_library()",
    "torch.backends.cudnn.enabled, torch.backends.cudnn.benchmark, torch.backends.cudnn.deterministic",
    "torch.backends.cudnn.allow_tf32, torch.backends.mkldnn.enabled",
    "dict(vars(torch._tensor_str.PRINT_OPTS))",
    "torch._C._len_torch_function_stack(), torch._C._len_torch_dispatch_stack()",
    "{name: len(value) for name, value in vars(torch.nn.modules.module).items()"
    " if name.startswith('_global') and hasattr(value, '__len__')}",
    "[*sys.path], sys.getrecursionlimit(), sys.excepthook, sys.displayhook, sys.unraisablehook, sys.gettrace()",
    "[*sys.modules['warnings'].filters], sys.modules['warnings'].showwarning, sys.modules['warnings'].formatwarning",
    "[one.name for one in sys.modules['threading'].enumerate()] if 'threading' in sys.modules else []",
    "sys.modules['numpy'].get_printoptions() if 'numpy' in sys.modules else {}",
    "not 'matplotlib' in sys.modules or sys.modules['matplotlib'].rcParams == sys.modules['matplotlib'].rcParamsOrig",
    "os.getcwd() and gc.isenabled(), gc.get_threshold()",
)
"""What a program can set, as expressions with `torch`, `sys`, `os` and `gc`."""
ON_CUDA = (
    "[torch.cuda.memory_allocated(one) for one in range(torch.cuda.device_count())]",
    "[torch.cuda.memory_reserved(one) for one in range(torch.cuda.device_count())]",
    "[torch.cuda.get_per_process_memory_fraction(one) for one in range(torch.cuda.device_count())]",
    "torch.cuda.current_device(), torch.cuda.current_stream() == torch.cuda.default_stream()",
)
"""More of it, where there is CUDA: all memory is free."""
PATCHED = ("builtins", "os", "time", "random", "json", "math", "torch", "torch.cuda", "torch.nn", "torch.nn.functional")
"""Modules in which a program may put a function of its own."""
PATCHED_CLASSES = ("torch.Tensor", "torch.nn.Module", "torch.optim.Optimizer", "torch.autograd.Function")
"""Classes in which it may."""

State = dict[str, Any]


class Sharing:
    """A process in which sections run one after the other. `ignored` are variables that differ from job to job."""

    def __init__(self, root: str, ignored: Iterable[str]) -> None:
        self.root = root
        self.ignored = {*ignored}
        self.torch = installed()
        self.cuda = bool(self.torch and self.torch.cuda.is_available())
        if self.cuda:
            self.torch.cuda.synchronize()  # CUDA starts now
        self.restore = [*self._random()]
        self._tidy()
        self.before = self._state()

    def left(self, printed: Iterable[str]) -> str:
        """What a section left that printed this, in words; empty if nothing. Frees and sets back what can be."""
        if any(WARNED.search(text) for text in printed):
            return "it warned"
        try:
            self._tidy()
            now = self._state()
            names = [name for name, value in now.items() if not _same(value, self.before[name])]
            return f"it changed {', '.join(names)}" if names else ""
        except Exception as error:  # CUDA may be unusable
            return f"it cannot be tidied up: {type(error).__name__}"

    def _tidy(self) -> None:
        gc.collect()
        if self.cuda:
            cuda = self.torch.cuda
            cuda.synchronize()
            self.torch._C._cuda_clearCublasWorkspaces()
            cuda.empty_cache()
            for number in range(cuda.device_count()):
                cuda.reset_peak_memory_stats(number)
                cuda.reset_accumulated_memory_stats(number)
        for restore in self.restore:
            restore()

    def _random(self) -> Iterator[Callable[[], Any]]:
        """Calls that set back what draws random numbers."""
        state = random.getstate()
        yield lambda: random.setstate(state)
        if self.torch:
            own = self.torch.get_rng_state()
            yield lambda: self.torch.set_rng_state(own)
        if self.cuda:
            states = self.torch.cuda.get_rng_state_all()
            yield lambda: self.torch.cuda.set_rng_state_all(states)
        if "numpy" in sys.modules:
            numpy = sys.modules["numpy"].random
            drawn = numpy.get_state()
            yield lambda: numpy.set_state(drawn)

    def _state(self) -> State:
        names = {"torch": self.torch, "sys": sys, "os": os, "gc": gc}
        expressions = (*SETTINGS, *(ON_CUDA if self.cuda else ()))
        found = {one: eval(one, names) for one in expressions if self.torch or "torch" not in one}
        own = {name for name, module in [*sys.modules.items()] if name != "__main__" and self._is_ours(module)}
        return found | {
            "modules of the project": own,
            "the environment's variables": {k: v for k, v in os.environ.items() if k not in self.ignored},
            "functions of libraries": _Functions([*PATCHED, *(PATCHED_CLASSES if self.torch else ())]),
        }

    def _is_ours(self, module: Any) -> bool:
        """Whether a module is one of the project: another section reads its file, too."""
        file = str(getattr(module, "__file__", None) or "")
        return file.startswith(self.root + os.sep) and not file.startswith(sys.prefix) and "site-packages" not in file


class _Functions:
    """The functions and classes that a program may have replaced."""

    def __init__(self, names: Iterable[str]) -> None:
        self.found: dict[tuple[str, str], Any] = {}
        for name in names:
            place = sys.modules.get(name)
            if place is None:
                module, _, attribute = name.rpartition(".")
                place = getattr(sys.modules.get(module), attribute, None)
            for key, value in vars(place).items() if place else ():
                if callable(value):
                    self.found[name, key] = value

    def same(self, other: _Functions) -> bool:
        """Whether all that were there are the same objects, and none was added that a program wrote."""
        added = [value for key, value in self.found.items() if key not in other.found]
        return all(self.found.get(key) is value for key, value in other.found.items()) and not any(
            getattr(one, "__module__", "") == "__main__" for one in added
        )


def _same(one: Any, other: Any) -> bool:
    return one.same(other) if isinstance(one, _Functions) else bool(one == other)
