"""A sum of two float8 tensors: https://github.com/aredden/flux-fp8-api/issues/44

A GPU ends this program with:

    "ufunc_add_CUDA" not implemented for 'Float8_e4m3fn'
"""

import torch

x = torch.ones(3, device="cuda").to(torch.float8_e4m3fn)
x + x
