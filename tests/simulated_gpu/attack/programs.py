"""Attacks the simulated GPU with programs by lot.

    python -m simulated_gpu --gpus 2 programs.py FIRST COUNT [SECONDS]

runs the programs of so many numbers, or as many as it can in that time. A number stands for one program: an operator
of the database, a dtype, an input, and a way to call it: over memory that was dirtied, behind a pause, in a graph, into
given results, in place, on a second stream or GPU, with strided tensors, with tensors elsewhere, with gradients. Its
results go through a few more operators. Prints each program whose values are not the CPU's, and each operator that
accepts tensors on two devices.
"""

from __future__ import annotations

import ctypes
import random
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import allowed
import inputs
import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.common_utils import noncontiguous_like
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

from simulated_gpu import NotSimulated

FREE = {
    *("svd", "linalg.svd", "svd_lowrank", "pca_lowrank", "eig", "linalg.eig", "linalg.eigh", "lobpcg", "linalg.qr"),
    *("qr", "ormqr", "geqrf", "linalg.lu", "linalg.lu_factor", "linalg.lu_factor_ex", "lu", "lu_unpack"),
    *("linalg.ldl_factor", "linalg.ldl_factor_ex", "linalg.lstsq", "linalg.householder_product"),
    *("argsort", "topk", "sort", "msort", "kthvalue", "mode", "median", "nanmedian"),
    *("empty", "empty_like", "new_empty", "empty_strided", "new_empty_strided", "empty_permuted"),
    *("nn.functional.multi_head_attention_forward", "native_batch_norm", "native_layer_norm"),
    *("_native_batch_norm_legit", "_batch_norm_with_update", "linalg.pinv.singular"),
}
"""Results with a free sign, pivot or order among equals, or that nobody promises, or that CUDA's code has more of."""
DTYPES = (torch.float32,) * 4 + (torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.bool)
DTYPES += (torch.complex64, torch.uint8)
WAYS = ("plain", "plain", "strided", "stream", "pause", "graph", "second", "out", "in place", "inference")
Leaves = list[Any]
STEPS: list[Callable[[torch.Tensor], torch.Tensor]] = [
    lambda x: x + 1,
    lambda x: x * x,
    lambda x: x.flatten(),
    lambda x: torch.cat([x.flatten(), x.flatten()]),
    lambda x: x.relu(),
    lambda x: x.unsqueeze(-1).sum(-1),
    lambda x: x.flatten().sort().values,
    lambda x: x.softmax(-1) if x.dim() else x,
    lambda x: x.cumsum(0) if x.dim() else x,
    lambda x: x.transpose(0, -1).contiguous() if x.dim() else x,
    lambda x: torch.where(x > 0, x, -x),
    lambda x: x.flatten()[::2],
    lambda x: x.reshape(-1, 1) @ x.reshape(1, -1) if x.numel() < 200 else x,
    lambda x: x.flatten().flip(0),
    lambda x: x.clone().fill_(2.5).sub_(x),
    lambda x: x[~x.isnan()],
    lambda x: x.double().mean(),
]


class Watch(TorchDispatchMode):
    """Keeps the operators that took tensors of two devices, and whether any drew random numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.accepted: set[str] = set()
        self.drew = False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        made = func(*args, **(kwargs or {}))
        self.drew = self.drew or torch.Tag.nondeterministic_seeded in func.tags
        if len(allowed.devices((args, kwargs))) > 1 and not allowed.mixes(func) and not func._can_decompose():
            self.accepted.add(str(func))
        return made


class Program:
    """What a number stands for."""

    def __init__(self, number: int) -> None:
        self.lot = lot = random.Random(number)
        self.name = lot.choice([name for name in inputs.names() if not name.startswith(("nested.", "sparse."))])
        self.op = next(op for op in op_db if inputs.name(op) == self.name)
        self.dtype = lot.choice(DTYPES)
        self.way = lot.choice(WAYS)
        self.elsewhere = lot.random() < 0.2
        self.backward = lot.random() < 0.4 and self.way not in ("graph", "out", "in place", "inference")
        self.steps = [lot.choice(STEPS) for _ in range(lot.randrange(4))]

    def __str__(self) -> str:
        extras = (", gradients" if self.backward else "") + (", elsewhere" if self.elsewhere else "")
        return f"{self.name} {self.dtype} {self.way}{extras}"

    def run(self) -> str:
        """Return what came of it: "equal", or why there is nothing to compare, or what is wrong."""
        if self.dtype not in self.op.supported_dtypes("cuda"):
            return "no such input"
        cases = list(inputs.inputs(self.name, 12, self.dtype))
        if not cases:
            return "no such input"
        case = self.lot.choice(cases)
        given = tree_map(
            lambda v: v.detach().clone() if isinstance(v, torch.Tensor) else v, (case.arguments, case.options)
        )
        if self.way == "strided":
            given = tree_map(lambda v: noncontiguous_like(v) if isinstance(v, torch.Tensor) else v, given)
        expected = self._expected(given)
        try:
            watch = Watch()
            with watch if self.elsewhere else nullcontext():  # in a mode PyTorch's own pinverse of the CPU is wrong
                made = self._made(given)
            if watch.accepted:
                return f"accepted tensors on two devices: {sorted(watch.accepted)}"
            leaves = [leaf.cpu() if isinstance(leaf, torch.Tensor) else leaf for leaf in made]
        except NotSimulated:
            return "refused"
        except Exception as error:
            if "NotSimulated" in str(error):
                return "refused"
            rightly = (
                "Could not run" in str(error)
                or expected is None
                or self.elsewhere
                or (self.way == "graph" and "captur" in str(error))
            )
            return "raised" if rightly else f"raised {type(error).__name__}: {error}"[:300]
        return "not compared" if expected is None else difference(leaves, expected)

    def _copied(self, value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        copied = value.detach().clone()
        return noncontiguous_like(copied) if self.way == "strided" and not is_sparse(copied) else copied

    def _expected(self, given: Any) -> Leaves | None:
        """Return what the CPU computes; None if it does not, or draws, or nobody promises the result."""
        if FREE & {self.op.name, self.name} or (self.way == "strided" and self.op.name.startswith("as_strided")):
            return None
        try:
            with Watch() as watch:
                self._call(*tree_map(on_cpu, given))
            return None if watch.drew else self._call(*tree_map(on_cpu, given))
        except Exception:
            return None

    def _made(self, given: Any) -> Leaves:
        self._dirty()
        home = "cuda:1" if self.way == "second" else "cuda:0"
        arguments, options = tree_map(lambda value: self._placed(value, home), given)
        if self.way == "stream":
            side = torch.cuda.Stream()
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                made = self._call(arguments, options)
            torch.cuda.current_stream().wait_stream(side)
            return made
        if self.way == "graph":
            return self._replayed(arguments, options)
        if self.way == "pause":
            torch.cuda._sleep(10**9)
        return self._call(arguments, options)

    def _replayed(self, arguments: Any, options: Any) -> Leaves:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            made = self._call(arguments, options)
        inputs_memory = {memory(given) for given in tree_leaves((arguments, options))}
        for leaf in made:
            if isinstance(leaf, torch.Tensor) and leaf.is_cuda and memory(leaf) not in inputs_memory:
                leaf.untyped_storage().fill_(85)  # the replay writes it anew
        graph.replay()
        return made

    def _call(self, arguments: Any, options: Any) -> Leaves:
        """Call the operator in the program's way, which the CPU goes too, and return all tensors that it makes."""
        if self.way == "inference":
            with torch.inference_mode():
                return self._composed(self.op.op(*arguments, **options))
        if self.way == "in place" and self.op.inplace_variant is not None and isinstance(arguments[0], torch.Tensor):
            self.op.inplace_variant(*arguments, **options)
            return self._composed(arguments[0])
        if self.way == "out" and self.op.supports_out:
            plain = self.op.op(*arguments, **options)
            into = tree_map(lambda v: torch.full_like(v, 1) if isinstance(v, torch.Tensor) else v, plain)
            self.op.op(*arguments, **options, out=into)
            return self._composed(into)
        if self.backward:
            return self._gradients(arguments, options)
        return self._composed(self.op.op(*arguments, **options))

    def _gradients(self, arguments: Any, options: Any) -> Leaves:
        leaves = [v for v in tree_leaves((arguments, options)) if isinstance(v, torch.Tensor)]
        wanted = [leaf.requires_grad_() for leaf in leaves if leaf.is_floating_point() and leaf.is_leaf]
        made = self._composed(self.op.op(*arguments, **options))
        ends = [leaf for leaf in made if isinstance(leaf, torch.Tensor) and leaf.requires_grad]
        if not ends or not wanted:
            return made
        gradients = torch.autograd.grad(ends, wanted, [torch.ones_like(end) for end in ends], allow_unused=True)
        return [*made, *(gradient for gradient in gradients if gradient is not None)]

    def _composed(self, made: Any) -> Leaves:
        leaves = [leaf.to_dense() if is_sparse(leaf) else leaf for leaf in tree_leaves(made)]
        for i, leaf in enumerate(leaves):
            if isinstance(leaf, torch.Tensor) and leaf.is_floating_point():
                for step in self.steps:
                    leaf = step(leaf)
                leaves[i] = leaf
        return leaves

    def _placed(self, value: Any, home: str) -> Any:
        if not isinstance(value, torch.Tensor) or not value.is_cuda:
            return value
        others = ["cpu", home] if self.way == "graph" else ["cpu", "cuda:1", home]  # a capture is of one GPU
        device = self.lot.choice(others) if self.elsewhere and self.lot.random() < 0.5 else home
        moved = torch.empty_strided(value.size(), value.stride(), dtype=value.dtype, device=device)
        return value.to(device) if value.layout is not torch.strided else moved.copy_(value)

    def _dirty(self) -> None:
        ctypes.CDLL(None).simgpu_dirty(self.lot.choice([0x2A, 0x55, 0xFF]))
        for size in self.lot.sample([100, 1000, 100_000, 1_000_000], 2):
            torch.full(
                (size,), self.lot.choice([777.0, float("nan")]), device="cuda"
            )  # freed at once, kept by the cache


def memory(value: Any) -> int:
    """Return where a tensor's memory is; 0 of what has none."""
    return value.untyped_storage().data_ptr() if isinstance(value, torch.Tensor) and not is_sparse(value) else 0


def is_sparse(value: Any) -> bool:
    """Return whether a value is a tensor of another layout."""
    return isinstance(value, torch.Tensor) and value.layout is not torch.strided


def on_cpu(value: Any) -> Any:
    """Return the same on the CPU, with the same strides."""
    if isinstance(value, torch.Tensor) and value.layout is torch.strided:
        return torch.empty_strided(value.size(), value.stride(), dtype=value.dtype).copy_(value)
    if isinstance(value, torch.Tensor):
        return value.detach().clone().cpu()
    if isinstance(value, torch.device):
        return torch.device("cpu")
    return "cpu" if isinstance(value, str) and value.startswith("cuda") else value


def difference(made: Leaves, expected: Leaves) -> str:
    """Return "equal", or how the results differ."""
    if len(made) != len(expected):
        return f"{len(made)} results, {len(expected)} on the CPU"
    for one, other in zip(made, expected, strict=True):
        if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
            coarse = one.dtype in (torch.float16, torch.bfloat16)
            tolerance = {"rtol": 3e-2, "atol": 3e-2} if coarse else {"rtol": 1e-3, "atol": 1e-3}
            try:
                torch.testing.assert_close(one, other.detach(), **tolerance, equal_nan=True)
            except AssertionError as error:
                return f"{str(error).splitlines()[0]} {one.flatten()[:4].tolist()} and {other.flatten()[:4].tolist()}"
    return "equal"


def main(first: int, count: int, seconds: float) -> None:
    """Print what is wrong, and how many programs came to which end."""
    counts: dict[str, int] = {}
    end = time.monotonic() + seconds
    for number in range(first, first + count):
        if time.monotonic() > end:
            break
        program = Program(number)
        said = program.run()
        if said in ("equal", "raised", "refused", "not compared", "no such input"):
            counts[said] = counts.get(said, 0) + 1
        else:
            print(f"{number}: {program}: {said}", flush=True)
        try:
            torch.cuda.synchronize()
        except Exception as error:
            sys.exit(f"{number}: {program}: no later call succeeds: {error}")
    print(counts)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]) if len(sys.argv) > 3 else 1e9)
