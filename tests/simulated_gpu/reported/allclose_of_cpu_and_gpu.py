"""A result on the GPU, compared with the CPU's: https://github.com/ai-dynamo/nixl/issues/260

A GPU ends this program with:

    RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
"""

import torch

torch.allclose(torch.ones(10, device="cuda"), torch.ones(10))
