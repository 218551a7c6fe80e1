"""One case of a measurement: an operator of PyTorch's OpInfo database in one dtype, on the CPU and on the GPU."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import references
import torch
from torch.testing._internal.common_device_type import onlyCPU
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo.core import DecorateInfo, OpInfo, SampleInput
from torch.utils._pytree import tree_leaves, tree_map

from simulated_gpu import NotSimulated

RANDOM = (
    "rand", "normal", "multinomial", "bernoulli", "uniform", "cauchy", "exponential", "geometric", "dropout", "empty",
    "rrelu", "svd_lowrank", "pca_lowrank", "fractional",
)  # fmt: skip
# The others are statistics that evaluation does not need, and what fused kernels keep for their backward.
FIRST_RESULT_ONLY = (
    "native_batch_norm", "_native_batch_norm_legit", "torch.ops.aten._flash_attention_forward",
    "torch.ops.aten._efficient_attention_forward",
)  # fmt: skip
WIDER = {torch.float16: torch.float32, torch.bfloat16: torch.float32, torch.complex32: torch.complex64}


NARROW = frozenset((torch.float16, torch.bfloat16, torch.complex32))


def name(op: OpInfo) -> str:
    """Return an operator's name with its variant."""
    return op.name + (f".{op.variant_test_name}" if op.variant_test_name else "")


def is_random(op: OpInfo, sample: SampleInput) -> bool:
    """Return whether the results are random numbers, of which only shape and dtype can be compared with the CPU's."""
    attention = "multi_head_attention" in name(op)  # the tenth of its arguments is the chance of dropout
    dropout = sample.args[9] if attention else sample.kwargs.get("dropout_p")
    return any(word in name(op) for word in RANDOM) or bool(dropout)


def operators() -> dict[str, OpInfo]:
    """Return all operators of the database by name."""
    return {name(op): op for op in op_db}


def run(op: OpInfo, dtype: torch.dtype, backward: bool, samples: int) -> tuple[str, str]:
    """Return the verdict on one case with so many samples, and what went wrong."""
    supported = _supported(op, dtype)
    if backward and not (op.supports_autograd and dtype in op.supported_backward_dtypes("cuda")):
        return "no gradient", ""
    if not supported:
        return pair(op, dtype)
    verdicts = set()
    try:
        for sample in itertools.islice(_samples(op, dtype, backward), samples):
            want = _attempt(lambda s=sample: _reference(op, s, dtype, backward))
            got = _attempt(lambda s=sample: _evaluate(op, _moved(s, "cuda"), backward))
            verdict = _judge(is_random(op, sample), want, got)
            if verdict[0] not in ("equal", "fails rightly"):
                return verdict
            verdicts.add(verdict[0])
    except _NoSamplesError:
        return "no samples", ""
    if not verdicts:
        return "no samples", ""
    return ("equal" if "equal" in verdicts else "fails rightly"), ""


def pair(op: OpInfo, dtype: torch.dtype) -> tuple[str, str]:
    """Return whether CUDA's host code takes this dtype as the database says, as PyTorch's test_dtypes asks.

    A dtype is supported if all samples work. Some entries of the database are checked by no test of PyTorch's.
    """
    supported = _supported(op, dtype)
    worked = False
    try:
        for sample in itertools.islice(_samples(op, dtype, False), 5 if supported else 200):
            got = _attempt(lambda s=sample: _evaluate(op, s, False))  # not a copy: a view may reach beyond its elements
            if _refuses(got):
                return "refused", str(got).strip().splitlines()[-1]
            if isinstance(got, Exception):
                why = f"{type(got).__name__}: {got}"
                return ("fails" if supported and not isinstance(got, ValueError) else "fails rightly"), why
            worked = True
    except _NoSamplesError:
        return "no samples", ""
    if not worked:
        return "no samples", ""
    if supported:
        return "works", ""
    # PyTorch tries complex32 only where the database has it
    return ("unchecked" if dtype is torch.complex32 or _is_unchecked(op) else "accepted"), ""


def _supported(op: OpInfo, dtype: torch.dtype) -> bool:
    return dtype in op.supported_dtypes("cuda") and onlyCPU not in op.decorators


def _is_unchecked(op: OpInfo) -> bool:
    marks = [mark for mark in op.decorators if isinstance(mark, DecorateInfo) and mark.test_name == "test_dtypes"]
    return any(mark.device_type in (None, "cuda") for mark in marks)


class _NoSamplesError(Exception):
    """The database has no inputs for this dtype."""


def _samples(op: OpInfo, dtype: torch.dtype, backward: bool) -> Iterator[SampleInput]:
    torch.manual_seed(0)
    try:
        yield from op.sample_inputs("cuda", dtype, requires_grad=backward)
    except Exception as error:
        raise _NoSamplesError from error


def _moved(sample: SampleInput, device: str, dtypes: dict[torch.dtype, torch.dtype] | None = None) -> SampleInput:
    def move(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            wider = (dtypes or {}).get(value.dtype, value.dtype)
            where = device if value.is_cuda else value.device
            return value.detach().clone().to(where, wider).requires_grad_(value.requires_grad)
        if isinstance(value, torch.dtype):
            return (dtypes or {}).get(value, value)
        if isinstance(value, torch.device) and value.type == "cuda":
            return torch.device(device)
        return device if isinstance(value, str) and value.startswith("cuda") else value

    given, args, kwargs = (tree_map(move, part) for part in (sample.input, sample.args, sample.kwargs))
    return SampleInput(given, args=args, kwargs=kwargs)


def _reference(op: OpInfo, sample: SampleInput, dtype: torch.dtype, backward: bool) -> list[Any]:
    """Return the CPU's results, from a wider dtype where the CPU lacks this one."""
    try:
        return _evaluate(op, _moved(sample, "cpu"), backward)
    except (RuntimeError, NotImplementedError):
        if dtype not in WIDER:
            raise
        return _evaluate(op, _moved(sample, "cpu", WIDER), backward)


def _evaluate(op: OpInfo, sample: SampleInput, backward: bool) -> list[Any]:
    torch.manual_seed(0)
    function = op.op
    if sample.input is not None and not _on_gpu(sample):
        function = references.TABLE.get(name(op), op.op)
    out = function(sample.input, *sample.args, **sample.kwargs)
    if sample.output_process_fn_grad is not None:
        out = sample.output_process_fn_grad(out)
    if not backward:
        return tree_leaves(out)[: 1 if name(op) in FIRST_RESULT_ONLY else None]
    outputs = [t for t in tree_leaves(out) if isinstance(t, torch.Tensor) and t.requires_grad]
    leaves = tree_leaves((sample.input, sample.args, sample.kwargs))
    inputs = [t for t in leaves if isinstance(t, torch.Tensor) and t.requires_grad]
    if not outputs or not inputs:
        return []
    torch.manual_seed(1)
    cotangents = [torch.randn(t.shape, dtype=torch.float64).to(t.device, t.dtype) for t in outputs]
    return list(torch.autograd.grad(outputs, inputs, cotangents, allow_unused=True))


def _on_gpu(sample: SampleInput) -> bool:
    return any(isinstance(t, torch.Tensor) and t.is_cuda for t in tree_leaves((sample.input, sample.args)))


def _attempt(function: Callable[[], list[Any]]) -> list[Any] | Exception:
    try:
        return function()
    except Exception as error:
        return error


def _refuses(got: list[Any] | Exception) -> bool:
    return isinstance(got, NotSimulated) or (isinstance(got, Exception) and "NotSimulated" in str(got))


def _judge(random: bool, want: list[Any] | Exception, got: list[Any] | Exception) -> tuple[str, str]:
    if _refuses(got):
        return "refused", str(got).strip().splitlines()[-1]
    if isinstance(got, Exception):
        rightly = isinstance(want, Exception)
        return ("fails rightly" if rightly else "fails"), f"{type(got).__name__}: {got}"
    if isinstance(want, Exception):
        return "accepted, CPU fails", f"{type(want).__name__}: {want}"
    return _compare(random, want, got)


def _compare(random: bool, want: list[Any], got: list[Any]) -> tuple[str, str]:
    if len(want) != len(got):
        return "different", "another number of results"
    for one, other in zip(want, got, strict=True):
        if isinstance(one, torch.Tensor) != isinstance(other, torch.Tensor):
            return "different", f"{one!r} and {other!r}"
        if not isinstance(one, torch.Tensor):
            if one != other and not random:
                return "different", f"{one!r} and {other!r}"
            continue
        try:
            _compare_tensors(random, one.detach(), other.detach().cpu())
        except AssertionError as error:
            return "different", str(error)
    return "equal", ""


def _compare_tensors(random: bool, one: torch.Tensor, other: torch.Tensor) -> None:
    assert one.shape == other.shape, f"shape {tuple(one.shape)} and {tuple(other.shape)}"
    if random:
        return
    narrow = NARROW.intersection((one.dtype, other.dtype))
    tolerance = {"rtol": 1e-4, "atol": 1e-4} if other.dtype in (torch.float32, torch.complex64) else {}
    if narrow:  # statistics of half precision are float32 on CUDA; sums are wrong by a part of their greatest number
        one, other = (_dense(t).to(torch.complex64 if t.is_complex() else torch.float32) for t in (one, other))
        finite = one.abs().nan_to_num(0.0, 0.0, 0.0)
        greatest = finite.max().item() if finite.numel() else 0.0
        tolerance = {"rtol": 2e-2, "atol": 2e-2 * max(1.0, greatest)}
    torch.testing.assert_close(other, one, equal_nan=True, **tolerance)


def _dense(tensor: torch.Tensor) -> torch.Tensor:
    return tensor if tensor.layout is torch.strided else tensor.to_dense()
