"""`|` of float tensors: https://github.com/Bowen1911/ML_practice/issues/1

A GPU ends this program with:

    "bitwise_or_cuda" not implemented for 'Float'
"""

import torch

dones = torch.ones(3, device="cuda")
1 - (dones | dones)
