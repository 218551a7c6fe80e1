"""Find tensors on different devices, on a machine that has one device: look at every call of PyTorch.

    python snippets/device_check.py

runs a layer with a bug on the meta device and prints what the check says.
"""

import argparse

# region check
import linecache
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.weak import WeakTensorKeyDictionary

TORCH = str(Path(torch.__file__).parent) + os.sep
COPIES = {"copy", "copy_", "_to_copy", "_foreach_copy", "_foreach_copy_"}
INDEXED = {"index", "index_put", "index_put_", "_index_put_impl_"}
INDEXED |= {"_unsafe_index", "_unsafe_index_put"}
TAKE_NUMBERS = INDEXED - {"index", "_unsafe_index"}
TAKE_NUMBERS |= {"fill", "fill_", "index_fill", "index_fill_", "masked_fill", "masked_fill_"}
TAKE_NUMBERS |= {"binary_cross_entropy_with_logits", "dist"}
TAKE_NUMBERS |= {"floor_divide", "floor_divide_", "rsub", "eq_", "ne_", "lt_", "le_", "gt_", "ge_"}  # not tagged
REFUSE_NUMBERS = {"clamp", "clamp_min", "clamp_max", "logaddexp", "logaddexp2", "nextafter"}  # unlike their kind
REFUSE_NUMBERS |= {"gcd", "lcm", "igamma", "igammac"}
LENGTHS = {"lengths", "batch_sizes", "input_lengths", "target_lengths"}
TAKE_LENGTHS = {"_pack_padded_sequence", "_pack_padded_sequence_backward", "_ctc_loss", "_ctc_loss_backward"}


class DeviceMismatchError(RuntimeError):
    """One call was given tensors on different devices."""


@dataclass(frozen=True)
class Use:
    """A tensor among the arguments of one call."""

    argument: str  # its name in PyTorch's schema of the operation
    position: int | None  # its place in a list of tensors
    tensor: Tensor
    written: bool  # whether the call writes into it

    def __str__(self) -> str:
        return self.argument if self.position is None else f"{self.argument}[{self.position}]"


class DeviceCheck(TorchDispatchMode):
    """Raise DeviceMismatchError at the first call in the `with` block that a GPU would refuse."""

    def __init__(self) -> None:
        super().__init__()
        self.origins: Any = WeakTensorKeyDictionary()  # tensor -> line that put it on its device

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name, uses = func.overloadpacket.__name__, list(uses_in(func, args, kwargs))
        elementwise = torch.Tag.pointwise in func.tags and name.rstrip("_") not in REFUSE_NUMBERS
        numbers = elementwise or name.startswith("_foreach_") or name in TAKE_NUMBERS
        for group in groups(name, uses):
            if len(devices_of(name, numbers, group)) > 1:
                raise DeviceMismatchError(self.describe(name, uses))
        result = func(*args, **kwargs)
        for tensor in tree_leaves(result):
            if isinstance(tensor, Tensor) and tensor not in self.origins:
                self.origins[tensor] = self.origin(name, uses, tensor.device)
        return result

    def origin(self, name: str, uses: Sequence[Use], device: torch.device) -> str:
        """Line that put a result on its device; empty for what was there before the check."""
        same = [use.tensor for use in uses if use.tensor.device == device]
        if not same or name == "lift_fresh":  # created, moved, or the end of torch.tensor(...)
            return user_line()
        return next((self.origins[tensor] for tensor in same if self.origins.get(tensor)), "")

    def describe(self, name: str, uses: Sequence[Use]) -> str:
        """Say which call, where, and how each tensor came to its device."""
        lines = [f"{name} was given tensors on different devices", f"  in {user_line()}"]
        for use in uses:
            origin = self.origins.get(use.tensor)
            shape, device = tuple(use.tensor.shape), use.tensor.device
            lines.append(f"  {use} {shape} is on {device}" + (f", put there by {origin}" if origin else ""))
        return "\n".join(lines)


def uses_in(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Iterator[Use]:
    """Each tensor that a call was given, those in lists and keyword arguments included."""
    arguments = func._schema.arguments
    names = [argument.name for argument in arguments]
    given = dict(zip(names, args)) | kwargs  # noqa: B905
    for argument in arguments:
        value = given.get(argument.name)
        written = argument.alias_info is not None and argument.alias_info.is_write
        for position, leaf in enumerate(tree_leaves(value)):
            if isinstance(leaf, Tensor):
                yield Use(argument.name, None if leaf is value else position, leaf, written)


def groups(name: str, uses: Sequence[Use]) -> list[list[Use]]:
    """Tensors that must share a device: those of a call; in `_foreach_` calls, of one position."""
    if name in COPIES:
        return []
    if not name.startswith("_foreach_"):
        return [list(uses)]
    positions = {use.position for use in uses} - {None}
    return [[use for use in uses if use.position in (None, place)] for place in positions]


def devices_of(name: str, numbers: bool, uses: Sequence[Use]) -> set[torch.device]:
    """Devices in a group, without the CPU tensors that a GPU accepts: numbers, indices, lengths."""
    found = set()
    for use in uses:
        number = numbers and use.tensor.dim() == 0 and not use.written
        index = name in INDEXED and use.argument == "indices"
        length = name in TAKE_LENGTHS and use.argument in LENGTHS
        if use.tensor.device.type != "cpu" or not (number or index or length):
            found.add(use.tensor.device)
    return found


def user_line() -> str:
    """The innermost line outside of PyTorch that led to the call."""
    frame = sys._getframe()
    while frame.f_code is not DeviceCheck.__torch_dispatch__.__code__ and frame.f_back:
        frame = frame.f_back
    while frame.f_back:
        frame = frame.f_back
        if not frame.f_code.co_filename.startswith((TORCH, "<frozen")):
            break
    file, line = frame.f_code.co_filename, frame.f_lineno
    return f"{Path(file).name}:{line}: {linecache.getline(file, line).strip()}"


# endregion


def add_positions(x: Tensor) -> Tensor:
    """Add its position to each element of a row; the positions are on the CPU, wherever x is."""
    return x + torch.arange(x.shape[1])


def main() -> None:
    """Show what the check says of a function that puts a tensor on the wrong device."""
    argparse.ArgumentParser(description=main.__doc__).parse_args()
    layer = torch.nn.Linear(4, 3).to("meta")
    try:
        with DeviceCheck():
            add_positions(layer(torch.ones(2, 4, device="meta")))
    except DeviceMismatchError as error:
        print(error)


if __name__ == "__main__":
    main()
