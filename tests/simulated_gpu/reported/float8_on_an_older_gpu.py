"""A product of float8 on a GPU that has none: https://github.com/lllyasviel/FramePack/issues/460

A GPU ends this program with:

    torch._scaled_mm is only supported on CUDA devices with compute capability >= 9.0 or 8.9
"""

import torch

one = torch.ones((), device="cuda")
x = torch.ones(16, 16, device="cuda").to(torch.float8_e4m3fn)
torch._scaled_mm(x, x.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16)
