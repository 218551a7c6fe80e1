"""Calls each operator with one of its tensors on another device: first on the CPU, then on the second GPU.

    python -m simulated_gpu --gpus 2 elsewhere.py NUMBER SEED [MOST]

takes NUMBER operators of the database by lot and records what they call below autograd: there PyTorch's dispatch checks
the devices. Prints each call that is accepted, but for copies and indices. PyTorch's dispatch had to refuse those with
a star.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import allowed
import inputs
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_leaves, tree_map, tree_unflatten

from simulated_gpu import NotSimulated

Call = tuple[Any, tuple[Any, ...], dict[str, Any]]
LIBRARY = Path(torch.__file__).parent / "lib" / "libtorch_cuda.so"
CHECKS = frozenset(re.findall(rb"wrapper_\w*CUDA_\w+", LIBRARY.read_bytes()))
"""The operators whose tensors PyTorch's dispatch wants on one device: the texts of its errors name them."""


class Recorded(TorchDispatchMode):
    """Keeps the first calls of each operator, with their arguments as they were."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: dict[str, list[Call]] = {}

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kept = self.calls.setdefault(str(func), [])
        if len(kept) < 2:
            kept.append((func, _copied(args), _copied(kwargs or {})))
        return func(*args, **(kwargs or {}))


def main(number: int, seed: int, most: int) -> None:
    """Print what is accepted."""
    counts = {"raised": 0, "refused": 0, "accepted": 0}
    done: set[str] = set()
    for name in inputs.chosen(number, seed):
        if name.startswith("nested"):
            continue
        for called, calls in _record(name, most).items():
            if called in done:
                continue
            done.add(called)
            for call in calls:
                for what, said in _attempts(call):
                    counts[said.split(":")[0]] += 1
                    if said == "accepted*" or (said == "accepted" and not allowed.mixes(call[0])):
                        print(what, said)
    print(counts)


def _record(name: str, most: int) -> dict[str, list[Call]]:
    with Recorded() as recorded:
        for case in inputs.inputs(name, most):
            try:
                made = case.function(*_copied(case.arguments), **_copied(case.options))
                leaves = [t for t in tree_leaves(made) if isinstance(t, torch.Tensor) and t.requires_grad]
                if leaves:
                    torch.autograd.backward(leaves, [torch.ones_like(t) for t in leaves])
            except Exception:
                continue
    return recorded.calls


def _attempts(call: Call) -> Iterator[tuple[str, str]]:
    func, args, kwargs = call
    leaves, spec = tree_flatten((args, kwargs))
    places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor) and leaf.is_cuda]
    if len(places) < 2:
        return
    for place in places:
        for device in "cpu", "cuda:1":
            moved = [_copied(leaf) for leaf in leaves]
            try:
                moved[place] = moved[place].to(device)
            except Exception:
                continue
            shape = tuple(moved[place].shape)
            kind = "number" if not shape else "empty" if not moved[place].numel() else "tensor"
            what = f"{func} {_argument(func, place, args, kwargs)} {device} {kind}"
            yield what, _said(func, *tree_unflatten(moved, spec))


def _argument(func: Any, place: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """Return the name in the schema of the argument that holds the leaf of this number."""
    count = 0
    for i, value in enumerate(args):
        count += len(tree_flatten(value)[0])
        if place < count:
            return str(func._schema.arguments[i].name)
    for key, value in kwargs.items():
        count += len(tree_flatten(value)[0])
        if place < count:
            return key
    raise AssertionError(f"{func} has no tensor {place}")


def _said(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    try:
        func(*args, **kwargs)
    except NotSimulated as error:
        return f"refused: {error}"
    except Exception as error:
        return f"raised: {type(error).__name__} {error}"
    return "accepted*" if _is_checked(func, args, kwargs) else "accepted"


def _is_checked(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Return whether the dispatch checks the devices of this operator's tensors."""
    overload = "" if func._overloadname == "default" else func._overloadname
    name = func._schema.name.partition("::")[2]
    layouts = {t.layout for t in tree_leaves((args, kwargs)) if isinstance(t, torch.Tensor)}
    key = "CUDA" if layouts == {torch.strided} else "SparseCUDA" if torch.sparse_coo in layouts else "SparseCsrCUDA"
    names = (f"wrapper_{key}_{overload}_{name}", f"wrapper_{key}_{name}", f"wrapper_{key}_{overload}_{name}_out")
    return any(text.encode() in CHECKS for text in names)


def _copied(values: Any) -> Any:
    return tree_map(lambda v: v.detach().clone() if isinstance(v, torch.Tensor) else v, values)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 2)
