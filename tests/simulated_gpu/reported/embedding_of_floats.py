"""Floats as indices of an embedding: https://github.com/Rikorose/DeepFilterNet/issues/642

A GPU ends this program with:

    RuntimeError: Expected tensor for argument #1 'indices' to have one of the following scalar types: Long,
    Int; but got torch.cuda.FloatTensor instead (while checking arguments for embedding)
"""

import torch

torch.nn.Embedding(4, 3).cuda()(torch.ones(2, device="cuda"))
