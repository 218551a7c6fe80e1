"""abs of float8: https://github.com/character-ai/Ovi/issues/64

A GPU ends this program with:

    NotImplementedError: "abs_cuda" not implemented for 'Float8_e4m3fn'
"""

import torch

torch.ones(3, device="cuda").to(torch.float8_e4m3fn).abs()
