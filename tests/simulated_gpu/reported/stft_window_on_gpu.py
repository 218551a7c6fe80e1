"""Sound on the CPU, its window on the GPU: https://github.com/2noise/ChatTTS/issues/724

A GPU ends this program with:

    RuntimeError: stft input and window must be on the same device but got self on cpu and window on cuda:0
"""

import torch

torch.stft(torch.randn(400), 64, window=torch.hann_window(64, device="cuda"), return_complex=True)
