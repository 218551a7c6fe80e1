"""The C++ of a kernel of `torch.cuda.jiterator`: the program's code between a header and the loop that calls it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

HEADER = Path(__file__).parent / "elementwise.h"
TYPES = {
    "uint8": "uint8_t",
    "int8": "int8_t",
    "int16": "int16_t",
    "int32": "int32_t",
    "int64": "int64_t",
    "float16": "c10::Half",
    "bfloat16": "c10::BFloat16",
    "float32": "float",
    "float64": "double",
    "complex32": "simulated_gpu::ComplexHalf",
    "complex64": "std::complex<float>",
    "complex128": "std::complex<double>",
    "bool": "bool",
}
"""PyTorch's dtypes that the jiterator takes, as the CPU stores them."""
NUMBERS = {bool: "bool", int: "int64_t", float: "double", complex: "std::complex<double>"}
"""Python's numbers, as PyTorch hands them to a kernel."""


@dataclass(frozen=True)
class Kernel:
    """What a kernel is compiled from."""

    code: str
    """The program's CUDA C++."""
    name: str
    """The name of its function for one element."""
    by_reference: bool
    """Whether the function returns its results by reference."""
    outputs: int
    """The number of its results."""
    common: str
    """The dtype of its results, which is that of all inputs together, such as "float16"."""
    inputs: tuple[str, ...]
    """The inputs' own dtypes."""
    extras: tuple[type, ...]
    """The types of the numbers that come after the inputs."""

    def __str__(self) -> str:
        return f"torch.cuda.jiterator's {self.name} on {', '.join(dict.fromkeys(self.inputs))}"


def source(kernel: Kernel) -> str:
    """Return a kernel's whole C++. The compiler counts the lines of the program's code as the program does."""
    return f"""{_header()}
#line 1 "{kernel.name}"
{kernel.code}
#line 1 "the call of {kernel.name}"
extern "C" bool simulated_gpu_kernel(const simulated_gpu::Loop* loop) {{
  using Common = {TYPES[kernel.common]};
  using T = simulated_gpu::Wide<Common>;
  return simulated_gpu::guarded(*loop, [loop](char* const* at) {{
{_body(kernel)}
  }});
}}
"""


def _body(kernel: Kernel) -> str:
    results = [f"out{i}" for i in range(kernel.outputs)]
    inputs = (
        f"simulated_gpu::load<Common, {TYPES[dtype]}>(at[{kernel.outputs + i}])"
        for i, dtype in enumerate(kernel.inputs)
    )
    extras = (f"simulated_gpu::extra<{NUMBERS[kind]}>(*loop, {i})" for i, kind in enumerate(kernel.extras))
    arguments = ", ".join([*inputs, *extras, *(results if kernel.by_reference else ())])
    call = f"{kernel.name}<T>({arguments});"
    lines = (
        [f"T {', '.join(f'{result}{{}}' for result in results)};", call]
        if kernel.by_reference
        else [f"T out0 = {call}"]
    )
    lines += [f"simulated_gpu::store<Common>(at[{i}], {result});" for i, result in enumerate(results)]
    return "\n".join(f"    {line}" for line in lines)


@cache
def _header() -> str:
    return HEADER.read_text()
