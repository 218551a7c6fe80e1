"""The batch is moved, the model is not.

A real GPU ends this program with:

    RuntimeError: Expected all tensors to be on the same device, but got mat1 is on cuda:0, different from other
    tensors on cpu (when checking argument in method wrapper_CUDA_addmm)
"""

import torch
from torch import nn

model = nn.Linear(8, 2)
x = torch.randn(4, 8, device="cuda")
loss = model(x).square().mean()
loss.backward()
