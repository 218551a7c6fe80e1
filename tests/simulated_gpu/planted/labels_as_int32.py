"""Class labels as int32.

A real GPU ends this program with:

    RuntimeError: expected target dtype to be Long or Byte, but got Int

Up to PyTorch 2.11 an H100 ends it with:

    NotImplementedError: "nll_loss_forward_reduce_cuda_kernel_2d_index" not implemented for 'Int'
"""

import torch
from torch import nn

logits = torch.randn(4, 3, device="cuda", requires_grad=True)
labels = torch.tensor([0, 1, 2, 0], dtype=torch.int32, device="cuda")
print(nn.functional.cross_entropy(logits, labels))
