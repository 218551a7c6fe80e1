"""`.numpy()` of a tensor on the GPU.

A real GPU ends this program with:

    TypeError: can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host
    memory first.
"""

import torch
from torch import nn

model = nn.Linear(8, 2).cuda()
with torch.no_grad():
    scores = model(torch.randn(4, 8, device="cuda"))
print(scores.numpy())
