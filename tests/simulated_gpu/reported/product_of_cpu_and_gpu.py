"""A matrix product of CPU and GPU: https://github.com/yolain/ComfyUI-Easy-Use/issues/937

A GPU ends this program with:

    RuntimeError: Expected all tensors to be on the same device, but got mat2 is on cuda:0, different from other
    tensors on cpu (when checking argument in method wrapper_CUDA_mm)
"""

import torch

torch.ones(2, 3) @ torch.ones(3, 2, device="cuda")
