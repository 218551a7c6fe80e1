"""Images stay on the CPU.

A real GPU ends this program with:

    RuntimeError: Input type (torch.FloatTensor) and weight type (torch.cuda.FloatTensor) should be the same or
    input should be a MKLDNN tensor and weight is a dense tensor
"""

import torch
from torch import nn

net = nn.Conv2d(3, 8, 3).cuda()
net(torch.randn(2, 3, 16, 16))
