"""Pinned memory under a default device: https://github.com/flashinfer-ai/flashinfer/pull/755

A GPU ends this program with:

    RuntimeError: Only dense CPU tensors can be pinned
"""

import torch

with torch.device("cuda"):
    torch.empty(8, dtype=torch.uint8, pin_memory=True)
