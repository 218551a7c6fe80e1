"""Layers in a Python list are not moved with the model.

A real GPU ends this program with:

    RuntimeError: Expected all tensors to be on the same device, but got mat1 is on cuda:0, different from other
    tensors on cpu (when checking argument in method wrapper_CUDA_addmm)
"""

import torch
from torch import nn


class Deep(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(8, 8) for _ in range(3)]

    def forward(self, x):
        for layer in self.layers:
            x = layer(x).relu()
        return x


model = Deep().to("cuda")
model(torch.randn(2, 8, device="cuda"))
