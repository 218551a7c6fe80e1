"""An index on the GPU for a tensor on the CPU.

A real GPU ends this program with:

    RuntimeError: indices should be either on cpu or on the same device as the indexed tensor (cpu)
"""

import torch

data = torch.randn(10, 3)
order = torch.randperm(10, device="cuda")
print(data[order].shape)
