"""A product of integer matrices, which CUDA lacks.

A real GPU ends this program with:

    NotImplementedError: "addmm_cuda" not implemented for 'Long'
"""

import torch

a = torch.arange(6, device="cuda").reshape(2, 3)
print(a @ a.T)
