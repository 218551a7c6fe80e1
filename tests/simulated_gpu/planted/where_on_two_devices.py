"""`torch.where` with a condition on the GPU and values on the CPU.

A real GPU ends this program with:

    RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
"""

import torch

x = torch.randn(4, 4, device="cuda")
print(torch.where(x > 0, x, torch.zeros(4, 4)))
