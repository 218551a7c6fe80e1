"""Optimizer state is put on the CPU by hand.

A real GPU ends this program with:

    RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
"""

import torch
from torch import nn

model = nn.Linear(8, 2).cuda()
optimizer = torch.optim.Adam(model.parameters(), foreach=False)
model(torch.randn(4, 8, device="cuda")).mean().backward()
optimizer.step()
for state in optimizer.state.values():
    state["exp_avg"] = state["exp_avg"].cpu()
optimizer.step()
