"""A CPU generator for random numbers on the GPU.

A real GPU ends this program with:

    RuntimeError: Expected a 'cuda' device type for generator but found 'cpu'
"""

import torch

generator = torch.Generator().manual_seed(0)
print(torch.randn(3, device="cuda", generator=generator))
