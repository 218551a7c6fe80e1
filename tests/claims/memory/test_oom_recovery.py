"""After running out of memory: what can be repeated."""

from __future__ import annotations

import weakref

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from claims.claimlib import claim, one_memory, raises, same


def run_out(*given_arguments: object, **options: object) -> None:
    """Instead of a real error."""
    raise torch.OutOfMemoryError("instead of a real one")


@claim("The error is a `RuntimeError` with two names.")
def test_class() -> None:
    assert torch.cuda.OutOfMemoryError is torch.OutOfMemoryError
    assert issubclass(torch.OutOfMemoryError, RuntimeError)


@claim(
    "So the local tensors of a function that failed live as long as the `except` block runs, and freeing memory in there does not work.",
    "A name that outlives the block keeps the tensors too, until you drop the traceback (and that of its `__context__`, if another error came before):",
)
def test_tracebacks() -> None:
    alive: list[weakref.ref[torch.Tensor]] = []

    def step() -> None:
        x = torch.ones(10)
        alive.append(weakref.ref(x))
        run_out()

    try:
        step()
    except torch.OutOfMemoryError as error:
        assert alive[0]() is not None
        kept = error
    assert alive[0]() is not None
    kept.__traceback__ = None
    assert alive[0]() is None


@claim(
    "The layers that the backward pass has reached keep their gradients.",
    "A second attempt would add to the gradients of the last four layers, so call `zero_grad()` before it.",
)
@given(st.integers(1, 5), st.integers(1, 5))
def test_half_a_backward(first: int, last: int) -> None:
    model = nn.Sequential(*[nn.Linear(2, 2) for _ in range(first + last)])
    middle = model[:first](torch.ones(1, 2))
    middle.register_hook(run_out)
    raises("instead of a real one", model[first:](middle).sum().backward)
    assert [layer.weight.grad is not None for layer in model] == [False] * first + [True] * last


@claim(
    "If that was the first step, a second call raises `KeyError: 'exp_avg'` or `'exp_avg_sq'`, because only a part of the state is there."
)
@pytest.mark.parametrize("name", ["Adam", "AdamW"])
@pytest.mark.parametrize("place", [1, 2, 3, 4])
def test_first_step(name: str, place: int, monkeypatch: pytest.MonkeyPatch) -> None:
    weights = [nn.Parameter(torch.ones(3)) for _ in range(2)]
    for weight in weights:
        weight.grad = torch.ones(3)
    optimizer, calls, zeros = getattr(torch.optim, name)(weights), [], torch.zeros_like
    with monkeypatch.context() as patch:
        patch.setattr(
            torch,
            "zeros_like",
            lambda *a, **k: (calls.append(1), run_out() if len(calls) == place else None, zeros(*a, **k))[2],
        )
        raises("instead of a real one", optimizer.step)
    with pytest.raises(KeyError, match="exp_avg"):
        optimizer.step()


@claim("In a later step, it counts the same batch twice for some parameters, and no error is raised.")
def test_later_step(monkeypatch: pytest.MonkeyPatch) -> None:
    weights = [nn.Parameter(torch.ones(3)) for _ in range(2)]
    for weight in weights:
        weight.grad = torch.ones(3)
    optimizer = torch.optim.Adam(weights, foreach=False)
    optimizer.step()
    with monkeypatch.context() as patch:
        patch.setattr(torch.Tensor, "addcdiv_", run_out)
        raises("instead of a real one", optimizer.step)
    optimizer.step()
    assert [optimizer.state[weight]["step"].item() for weight in weights] == [3, 2]


@claim("A `state_dict()` itself is no copy: it refers to the tensors that the step changes.")
def test_state_dict_is_no_copy() -> None:
    layer = nn.Linear(2, 2)
    optimizer = torch.optim.Adam(layer.parameters())
    layer(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    assert one_memory(layer.state_dict()["weight"], layer.weight)
    assert optimizer.state_dict()["state"][0]["exp_avg"] is optimizer.state[layer.weight]["exp_avg"]


@claim(
    "In `eval()` mode the predictions of most models do not depend on the other samples of the batch, so you can cut the batch until the pieces fit."
)
@given(st.integers(1, 9))
def test_pieces(chunk: int) -> None:
    model, x = (
        nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(), nn.Linear(8, 3)).double().eval(),
        torch.randn(9, 4).double(),
    )
    whole = model(x).argmax(dim=1)
    same(torch.cat([model(part).argmax(dim=1) for part in x.split(chunk)]), whole)
