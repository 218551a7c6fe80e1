"""Options about workers."""

from __future__ import annotations

from torch.utils.data import DataLoader

from claims.claimlib import claim, raises


@claim("Both options are about workers, and `num_workers` is 0.")
def test_options() -> None:
    raises("prefetch_factor option could only be specified", DataLoader, [1], prefetch_factor=2)
    raises("persistent_workers option needs num_workers > 0", DataLoader, [1], persistent_workers=True)
    assert list(DataLoader([1], prefetch_factor=None, persistent_workers=False))
