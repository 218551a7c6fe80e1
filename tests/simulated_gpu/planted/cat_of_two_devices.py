"""`torch.cat` of tensors on two devices.

A real GPU ends this program with:

    RuntimeError: Expected all tensors to be on the same device, but got tensors is on cpu, different from other
    tensors on cuda:0 (when checking argument in method wrapper_CUDA_cat)
"""

import torch

history = [torch.zeros(1, 4, device="cuda"), torch.zeros(1, 4)]
print(torch.cat(history))
