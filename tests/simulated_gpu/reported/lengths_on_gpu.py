"""Lengths of sequences on the GPU: https://github.com/pytorch/pytorch/issues/43227

A GPU ends this program with:

    RuntimeError: 'lengths' argument should be a 1D CPU int64 tensor, but got 1D cuda:0 Long tensor
"""

import torch

lengths = torch.tensor([3, 2], device="cuda")
torch.nn.utils.rnn.pack_padded_sequence(torch.randn(3, 2, 4, device="cuda"), lengths)
