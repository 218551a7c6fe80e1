"""Products of integers."""

from __future__ import annotations

import pytest
import torch

from claims.claimlib import claim, on_cuda, raises


@claim(
    "The same limit has other names: `Int`, `Byte` or `Bool` for other types, `addmv_impl_cuda` with a vector, `dot` with two, `baddbmm_cuda` with batches."
)
@on_cuda
@pytest.mark.parametrize(
    ("dtype", "name"), [(torch.int64, "Long"), (torch.int32, "Int"), (torch.uint8, "Byte"), (torch.bool, "Bool")]
)
def test_names(dtype: torch.dtype, name: str) -> None:
    matrix = torch.ones(2, 2, dtype=dtype, device="cuda")
    raises(f"\"addmm_cuda\" not implemented for '{name}'", torch.matmul, matrix, matrix)
    raises(f"\"addmv_impl_cuda\" not implemented for '{name}'", torch.matmul, matrix, matrix[0])
    raises(f"\"dot\" not implemented for '{name}'", torch.matmul, matrix[0], matrix[0])
    raises(f"\"baddbmm_cuda\" not implemented for '{name}'", torch.bmm, matrix[None], matrix[None])


@claim("`float64` holds every integer up to 2<sup>53</sup>, so the result is exact if no sum gets larger.")
def test_exact() -> None:
    x = torch.tensor([[2**26 + 1, 3], [5, 2**25 + 7]])
    assert (x.double() @ x.double()).long().tolist() == (x @ x).tolist()
    assert torch.tensor(2**53 + 1).double().long() == 2**53
