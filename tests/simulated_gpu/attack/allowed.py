"""Mixes of devices that PyTorch's own code takes."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils._pytree import tree_leaves

MOVED = (
    "aten.copy_.",
    "aten._to_copy.",
    "aten._foreach_copy_.",
    "aten.index.",
    "aten.index_put.",
    "aten.index_put_.",
    "aten._index_put_impl_.",
    "aten._unsafe_index.",
    "aten._unsafe_index_put.",
    "aten._unsafe_masked_index.",
    "aten._unsafe_masked_index_put_accumulate.",
    "aten.select_scatter.",
    "aten.slice_scatter.",
    "aten._trilinear.",
    "aten.diagonal_scatter.",
    "aten.as_strided_scatter.",
    "aten.resize_as_.",
    "aten._use_cudnn_ctc_loss.",
    "aten._use_miopen_ctc_loss.",
)
"""Operators whose PyTorch code takes tensors of several devices: it copies, fetches an index, or asks for shapes.
_trilinear gets there with empty tensors alone."""


def devices(values: Any) -> set[torch.device]:
    """Return the devices of the tensors that are neither numbers nor empty, which may be anywhere."""
    tensors = (value for value in tree_leaves(values) if isinstance(value, torch.Tensor))
    return {tensor.device for tensor in tensors if tensor.dim() > 0 and tensor.numel() > 0}


def mixes(func: Any) -> bool:
    """Return whether an operator takes tensors of several devices."""
    return str(func).startswith(MOVED)
