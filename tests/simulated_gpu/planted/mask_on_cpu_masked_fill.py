"""The attention mask stays on the CPU.

A real GPU ends this program with:

    RuntimeError: expected self and mask to be on the same device, but got mask on cpu and self on cuda:0
"""

import torch

scores = torch.randn(2, 4, 4, device="cuda")
mask = torch.ones(4, 4, dtype=torch.bool).triu(1)
print(scores.masked_fill(mask, float("-inf")).softmax(-1))
