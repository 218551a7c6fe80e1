"""Indices to split at, on the GPU: https://github.com/cai4cai/torchsparsegradutils/issues/58

A GPU ends this program with:

    RuntimeError: tensor_split expected tensor_indices_or_sections to be on cpu, but it's on cuda:0
"""

import torch

torch.tensor_split(torch.ones(5, device="cuda"), torch.tensor([1, 3], device="cuda"))
