"""Autograd: what records, what stops, what is kept."""

from __future__ import annotations

import weakref

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from claims.claimlib import DTYPES, claim, close, one_memory, raises, refuses, same, tensors
from claims.tensors.regression import at_once, one_by_one

DIFFERENTIABLE = (torch.float32, torch.float64, torch.complex64)
NUMBERS = st.floats(-3, 3, width=32)
OPTIMIZERS = [
    name
    for name in torch.optim.__all__
    if isinstance(getattr(torch.optim, name, None), type) and name not in ("Optimizer", "LBFGS", "SparseAdam")
]


def some(dtype: torch.dtype = torch.float64) -> Tensor:
    """A vector that requires a gradient."""
    return torch.tensor([1.0, 2.0, 3.0], dtype=dtype, requires_grad=True)


@claim("Only floating-point and complex tensors can require gradients: integers raise an error.")
def test_dtypes() -> None:
    for dtype in DTYPES:
        assert refuses(torch.ones(2, dtype=dtype).requires_grad_) == (
            not dtype.is_floating_point and not dtype.is_complex
        )


@claim(
    "The floating-point or complex result of a differentiable operation requires a gradient too, and carries a `grad_fn`, the record of its last operation."
)
@given(tensors(dtypes=DIFFERENTIABLE))
def test_results(x: Tensor) -> None:
    x = x.detach().requires_grad_()
    for y in (x + 1, x.exp(), x.sum(), x[None], x.clone(), x * torch.ones(()), x.reshape(-1)):
        assert y.requires_grad
        assert y.grad_fn is not None
    assert not (x == 1).requires_grad


@claim(
    "A leaf is a tensor that no recorded operation has made: `is_leaf` is `True`, and `grad_fn` is `None`.",
    "A tensor that does not require a gradient is a leaf too.",
)
@given(tensors(gradient=True))
def test_leaf(x: Tensor) -> None:
    assert x.is_leaf
    assert x.grad_fn is None
    y = x.clone()
    assert y.is_leaf == (y.grad_fn is None) == (not x.requires_grad)


@claim("`w.to(torch.float64)` is a result, not a leaf, because the conversion is an operation like any other.")
def test_conversion() -> None:
    w = some(torch.float32)
    assert not w.to(torch.float64).is_leaf
    assert w.to(torch.float32) is w


@claim(
    "`backward()` stores gradients in the leaves that require one.",
    "Without `retain_grad()`, only `w` would have a `.grad`, because only leaf tensors keep it.",
)
@pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor that is not a leaf")
def test_who_keeps_a_gradient() -> None:
    w, x = some(), torch.ones(3)
    y = w * x
    y.sum().backward()
    assert [tensor.grad is not None for tensor in (w, x, y)] == [True, False, False]


@claim(
    "`optimizer.zero_grad()` and `model.zero_grad()` set `.grad` to `None`.",
    "With `set_to_none=False` they fill it with zeros, and that is not quite the same:",
)
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_zero_grad(name: str) -> None:
    model = nn.Linear(2, 2, bias=False)
    optimizer = getattr(torch.optim, name)(model.parameters())
    for clear in (optimizer.zero_grad, model.zero_grad):
        model(torch.ones(1, 2)).sum().backward()
        clear(set_to_none=False)
        same(model.weight.grad, torch.zeros(2, 2))
        clear()
        assert model.weight.grad is None


@claim(
    "an optimizer such as SGD skips a parameter without a gradient, but a gradient of zero still counts for momentum and weight decay."
)
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_no_gradient_is_skipped(name: str) -> None:
    w = nn.Parameter(torch.ones(2, 2))
    getattr(torch.optim, name)([w]).step()
    same(w.detach(), torch.ones(2, 2))
    w.grad = torch.zeros(2, 2)
    torch.optim.SGD([w], lr=0.1, weight_decay=0.5).step()
    assert (w < 1).all()


@claim(
    "Inside `torch.no_grad()` and `torch.inference_mode()`, PyTorch records nothing, and results require no gradient.",
    "(A view such as `w[0]` still reports the flag of `w`.)",
    "Both are decorators too.",
)
@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
@given(x=tensors(dtypes=DIFFERENTIABLE))
def test_stop_recording(mode: type, x: Tensor) -> None:
    x = x.detach().requires_grad_()

    @mode()
    def compute() -> list[Tensor]:
        return [x + 1, x.exp(), x.sum(), x.clone(), x @ x if x.ndim == 1 else x * x]

    for y in compute():
        assert not y.requires_grad
        assert y.grad_fn is None
        assert y.is_inference() == (mode is torch.inference_mode)


@claim("Under `no_grad`, a tensor that asks for gradients when it is created still requires them:")
def test_created_under_no_grad() -> None:
    with torch.no_grad():
        assert torch.ones(1, requires_grad=True).requires_grad
        assert nn.Linear(1, 1).weight.requires_grad


@claim(
    "Do not create a model under `inference_mode`: its parameters become inference tensors, which an optimizer cannot change outside of it."
)
def test_model_under_inference_mode() -> None:
    with torch.inference_mode():
        model = nn.Linear(1, 1)
    assert model.weight.is_inference()
    for parameter in model.parameters():
        parameter.grad = torch.ones_like(parameter)
    raises("Inplace update to inference tensor", torch.optim.SGD(model.parameters()).step)


@claim(
    "`x.detach()` returns the same values without the history. No gradient flows back through it.",
    "`detach()` shares the memory; add `clone()` for a copy of your own.",
    "`x.clone()` alone stays in the graph.",
)
@given(tensors(dtypes=DIFFERENTIABLE))
def test_detach(x: Tensor) -> None:
    x = x.detach().requires_grad_()
    y = (x * 1).detach()
    assert not y.requires_grad
    assert one_memory(x.detach(), x)
    assert not one_memory(x.detach().clone(), x)
    assert x.clone().grad_fn is not None


@claim(
    "`requires_grad_(False)` on a module stops the gradients of its parameters. Gradients still flow through the layer to those before it."
)
@pytest.mark.parametrize(
    "frozen",
    [nn.Linear(3, 3), nn.BatchNorm1d(3), nn.LayerNorm(3), nn.Sequential(nn.Linear(3, 3), nn.ReLU())],
    ids=lambda layer: type(layer).__name__,
)
def test_freeze(frozen: nn.Module) -> None:
    first = nn.Linear(2, 3)
    frozen.requires_grad_(False)
    nn.Sequential(first, frozen)(torch.randn(4, 2)).square().sum().backward()
    assert first.weight.grad is not None
    assert all(parameter.grad is None for parameter in frozen.parameters())


@claim(
    "The running mean of the frozen batch norm is no longer zero: it is a buffer, and each forward pass in training mode changes it.",
    "So call `eval()` on a frozen layer too, after every `model.train()`, which would undo it:",
)
def test_frozen_batch_norm() -> None:
    model = nn.Sequential(nn.BatchNorm1d(3).requires_grad_(False))
    before = model[0].running_mean.clone()
    model[0].eval()
    model(torch.randn(4, 3))
    same(model[0].running_mean, before)
    model.train()
    model(torch.randn(4, 3))
    assert not torch.equal(model[0].running_mean, before)


@claim("`layer.requires_grad = False` only gives the module a new attribute, without a message:")
def test_attribute() -> None:
    layer = nn.Linear(1, 1)
    layer.requires_grad = False
    assert layer.weight.requires_grad


@claim(
    "A `.grad` that is already there stays, and an optimizer still applies it, so call `zero_grad()` when you freeze later."
)
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_frozen_with_a_gradient(name: str) -> None:
    layer = nn.Linear(2, 2)
    layer(torch.ones(1, 2)).sum().backward()
    layer.requires_grad_(False)
    before = layer.weight.clone()
    getattr(torch.optim, name)([layer.weight]).step()
    assert not torch.equal(layer.weight, before)


@claim(
    "Because `backward()` frees the saved values, a second call that needs them raises an error.",
    "`backward(retain_graph=True)` keeps them for the next call.",
)
def test_second_backward() -> None:
    for call, saves in ((torch.exp, True), (torch.tanh, True), (lambda x: x * x, True), (lambda x: x + 1, False)):
        y = call(some()).sum()
        y.backward(retain_graph=True)
        y.backward()
        assert refuses(y.backward) == saves


@claim(
    "This equals `((w**2) * gradient).sum().backward()`. With all ones it equals `.sum().backward()`, the usual form.",
    "`backward()` without arguments starts at a single real number.",
)
@given(st.lists(NUMBERS, min_size=2, max_size=5))
def test_gradient_argument(data: list[float]) -> None:
    w, gradient = (
        torch.tensor(data, dtype=torch.float64, requires_grad=True),
        torch.arange(1.0, len(data) + 1, dtype=torch.float64),
    )
    raises("grad can be implicitly created only for scalar outputs", (w**2).backward)
    found = torch.autograd.grad(w**2, w, gradient)[0]
    close(found, torch.autograd.grad(((w**2) * gradient).sum(), w)[0])
    close(torch.autograd.grad(w**2, w, torch.ones(len(data)).double())[0], torch.autograd.grad((w**2).sum(), w)[0])
    assert refuses((w * 1j).sum().backward)


@claim(
    "one gradient for each sample | `torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))`, if only the first argument is shared",
)
@given(st.integers(1, 5), st.integers(1, 4))
def test_one_gradient_a_sample(n: int, size: int) -> None:
    w, x, y = torch.randn(size).double(), torch.randn(n, size).double(), torch.randn(n).double()
    close(at_once(w, x, y), one_by_one(w, x, y))


@claim(
    "while PyTorch records, you cannot change a leaf that requires a gradient (error), a view that `unbind`, `split` or `chunk` returned (error), or a view made inside `no_grad()`;"
)
def test_in_place() -> None:
    w = some()
    raises("a leaf Variable that requires grad", w.add_, 1)
    for parts in (w.clone().unbind(), w.clone().split(1), w.clone().chunk(3)):
        assert refuses(parts[0].add_, 1)
    y = w.clone()
    with torch.no_grad():
        view = y[:1]
    assert refuses(view.add_, 1)
    y[:1].add_(1)


@claim(
    "`backward()` fails if a value that it needs has changed, even inside `no_grad()` (error).",
    "PyTorch counts the writes to each tensor and compares the counts in `backward()`; writes through NumPy or `.data` escape the count.",
)
def test_counted_writes() -> None:
    for hidden in (False, True):
        x = some().detach().clone()
        loss = (some() * x).sum()
        (x.data if hidden else x).zero_()
        assert refuses(loss.backward) == (not hidden)


@claim("`retain_graph=None` means the value of `create_graph`.")
@pytest.mark.filterwarnings("ignore:Using backward")
def test_retain_graph() -> None:
    for create in (False, True):
        y = some().exp().sum()
        y.backward(create_graph=create)
        assert refuses(y.backward) == (not create)


@claim("`print` returns `None`, which changes nothing; the second hook made the gradient ten times as large.")
@given(st.floats(-9, 9))
def test_hooks(factor: float) -> None:
    w = some()
    h = w * 2
    seen: list[Tensor] = []
    h.register_hook(seen.append)  # append returns None, as print does
    h.register_hook(lambda gradient: gradient * factor)
    h.sum().backward()
    same(seen[0], torch.ones(3).double())
    close(w.grad, torch.full((3,), 2 * factor).double())


@claim(
    "If all layers before a checkpointed block are frozen, pass `use_reentrant=False`: with `True` the block gets no gradients, and PyTorch only warns."
)
@pytest.mark.filterwarnings("ignore:None of the inputs")
@pytest.mark.parametrize("reentrant", [True, False])
def test_checkpoint_after_frozen_layers(reentrant: bool) -> None:
    frozen, block, last = nn.Linear(2, 2).requires_grad_(False), nn.Linear(2, 2), nn.Linear(2, 1)
    hidden = checkpoint(block, frozen(torch.ones(1, 2)), use_reentrant=reentrant)
    last(hidden).sum().backward()
    assert (block.weight.grad is None) == reentrant
    assert last.weight.grad is not None


@claim("A tensor with several elements needs a `gradient` of the same shape, which says how much each element counts.")
@given(st.integers(2, 5))
def test_shape_of_the_gradient(n: int) -> None:
    w = torch.ones(n, requires_grad=True)
    assert refuses((w**2).backward)
    assert refuses((w**2).backward, gradient=torch.ones(n + 1))
    (w**2).backward(gradient=torch.arange(float(n)))
    same(w.grad, 2 * torch.arange(float(n)))


@claim(
    "A list of losses, or a running total such as `total += loss`, keeps the graph of every step: without `backward()` with all its saved values, and after `backward()` without them."
)
@pytest.mark.parametrize("backward", [False, True])
def test_a_total_keeps_graphs(backward: bool) -> None:
    saved: list[weakref.ref[Tensor]] = []

    def pack(x: Tensor) -> Tensor:
        kept = x.detach().clone()
        saved.append(weakref.ref(kept))
        return kept

    total = torch.zeros(())
    nodes = []
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda x: x):
        for _ in range(3):
            loss = torch.ones(2, requires_grad=True).tanh().sum()
            if backward:
                loss.backward()
            total = total + loss
            nodes.append(loss.grad_fn)
            del loss
    assert sum(one() is not None for one in saved) == (0 if backward else 3)
    node, found = total.grad_fn, 0
    while node is not None and node.next_functions:
        found += any(other is nodes[2 - found] for other, _ in node.next_functions) if found < 3 else 0
        node = node.next_functions[0][0]
    assert found == 3


@claim("With all ones it equals `.sum().backward()`, the usual form.")
def test_all_ones() -> None:
    gradients = []
    for ones in (True, False):
        w = torch.tensor([1.0, 2.0, -3.0], requires_grad=True)
        (w**3).backward(torch.ones(3)) if ones else (w**3).sum().backward()
        gradients.append(w.grad)
    same(*gradients)


@claim("This lets you accumulate gradients over several batches.", "In an ordinary loop, clear them in each step.")
def test_accumulates() -> None:
    w = torch.tensor(2.0, requires_grad=True)
    for expected in (3, 6):
        (3 * w).backward()
        assert w.grad == expected
    w.grad = None
    (3 * w).backward()
    assert w.grad == 3
