"""GradScaler: a disabled one, several optimizers, schedulers, states."""

from __future__ import annotations

import warnings

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from claims.claimlib import INF, NAN, claim, close, refuses, same


def scaler(**options: float) -> torch.amp.GradScaler:
    """A scaler for the CPU."""
    return torch.amp.GradScaler("cpu", **options)


def parameter(gradient: float) -> nn.Parameter:
    """A parameter of one, with this gradient."""
    weight = nn.Parameter(torch.ones(1))
    weight.grad = torch.tensor([gradient])
    return weight


@claim("A disabled scaler does not check for `inf` and `nan` either, so nothing is skipped.")
@pytest.mark.parametrize("gradient", [INF, NAN])
def test_disabled(gradient: float) -> None:
    weight, scale = parameter(gradient), scaler(enabled=False)
    scale.step(torch.optim.SGD([weight], lr=0.1))
    assert not weight.isfinite()


@claim(
    "Scale every loss, step every optimizer, and call `update` once, after the last step.",
    "The scale halved for both, so it does not show which optimizer skipped.",
)
@given(st.lists(st.sampled_from([1.0, INF, NAN]), min_size=1, max_size=4))
def test_several_optimizers(gradients: list[float]) -> None:
    weights, scale = [parameter(gradient) for gradient in gradients], scaler(init_scale=8.0)
    optimizers = [torch.optim.SGD([weight], lr=0.1) for weight in weights]
    scale.scale(torch.ones(1))
    for optimizer in optimizers:
        scale.step(optimizer)
    scale.update()
    assert [weight.item() != 1 for weight in weights] == [gradient == 1 for gradient in gradients]
    assert scale.get_scale() == (8 if set(gradients) == {1.0} else 4)


@claim("`scale` also takes a list of losses.", "The gradients are 1 and 2 times the scale.")
@given(st.lists(st.floats(-9, 9, width=32), min_size=1, max_size=4))
def test_lists(losses: list[float]) -> None:
    found = scaler(init_scale=4.0).scale([torch.tensor(loss) for loss in losses])
    close(torch.stack(found), 4 * torch.tensor(losses))


@claim(
    "Step it only after a step that took place: a skipped one lowers the scale, as long as that is not 0.",
    "A scheduler that counts steps also counts those that the scaler skipped.",
)
@pytest.mark.filterwarnings("ignore:Detected call of `lr_scheduler.step")
def test_scheduler() -> None:
    weight = parameter(INF)
    optimizer, scale = torch.optim.SGD([weight], lr=1.0), scaler()
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)
    scale.scale(torch.ones(1))
    before = scale.get_scale()
    scale.step(optimizer)
    scale.update()
    schedule.step()
    assert (weight.item(), schedule.get_last_lr(), scale.get_scale() < before) == (1, [0.5], True)


@claim(
    "The scaler has state: the scale, and the count of good steps.",
    "`_growth_tracker` counts the good steps since the last change.",
    "Loading also replaces the settings of the constructor, `growth_interval` among them.",
)
@given(st.integers(0, 4))
def test_state(good: int) -> None:
    weight = parameter(1.0)
    optimizer, scale = torch.optim.SGD([weight], lr=0.1), scaler(init_scale=16.0, growth_interval=7)
    for _ in range(good):
        scale.scale(torch.ones(1))
        scale.step(optimizer)
        scale.update()
    state = scale.state_dict()
    assert (state["scale"], state["_growth_tracker"]) == (16, good)
    other = scaler()
    other.load_state_dict(state)
    assert (other.get_scale(), other.get_growth_interval(), other.state_dict()) == (16, 7, state)


@claim("A new scaler would start at 65536, and skip steps again if that is too large.")
def test_default_scale() -> None:
    assert scaler().get_scale() == 65536


@claim(
    "After the first `scale()`, `update` takes a scale of your own; before it, pass `init_scale=` to the constructor.",
    "The two factors and the interval have a getter and a setter each.",
)
@given(st.floats(1, 1000, width=32))
def test_set_scale(value: float) -> None:
    scale = scaler()
    assert refuses(scale.update, value)
    scale.scale(torch.ones(1))
    scale.update(value)
    assert scale.get_scale() == value
    for name in ("growth_factor", "backoff_factor", "growth_interval"):
        getattr(scale, f"set_{name}")(3)
        assert getattr(scale, f"get_{name}")() == 3


@claim(
    "`torch.autograd.grad` of a scaled loss returns scaled gradients: divide them yourself, as in this gradient penalty.",
    "The two lines agree; `get_scale()` of a disabled scaler is 1.",
)
@given(st.floats(1, 1000, width=32))
def test_autograd_grad(value: float) -> None:
    scale, x = scaler(init_scale=value), torch.tensor([3.0], requires_grad=True)
    (gradient,) = torch.autograd.grad(scale.scale(x.square().sum()), x)
    close(gradient / scale.get_scale(), torch.tensor([6.0]))
    assert scaler(enabled=False).get_scale() == 1


@claim(
    "The scaler always calls `step()` of a fused optimizer, so a hook on `step()` counts skipped steps as well.",
    "Adam's own counter leaves them out, and you can read it once at the end:",
)
@given(st.lists(st.booleans(), min_size=1, max_size=5))
def test_fused(good: list[bool]) -> None:
    weight, calls = parameter(1.0), []
    optimizer, scale = torch.optim.Adam([weight], fused=True), scaler()
    optimizer.register_step_post_hook(lambda *given_arguments: calls.append(1))
    for fine in good:
        scale.scale(torch.ones(1))
        weight.grad = torch.tensor([1.0 if fine else INF])
        scale.step(optimizer)
        scale.update()
    assert len(calls) == len(good)
    same(optimizer.state[weight]["step"], torch.tensor(float(sum(good))))


@claim(
    "One `inf` in one part makes the scaler skip the step for all parts.",
    "`len(rows) / 32` weights each part by its size.",
)
@given(st.integers(0, 2))
def test_accumulation(bad: int) -> None:
    weight = nn.Parameter(torch.ones(1))
    optimizer, scale = torch.optim.SGD([weight], lr=0.1), scaler(init_scale=2.0)
    for part in range(3):
        scale.scale(weight.sum() * (INF if part == bad else 1.0)).backward()
    scale.step(optimizer)
    same(weight.detach(), torch.ones(1))


@claim("Without the `if`, a step skipped at the very start also gives a warning, except with a fused optimizer.")
@pytest.mark.parametrize("fused", [False, True])
def test_scheduler_warning(fused: bool) -> None:
    layer, scaler = nn.Linear(1, 1), torch.amp.GradScaler("cpu")
    optimizer = torch.optim.Adam(layer.parameters(), fused=fused)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    (scaler.scale(layer(torch.ones(1, 1)).sum()) * INF).backward()
    scaler.step(optimizer)
    scaler.update()
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        scheduler.step()
    assert bool(given) is not fused


@claim("If you forget to scale one of several losses, that one has almost no effect.")
def test_forgotten_loss() -> None:
    first, second = nn.Parameter(torch.ones(1)), nn.Parameter(torch.ones(1))
    optimizer, amp = torch.optim.SGD([first, second], lr=0.5), torch.amp.GradScaler("cpu", init_scale=1024.0)
    amp.scale(first.sum()).backward()
    second.sum().backward()
    amp.step(optimizer)
    assert first.item() == 0.5
    assert 1 - second.item() == pytest.approx(0.5 / 1024, rel=1e-3)


@claim(
    "The scaler finds it by trial: it halves the scale after a skipped step, and doubles it after `growth_interval` good steps in a row."
)
def test_trial() -> None:
    amp, parameter, scales = (
        torch.amp.GradScaler("cpu", init_scale=8.0, growth_interval=2),
        nn.Parameter(torch.ones(1)),
        [],
    )
    optimizer = torch.optim.SGD([parameter], lr=0.0)
    for factor in (1, INF, 1, 1, 1, INF):
        optimizer.zero_grad()
        (amp.scale(parameter.sum()) * factor).backward()
        amp.step(optimizer)
        amp.update()
        scales.append(amp.get_scale())
    assert scales == [8, 4, 4, 8, 8, 4]
