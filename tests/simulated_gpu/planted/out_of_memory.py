"""A tensor that is larger than the GPU.

A real GPU ends this program with:

    torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1024.00 GiB. GPU 0 has a total capacity of
"""

import torch

x = torch.empty(1 << 40, dtype=torch.uint8, device="cuda")
