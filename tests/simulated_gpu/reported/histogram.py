"""An operator without a CUDA kernel: https://github.com/sbi-dev/sbi/issues/1595

A GPU ends this program with:

    NotImplementedError: Could not run 'aten::histogram.bin_ct' with arguments from the 'CUDA' backend.
"""

import torch

torch.histogram(torch.rand(9, device="cuda"), density=True, bins=3)
