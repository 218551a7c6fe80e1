"""`x.to` returns a new tensor, and the result is dropped.

A real GPU ends this program with:

    RuntimeError: Expected all tensors to be on the same device, but got mat1 is on cpu, different from other
    tensors on cuda:0 (when checking argument in method wrapper_CUDA_addmm)
"""

import torch
from torch import nn

model = nn.Linear(8, 2)
model.to("cuda")
x = torch.randn(4, 8)
x.to("cuda")
print(model(x))
