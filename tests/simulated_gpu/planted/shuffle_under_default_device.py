"""A DataLoader shuffles under a default device.

A real GPU ends this program with:

    RuntimeError: Expected a 'cuda' device type for generator but found 'cpu'
"""

import torch
from torch.utils.data import DataLoader, TensorDataset

torch.set_default_device("cuda")
loader = DataLoader(TensorDataset(torch.arange(8.0)), batch_size=2, shuffle=True)
print(next(iter(loader)))
