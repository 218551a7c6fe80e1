"""Time is asked of events that were made without timing.

A real GPU ends this program with:

    ValueError: Both events must be created with argument 'enable_timing=True'.
"""

import torch

start, end = torch.cuda.Event(), torch.cuda.Event()
start.record()
torch.ones(3, device="cuda")
end.record()
print(start.elapsed_time(end))
