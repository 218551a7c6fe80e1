"""GradScaler: when it skips, what it changes and what it leaves."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from claims.claimlib import INF, NAN, claim, close, raises, refuses, same

OPTIMIZERS = ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "NAdam", "RAdam", "Adamax", "ASGD"]
each_optimizer = pytest.mark.parametrize("name", OPTIMIZERS)


def scaler(**options: float) -> torch.amp.GradScaler:
    """A scaler for the CPU."""
    return torch.amp.GradScaler("cpu", **options)


def parameter(gradient: float) -> nn.Parameter:
    """A parameter of two ones with this gradient."""
    weight = nn.Parameter(torch.ones(2))
    weight.grad = torch.tensor([gradient, 1.0])
    return weight


def update(name: str, scale: float | None) -> torch.Tensor:
    """The weights after a step on a loss, with or without a scaler."""
    torch.manual_seed(0)
    model = nn.Linear(3, 3)
    optimizer, mine = (
        getattr(torch.optim, name)(model.parameters(), lr=0.01),
        scaler(init_scale=scale or 1.0, enabled=scale is not None),
    )
    mine.scale(model(torch.ones(1, 3)).square().sum()).backward()
    mine.step(optimizer)
    mine.update()
    return model.weight.detach()


@claim("`float16` holds no positive number below about 6e-8. A smaller number rounds to zero or to 6e-8.")
@given(st.floats(1e-12, 6e-8))
def test_smallest(value: float) -> None:
    assert torch.tensor(value).half().item() in (0.0, 2.0**-24)


@claim(
    "`scaler.scale(loss)` | returns the loss times the scale, so that `backward()` gives every gradient times the scale"
)
@given(st.floats(1.0, 2.0**16, width=32), st.floats(-3, 3, width=32))
def test_scale(scale: float, loss: float) -> None:
    x = torch.tensor(loss, requires_grad=True)
    scaled = scaler(init_scale=scale).scale(x * 2)
    close(scaled.detach(), torch.tensor(loss) * 2 * scale)
    scaled.backward()
    close(x.grad, torch.tensor(2 * scale))


@claim(
    "`scaler.unscale_(optimizer)` | divides the gradients of the optimizer's parameters by the scale, in place, and checks them for `inf` and `nan`; optional"
)
@each_optimizer
def test_unscale(name: str) -> None:
    mine, other = parameter(8.0), parameter(8.0)
    optimizer, scale = getattr(torch.optim, name)([mine]), scaler(init_scale=4.0)
    scale.scale(torch.ones(1))
    gradient = mine.grad
    scale.unscale_(optimizer)
    assert mine.grad is gradient
    assert (gradient.tolist(), other.grad.tolist()) == ([2.0, 0.25], [8.0, 1.0])
    assert refuses(scale.unscale_, optimizer)


@claim(
    "`scaler.step(optimizer)` | does `unscale_` if you did not, then calls `optimizer.step()`, unless there was an `inf` or `nan`; a fused optimizer is always called, and divides and skips by itself",
    "Because a gradient was `inf` or `nan`.",
)
@each_optimizer
@pytest.mark.parametrize("gradient", [1.0, INF, -INF, NAN])
def test_step(name: str, gradient: float) -> None:
    weight = parameter(gradient)
    optimizer, scale = getattr(torch.optim, name)([weight], lr=0.1), scaler(init_scale=1.0)
    scale.scale(torch.ones(1))
    found = scale.step(optimizer)
    assert torch.equal(weight.detach(), torch.ones(2)) == (not math.isfinite(gradient))
    assert found is None


@claim(
    "`scaler.update()` | lowers the scale after a skipped step, raises it after a long run of good ones",
    "`growth_interval` | how many good steps in a row raise the scale",
)
@given(st.lists(st.booleans(), min_size=1, max_size=12), st.integers(1, 4))
def test_update(good: list[bool], interval: int) -> None:
    weight = parameter(1.0)
    optimizer, scale = torch.optim.SGD([weight], lr=0.0), scaler(init_scale=1024.0, growth_interval=interval)
    expected, run = 1024.0, 0
    for fine in good:
        scale.scale(torch.ones(1))
        weight.grad = torch.tensor([1.0, 1.0 if fine else INF])
        scale.step(optimizer)
        scale.update()
        run = run + 1 if fine else 0
        expected = expected / 2 if not fine else expected * 2 if run == interval else expected
        run %= interval
        assert scale.get_scale() == expected


@claim(
    "In `float32`, where nothing underflows here, the update is the same with and without it, up to rounding.",
    "With a scale of 65536 the new weights are equal to the last bit, because a power of two changes only the exponent of a number.",
)
@each_optimizer
@given(exponent=st.integers(0, 16), scale=st.floats(1, 70000))
def test_same_update(name: str, exponent: int, scale: float) -> None:
    same(update(name, 2.0**exponent), update(name, None))
    close(update(name, scale), update(name, None))


@claim(
    "With PyTorch's optimizers, `scaler.step` returns `None` whether it skipped or not. Compare the scale before and after `update()`: it falls after a skipped step."
)
@pytest.mark.parametrize("skip", [False, True])
def test_notice(skip: bool) -> None:
    weight = parameter(INF if skip else 1.0)
    optimizer, scale = torch.optim.SGD([weight]), scaler(growth_interval=1)
    scale.scale(torch.ones(1))
    before = scale.get_scale()
    assert scale.step(optimizer) is None
    scale.update()
    assert (scale.get_scale() < before) == skip
    assert scale.get_scale() != before


@claim(
    "Between `backward()` and `step()` the gradients are scaled, and so is their norm. Call `unscale_` first, then clip.",
    "`unscale_` noted the `inf` before clipping changed the gradients, so the scaler still skipped the step.",
)
@pytest.mark.parametrize("gradient", [3.0, INF])
def test_clip(gradient: float) -> None:
    weight = parameter(1.0)
    optimizer, scale = torch.optim.SGD([weight], lr=0.1), scaler(init_scale=8.0)
    scale.scale(torch.ones(1))
    weight.grad = torch.tensor([gradient * 8, 4.0 * 8])
    assert nn.utils.get_total_norm([weight.grad]) == 8 * torch.tensor([gradient, 4.0]).norm()
    scale.unscale_(optimizer)
    close(nn.utils.clip_grad_norm_([weight], 1.0), torch.tensor([gradient, 4.0]).norm())
    scale.step(optimizer)
    assert torch.equal(weight.detach(), torch.ones(2)) == math.isinf(gradient)


@claim("`enabled` | `False`: the loop does what it would do without a scaler")
@each_optimizer
@pytest.mark.parametrize("gradient", [1.0, INF])
def test_disabled(name: str, gradient: float) -> None:
    weights = [parameter(gradient), parameter(gradient)]
    optimizers = [getattr(torch.optim, name)([weight], lr=0.1) for weight in weights]
    scale = scaler(enabled=False)
    loss = torch.ones(1)
    assert scale.scale(loss) is loss
    scale.unscale_(optimizers[0])
    scale.step(optimizers[0])
    scale.update()
    optimizers[1].step()
    same(weights[0].detach(), weights[1].detach())


@claim('`device` | the device type as a string; the default is `"cuda"` on every machine')
@pytest.mark.filterwarnings("ignore:torch.cuda.amp.GradScaler is enabled")
def test_default_device() -> None:
    assert torch.amp.GradScaler(enabled=False)._device == "cuda"


@claim(
    "a model converted with `model.half()` | `unscale_` refuses, `step` with a fused optimizer does not: keep the parameters in `float32` and use autocast"
)
@pytest.mark.parametrize("fused", [False, True])
def test_half_model(fused: bool) -> None:
    layer, scaler = nn.Linear(1, 1).half(), torch.amp.GradScaler("cpu", init_scale=2.0)
    optimizer = torch.optim.Adam(layer.parameters(), fused=fused)
    scaler.scale(layer(torch.ones(1, 1).half()).sum()).backward()
    raises("Attempting to unscale FP16 gradients", scaler.unscale_, optimizer)
    scaler.update(2.0)
    assert refuses(scaler.step, optimizer) is not fused


@claim(
    "`growth_factor` | what `update` multiplies the scale by after `growth_interval` good steps in a row; greater than 1",
    "`backoff_factor` | what `update` multiplies the scale by after a skipped step; less than 1",
)
def test_factors() -> None:
    for wrong in ({"growth_factor": 1.0}, {"backoff_factor": 1.0}):
        assert refuses(torch.amp.GradScaler, "cpu", **wrong)
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0, growth_factor=4.0, backoff_factor=0.25, growth_interval=2)
    parameter, scales = nn.Parameter(torch.ones(1)), []
    optimizer = torch.optim.SGD([parameter], lr=0.0)
    for factor in (1, 1, INF, 1):
        optimizer.zero_grad()
        (scaler.scale(parameter.sum()) * factor).backward()
        scaler.step(optimizer)
        scaler.update()
        scales.append(scaler.get_scale())
    assert scales == [8, 32, 8, 8]


@claim("With `error_if_nonfinite=True`, clipping raises an error instead.")
def test_error_if_nonfinite() -> None:
    parameter = nn.Parameter(torch.ones(1))
    parameter.grad = torch.tensor([INF])
    raises("non-finite", nn.utils.clip_grad_norm_, [parameter], 1.0, error_if_nonfinite=True)
    assert nn.utils.clip_grad_norm_([parameter], 1.0).isinf()


@claim("every step skipped after one bad batch | `zero_grad()` was skipped too | call it in every iteration")
@pytest.mark.parametrize("cleared", [True, False])
def test_one_bad_batch(cleared: bool) -> None:
    parameter, scaler = nn.Parameter(torch.ones(1)), torch.amp.GradScaler("cpu", init_scale=2.0)
    optimizer, steps = torch.optim.SGD([parameter], lr=0.1), []
    for factor in (1, INF, 1, 1):
        before = parameter.item()
        if cleared or factor == INF:
            optimizer.zero_grad()
        scaler.scale(parameter.sum() * factor).backward()
        scaler.step(optimizer)
        scaler.update()
        steps.append(parameter.item() != before)
    assert steps == [True, False, cleared, cleared]


@claim("Without `unscale_`, SGD's updates become tiny.")
def test_clip_without_unscale() -> None:
    moves = []
    for unscaled in (True, False):
        parameter, scaler = nn.Parameter(torch.ones(1)), torch.amp.GradScaler("cpu", init_scale=1024.0)
        optimizer = torch.optim.SGD([parameter], lr=1.0)
        scaler.scale(parameter.sum() * 5).backward()
        if unscaled:
            scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_([parameter], 1.0)
        scaler.step(optimizer)
        moves.append(1 - parameter.item())
    assert moves[0] == pytest.approx(1, rel=1e-4)
    assert moves[1] == pytest.approx(1 / 1024, rel=1e-3)


@claim("In a step that will be skipped, the norm is `inf` or `nan`.")
def test_norm_of_skipped() -> None:
    for bad in (INF, NAN):
        parameter, scaler = nn.Parameter(torch.ones(2)), torch.amp.GradScaler("cpu")
        optimizer = torch.optim.SGD([parameter], lr=1.0)
        scaler.scale((parameter * torch.tensor([bad, 1.0])).sum()).backward()
        scaler.unscale_(optimizer)
        assert not nn.utils.clip_grad_norm_([parameter], 1.0).isfinite()
        scaler.step(optimizer)
        assert parameter.tolist() == [1, 1]
