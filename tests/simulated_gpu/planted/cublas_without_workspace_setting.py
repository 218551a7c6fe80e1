"""Deterministic mode, and cuBLAS without its setting.

A real GPU ends this program with:

    RuntimeError: Deterministic behavior was enabled with either `torch.use_deterministic_algorithms(True)` or
    `at::Context::setDeterministicAlgorithms(true)`, but this operation is not deterministic because it uses
    CuBLAS and you have CUDA >= 10.2.
"""

import os

import torch

os.environ.pop("CUBLAS_WORKSPACE_CONFIG", None)
torch.use_deterministic_algorithms(True)
a = torch.randn(4, 4, device="cuda")
print(a @ a)
