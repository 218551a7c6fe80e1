"""Quantized tensors on simulated GPUs: the integers are the CPU's."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytestmark = pytest.mark.cuda_build


def test_numbers_become_the_integers_of_the_cpu(simulated: Callable[..., str]) -> None:
    """With one scale, one a channel, or one that is found."""
    program = """
import torch, warnings
warnings.simplefilter("ignore")
x = torch.randn(4, 3)
scales, zeros = torch.tensor([0.1, 0.2, 0.3]), torch.tensor([0, 1, 2])
ways = [
    lambda d: torch.quantize_per_tensor(x.to(d), 0.1, 3, torch.qint8),
    lambda d: torch.quantize_per_channel(x.to(d), scales.to(d), zeros.to(d), 1, torch.quint8),
    lambda d: torch.quantize_per_tensor_dynamic(x.to(d), torch.quint8, False),
]
for way in ways:
    there, here = way("cuda"), way("cpu")
    print(
        torch.equal(there.int_repr().cpu(), here.int_repr()), torch.equal(there.dequantize().cpu(), here.dequantize()),
        torch.equal(there.cpu().int_repr(), here.int_repr()), torch.equal(here.cuda().int_repr(), there.int_repr()),
        torch.equal(there[::2].clone().int_repr().cpu(), here[::2].int_repr()),
    )
there, here = ways[0]("cuda"), ways[0]("cpu")
print(torch.equal(there.t().contiguous().relu().int_repr().cpu(), here.t().contiguous().relu().int_repr()))
try:
    torch.ops.quantized.add(there, there, 0.1, 0)
except RuntimeError as error:
    print("NotSimulated" in str(error))
"""
    assert simulated(program).split() == ["True"] * 17
