"""Random tensors: from where to where, and what is drawn twice."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from claims.claimlib import FLOATS, claim, same

MANY = 20_000
BOUNDS = st.tuples(st.integers(-9, 9), st.integers(1, 9))


@claim("`torch.randint(0, 10, (2, 3))` | whole numbers from 0 to 9: the end is not included")
def test_randint() -> None:
    assert torch.randint(0, 10, (2000,)).unique().tolist() == list(range(10))


@claim("`torch.rand(2, 3)` | floats from 0 up to 1, without 1, all equally likely")
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_rand(dtype: torch.dtype) -> None:
    x = torch.rand(200_000, dtype=dtype).float()
    assert x.min() >= 0
    assert x.max() < 1
    assert x.histc(10, 0, 1).sub(20_000).abs().max() < 1000


@claim("`torch.randn(2, 3)` | floats around 0, from a normal distribution with standard deviation 1")
def test_randn() -> None:
    x = torch.randn(MANY)
    assert abs(x.mean()) < 0.05
    assert abs(x.std() - 1) < 0.05
    assert (x.abs() < 1).float().mean().item() == pytest.approx(0.683, abs=0.02)


@claim("`torch.randperm(5)` | the numbers 0 to 4 in random order")
@given(st.integers(0, 50))
def test_randperm(n: int) -> None:
    assert torch.randperm(n).sort().values.tolist() == list(range(n))


@claim("floats from `a` to `b` | `a + (b - a) * torch.rand(3)`")
@given(BOUNDS)
def test_from_a_to_b(bounds: tuple[int, int]) -> None:
    a, b = bounds[0], sum(bounds)
    x = a + (b - a) * torch.rand(MANY)
    assert a <= x.min() < a + 0.01 * (b - a)
    assert b - 0.01 * (b - a) < x.max() <= b


@claim("normal numbers around `m` with standard deviation `s` | `m + s * torch.randn(3)`")
@given(BOUNDS)
def test_around_m(bounds: tuple[int, int]) -> None:
    m, s = bounds
    x = m + s * torch.randn(MANY)
    assert x.mean().item() == pytest.approx(m, abs=0.05 * s)
    assert x.std().item() == pytest.approx(s, rel=0.05)


@claim(
    "`k` of `n` numbers, none twice | `torch.randperm(n)[:k]`",
    "`k` of `n` numbers, some perhaps twice | `torch.randint(n, (k,))`",
)
@given(st.integers(2, 20))
def test_a_sample(n: int) -> None:
    once, twice = torch.randperm(n)[: n - 1], torch.randint(n, (5 * n,))
    assert len(once.unique()) == n - 1
    assert len(twice.unique()) <= n < len(twice)
    assert max(once.max(), twice.max()) < n


@claim(
    "places chosen with weights | `torch.multinomial(weights, k)`, none twice; with `replacement=True` some perhaps twice"
)
def test_weights() -> None:
    weights = torch.tensor([0.0, 1.0, 3.0])
    assert all(sorted(torch.multinomial(weights, 2).tolist()) == [1, 2] for _ in range(50))
    drawn = torch.multinomial(weights, MANY, replacement=True)
    same(drawn.unique(), torch.tensor([1, 2]))
    assert (drawn == 2).float().mean().item() == pytest.approx(0.75, abs=0.02)


@claim("`True` with probability `p` | `torch.rand(5) < p`")
@given(st.floats(0, 1))
def test_probability(p: float) -> None:
    assert (torch.rand(MANY) < p).float().mean().item() == pytest.approx(p, abs=0.02)


@claim("to fill a tensor that you have | `x.uniform_(a, b)` or `x.normal_(m, s)`")
@given(BOUNDS)
def test_in_place(bounds: tuple[int, int]) -> None:
    x = torch.empty(MANY)
    assert x.uniform_(bounds[0], sum(bounds)) is x
    assert bounds[0] <= x.min() <= x.max() <= sum(bounds)
    assert x.normal_(*bounds).std().item() == pytest.approx(bounds[1], rel=0.05)


@claim("The weights of a network should not all start equal: then the units of a layer compute the same.")
@given(st.integers(1, 5))
def test_equal_units(units: int) -> None:
    layer = torch.nn.Linear(3, units)
    torch.nn.init.constant_(layer.weight, 0.5)
    torch.nn.init.zeros_(layer.bias)
    out = layer(torch.randn(4, 3))
    assert out.eq(out[:, :1]).all()


@claim("shape, dtype and device of a tensor of floats | `torch.rand_like(x)`, `torch.randn_like(x)`")
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_like(dtype: torch.dtype) -> None:
    for device in ("cpu", "meta"):
        x = torch.empty(2, 0, 3, dtype=dtype, device=device)
        for call in (torch.rand_like, torch.randn_like):
            assert (call(x).shape, call(x).dtype, call(x).device) == (x.shape, dtype, x.device)
