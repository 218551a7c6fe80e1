"""Optimizers: groups, weight decay, schedulers, initial weights."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.optim import lr_scheduler

from claims.claimlib import claim, close, raises, refuses, same

RATES = st.floats(1e-4, 1.0)


def parameter(grad: float = 1.0) -> nn.Parameter:
    """A parameter of two ones, with a gradient."""
    weight = nn.Parameter(torch.ones(2, dtype=torch.float64))
    weight.grad = torch.full((2,), grad, dtype=torch.float64)
    return weight


@claim(
    "Each is a group, with parameters and settings of its own; what a group leaves out comes from the arguments.",
    "A parameter in no group is not trained.",
)
@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "NAdam"])
@given(own=RATES, general=RATES)
def test_groups(name: str, own: float, general: float) -> None:
    first, second, third = parameter(), parameter(), parameter()
    optimizer = getattr(torch.optim, name)([{"params": [first], "lr": own}, {"params": [second]}], lr=general)
    assert [group["lr"] for group in optimizer.param_groups] == [own, general]
    optimizer.step()
    alone = parameter()
    getattr(torch.optim, name)([alone], lr=own).step()
    close(first.detach(), alone.detach())
    same(third.detach(), torch.ones(2).double())


@claim(
    "One optimizer takes several models, as `[*first.parameters(), *second.parameters()]`, and leaves alone what has no gradient, such as frozen parameters."
)
def test_several_models() -> None:
    first, second = nn.Linear(1, 1), nn.Linear(1, 1).requires_grad_(False)
    before = second.weight.clone()
    optimizer = torch.optim.AdamW([*first.parameters(), *second.parameters()], lr=0.1)
    first(torch.ones(1, 1)).sum().backward()
    old = first.weight.clone()
    optimizer.step()
    assert not torch.equal(first.weight, old)
    same(second.weight, before)


@claim(
    "`AdamW` makes them smaller directly; `weight_decay` of `SGD` and `Adam` is added to the gradient, as L2 regularization is."
)
@given(RATES, st.floats(0.01, 1))
def test_weight_decay(lr: float, decay: float) -> None:
    direct = parameter(0.0)
    torch.optim.AdamW([direct], lr=lr, weight_decay=decay).step()
    close(direct.detach(), torch.ones(2).double() * (1 - lr * decay))
    for kind in (torch.optim.SGD, torch.optim.Adam):
        decayed, added = parameter(0.5), parameter(0.5 + decay)
        kind([decayed], lr=lr, weight_decay=decay).step()
        kind([added], lr=lr).step()
        close(decayed.detach(), added.detach())


@claim(
    "The last line has the defaults of `SGD`, `Adam` and `AdamW`: `AdamW` is the one that decays unless you say otherwise."
)
def test_defaults() -> None:
    defaults = [getattr(torch.optim, name)([parameter()]).defaults["weight_decay"] for name in ("SGD", "Adam", "AdamW")]
    assert defaults[:2] == [0, 0]
    assert defaults[2] > 0


@claim("A scheduler changes the learning rates of all groups.", "`get_last_lr()` has one learning rate for each group.")
@given(st.integers(1, 5), st.floats(0.1, 1.0), st.integers(0, 12))
def test_step_lr(size: int, gamma: float, steps: int) -> None:
    optimizer = torch.optim.SGD([{"params": [parameter()], "lr": 0.5}, {"params": [parameter()], "lr": 0.1}])
    scheduler = lr_scheduler.StepLR(optimizer, size, gamma)
    for _ in range(steps):
        optimizer.step()
        scheduler.step()
    assert scheduler.get_last_lr() == [group["lr"] for group in optimizer.param_groups]
    assert scheduler.get_last_lr() == pytest.approx([0.5 * gamma ** (steps // size), 0.1 * gamma ** (steps // size)])


@claim(
    "The second loop changes the learning rate by hand, and the next `step()` uses it. `LambdaLR`, `OneCycleLR` and other schedulers that compute it from the first one set it back."
)
def test_by_hand() -> None:
    weight = parameter()
    optimizer = torch.optim.SGD([weight], lr=1.0)
    optimizer.param_groups[0]["lr"] = 0.25
    optimizer.step()
    same(weight.detach(), torch.full((2,), 0.75).double())
    for make in (
        lambda given: lr_scheduler.LambdaLR(given, lambda step: 1.0),
        lambda given: lr_scheduler.OneCycleLR(given, max_lr=1.0, total_steps=9),
    ):
        optimizer = torch.optim.SGD([parameter()], lr=1.0, momentum=0.9)
        scheduler = make(optimizer)
        optimizer.param_groups[0]["lr"] = 77.0
        optimizer.step()
        scheduler.step()
        assert optimizer.param_groups[0]["lr"] <= 1


@claim(
    "If there is a scheduler already, give them a group from the start instead: `LambdaLR` and `OneCycleLR` raise an error for a later one (in 2.9 `LambdaLR` leaves it alone, without a message), and a warmup by `LinearLR` raises its learning rate above the one that you gave."
)
def test_group_after_a_scheduler() -> None:
    makers = (
        lambda given: lr_scheduler.LambdaLR(given, lambda step: 1.0),
        lambda given: lr_scheduler.OneCycleLR(given, max_lr=1.0, total_steps=9),
        lambda given: lr_scheduler.LinearLR(given, 0.1, total_iters=3),
    )
    for make in makers:
        optimizer = torch.optim.SGD([parameter()], lr=0.1, momentum=0.9)
        scheduler = make(optimizer)
        optimizer.add_param_group({"params": [parameter()], "lr": 0.1, "max_lr": 1.0})

        def steps(
            optimizer: torch.optim.Optimizer = optimizer, scheduler: lr_scheduler.LRScheduler = scheduler
        ) -> None:
            for _ in range(3):
                optimizer.step()
                scheduler.step()

        if isinstance(scheduler, lr_scheduler.LinearLR):
            steps()
            assert optimizer.param_groups[1]["lr"] > 0.2
        elif isinstance(scheduler, lr_scheduler.LambdaLR) and torch.__version__ < (2, 10):
            steps()
            assert optimizer.param_groups[1]["lr"] == 0.1
        else:
            assert refuses(steps)


@claim(
    "`SequentialLR` changes to the next scheduler at each milestone.",
    "`T_max` counts from the milestone; with `T_max=total` the cosine would stop on its way.",
    "If you go on after `T_max` steps, the cosine rises again.",
)
@pytest.mark.filterwarnings("ignore:The epoch parameter in")
@given(st.integers(1, 4), st.integers(2, 6))
def test_warmup(warmup: int, rest: int) -> None:
    def last(t_max: int, steps: int) -> float:
        optimizer = torch.optim.SGD([parameter()], lr=0.1)
        parts = [
            lr_scheduler.LinearLR(optimizer, 0.1, total_iters=warmup),
            lr_scheduler.CosineAnnealingLR(optimizer, t_max),
        ]
        scheduler = lr_scheduler.SequentialLR(optimizer, parts, milestones=[warmup])
        for _ in range(steps):
            optimizer.step()
            scheduler.step()
        return float(optimizer.param_groups[0]["lr"])

    assert last(rest, warmup) == pytest.approx(0.1)
    assert last(rest, warmup + rest) == pytest.approx(0, abs=1e-9)
    assert last(warmup + rest, warmup + rest) > 0.001
    assert last(rest, warmup + rest + 1) > last(rest, warmup + rest)


@claim(
    "`patience=2` lets two epochs without a better loss pass; after the third, epoch 4, the learning rate is multiplied by `factor`.",
    "The defaults are `patience=10` and `factor=0.1`, and a loss is better if it is more than 0.01 % smaller (`threshold=1e-4`).",
    "Without the value, `step()` raises `TypeError`.",
)
@given(st.integers(0, 5))
def test_plateau(patience: int) -> None:
    optimizer = torch.optim.SGD([parameter()], lr=1.0)
    scheduler = lr_scheduler.ReduceLROnPlateau(optimizer, patience=patience, factor=0.5)
    rates = []
    for loss in (1.0, *(patience + 1) * [1.0 - 5e-5]):
        optimizer.step()
        scheduler.step(loss)
        rates.append(optimizer.param_groups[0]["lr"])
    assert rates == [1.0] * (patience + 1) + [0.5]
    default = lr_scheduler.ReduceLROnPlateau(optimizer)
    assert (default.patience, default.factor, default.threshold) == (10, 0.1, 1e-4)
    with pytest.raises(TypeError):
        scheduler.step()


@claim(
    'For an accuracy, which should rise, pass `mode="max"`.',
    'For a loss below zero, such as a Gaussian negative log-likelihood, pass `threshold_mode="abs"`: otherwise one that stands still counts as better in each epoch.',
)
def test_plateau_modes() -> None:
    def lowered(values: list[float], **options: object) -> bool:
        optimizer = torch.optim.SGD([parameter()], lr=1.0)
        scheduler = lr_scheduler.ReduceLROnPlateau(optimizer, patience=1, **options)
        for value in values:
            optimizer.step()
            scheduler.step(value)
        return bool(optimizer.param_groups[0]["lr"] < 1)

    rising = [0.1, 0.2, 0.3, 0.4, 0.5]
    assert [lowered(rising, mode="max"), lowered(rising)] == [False, True]
    assert [lowered([-5.0] * 5, threshold_mode="abs"), lowered([-5.0] * 5)] == [True, False]


@claim(
    "The functions of `nn.init` fill a parameter in place, without recording gradients; `model.apply` calls a function for each layer."
)
@pytest.mark.parametrize(
    "name",
    [
        "ones_",
        "zeros_",
        "normal_",
        "uniform_",
        "xavier_uniform_",
        "xavier_normal_",
        "kaiming_uniform_",
        "kaiming_normal_",
        "orthogonal_",
        "trunc_normal_",
        "eye_",
    ],
)
def test_init(name: str) -> None:
    layer = nn.Linear(3, 3)
    weight = layer.weight
    getattr(nn.init, name)(weight)
    assert layer.weight is weight
    assert weight.is_leaf
    assert weight.requires_grad
    seen: list[nn.Module] = []
    nn.Sequential(layer, nn.ReLU()).apply(seen.append)
    assert len(seen) == 3


@claim(
    "These are values, not numbers of standard deviations: with `std=0.02`, the defaults -2 and 2 cut off nothing. To cut at two standard deviations, pass `a=-2 * std, b=2 * std`."
)
def test_trunc_normal() -> None:
    x, cut = torch.empty(20_000), torch.empty(20_000)
    nn.init.trunc_normal_(x, std=0.02)
    nn.init.trunc_normal_(cut, std=0.02, a=-0.04, b=0.04)
    assert x.abs().max() > 0.06
    assert cut.abs().max() <= 0.04


@claim(
    "The defaults of `nn.Linear` are uniform between plus and minus one over the square root of `in_features`.",
    "`nn.Linear` and other layers draw their defaults again in `reset_parameters()`; to start a whole model anew, create it again.",
)
@given(st.integers(1, 50))
def test_linear(size: int) -> None:
    layer = nn.Linear(size, 200)
    bound = 1 / math.sqrt(size)
    for numbers in (layer.weight, layer.bias):
        assert 0.9 * bound < numbers.abs().max() <= bound * 1.0001
    before = layer.weight.clone()
    layer.reset_parameters()
    assert not torch.equal(layer.weight, before)


@claim("Call its `step()` after the optimizer's, never before it.")
def test_order() -> None:
    optimizer = torch.optim.SGD([parameter()], lr=1.0)
    raises("before `optimizer.step()`", lr_scheduler.StepLR(optimizer, 1).step)


@claim("Weight decay makes parameters a little smaller in each step.")
@pytest.mark.parametrize("name", ["SGD", "AdamW"])
@given(st.floats(0.01, 0.5), st.floats(-5, 5))
def test_decay_shrinks(name: str, decay: float, value: float) -> None:
    weight = nn.Parameter(torch.tensor([value], dtype=torch.float64))
    optimizer = getattr(torch.optim, name)([weight], lr=0.1, weight_decay=decay)
    weight.grad = torch.zeros(1).double()
    optimizer.step()
    assert weight.item() == pytest.approx(value * (1 - 0.1 * decay))


@claim(
    "Count in batches, with `total = epochs * len(loader)`, and call `scheduler.step()` after each batch: a warmup is often shorter than an epoch."
)
@given(st.integers(2, 6), st.integers(2, 20))
def test_whole_schedule(warmup: int, rest: int) -> None:
    optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1)
    up = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.1, total_iters=warmup)
    down = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=rest)
    scheduler = torch.optim.lr_scheduler.SequentialLR(optimizer, [up, down], milestones=[warmup])
    rates = []
    for _ in range(warmup + rest):
        optimizer.step()
        scheduler.step()
        rates.append(optimizer.param_groups[0]["lr"])
    assert rates[warmup - 1] == pytest.approx(0.1)
    assert rates[-1] == pytest.approx(0, abs=1e-9)


@claim("This needs the mean over all 16: divide each loss by the number of batches.")
@given(st.integers(1, 8))
def test_accumulated_mean(batches: int) -> None:
    layer, data = nn.Linear(2, 1).double(), torch.randn(batches, 2, 2).double()
    layer(data.flatten(0, 1)).square().mean().backward()
    whole = layer.weight.grad.clone()
    layer.zero_grad()
    for batch in data:
        (layer(batch).square().mean() / batches).backward()
    close(layer.weight.grad, whole)


@claim(
    "`StepLR` and `CosineAnnealingLR` begin at the optimizer's learning rate; `OneCycleLR` takes the largest one as `max_lr`, and begins and ends far below.",
    "It is usually called after each batch, with the number of batches in all epochs as `total_steps`.",
)
def test_first_rates() -> None:
    def rates(make: Callable[[torch.optim.Optimizer], lr_scheduler.LRScheduler], steps: int) -> list[float]:
        optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1)
        scheduler, found = make(optimizer), []
        for step in range(steps):
            found.append(optimizer.param_groups[0]["lr"])
            optimizer.step()
            if step < steps - 1:
                scheduler.step()
        return found

    assert (
        rates(lambda one: lr_scheduler.StepLR(one, 2), 3)[0]
        == rates(lambda one: lr_scheduler.CosineAnnealingLR(one, 3), 3)[0]
        == 0.1
    )
    epochs, batches = 3, 4
    cycle = rates(lambda one: lr_scheduler.OneCycleLR(one, max_lr=0.1, total_steps=epochs * batches), epochs * batches)
    assert max(cycle) == pytest.approx(0.1, rel=0.02)
    assert max(cycle[0], cycle[-1]) < 0.01
    assert refuses(rates, lambda one: lr_scheduler.OneCycleLR(one, max_lr=0.1, total_steps=batches), epochs * batches)


@claim('`optimizer.add_param_group({"params": ...})` adds layers that you unfreeze later.')
def test_add_group() -> None:
    first, later = nn.Linear(1, 1), nn.Linear(1, 1)
    optimizer = torch.optim.SGD(first.parameters(), lr=0.1)
    for add in (False, True):
        if add:
            optimizer.add_param_group({"params": later.parameters()})
        before = later.weight.clone()
        later(first(torch.ones(1, 1))).sum().backward()
        optimizer.step()
        assert (later.weight != before).item() is add


@claim("For numbers of your own, write `with torch.no_grad(): layer.weight.copy_(values)`.")
def test_own_numbers() -> None:
    layer, values = nn.Linear(2, 1), torch.tensor([[3.0, 4.0]])
    weight = layer.weight
    raises("leaf Variable", weight.copy_, values)
    with torch.no_grad():
        layer.weight.copy_(values)
    same(weight.detach(), values)
    assert layer.weight is weight
