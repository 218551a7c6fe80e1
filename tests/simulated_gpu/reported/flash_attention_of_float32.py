"""Flash attention alone, for float32: https://github.com/facebookresearch/sam2/issues/48

A GPU ends this program with:

    RuntimeError: No available kernel. Aborting execution.
"""

import warnings

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

warnings.simplefilter("ignore")  # which say why
x = torch.ones(1, 1, 8, 16, device="cuda")
with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
    torch.nn.functional.scaled_dot_product_attention(x, x, x)
