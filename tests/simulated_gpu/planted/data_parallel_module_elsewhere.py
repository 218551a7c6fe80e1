"""DataParallel around a model that is on the CPU.

A real GPU ends this program with:

    RuntimeError: module must have its parameters and buffers on device cuda:0 (device_ids[0]) but found one of
    them on device: cpu
"""

import torch
from torch import nn

model = nn.DataParallel(nn.Linear(8, 2), device_ids=[0, 1])
print(model(torch.randn(4, 8)))
