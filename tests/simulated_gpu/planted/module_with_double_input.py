"""NumPy's float64 reaches a float32 model.

A real GPU ends this program with:

    RuntimeError: mat1 and mat2 must have the same dtype, but got Double and Float
"""

import numpy as np
import torch
from torch import nn

model = nn.Linear(8, 2).cuda()
x = torch.from_numpy(np.random.rand(4, 8)).cuda()
print(model(x))
