"""A Fourier transform in half precision: https://github.com/neuraloperator/neuraloperator/issues/322

A GPU ends this program with:

    RuntimeError: cuFFT only supports dimensions whose sizes are powers of two when computing in half precision,
    but got a signal size of[20, 20, 10]
"""

import torch

torch.fft.rfftn(torch.rand(1, 1, 20, 20, 10, dtype=torch.float16).cuda(), dim=[-3, -2, -1])
