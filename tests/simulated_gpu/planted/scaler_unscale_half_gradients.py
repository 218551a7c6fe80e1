"""GradScaler with a model that is itself in half precision.

A real GPU ends this program with:

    ValueError: Attempting to unscale FP16 gradients.
"""

import torch
from torch import nn

model = nn.Linear(8, 2).cuda().half()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cuda")
loss = model(torch.randn(4, 8, device="cuda", dtype=torch.float16)).float().mean()
scaler.scale(loss).backward()
scaler.step(optimizer)
