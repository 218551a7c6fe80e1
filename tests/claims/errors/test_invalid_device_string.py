"""Strings that name no device."""

from __future__ import annotations

import pytest
import torch

from claims.claimlib import claim, raises


@claim(
    'Or the string is something else: only an index (`"0"`), several GPUs (`"cuda:0,1"`), a space (`"cuda: 0"`), a negative index (`"cuda:-1"`) or a dtype (`"float16"`).'
)
@pytest.mark.parametrize("name", ["0", "cuda:0,1", "cuda: 0", "cuda:-1", "float16"])
def test_others(name: str) -> None:
    raises(f"Invalid device string: '{name}'", torch.device, name)
