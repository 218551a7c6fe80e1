"""A hidden state of another layout: https://github.com/mattgolub/fixed-point-finder/issues/39

A GPU ends this program with:

    RuntimeError: rnn: hx is not contiguous
"""

import torch

net = torch.nn.GRU(4, 3, num_layers=2).cuda()
net(torch.randn(5, 2, 4, device="cuda"), torch.zeros(2, 2, 3, device="cuda").transpose(0, 1))
