"""Memory levers: what computes the same, and what each keeps."""

from __future__ import annotations

from functools import partial

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils.checkpoint import checkpoint

from claims.claimlib import claim, close, same, shapes

PARTS = st.lists(st.integers(1, 9), min_size=1, max_size=5)


def saved_bytes(call: object) -> int:
    """Bytes of the storages that autograd keeps for a call."""
    kept: list[Tensor] = []
    with torch.autograd.graph.saved_tensors_hooks(lambda x: kept.append(x) or x, lambda x: x):
        result = call()
    del result
    return sum({x.untyped_storage()._cdata: x.untyped_storage().nbytes() for x in kept}.values())


def gradient(model: nn.Module, loss: Tensor) -> list[Tensor]:
    """Gradients of all parameters."""
    return list(torch.autograd.grad(loss, list(model.parameters())))


@claim(
    "The gradients add up, and only one chunk's activations are alive at a time.",
    "The step divides by the size of the whole batch, so the chunks may have any size.",
)
@given(PARTS)
def test_accumulation(parts: list[int]) -> None:
    model, n = nn.Linear(3, 1).double(), sum(parts)
    x, y = torch.randn(n, 3).double(), torch.randn(n, 1).double()
    for a, b in zip(x.split(parts), y.split(parts), strict=True):
        (F.mse_loss(model(a), b, reduction="sum") / n).backward()
    close([p.grad for p in model.parameters()], gradient(model, F.mse_loss(model(x), y)))


@claim("With padding (`ignore_index`), divide by the number of targets that count in the whole batch.")
@given(PARTS)
def test_accumulation_with_padding(parts: list[int]) -> None:
    model, n = nn.Linear(3, 4).double(), sum(parts) + 1
    x, y = torch.randn(n, 3).double(), torch.randint(4, (n,))
    y[1::2] = -100
    for a, b in zip(x.split([*parts, 1]), y.split([*parts, 1]), strict=True):
        (F.cross_entropy(model(a), b, reduction="sum") / (y != -100).sum()).backward()
    close([p.grad for p in model.parameters()], gradient(model, F.cross_entropy(model(x), y)))


@claim(
    "The usual recipe, the mean of each chunk divided by the number of chunks, is right only for chunks of equal size, without padding."
)
@given(st.integers(1, 5), st.integers(1, 5), st.integers(1, 3))
def test_usual_recipe(first: int, second: int, width: int) -> None:
    model = nn.Linear(width, 1, bias=False).double()
    x, y = (
        torch.arange(1.0, (first + second) * width + 1).double().reshape(-1, width),
        torch.zeros(first + second, 1).double(),
    )
    parts = [first, second]
    usual = sum(F.mse_loss(model(a), b) / 2 for a, b in zip(x.split(parts), y.split(parts), strict=True))
    right = F.mse_loss(model(x), y)
    assert torch.allclose(usual, right) == (first == second)


@claim(
    "`set_to_none=True`, the default, frees the gradients. With `False` they stay, filled with zeros.",
    "The two differ for the optimizer as well: it skips a parameter whose gradient is `None`, and applies weight decay to one whose gradient is zero.",
)
@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "RMSprop"])
def test_none_or_zero(name: str) -> None:
    weights = [nn.Parameter(torch.ones(2)) for _ in range(2)]
    optimizer = getattr(torch.optim, name)(weights, lr=0.1, weight_decay=0.1)
    for weight in weights:
        weight.grad = torch.ones(2)
    optimizer.zero_grad()
    assert weights[0].grad is None
    weights[1].grad = torch.zeros(2)
    optimizer.step()
    same(weights[0].detach(), torch.ones(2))
    assert (weights[1] < 1).all()


@claim("With 8 samples autograd keeps more bytes under autocast than in `float32`, with 256 samples fewer.")
@pytest.mark.parametrize(("samples", "more"), [(8, True), (256, False)])
def test_autocast_with_a_small_batch(samples: int, more: bool) -> None:
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
    weights = {p.untyped_storage()._cdata: p.untyped_storage().nbytes() for p in model.parameters()}

    def kept(enabled: bool) -> int:
        tensors: list[Tensor] = []
        with (
            torch.autograd.graph.saved_tensors_hooks(lambda x: tensors.append(x) or x, lambda x: x),
            torch.autocast("cpu", dtype=torch.bfloat16, enabled=enabled),
        ):
            output = model(torch.rand(samples, 64))
        storages = {x.untyped_storage()._cdata: x.untyped_storage().nbytes() for x in (*tensors, output)}
        return sum(size for key, size in storages.items() if key not in weights)

    assert (kept(True) > kept(False)) == more


@claim(
    "`scaled_dot_product_attention` computes the same, here with a kernel that does not keep them.",
    "Twice the positions cost four times the bytes by hand, and twice the bytes in the fused kernel.",
)
@given(st.integers(1, 3), st.integers(2, 5))
def test_attention(heads: int, length: int) -> None:
    def inputs(n: int) -> Tensor:
        return torch.randn(1, heads, n, 8).double().requires_grad_()

    def by_hand(x: Tensor) -> Tensor:
        return (x @ x.mT / 8**0.5).softmax(dim=-1) @ x

    x = inputs(length)
    close(F.scaled_dot_product_attention(x, x, x), by_hand(x))
    sizes = [saved_bytes(partial(F.scaled_dot_product_attention, *3 * (inputs(n),))) for n in (64, 128)]
    assert sizes[1] == pytest.approx(2 * sizes[0], rel=0.1)
    scores = [saved_bytes(partial(by_hand, inputs(n))) for n in (512, 1024)]
    assert scores[1] == pytest.approx(4 * scores[0], rel=0.1)


@claim(
    "The loss is the same, and the peak is a fraction.",
    "Join batch and positions before: `hidden.flatten(0, 1)` and `targets.flatten()`.",
    "With padding, divide by `(targets != -100).sum()` in place of `len(targets)`.",
)
@given(st.integers(1, 3), st.integers(1, 7), st.integers(1, 5))
def test_large_vocabulary(batch: int, length: int, chunk: int) -> None:
    head, hidden, targets = (
        nn.Linear(4, 9).double(),
        torch.randn(batch, length, 4).double(),
        torch.randint(9, (batch, length)),
    )
    targets[0, 1:] = -100

    def part(rows: Tensor, classes: Tensor) -> Tensor:
        return F.cross_entropy(head(rows), classes, reduction="sum")

    flat, classes = hidden.flatten(0, 1), targets.flatten()
    chunks = zip(flat.split(chunk), classes.split(chunk), strict=True)
    total = sum(checkpoint(part, a, b, use_reentrant=False) for a, b in chunks) / (targets != -100).sum()
    whole = F.cross_entropy(head(flat), classes)
    close(total, whole)
    close(gradient(head, total), gradient(head, whole))


@claim("`net.to(torch.bfloat16)` halves parameters, gradients, optimizer state and activations.")
@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW"])
def test_bfloat16(name: str) -> None:
    def sizes(dtype: torch.dtype) -> list[int]:
        net = nn.Sequential(nn.Linear(64, 64), nn.Tanh()).to(dtype)
        optimizer = getattr(torch.optim, name)(net.parameters())
        x = torch.rand(8, 64, dtype=dtype)
        activations = saved_bytes(lambda: net(x))
        net(x).sum().backward()
        optimizer.step()
        state = sum(v.nbytes for s in optimizer.state.values() for v in s.values() if isinstance(v, Tensor) and v.ndim)
        return [
            sum(p.nbytes for p in net.parameters()),
            sum(p.grad.nbytes for p in net.parameters()),
            state,
            activations,
        ]

    assert sizes(torch.bfloat16) == [size / 2 for size in sizes(torch.float32)]


@claim(
    "Parameters in `float16` are worse: Adam's `eps` of 1e-8 is 0 there, so without `fused=True` a gradient of 0 makes the parameter `nan`, and one of 1e-4 makes it infinite."
)
@pytest.mark.parametrize(
    ("gradient", "fused", "finite"), [(0.0, False, False), (1e-4, False, False), (0.0, True, True), (1e-4, True, True)]
)
def test_float16_and_adam(gradient: float, fused: bool, finite: bool) -> None:
    weight = nn.Parameter(torch.ones(2, dtype=torch.float16))
    weight.grad = torch.full((2,), gradient, dtype=torch.float16)
    torch.optim.Adam([weight], fused=fused).step()
    assert bool(weight.isfinite().all()) == finite
    assert finite or bool(weight.isnan().all()) == (gradient == 0)


@claim("Adam keeps two numbers for each parameter, SGD with momentum one, and plain SGD none.")
@given(shapes(1, 2, low=1))
def test_state(shape: tuple[int, ...]) -> None:
    for name, options, numbers in (("Adam", {}, 2), ("AdamW", {}, 2), ("SGD", {"momentum": 0.9}, 1), ("SGD", {}, 0)):
        weight = nn.Parameter(torch.ones(shape))
        weight.grad = torch.ones(shape)
        optimizer = getattr(torch.optim, name)([weight], **options)
        optimizer.step()
        kept = [
            value
            for state in optimizer.state.values()
            for value in state.values()
            if isinstance(value, Tensor) and value.shape == weight.shape
        ]
        assert len(kept) == numbers


@claim(
    "If the first layers are all frozen and the input requires no gradient, autograd saves nothing for them.",
    "A parameter that is frozen from the start, with `requires_grad=False`, has no gradient, and with most optimizers no state.",
)
@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "RMSprop"])
def test_frozen(name: str) -> None:
    first, last = nn.Sequential(nn.Linear(8, 8), nn.Tanh()), nn.Linear(8, 1)
    first.requires_grad_(False)
    assert saved_bytes(lambda: first(torch.rand(4, 8))) == 0
    optimizer = getattr(torch.optim, name)([*first.parameters(), *last.parameters()])
    last(first(torch.rand(4, 8))).sum().backward()
    optimizer.step()
    assert all(p.grad is None and p not in optimizer.state for p in first.parameters())


@claim("In training, `nn.MultiheadAttention` calls it only if you pass `need_weights=False`.")
def test_attention_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    calls, real = [], F.scaled_dot_product_attention
    monkeypatch.setattr(F, "scaled_dot_product_attention", lambda *a, **k: calls.append(1) or real(*a, **k))
    layer, x = nn.MultiheadAttention(4, 2), torch.ones(2, 1, 4)
    layer(x, x, x)
    assert not calls
    layer(x, x, x, need_weights=False)
    assert calls == [1]


@claim("So a sum of losses keeps all of their graphs.")
def test_sum_keeps_graphs() -> None:
    w = torch.ones(2, requires_grad=True)
    for keep in (True, False):
        total, alive = torch.zeros(()), []
        for _ in range(3):
            y = (w * 2).exp()
            alive.append(StorageWeakRef(y.untyped_storage()))
            loss = y.sum()
            total = total + (loss if keep else loss.detach())
        del y, loss
        assert [not one.expired() for one in alive] == [keep] * 3


@claim(
    "The running statistics of a frozen `BatchNorm` change all the same, unless you call `eval()` on that layer after each `model.train()`."
)
def test_frozen_statistics() -> None:
    model = nn.Sequential(nn.BatchNorm1d(2)).requires_grad_(False)
    model.train()
    model[0].eval()
    model(torch.rand(4, 2))
    assert model[0].running_mean.tolist() == [0, 0]
    model.train()
    model(torch.rand(4, 2))
    assert model[0].running_mean.tolist() != [0, 0]


@claim("If you freeze it later, call `zero_grad()` first, or the optimizer goes on with the old gradient.")
def test_frozen_later() -> None:
    for cleared in (True, False):
        parameter = nn.Parameter(torch.ones(1))
        optimizer = torch.optim.SGD([parameter], lr=0.1)
        parameter.sum().backward()
        parameter.requires_grad_(False)
        if cleared:
            optimizer.zero_grad()
        optimizer.step()
        assert (parameter.item() == 1) is cleared
