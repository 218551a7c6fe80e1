"""Empty datasets."""

from __future__ import annotations

from torch.utils.data import DataLoader

from claims.claimlib import claim, raises


@claim("Without `shuffle=True` there is no error, and the loop runs zero times:")
def test_empty() -> None:
    assert list(DataLoader([])) == []  # type: ignore[arg-type]
    raises("num_samples should be a positive integer value", DataLoader, [], shuffle=True)
