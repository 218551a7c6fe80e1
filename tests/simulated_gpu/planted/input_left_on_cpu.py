"""The batch is never moved to the GPU.

A real GPU ends this program with:

    RuntimeError: Expected all tensors to be on the same device, but got mat1 is on cpu, different from other
    tensors on cuda:0 (when checking argument in method wrapper_CUDA_addmm)
"""

import torch
from torch import nn

model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2)).to("cuda")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    x, y = torch.randn(4, 8), torch.randint(2, (4,))
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
