"""The state of an LSTM stays on the CPU.

A real GPU ends this program with:

    RuntimeError: Input and hidden tensors are not at the same device, found input tensor at cuda:0 and hidden
    tensor at cpu
"""

import torch
from torch import nn

lstm = nn.LSTM(8, 16).cuda()
state = (torch.zeros(1, 2, 16), torch.zeros(1, 2, 16))
lstm(torch.randn(5, 2, 8, device="cuda"), state)
