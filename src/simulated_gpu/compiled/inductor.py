"""Inductor's backend for the simulated GPU: what it generates, and what it refuses.

Dynamo and AOTAutograd run unchanged. Inductor lowers and fuses, and its C++ code generator writes the kernels.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from torch._inductor import config, scheduler
from torch._inductor.codegen import common, cpp
from torch._inductor.codegen.wrapper import PythonWrapperCodegen
from torch._inductor.lowering import lowerings
from torch._inductor.virtualized import V

from ..errors import NotSimulated
from .launches import launch

GPU = "cuda"
DRAWS = re.compile(r"rand\w*_cpu\(")
"""A call that draws random numbers, in the C++ code of a kernel."""


def register() -> None:
    """Register the backend. Call it once Inductor is imported."""
    common.register_backend_for_device(GPU, cpp.CppScheduling, PythonWrapperCodegen, CppWrapper, FxWrapper)
    _send_launches_through_the_runtime()
    _refuse_flex_attention()
    config.cpp.threads = 1  # an index out of range is an exception, which may not leave a thread of OpenMP
    scheduler.has_triton = lambda *_: True  # or it raises TritonMissing
    # Loops are reordered for Triton alone; the C++ generator does not expect it.
    config.cuda_backend = "cpp"
    config.loop_ordering_after_fusion = False
    scheduler.BaseSchedulerNode.is_cpu = lambda node: (device := node.get_device()) and device.type in ("cpu", GPU)


class _Refused:
    what = ""
    supports_caching = False

    @classmethod
    def create(cls, *_: Any) -> Any:
        raise NotSimulated(f"{cls.what}: the simulated GPU does not do it. Compile without it, or use a real GPU.")


class CppWrapper(_Refused):
    """Refuses Inductor's wrapper in C++."""

    what = "torch.compile with cpp_wrapper, and AOTInductor"


class FxWrapper(_Refused):
    """Refuses Inductor's wrapper as an FX graph."""

    what = "torch.compile with fx_wrapper"


def _send_launches_through_the_runtime() -> None:
    """Write each call of a kernel as one of `launch`, so that it is counted, put off and captured like any other."""
    call_kernel, write_header = PythonWrapperCodegen._generate_kernel_call_helper, PythonWrapperCodegen.write_header

    def call(
        self: Any,
        kernel_name: str,
        call_args: Sequence[str],
        *,
        device: Any = None,
        triton: bool = True,
        **options: Any,
    ) -> None:
        device = device or V.graph.get_current_device_or_throw()
        if device.type != GPU:
            call_kernel(self, kernel_name, call_args, device=device, triton=triton, **options)
        elif triton:
            raise NotSimulated(f"{kernel_name}: the simulated GPU runs no kernel of Triton's within torch.compile.")
        else:
            arguments = ", ".join([repr(kernel_name), str(device.index), kernel_name, *call_args])
            draws = any(DRAWS.search(code) for code, name in self.src_to_kernel.items() if name == kernel_name)
            self.writeline(f"{'simulated_draw' if draws else 'simulated_launch'}({arguments})")

    def header(self: Any) -> None:
        write_header(self)
        names = "launch as simulated_launch, launch_random as simulated_draw, note_backend"
        self.imports.writelines([f"from {launch.__module__} import {names}", "note_backend()"])

    PythonWrapperCodegen._generate_kernel_call_helper = call
    PythonWrapperCodegen.write_header = header


def _refuse_flex_attention() -> None:
    """Refuse the operators whose kernel is a template of Triton's."""
    import torch

    def refusing(name: str, original: Any) -> Any:
        def lower(*args: Any, **kwargs: Any) -> Any:
            if args[0].get_device().type == GPU:
                raise NotSimulated(
                    f"torch.compile of {name}: its kernel is a template of Triton's, which the simulated GPU does not "
                    "run. Call it without torch.compile, or use a real GPU."
                )
            return original(*args, **kwargs)

        return lower

    for name in "flex_attention", "flex_attention_backward":
        operator = getattr(torch.ops.higher_order, name)
        if operator in lowerings:
            lowerings[operator] = refusing(name, lowerings[operator])
