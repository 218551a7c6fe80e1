"""What operators that only CUDA has are to return, by their definitions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor


def attention(query: Tensor, key: Tensor, value: Tensor, diagonal: int | None, scale: float | None) -> Tensor:
    """Return the attention of tensors (batch, length, heads, width) to the keys up to a diagonal."""
    dtype = query.dtype
    query, key, value = (tensor.transpose(1, 2).float() for tensor in (query, key, value))
    scores = query @ key.mT * (scale or query.size(-1) ** -0.5)
    if diagonal is not None:
        seen = torch.ones(scores.shape[-2:], dtype=torch.bool).tril(diagonal)
        scores = scores.masked_fill(~seen, -torch.inf)
    return (scores.softmax(-1) @ value).transpose(1, 2).to(dtype)


def _efficient(query: Tensor, key: Tensor, value: Tensor, *args: Any, **options: Any) -> Tensor:
    diagonal = (None, 0, key.size(1) - query.size(1))[options["custom_mask_type"]]
    return attention(query, key, value, diagonal, options.get("scale"))


def _flash(query: Tensor, key: Tensor, value: Tensor, *args: Any, **options: Any) -> Tensor:
    last = key.size(1) - query.size(1)  # causal masks end at the bottom right
    return attention(query, key, value, last if options["is_causal"] else None, options.get("scale"))


def _eliminated(matrix: Tensor) -> Tensor:
    """Return L below and U from the diagonal on, without pivots, in a way that has a gradient."""
    rows = list(matrix.unbind(-2))
    for i, row in enumerate(rows):
        for k in range(min(i, matrix.size(-1))):
            factor = row[..., k : k + 1] / rows[k][..., k : k + 1]
            row = torch.cat((row[..., :k], factor, row[..., k + 1 :] - factor * rows[k][..., k + 1 :]), -1)
        rows[i] = row
    return torch.stack(rows, -2) if rows else matrix


def _lu(matrix: Tensor, pivot: bool = True) -> tuple[Tensor, ...]:
    if pivot:
        return tuple(torch.linalg.lu(matrix))
    both, k = _eliminated(matrix), min(matrix.shape[-2:])
    lower = both[..., :k].tril(-1) + torch.eye(matrix.size(-2), k, dtype=matrix.dtype)
    return matrix.new_empty(0), lower, both[..., :k, :].triu()


def _lu_factor(matrix: Tensor, pivot: bool = True) -> tuple[Tensor, ...]:
    if pivot:
        return tuple(torch.linalg.lu_factor(matrix))
    pivots = torch.arange(1, min(matrix.shape[-2:]) + 1, dtype=torch.int32)
    return _eliminated(matrix), pivots.expand(*matrix.shape[:-2], -1)


def _lu_factor_ex(matrix: Tensor, pivot: bool = True, **options: Any) -> tuple[Tensor, ...]:
    if pivot:
        return tuple(torch.linalg.lu_factor_ex(matrix))
    return *_lu_factor(matrix, pivot), torch.zeros(matrix.shape[:-2], dtype=torch.int32)


def _histc(numbers: Tensor, **options: Any) -> Tensor:
    return torch.histc(numbers.to(torch.float64), **options).to(numbers.dtype)


TABLE: dict[str, Callable[..., Any]] = {
    "torch.ops.aten._efficient_attention_forward": _efficient,
    "torch.ops.aten._flash_attention_forward": _flash,
    "abs": lambda tensor: tensor if tensor.dtype is torch.bool else tensor.abs(),
    "histc": _histc,
    "jiterator_unary": lambda x: (x * x + x).to(x.dtype),
    "jiterator_binary": lambda x, y, alpha=1: (x + alpha * y).to(x.dtype),
    "jiterator_4inputs_with_extra_args": lambda x, y, z, w, alpha=1, beta=1: (alpha * x + beta * y + z + w).to(x.dtype),
    "jiterator_binary_return_by_ref": lambda x, y: x + y,
    "jiterator_2inputs_2outputs": lambda x, y: (x + y, x ^ y if x.dtype is torch.bool else x - y),
    "linalg.lu": _lu,
    "linalg.lu_factor": _lu_factor,
    "linalg.lu_factor_ex": _lu_factor_ex,
    "nn.functional.softsign": lambda x: x / (x if x.dtype is torch.bool else x.abs()).add(1),
    "trace": lambda matrix: matrix.diagonal().sum(),
}
