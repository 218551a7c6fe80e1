"""The smallest number of a float8 tensor: https://github.com/pytorch/pytorch/issues/149008

A GPU ends this program with:

    "min_all_cuda" not implemented for 'Float8_e4m3fn'
"""

import torch

torch.ones(3, device="cuda").to(torch.float8_e4m3fn).min()
