"""Decompositions of a matrix with nan."""

from __future__ import annotations

import pytest
import torch

from claims.claimlib import NAN, claim, raises

CONVERGE = "The algorithm failed to converge because the input matrix"


@claim("`linalg.eigh`, `pinv`, `matrix_rank` and `torch.pca_lowrank` use the same algorithms.")
@pytest.mark.parametrize("call", [torch.linalg.pinv, torch.linalg.matrix_rank, torch.pca_lowrank])
def test_others(call: object) -> None:
    raises(f"{CONVERGE} contained non-finite values", call, torch.full((8, 8), NAN))


@claim(
    "But `linalg.eigh` says this too, of `eigenvalues`, for a matrix with `nan`: [look for those first](#err-svd-non-finite)."
)
def test_eigh() -> None:
    raises(
        f"{CONVERGE} is ill-conditioned or has too many repeated eigenvalues",
        torch.linalg.eigh,
        torch.full((3, 3), NAN),
    )
