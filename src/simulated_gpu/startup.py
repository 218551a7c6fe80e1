"""Puts the simulated GPU in place: its libraries before PyTorch is loaded, its values right after."""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import importlib.abc
import importlib.machinery
import importlib.util
import logging
import os
import re
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType

from . import installed, runtime_build, settings
from .errors import MachineError, SettingError
from .settings import Settings
from .values import build as values_build


def start(gpus: int = 1, memory: str | None = None, capability: str | None = None, shapes_only: bool = False) -> None:
    """Give this process, and those that it starts, simulated GPUs. Call it before PyTorch is imported.

    With `shapes_only` nothing is computed, and what is on a GPU takes no main memory. Compiles the simulated GPU where
    it is first used. Raises SettingError or MachineError, which say what to do.
    """
    chosen = settings.make(gpus, memory, capability, shapes_only)
    if "torch" in sys.modules:
        raise MachineError("PyTorch is imported already. Call simulated_gpu.start() before the first `import torch`.")
    chosen.write(os.environ)
    prepare()
    watch()


def prepare() -> None:
    """Compile what is not compiled yet. Raises MachineError, here rather than at the program's `import torch`."""
    runtime_build.build(installed.find())
    values_build.library()


def describe(chosen: Settings) -> str:
    """Return what there is in words, and say so if the machine has a GPU of its own."""
    own = "; this machine's own GPU is not used" if Path("/dev/nvidia0").exists() else ""
    return f"{chosen}{own}{f'; {hides}' if (hides := hidden(chosen)) else ''}"


def hidden(chosen: Settings) -> str:
    """Return what to do where the environment hides all GPUs from PyTorch; nothing where it does not."""
    if settings.visible(chosen.gpus):
        return ""
    return (
        f"CUDA_VISIBLE_DEVICES={os.environ.get('CUDA_VISIBLE_DEVICES', '')} hides every GPU. Unset it, or set it to "
        f"{','.join(map(str, range(chosen.gpus)))}"
    )


def running() -> bool:
    """Return whether PyTorch sees simulated GPUs in this process, or will once it is imported."""
    return settings.read() is not None and _is_watching()


def _is_watching() -> bool:
    return any(isinstance(finder, _Finder) for finder in sys.meta_path)


_waiting: list[Callable[[], None]] = []


def when_loaded(call: Callable[[], None]) -> None:
    """Call this once PyTorch is imported and its values are in place: now, or then."""
    if "torch" in sys.modules:
        call()
    else:
        _waiting.append(call)


def watch() -> None:
    """Wait for `import torch`, and put the simulated GPU in place then, if the environment asks for one."""
    with contextlib.suppress(SettingError):  # raised by `import torch`: at Python's start, nobody would stop for it
        if settings.read() is not None:
            # Triton reads it at each kernel, its own too, and may be imported first. Its interpreter runs them here.
            os.environ.setdefault("TRITON_INTERPRET", "1")
    if not _is_watching():
        sys.meta_path.insert(0, _Finder())


class _Finder(importlib.abc.MetaPathFinder):
    """Finds `torch` as the other finders do, and gives it a loader that starts the simulated GPU around it."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != "torch":
            return None
        others = (finder for finder in sys.meta_path if finder is not self)
        specs = (finder.find_spec(fullname, path, target) for finder in others)
        spec = next((spec for spec in specs if spec is not None), None)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)
        return spec


class _Loader(importlib.abc.Loader):
    """Loads PyTorch with its own loader, between the libraries and the values of the simulated GPU."""

    def __init__(self, loader: importlib.abc.Loader) -> None:
        self.loader = loader

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        chosen = settings.read()
        module.__loader__ = self.loader
        if module.__spec__ is not None:
            module.__spec__.loader = self.loader
        if chosen is None:
            self._load_without(module)
            return
        load(chosen)
        quiet()
        self.loader.exec_module(module)
        from . import compiled, jiterator, values

        values.install()
        jiterator.install()
        compiled.install()
        fuse_nothing()
        atexit.register(wait_for_backward)
        while _waiting:
            _waiting.pop(0)()

    def _load_without(self, module: ModuleType) -> None:
        """Load PyTorch alone. Where it lacks NVIDIA's libraries, say what to do."""
        try:
            self.loader.exec_module(module)
        except ImportError as error:
            if not re.match(r"lib(cu|nv|nccl)\w*\.so", str(error)):
                raise
            raise ImportError(
                f"{error}. This PyTorch has none of NVIDIA's packages, and {settings.GPUS}="
                f"{os.environ.get(settings.GPUS, '')} asks for no simulated GPU. Set {settings.GPUS}=1, or install the "
                "packages: pip install torch."
            ) from None


def wait_for_backward(limit: float = 1.0) -> None:
    """Wait, for `limit` seconds at most, until PyTorch's threads for backward passes sleep.

    One may still hold a Python object when `backward()` has returned. Python before 3.14 ends a thread that takes its
    lock after the program's end, and C++ calls that a crash: "terminate called without an active exception".
    See https://github.com/python/cpython/issues/87135.
    """
    with contextlib.suppress(OSError):  # a thread has ended meanwhile
        threads = [path.parent for path in Path("/proc/self/task").glob("*/comm") if "pt_autograd" in path.read_text()]
        end = time.monotonic() + limit
        while threads and time.monotonic() < end:
            time.sleep(0.01)  # gives the lock away
            if all((thread / "stat").read_text().rpartition(")")[2].split()[0] == "S" for thread in threads):
                return


def quiet() -> None:
    """Keep PyTorch from warning that Triton is missing, with the time and a process's number: here nothing runs it."""
    logging.getLogger("torch.utils.flop_counter").setLevel(logging.ERROR)


def fuse_nothing() -> None:
    """Keep TorchScript from compiling chains of operators from CUDA C++, which nothing here runs. One by one works."""
    import torch

    torch._C._jit_override_can_fuse_on_gpu(False)


def load(chosen: Settings) -> None:
    """Load the libraries that take the place of NVIDIA's, so that PyTorch finds them and looks for no others."""
    torch = installed.find()
    libraries = [ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL) for path in runtime_build.build(torch)]
    visible = settings.visible(chosen.gpus)
    major, minor = chosen.capability.split(".")
    libraries[0].simgpu_configure(
        chosen.gpus,
        (ctypes.c_int * len(visible))(*visible),
        len(visible),
        ctypes.c_size_t(chosen.memory),
        int(major) * 10 + int(minor),
        torch.cuda_number,
    )
    libraries[0].simgpu_set_shapes_only(int(chosen.shapes_only))
    # PyTorch keeps what it compiles for a GPU in a folder of the user's. What is "compiled" here must not get there.
    os.environ["USE_PYTORCH_KERNEL_CACHE"] = "0"
    # Where Triton is installed, PyTorch replaces some of its CUDA kernels by Triton's. Those it replaces are computed.
    os.environ["TORCH_DISABLE_NATIVE_JIT"] = "1"
