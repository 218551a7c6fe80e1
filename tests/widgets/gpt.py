"""The GPT that the memory calculator describes."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint


class Block(nn.Module):
    """One layer, with heads of 64."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        """Attention, then the two wide layers, each added to its input."""
        parts = self.qkv(self.first(x)).chunk(3, -1)
        query, key, value = (part.unflatten(-1, (-1, 64)).transpose(1, 2) for part in parts)
        seen = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.out(seen.transpose(1, 2).reshape(x.shape))
        return x + self.down(functional.gelu(self.up(self.second(x))))


class Model(nn.Module):
    """All of it. Its last layer is its embedding."""

    def __init__(self, layers: int, width: int, vocabulary: int, tokens: int, checkpointing: bool) -> None:
        super().__init__()
        self.checkpointing = checkpointing
        self.words, self.places = nn.Embedding(vocabulary, width), nn.Embedding(tokens, width)
        self.blocks = nn.ModuleList(Block(width) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.words.weight

    def forward(self, words: Tensor) -> Tensor:
        """The loss of predicting each word, which is all that matters here."""
        x = self.words(words) + self.places.weight
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False) if self.checkpointing else block(x)
        return functional.cross_entropy(self.head(self.norm(x)).flatten(0, 1), words.flatten())
