"""Masked arrays of NumPy."""

from __future__ import annotations

import warnings

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.utils.data import DataLoader

from claims.claimlib import claim


@claim(
    "`from_numpy`, like `torch.tensor`, reads the data of a `numpy.ma` array and ignores the mask, so hidden values come back.",
    "So does a `DataLoader` whose items are such arrays; of an array of numbers, as here, it makes `nan` of the hidden ones, with a warning, or, if the first number of a batch is hidden, 0, without one.",
)
@given(st.lists(st.booleans(), min_size=1, max_size=5))
def test_hidden_values(mask: list[bool]) -> None:
    data = np.arange(1.0, len(mask) + 1)
    measured = np.ma.array(data, mask=mask)
    for x in (torch.from_numpy(measured), torch.tensor(measured), torch.as_tensor(measured)):
        assert x.tolist() == data.tolist()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert next(iter(DataLoader([measured])))[0].tolist() == data.tolist()
        numbers = next(iter(DataLoader(measured, batch_size=len(mask))))
    warned = any("masked element to nan" in str(warning.message) for warning in caught)
    if mask[0]:
        assert (numbers == 0).tolist() == mask
        assert not warned
    else:
        assert numbers.isnan().tolist() == mask
        assert warned == any(mask)
