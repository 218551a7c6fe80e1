"""histc into integers, which the CPU refuses: https://github.com/pytorch/pytorch/issues/196008

A GPU runs it.
"""

import torch

made = torch.empty(4, dtype=torch.int64, device="cuda")
torch.histc(torch.randn(8, dtype=torch.float64, device="cuda"), bins=4, min=-9.0, max=9.0, out=made)
assert made.sum() == 8
