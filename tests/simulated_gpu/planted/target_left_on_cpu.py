"""The labels stay on the CPU.

A real GPU ends this program with:

    RuntimeError: Expected all tensors to be on the same device, but got target is on cpu, different from other
    tensors on cuda:0 (when checking argument in method wrapper_CUDA_nll_loss_forward)
"""

import torch
from torch import nn

model = nn.Linear(8, 2).cuda()
x, y = torch.randn(4, 8).cuda(), torch.randint(2, (4,))
loss = nn.functional.cross_entropy(model(x), y)
loss.backward()
