"""How files begin that are no checkpoint."""

from __future__ import annotations

import io

import torch

from claims.claimlib import claim, raises


@claim(
    "Since 2.6 `torch.load` checks first, and says `Weights only load failed`, with `Unsupported operand 60` at its end: 60 is the code of `<`."
)
def test_page() -> None:
    page = b"<html>"
    raises("Unsupported operand 60", torch.load, io.BytesIO(page))
    raises("invalid load key, '<'", torch.load, io.BytesIO(page), weights_only=False)


@claim("`version https://git-lfs` (`invalid load key, 'v'.`) | a pointer of Git LFS | `git lfs pull`")
def test_pointer() -> None:
    raises("invalid load key, 'v'.", torch.load, io.BytesIO(b"version https://git-lfs"), weights_only=False)
