"""Losses of integers."""

from __future__ import annotations

import torch
from torch.nn.functional import cross_entropy

from claims.claimlib import claim, on_cuda, raises


@claim("The first message is the CPU's, the second CUDA's; `Long` is `int64`.")
@on_cuda
def test_devices() -> None:
    scores, labels = torch.ones(1, 3, dtype=torch.int64), torch.tensor([0])
    raises("log_softmax_lastdim_kernel_impl", cross_entropy, scores, labels)
    raises("host_softmax", cross_entropy, scores.cuda(), labels.cuda())
