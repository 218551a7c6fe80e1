"""Random numbers are those of CUDA's generator."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.cuda_build
Simulated = Callable[..., str]


def test_numbers_are_those_that_people_print(simulated: Simulated) -> None:
    """Forum posts print the first sequence, the examples of FlashInfer's LogitsPipe the second, as of a GPU."""
    program = """
import torch
torch.manual_seed(0)
print(torch.rand(4, device="cuda").tolist())
torch.manual_seed(42)
print(torch.randn(4, device="cuda").tolist())
"""
    printed = [[round(number, 4) for number in eval(line)] for line in simulated(program).splitlines()]
    assert printed == [[0.3990, 0.5167, 0.0249, 0.9401], [0.1940, 2.1614, -0.1721, 0.8491]]


def test_each_draw_moves_the_generator(simulated: Simulated) -> None:
    """The state is PyTorch's own: what it was restored to is drawn again, and nothing else is."""
    program = """
import torch
state = torch.cuda.get_rng_state()
first, second = torch.rand(1000, device="cuda"), torch.rand(1000, device="cuda")
torch.cuda.set_rng_state(state)
assert torch.equal(torch.rand(1000, device="cuda"), first) and not torch.equal(first, second)
print(round(first.mean().item()), sorted(torch.randperm(100, device="cuda").tolist()) == list(range(100)))
dropped = torch.nn.functional.dropout(torch.ones(10000, device="cuda"), 0.25)
print(0.73 < dropped.bool().float().mean().item() < 0.77, dropped.max().item())
"""
    assert simulated(program).splitlines()[1:] == ["True 1.3333333730697632"]


def test_a_complex_number_is_drawn_as_two_real_ones(simulated: Simulated) -> None:
    """So does PyTorch, each part with half of the variance; an H100 gave no zeros for the second."""
    program = """
import torch
def drawn(draw, *arguments):
    torch.manual_seed(0)
    return draw(*arguments, device="cuda")
for dtype, part in (torch.complex64, torch.float32), (torch.complex128, torch.float64):
    parts = torch.view_as_real(drawn(lambda device: torch.rand(5, 3, dtype=dtype, device=device)))
    print(torch.equal(parts, drawn(lambda device: torch.rand(5, 3, 2, dtype=part, device=device))))
    parts = torch.view_as_real(drawn(lambda device: torch.randn(5, 3, dtype=dtype, device=device)))
    real = drawn(lambda device: torch.randn(5, 3, 2, dtype=part, device=device))
    print(torch.allclose(parts, real / 2**0.5))
"""
    assert simulated(program).split() == ["True"] * 4


def test_another_algorithm_is_reported(simulated: Simulated) -> None:
    """Whoever compares outputs with a real GPU's must know which numbers cannot be equal."""
    program = """
import simulated_gpu, torch
with simulated_gpu.unsure() as known:
    torch.rand(3, device="cuda")
with simulated_gpu.unsure() as other:
    torch.poisson(torch.ones(3, device="cuda"))
print(known, other)
"""
    assert simulated(program) == "[] ['aten::poisson']\n"


def test_a_file_has_what_a_real_gpu_may_do_differently(simulated: Simulated, tmp_path: Path) -> None:
    """A program that runs others learns of what they do: TF32 rounds a convolution's factors, and some is refused."""
    program = """
import torch
torch.poisson(torch.ones(3, device="cuda"))
image, weight = torch.ones(1, 1, 4, 4, device="cuda"), torch.ones(1, 1, 3, 3, device="cuda")
torch.nn.functional.conv2d(image, weight)
torch.cuda._sleep(10)  # computes nothing, so nothing is refused
torch.backends.cudnn.allow_tf32 = False
torch.nn.functional.conv2d(image, weight)
try:
    torch.arange(3, device="cuda") // torch.arange(3, device="cuda")
except RuntimeError as error:
    print(type(error).__name__)
"""
    notes = tmp_path / "notes"
    assert simulated(program, SIMULATED_GPU_UNSURE=str(notes)) == "NotSimulated\n"
    lines = ["aten::poisson", "aten::cudnn_convolution in TF32", "aten::floor_divide on Long"]
    assert notes.read_text(encoding="utf-8").splitlines() == lines


def test_dropout_between_recurrent_layers_is_reported(simulated: Simulated) -> None:
    """On a real GPU cuDNN draws it with a generator of its own, unless cuDNN is turned off."""
    program = """
import simulated_gpu, torch
x = torch.randn(3, 2, 4, device="cuda")
def noted(layers):
    with simulated_gpu.unsure() as names:
        layers.cuda()(x)
    return names
LSTM, GRU = torch.nn.LSTM, torch.nn.GRU
print(noted(LSTM(4, 5, 2, dropout=0.5)), noted(GRU(4, 5, 2, dropout=0.5)), noted(LSTM(4, 5, 2, dropout=0.5).eval()))
with torch.inference_mode():
    print(noted(LSTM(4, 5, 2, dropout=0.5)))
with torch.backends.cudnn.flags(enabled=False):
    print(noted(LSTM(4, 5, 2, dropout=0.5)))
"""
    assert simulated(program).splitlines() == [
        "['aten::lstm.input'] ['aten::gru.input'] []",
        "['aten::lstm.input']",
        "[]",
    ]


def test_dropout_of_fused_attention_is_drawn_again_backward_and_reported(simulated: Simulated) -> None:
    """Backward must drop what forward dropped; which elements those are on a real GPU is not known for sure."""
    program = """
import simulated_gpu, torch
from torch.nn.attention import SDPBackend, sdpa_kernel
for dtype, kernel in (
    (torch.float32, SDPBackend.EFFICIENT_ATTENTION),
    (torch.float16, SDPBackend.FLASH_ATTENTION),
    (torch.float16, SDPBackend.CUDNN_ATTENTION),
):
    q, k, v = (torch.randn(2, 3, 16, 8, device="cuda", dtype=dtype) for _ in range(3))
    def attend(value):
        torch.manual_seed(1)
        with sdpa_kernel(kernel):
            return torch.nn.functional.scaled_dot_product_attention(q, k, value, dropout_p=0.25)
    with simulated_gpu.unsure() as names:
        out = attend(v.requires_grad_())
    grad, = torch.autograd.grad(out.sum(), v)
    moved = attend(v + 1).sum() - out.sum()
    print(names, torch.allclose(grad.float().sum(), moved.float(), rtol=0.02), (out == attend(v)).all().item())
"""
    assert simulated(program).splitlines() == [
        "['aten::_efficient_attention_forward'] True True",
        "['aten::_flash_attention_forward'] True True",
        "['aten::_cudnn_attention_forward'] True True",
    ]
