"""Two halves of a model on two GPUs, and nothing moves between them.

A real GPU ends this program with:

    RuntimeError: Expected all tensors to be on the same device, but got mat1 is on cuda:0, different from other
    tensors on cuda:1 (when checking argument in method wrapper_CUDA_addmm)
"""

import torch
from torch import nn

first, second = nn.Linear(8, 8).to("cuda:0"), nn.Linear(8, 2).to("cuda:1")
print(second(first(torch.randn(4, 8, device="cuda:0"))))
