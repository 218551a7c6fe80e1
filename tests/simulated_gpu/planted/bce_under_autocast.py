"""BCELoss under autocast.

A real GPU ends this program with:

    RuntimeError: torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.
"""

import torch
from torch import nn

model = nn.Sequential(nn.Linear(8, 1), nn.Sigmoid()).cuda()
x, y = torch.randn(4, 8, device="cuda"), torch.ones(4, 1, device="cuda")
with torch.autocast("cuda"):
    loss = nn.functional.binary_cross_entropy(model(x), y)
