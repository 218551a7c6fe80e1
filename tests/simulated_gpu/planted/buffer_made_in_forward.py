"""`forward` makes a tensor on the CPU.

A real GPU ends this program with:

    RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
"""

import torch
from torch import nn


class Noisy(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x):
        return self.layer(x) + torch.randn(x.shape)


model = Noisy().cuda()
model(torch.randn(4, 8, device="cuda")).sum().backward()
