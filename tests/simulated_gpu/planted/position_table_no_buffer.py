"""A table of positions is a plain attribute, and no buffer.

A real GPU ends this program with:

    RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
"""

import torch
from torch import nn


class Positions(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.randn(16, 8)
        self.scale = nn.Parameter(torch.ones(8))

    def forward(self, x):
        return x * self.scale + self.table[: x.shape[1]]


model = Positions().cuda()
model(torch.randn(2, 4, 8, device="cuda"))
