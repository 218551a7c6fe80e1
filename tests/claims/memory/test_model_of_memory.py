"""A model of memory: what each part of a training step takes."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from claims.claimlib import claim, shapes

SIZE = st.integers(1, 9)


def kept(call: object) -> dict[int, int]:
    """Bytes of each storage that autograd keeps for a call."""
    tensors: list[Tensor] = []
    with torch.autograd.graph.saved_tensors_hooks(lambda x: tensors.append(x) or x, lambda x: x):
        call()
    return {x.untyped_storage()._cdata: x.untyped_storage().nbytes() for x in tensors}


def state_bytes(optimizer: torch.optim.Optimizer) -> int:
    """Bytes of the optimizer's tensors, counters left out."""
    return sum(v.nbytes for s in optimizer.state.values() for v in s.values() if isinstance(v, Tensor) and v.ndim)


@claim(
    "A parameter takes as many bytes as it has elements, times the bytes of an element. `nbytes` is that product.",
    "A new layer has `float32` parameters, unless you ask for another dtype.",
)
@given(SIZE, SIZE)
def test_parameters(a: int, b: int) -> None:
    for parameter in nn.Linear(a, b).parameters():
        assert parameter.dtype == torch.float32
        assert parameter.nbytes == parameter.numel() * 4
    assert nn.Linear(a, b, dtype=torch.bfloat16).weight.nbytes == 2 * a * b


@claim(
    "`backward()` gives each trainable parameter that took part a gradient of the same shape and dtype.",
    "The gradients take exactly the bytes of the parameters.",
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16], ids=str)
def test_gradients(dtype: torch.dtype) -> None:
    model = nn.Sequential(nn.Linear(3, 4), nn.LayerNorm(4), nn.Linear(4, 2)).to(dtype)
    unused = nn.Linear(1, 1)
    model(torch.rand(2, 3, dtype=dtype)).sum().backward()
    assert all((p.grad.shape, p.grad.dtype) == (p.shape, p.dtype) for p in model.parameters())
    assert unused.weight.grad is None


@claim(
    "Adam keeps two tensors of the parameter's size, the means of the gradients and of their squares; SGD with momentum keeps one.",
    "The first `step()` creates them.",
    "In `float32` Adam and AdamW need 16 bytes for every parameter by default: 4 for itself, 4 for its gradient, 8 for the state.",
)
@pytest.mark.parametrize(
    ("name", "options", "tensors"), [("Adam", {}, 2), ("AdamW", {}, 2), ("SGD", {"momentum": 0.9}, 1), ("SGD", {}, 0)]
)
def test_optimizer_state(name: str, options: dict[str, float], tensors: int) -> None:
    weight = nn.Parameter(torch.ones(10))
    optimizer = getattr(torch.optim, name)([weight], **options)
    assert state_bytes(optimizer) == 0
    weight.grad = torch.ones(10)
    optimizer.step()
    assert state_bytes(optimizer) == tensors * weight.nbytes


@claim("Adafactor keeps a number for each row and each column of a matrix.")
@given(st.integers(2, 40), st.integers(2, 40))
def test_adafactor(rows: int, columns: int) -> None:
    weight = nn.Parameter(torch.ones(rows, columns))
    weight.grad = torch.ones(rows, columns)
    optimizer = torch.optim.Adafactor([weight])
    optimizer.step()
    assert state_bytes(optimizer) == 4 * (rows + columns)


@claim(
    "Autograd saves the output of a `ReLU` twice, for the `ReLU` itself and as the input of the next layer, but it is one piece of memory."
)
@given(SIZE, SIZE)
def test_relu(a: int, b: int) -> None:
    model = nn.Sequential(nn.Linear(a, b), nn.ReLU(), nn.Linear(b, 1))
    x, saved = torch.rand(3, a), []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: saved.append(t) or t, lambda t: t):
        hidden = model[1](model[0](x))
        output = model[2](hidden)
    del output
    assert sum(t.untyped_storage()._cdata == hidden.untyped_storage()._cdata for t in saved) == 2


@claim(
    "An addition saves nothing. `exp` and `ReLU` save their output. The layers with trainable weights save their input, and so does `GELU`."
)
@given(shapes(2, 2, low=1))
def test_what_operations_save(shape: tuple[int, ...]) -> None:
    x = torch.rand(shape, requires_grad=True)
    own = x.untyped_storage()._cdata
    assert kept(lambda: x + 1) == {} == kept(lambda: x + x)
    for call in (torch.exp, F.relu):
        found = kept(lambda call=call: call(x))
        assert own not in found
        assert list(found.values()) == [x.nbytes]
    for call in (nn.Linear(shape[1], 2), nn.LayerNorm(shape[1]), F.gelu):
        assert own in kept(lambda call=call: call(x))


@claim(
    "An operation saves tensors only if one of its inputs or parameters requires a gradient.",
    "The last line equals the first: `eval()` alone does not stop the saving.",
)
def test_only_if_required() -> None:
    layer, x = nn.Linear(4, 4), torch.rand(2, 4)
    assert kept(lambda: layer(x)) == kept(lambda: layer.eval()(x)) != {}
    layer.requires_grad_(False)
    assert kept(lambda: layer(x)) == {}
    assert kept(lambda: layer(x.clone().requires_grad_())) != {}


@claim("`bfloat16` halves each part, and autocast changes only the activations.")
@pytest.mark.parametrize("name", ["Adam", "AdamW", "SGD"])
def test_by_dtype(name: str) -> None:
    def parts(dtype: torch.dtype, autocast: bool) -> list[int]:
        model = nn.Sequential(nn.Linear(64, 64), nn.ReLU()).to(dtype)
        optimizer = getattr(torch.optim, name)(model.parameters())
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=autocast):
            loss = model(torch.rand(8, 64, dtype=dtype)).float().sum()
        loss.backward()
        optimizer.step()
        return [
            sum(p.nbytes for p in model.parameters()),
            sum(p.grad.nbytes for p in model.parameters()),
            state_bytes(optimizer),
        ]

    assert parts(torch.bfloat16, False) == [size / 2 for size in parts(torch.float32, False)]
    assert parts(torch.float32, True) == parts(torch.float32, False)
