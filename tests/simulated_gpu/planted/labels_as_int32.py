"""Class labels as int32.

A real GPU ends this program with:

    RuntimeError: expected target dtype to be Long or Byte, but got Int
"""

import torch
from torch import nn

logits = torch.randn(4, 3, device="cuda", requires_grad=True)
labels = torch.tensor([0, 1, 2, 0], dtype=torch.int32, device="cuda")
print(nn.functional.cross_entropy(logits, labels))
