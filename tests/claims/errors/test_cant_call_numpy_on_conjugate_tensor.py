"""What marks a tensor as conjugate."""

from __future__ import annotations

import torch

from claims.claimlib import claim


@claim(
    "`conj()` only marks a tensor as conjugate and leaves the numbers in memory as they are; so do `.H`, `.mH` and `adjoint()`."
)
def test_marks() -> None:
    x = torch.rand(2, 2, dtype=torch.complex64)
    for marked in (x.conj(), x.H, x.mH, x.adjoint()):
        assert marked.is_conj()
        assert marked.data_ptr() == x.data_ptr()


@claim("The imaginary part of such a tensor has the negative bit set; use `resolve_neg()` for it.")
def test_negative() -> None:
    part = torch.tensor([1 + 2j]).conj().imag
    assert part.is_neg()
    assert part.resolve_neg().numpy().tolist() == [-2]
