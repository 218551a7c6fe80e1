"""NumPy's dtypes and names in the place of PyTorch's."""

from __future__ import annotations

import numpy as np
import torch

from claims.claimlib import claim, raises


@claim('A string such as `"float32"` gives `not str`, and `array.dtype` gives `not numpy.dtypes.Float32DType`.')
def test_not() -> None:
    raises("must be torch.dtype, not str", torch.tensor, [1], dtype="float32")
    raises("not numpy.dtypes.Float32DType", torch.tensor, [1], dtype=np.ones(1, np.float32).dtype)


@claim("`x.to(\"float32\")` says `Invalid device string: 'float32'`, since `to` takes a string for a device.")
def test_to() -> None:
    raises("Invalid device string: 'float32'", torch.ones(1).to, "float32")
