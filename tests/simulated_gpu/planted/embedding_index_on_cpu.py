"""Token ids stay on the CPU.

A real GPU ends this program with:

    RuntimeError: Expected all tensors to be on the same device, but got index is on cpu, different from other
    tensors on cuda:0 (when checking argument in method wrapper_CUDA__index_select)
"""

import torch
from torch import nn

embed = nn.Embedding(100, 8).cuda()
ids = torch.randint(100, (2, 5))
print(embed(ids).shape)
