"""A copy from the CPU within a graph: https://github.com/flagos-ai/FlagGems/pull/4472

A GPU ends this program with:

    RuntimeError: Cannot copy between CPU and CUDA tensors during CUDA graph capture unless the CPU tensor is pinned.

Up to PyTorch 2.10 nothing checks this. The copy waits for the stream, and the capture ends with:

    CUDA error: operation failed due to a previous error during capture
"""

import torch

graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    torch.tensor([1, 2, 3], device="cuda")
