"""Runs operators twice, over new memory of two kinds of dirt. What differs was never computed.

    PYTORCH_NO_CUDA_MEMORY_CACHING=1 python -m simulated_gpu dirty.py NUMBER SEED [MOST]

takes NUMBER operators by lot, and prints what differs. Without PyTorch's cache each tensor is new memory of the
runtime.
"""

from __future__ import annotations

import ctypes
import sys
import warnings
from collections.abc import Callable
from typing import Any

import inputs
import torch
from torch.utils._pytree import tree_leaves, tree_map

from simulated_gpu import NotSimulated

runtime = ctypes.CDLL(None)
DIRT = (0x2A, 0x55)
Outcome = list[Any] | str


def main(number: int, seed: int, most: int) -> None:
    """Print what differs, and how many calls were computed, were refused, or fail as they should."""
    counts = {"computed": 0, "refused": 0, "raised": 0}
    for name in inputs.chosen(number, seed):
        if any(word in name for word in inputs.RANDOM):
            continue
        for case in inputs.inputs(name, most):
            for what, call in (("forward", _forward), ("backward", _backward)):
                one, other = (_over(dirt, lambda c=call, i=case: c(i)) for dirt in DIRT)
                counts["computed" if isinstance(one, list) else one] += 1
                if not _same(one, other):
                    print(f"{name} {what}: {_short(one)} and {_short(other)}")
    print(counts)


def _over(dirt: int, call: Callable[[], list[Any]]) -> Outcome:
    runtime.simgpu_dirty(dirt)
    torch.manual_seed(0)
    try:
        return [_on_cpu(value) for value in call()]
    except NotSimulated:
        return "refused"
    except Exception as error:
        return "refused" if "NotSimulated" in str(error) else "raised"


def _forward(case: inputs.Input) -> list[Any]:
    return tree_leaves(case.function(*_fresh(case.arguments), **_fresh(case.options)))


def _backward(case: inputs.Input) -> list[Any]:
    arguments, options = _fresh(case.arguments), _fresh(case.options)
    made, given = _with_gradients(case.function(*arguments, **options)), _with_gradients((arguments, options))
    if not made or not given:
        return []
    return list(torch.autograd.grad(made, given, [torch.ones_like(t) for t in made], allow_unused=True))


def _with_gradients(values: Any) -> list[torch.Tensor]:
    return [value for value in tree_leaves(values) if isinstance(value, torch.Tensor) and value.requires_grad]


def _fresh(values: Any) -> Any:
    def copied(value: Any) -> Any:
        return value.detach().clone().requires_grad_(value.requires_grad) if isinstance(value, torch.Tensor) else value

    return tree_map(copied, values)


def _on_cpu(value: Any) -> Any:
    if not isinstance(value, torch.Tensor):
        return value
    if value.is_nested:
        return [part.detach().cpu() for part in value.unbind()]
    if value.layout is not torch.strided:
        value = value.to_dense()
    return value.detach().cpu().resolve_conj().resolve_neg()


def _same(one: Outcome, other: Outcome) -> bool:
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    return len(one) == len(other) and all(map(_equal, one, other))


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_equal, one, other))
    if not isinstance(one, torch.Tensor):
        return one == other or (one != one and other != other)
    return one.shape == other.shape and one.dtype == other.dtype and _bytes(one) == _bytes(other)


def _bytes(tensor: torch.Tensor) -> bytes:
    packed = torch.empty(tensor.numel(), dtype=tensor.dtype).copy_(tensor.flatten())
    return packed.view(torch.uint8).numpy().tobytes()


def _short(outcome: Outcome) -> str:
    return repr(outcome).replace("\n", " ")[:160]


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 2)
