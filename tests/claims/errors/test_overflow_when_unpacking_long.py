"""Numbers beyond `int64`."""

from __future__ import annotations

import torch

from claims.claimlib import claim, raises, refuses


@claim(
    "Hashes and 64-bit IDs are often larger, and `torch.manual_seed` raises it for a seed of 2<sup>64</sup> or more."
)
def test_seed() -> None:
    raises("Overflow when unpacking long", torch.manual_seed, 2**64)
    raises("Overflow when unpacking long", torch.tensor, 2**63)
    assert torch.Generator().manual_seed(2**64 - 1) is not None


@claim(
    "`uint64` has room up to 2<sup>64</sup>, but hardly any arithmetic: on the CPU `+` and `>` raise an error, and products wrap around."
)
def test_unsigned() -> None:
    x = torch.tensor([2**63], dtype=torch.uint64)
    assert refuses(lambda: x + x)
    assert refuses(lambda: x > x)
    assert (x * x).tolist() == [0]
