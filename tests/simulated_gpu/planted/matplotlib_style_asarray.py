"""NumPy is asked to take a list of losses that are on the GPU.

A real GPU ends this program with:

    TypeError: can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host
    memory first.
"""

import numpy as np
import torch

losses = [torch.tensor(1.0, device="cuda") for _ in range(3)]
print(np.asarray(losses))
