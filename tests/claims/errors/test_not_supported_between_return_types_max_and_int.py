"""The tuple of `max`."""

from __future__ import annotations

import torch

from claims.claimlib import claim, raises


@claim("`==`, and `*` with an integer, raise no error: Python compares and repeats the tuple.")
def test_tuple() -> None:
    found = torch.rand(2, 3).max(dim=1)
    raises("'>' not supported", lambda: found > 1)
    assert (found == 3) is False
    assert len(found * 2) == 4
