"""`.item()` of a batch of losses.

A real GPU ends this program with:

    RuntimeError: a Tensor with 4 elements cannot be converted to Scalar
"""

import torch
from torch import nn

losses = nn.functional.cross_entropy(
    torch.randn(4, 3, device="cuda"), torch.zeros(4, dtype=torch.long, device="cuda"), reduction="none"
)
print(losses.item())
