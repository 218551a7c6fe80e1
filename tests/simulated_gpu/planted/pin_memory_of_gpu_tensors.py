"""The dataset already holds tensors on the GPU, and the loader pins.

A real GPU ends this program with:

    RuntimeError: cannot pin 'torch.cuda.FloatTensor' only dense CPU tensors can be pinned
"""

import torch
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.randn(8, 2, device="cuda"))
for (x,) in DataLoader(data, batch_size=4, pin_memory=True):
    print(x.device)
