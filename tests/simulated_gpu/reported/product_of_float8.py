"""A product, element by element, of float8: https://github.com/Comfy-Org/ComfyUI/issues/14285

A GPU ends this program with:

    NotImplementedError: "mul_cuda" not implemented for 'Float8_e4m3fn'
"""

import torch

x = torch.ones(3, device="cuda").to(torch.float8_e4m3fn)
x * x
