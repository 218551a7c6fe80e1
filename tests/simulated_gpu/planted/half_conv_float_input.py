"""A convolution in half precision gets float32 images.

A real GPU ends this program with:

    RuntimeError: Input type (float) and bias type (c10::Half) should be the same
"""

import torch
from torch import nn

net = nn.Conv2d(3, 8, 3).cuda().half()
net(torch.randn(2, 3, 16, 16, device="cuda"))
