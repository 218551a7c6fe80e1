"""Train a transformer of seven billion parameters for one step, in bfloat16 with AdamW.

    python -m simulated_gpu --memory 80GiB --shapes-only --report tests/simulated_gpu/programs/seven_billion.py

The sizes are those of Llama 2 7B.
"""

from __future__ import annotations

import resource

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

WIDTH, HEADS, HIDDEN, LAYERS, WORDS = 4096, 32, 11008, 32, 32000
BATCH, LENGTH = 2, 2048


class Block(nn.Module):
    """Attention and a gated network, each behind a norm."""

    def __init__(self) -> None:
        super().__init__()
        self.norms = nn.ModuleList(nn.RMSNorm(WIDTH) for _ in range(2))
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH, bias=False)
        self.out = nn.Linear(WIDTH, WIDTH, bias=False)
        self.gate_up = nn.Linear(WIDTH, 2 * HIDDEN, bias=False)
        self.down = nn.Linear(HIDDEN, WIDTH, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = self.qkv(self.norms[0](x)).unflatten(-1, (3, HEADS, -1)).permute(2, 0, 3, 1, 4)
        attended = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.out(attended.transpose(1, 2).flatten(2))
        gate, up = self.gate_up(self.norms[1](x)).chunk(2, -1)
        return x + self.down(functional.silu(gate) * up)


class Transformer(nn.Module):
    """Words in, the next words' scores out."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(WORDS, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm = nn.RMSNorm(WIDTH)
        self.head = nn.Linear(WIDTH, WORDS, bias=False)

    def forward(self, words: Tensor) -> Tensor:
        x = self.embedding(words)
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False)
        return self.head(self.norm(x))


torch.set_default_dtype(torch.bfloat16)
with torch.device("cuda"):
    model = Transformer()
    words = torch.randint(WORDS, (BATCH, LENGTH + 1))
optimizer = torch.optim.AdamW(model.parameters(), fused=True)
loss = functional.cross_entropy(model(words[:, :-1]).flatten(0, 1), words[:, 1:].flatten())
loss.backward()
nn.utils.clip_grad_norm_(model.parameters(), 1.0)
optimizer.step()
optimizer.zero_grad()
print(f"{sum(parameter.numel() for parameter in model.parameters()):,} parameters")
print(f"{torch.cuda.max_memory_allocated():,} bytes at the peak")
print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.1f} GiB of main memory")
