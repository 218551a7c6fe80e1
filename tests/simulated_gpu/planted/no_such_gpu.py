"""The second GPU of a machine that has one.

A real GPU ends this program with:

    torch.AcceleratorError: CUDA error: invalid device ordinal
"""

import torch

x = torch.ones(3, device="cuda:7")
