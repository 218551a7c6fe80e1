"""The model is in half precision, the input is not.

A real GPU ends this program with:

    RuntimeError: mat1 and mat2 must have the same dtype, but got Float and Half
"""

import torch
from torch import nn

model = nn.Linear(8, 2).cuda().half()
print(model(torch.randn(4, 8, device="cuda")))
