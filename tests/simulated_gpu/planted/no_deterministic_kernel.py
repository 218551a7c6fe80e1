"""Deterministic mode, and an operator without a deterministic kernel.

A real GPU ends this program with:

    RuntimeError: nll_loss2d_forward_out_cuda_template does not have a deterministic implementation, but you set
    'torch.use_deterministic_algorithms(True)'.
"""

import torch
from torch import nn

torch.use_deterministic_algorithms(True)
logits = torch.randn(2, 3, 4, 4, device="cuda")
labels = torch.zeros(2, 4, 4, dtype=torch.long, device="cuda")
print(nn.functional.cross_entropy(logits, labels))
