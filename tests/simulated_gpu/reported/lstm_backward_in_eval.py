"""captum: gradients of an LSTM in evaluation: https://github.com/meta-pytorch/captum/issues/1159

A GPU ends this program with:

    RuntimeError: cudnn RNN backward can only be called in training mode
"""

import torch

net = torch.nn.LSTM(4, 3).cuda().eval()
net(torch.randn(5, 2, 4, device="cuda"))[0].sum().backward()
