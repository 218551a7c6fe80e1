"""The network stays on the CPU.

A real GPU ends this program with:

    RuntimeError: Input type (torch.cuda.FloatTensor) and weight type (torch.FloatTensor) should be the same
"""

import torch
from torch import nn

net = nn.Conv2d(3, 8, 3)
net(torch.randn(2, 3, 16, 16, device="cuda"))
