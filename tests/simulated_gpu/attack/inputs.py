"""Inputs of every operator of PyTorch's OpInfo database, on the GPU, and of nested and sparse ones besides."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo.core import OpInfo

RANDOM = ("empty", "rand", "new_empty")
"""What these return is promised by nobody, or drawn without the generator that is seeded here."""


@dataclass(frozen=True)
class Input:
    """One call."""

    name: str
    """The operator, with its variant."""
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    options: dict[str, Any]


def names() -> list[str]:
    """Return the names of all operators, sorted."""
    return sorted([*map(name, op_db), *LAYOUTS])


def chosen(number: int, seed: int) -> list[str]:
    """Return so many names by lot; all of them if there are no more."""
    everything = names()
    return sorted(random.Random(seed).sample(everything, min(number, len(everything))))


def name(op: OpInfo) -> str:
    """Return an operator's name with its variant."""
    return op.name + (f".{op.variant_test_name}" if op.variant_test_name else "")


def inputs(wanted: str, most: int, dtype: torch.dtype = torch.float32) -> Iterator[Input]:
    """Yield at most so many inputs of an operator; none if the database has none for this dtype on CUDA."""
    if wanted in LAYOUTS:
        make, functions = LAYOUTS[wanted]
        for function in functions:
            yield Input(wanted, function, (make(),), {})
        return
    op = next(op for op in op_db if name(op) == wanted)
    if dtype not in op.supported_dtypes("cuda"):
        others = (torch.float16, torch.int64, torch.bool, torch.complex64)
        dtype = next((other for other in others if other in op.supported_dtypes("cuda")), dtype)
    torch.manual_seed(0)
    gradient = op.supports_autograd and dtype in op.supported_backward_dtypes("cuda")
    try:
        samples = list(itertools.islice(op.sample_inputs("cuda", dtype, requires_grad=gradient), most))
    except Exception:
        return
    for sample in samples:
        yield Input(wanted, op.op, (sample.input, *sample.args), dict(sample.kwargs))


def _nested() -> torch.Tensor:
    parts = [torch.arange(6.0).view(2, 3), torch.arange(12.0).view(4, 3)]
    return torch.nested.nested_tensor(parts, device="cuda", requires_grad=True)


def _jagged() -> torch.Tensor:
    parts = [torch.arange(6.0).view(2, 3), torch.arange(12.0).view(4, 3)]
    return torch.nested.nested_tensor(parts, device="cuda", layout=torch.jagged, requires_grad=True)


def _dense() -> torch.Tensor:
    return torch.tensor([[0.0, 2.0, 0.0], [3.0, 0.0, 4.0], [0.0, 5.0, 0.0]], device="cuda")


NESTED: list[Callable[..., Any]] = [
    lambda x: x.to_padded_tensor(7.0),
    lambda x: x + x,
    lambda x: x * 2,
    lambda x: x.relu(),
    lambda x: x.sum(),
    lambda x: x.softmax(-1),
    lambda x: torch.nn.functional.gelu(x),
    lambda x: torch.nn.functional.layer_norm(x, (3,)),
    lambda x: torch.nn.functional.linear(x, torch.ones(2, 3, device="cuda")),
    lambda x: torch.nn.functional.dropout(x, 0.5),
    lambda x: [part + 1 for part in x.unbind()],
    lambda x: x.transpose(1, 2).matmul(x),
    lambda x: torch.nn.functional.scaled_dot_product_attention(*[x.unsqueeze(1)] * 3),
    lambda x: torch.nested.to_padded_tensor(x, 0.0).cumsum(1),
    lambda x: x.clone(),
    lambda x: x.to("cpu"),
]
SPARSE: list[Callable[..., Any]] = [
    lambda x: x.to_dense(),
    lambda x: (x + x).to_dense(),
    lambda x: (x * 2).to_dense(),
    lambda x: x @ _dense(),
    lambda x: x.sum(),
    lambda x: x.relu().to_dense(),
    lambda x: x.transpose(0, 1).to_dense(),
    lambda x: torch.sparse.mm(x, _dense()),
    lambda x: torch.sparse.addmm(_dense(), x, _dense()),
    lambda x: (x.to_sparse_coo() @ x.to_sparse_coo()).to_dense(),
    lambda x: torch.sparse.softmax(x.to_sparse_coo(), 1).to_dense(),
    lambda x: torch.cat([x.to_sparse_coo()] * 2).to_dense(),
    lambda x: x.to_sparse_coo().coalesce().values() + 1,
    lambda x: x.to_sparse_coo().index_select(0, torch.tensor([0, 2], device="cuda")).to_dense(),
]
LAYOUTS: dict[str, tuple[Callable[[], torch.Tensor], list[Callable[..., Any]]]] = {
    "nested.strided": (_nested, NESTED),
    "nested.jagged": (_jagged, NESTED),
    "sparse.coo": (lambda: _dense().to_sparse(), SPARSE),
    "sparse.csr": (lambda: _dense().to_sparse_csr(), SPARSE),
    "sparse.csc": (lambda: _dense().to_sparse_csc(), SPARSE),
    "sparse.bsr": (lambda: _dense()[:2, :2].to_sparse_bsr((1, 1)), SPARSE[:4]),
}
