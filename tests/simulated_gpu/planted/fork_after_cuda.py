"""A forked worker uses CUDA.

A real GPU ends this program with:

    RuntimeError: Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must use
    the 'spawn' start method
"""

import torch
from torch.utils.data import DataLoader, Dataset


class OnGpu(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return torch.ones(2, device="cuda") * index


torch.ones(1, device="cuda")
for batch in DataLoader(OnGpu(), num_workers=1, multiprocessing_context="fork"):
    print(batch)
