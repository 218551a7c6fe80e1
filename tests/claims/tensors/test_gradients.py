"""Gradients as values: what returns them, and for which of several elements."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.func import functional_call, grad, grad_and_value, hessian, jacfwd, jacrev

from claims.claimlib import claim, close, raises, refuses, same, shapes, tensors
from claims.tensors.regression import at_once, one_by_one, squared_error

FORWARD = pytest.mark.filterwarnings("ignore:.*torch.jit")
"""PyTorch's own code for forward derivatives warns of itself."""
VECTORS = tensors(shapes(1, 1, low=1), dtypes=[torch.float64], layouts=["contiguous"], extremes=False)


def cubes(x: Tensor) -> Tensor:
    """A number whose second derivatives are not constant."""
    return (x**3).sum() + x.prod()


@claim("a gradient as a value, and `.grad` left alone | `torch.autograd.grad(loss, inputs)`, a tuple")
@given(VECTORS)
def test_a_tuple(x: Tensor) -> None:
    x = x.detach().requires_grad_()
    found = torch.autograd.grad(cubes(x), x)
    assert type(found) is tuple
    assert x.grad is None
    close(found[0], grad(cubes)(x.detach()))


@claim("`None` instead of an error for an unused input | `torch.autograd.grad(loss, inputs, allow_unused=True)`")
def test_unused() -> None:
    x, y = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    assert torch.autograd.grad(x.sum(), [x, y], allow_unused=True)[1] is None
    raises("appears to not have been used", torch.autograd.grad, x.sum(), [x, y])


@claim(
    "the gradient of a gradient, as in a gradient penalty | `torch.autograd.grad(loss, x, create_graph=True)`, then `backward()`",
    "With `create_graph=True` PyTorch records how it computes them, so you can differentiate them again unless they are constant.",
)
@FORWARD
@given(VECTORS)
def test_penalty(x: Tensor) -> None:
    x = x.detach().requires_grad_()
    (slope,) = torch.autograd.grad(cubes(x), x, create_graph=True)
    slope.square().sum().backward()
    close(x.grad, 2 * hessian(cubes)(x.detach()) @ slope.detach())
    (constant,) = torch.autograd.grad((3 * x).sum(), x, create_graph=True)
    assert refuses(constant.sum().backward)


@claim("the function of the gradient | `torch.func.grad(f)`, for the first argument")
@given(VECTORS)
def test_first_argument(x: Tensor) -> None:
    close(grad(lambda x, y: (x * y).sum())(x, x + 1), x + 1)


@claim("value and gradient at once | `torch.func.grad_and_value(f)`, which returns the gradient first")
@given(VECTORS)
def test_gradient_first(x: Tensor) -> None:
    slope, value = grad_and_value(cubes)(x)
    close(slope, grad(cubes)(x))
    close(value, cubes(x))


@claim(
    "the matrix of all partial derivatives | `torch.func.jacrev(f)`; `jacfwd(f)` if there are more outputs than inputs",
    "the second derivatives | `torch.func.hessian(f)`",
)
@FORWARD
@given(VECTORS)
def test_matrices(x: Tensor) -> None:
    close(jacrev(torch.square)(x), torch.diag(2 * x))
    close(jacfwd(torch.square)(x), jacrev(torch.square)(x))
    close(hessian(cubes)(x), jacrev(grad(cubes))(x))


@claim("the gradients as a tuple; several elements in `outputs` need `grad_outputs`")
@given(VECTORS)
def test_several_elements(x: Tensor) -> None:
    x = x.detach().requires_grad_()
    assert refuses(torch.autograd.grad, x * 2, x) == (x.numel() != 1)
    (found,) = torch.autograd.grad(x.square(), x, grad_outputs=torch.ones_like(x))
    close(found, 2 * x.detach())


@claim("For a module, `torch.func.functional_call` calls it with given parameters;")
def test_given_parameters() -> None:
    layer = torch.nn.Linear(2, 1)
    given = {name: torch.ones_like(one) for name, one in layer.named_parameters()}
    same(functional_call(layer, given, (torch.tensor([[2.0, 3.0]]),)), torch.tensor([[6.0]]))
    assert not layer.weight.equal(given["weight"])


@claim(
    "`forward` computes the result and saves what `backward` needs; `backward` gets the gradient of the result and returns one gradient for each input."
)
@given(VECTORS)
def test_a_function(x: Tensor) -> None:
    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):  # type: ignore[no-untyped-def]
            ctx.save_for_backward(x, y)
            return x * y

        @staticmethod
        def backward(ctx, gradient):  # type: ignore[no-untyped-def]
            x, y = ctx.saved_tensors
            return gradient * y, gradient * x

    x, y = x.detach().requires_grad_(), (x + 1).detach().requires_grad_()
    (Product.apply(x, y) * 3).sum().backward()
    close(x.grad, 3 * y.detach())
    close(y.grad, 3 * x.detach())


@claim("`torch.autograd.grad` returns the gradients and fills no leaf's `.grad`.")
@given(tensors(shapes(least=1, low=1), dtypes=[torch.float64], extremes=False))
def test_grad_fills_nothing(x: Tensor) -> None:
    x = x.detach().requires_grad_()
    (found,) = torch.autograd.grad(x.square().sum(), x)
    close(found, 2 * x.detach())
    assert x.grad is None


@claim(
    "`torch.func.grad` turns a function into the function of its gradient, and `vmap` runs it for each row of a batch.",
    "Together they give one gradient for each sample, which `backward()` would add up:",
)
@given(st.integers(1, 5), st.integers(1, 4))
def test_one_gradient_a_sample(n: int, size: int) -> None:
    w, x, y = torch.randn(size).double(), torch.randn(n, size).double(), torch.randn(n).double()
    each = at_once(w, x, y)
    close(each, one_by_one(w, x, y))
    weight = w.clone().requires_grad_()
    torch.stack([squared_error(weight, a, b) for a, b in zip(x, y, strict=True)]).sum().backward()
    close(each.sum(dim=0), weight.grad)


@claim(
    "`torch.func.grad` and `vmap` refuse a `Function` whose `forward` takes `ctx`: give it a `setup_context` of its own."
)
def test_function_for_torch_func() -> None:
    class Together(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            return x.round()

        @staticmethod
        def backward(ctx: Any, grad: Tensor) -> Tensor:
            return grad

    class Apart(Together):
        generate_vmap_rule = True

        @staticmethod
        def forward(x: Tensor) -> Tensor:
            return x.round()

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple[Tensor], output: Tensor) -> None:
            pass

    x = torch.tensor([1.2, 2.7])
    for transform in (torch.func.grad(lambda x: Together.apply(x).sum()), torch.func.vmap(Together.apply)):
        raises("setup_context", transform, x)
    assert torch.func.grad(lambda x: Apart.apply(x).sum())(x).tolist() == [1.0, 1.0]
    assert torch.func.vmap(Apart.apply)(x).tolist() == [1.0, 3.0]
