"""What `cat` takes."""

from __future__ import annotations

import torch

from claims.claimlib import claim, raises, same

X = torch.rand(2, 3)


@claim("`(x)` is no tuple; write `(x,)` or `[x]`.")
def test_no_tuple() -> None:
    raises("must be tuple of Tensors, not Tensor", torch.cat, (X))
    same(torch.cat((X,)), torch.cat([X]))


@claim(
    "A generator or `values()` of a dictionary raises the error with its own name at the end: put it into `list(...)`."
)
def test_other_iterables() -> None:
    raises("not generator", torch.cat, (x for x in [X]))
    raises("not dict_values", torch.cat, {"a": X}.values())
    same(torch.cat(list({"a": X}.values())), X)


@claim("If you want its rows one after another, write `batches.flatten(0, 1)`.")
def test_rows() -> None:
    batches = torch.rand(2, 3, 4)
    same(batches.flatten(0, 1), torch.cat(list(batches)))
