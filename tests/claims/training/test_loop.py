"""The training loop: modes, averages, clipping."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import assume, given
from hypothesis import strategies as st
from torch import nn

from claims.claimlib import claim, close, raises, refuses, same

SIZES = st.lists(st.integers(1, 9), min_size=1, max_size=5)


@claim("You may call `zero_grad()` anywhere in the loop except between `backward()` and `step()`.")
@pytest.mark.parametrize("place", range(4))
def test_where_to_clear(place: int) -> None:
    def train(place: int) -> torch.Tensor:
        torch.manual_seed(0)
        model = nn.Linear(2, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(3):
            for step in range(4):
                if step == place:
                    optimizer.zero_grad()
                if step == 0:
                    loss = model(torch.ones(1, 2)).square().sum()
                elif step == 1:
                    loss.backward()
                elif step == 2:
                    optimizer.step()
        return model.weight.detach()

    same_as_usual = torch.equal(train(place), train(0))
    assert same_as_usual == (place != 2)


@claim(
    "`.to(device)` moves the model's parameters and buffers and returns the same model, so you can write it on the line that creates the model."
)
def test_to(device: torch.device) -> None:
    model = nn.BatchNorm1d(2)
    assert model.to(device) is model
    assert {x.device.type for x in model.state_dict().values()} == {device.type}


@claim("`model.train()` and `model.eval()` set `training` for the model and all modules in it.")
@given(st.booleans())
def test_modes(training: bool) -> None:
    model = nn.Sequential(nn.Linear(1, 1), nn.Sequential(nn.Dropout(), nn.ModuleList([nn.ReLU()])))
    model.train(training)
    assert {module.training for module in model.modules()} == {training}
    assert {module.training for module in model.eval().modules()} == {False}


@claim(
    "`Dropout` drops random values in training mode. `BatchNorm` updates its running statistics in training mode, and uses them in `eval()` mode."
)
def test_layers() -> None:
    x, drop, norm = torch.ones(4, 50), nn.Dropout(0.5), nn.BatchNorm1d(50)
    assert (drop(x) == 0).any()
    same(drop.eval()(x), x)
    norm(torch.randn(4, 50))
    before = norm.running_mean.clone()
    close(norm.eval()(x), (x - norm.running_mean) / (norm.running_var + norm.eps).sqrt())
    same(norm.running_mean, before)
    norm.train()(x)
    assert not torch.equal(norm.running_mean, before)


@claim(
    "`train()` and `eval()` of a single layer work too, after the model's: `norm.eval()` freezes its statistics, and `dropout.train()` goes on dropping values."
)
def test_single_layers() -> None:
    model = nn.Sequential(nn.BatchNorm1d(2), nn.Dropout(0.5)).train()
    model[0].eval()
    before = model[0].running_mean.clone()
    model(torch.randn(5, 2))
    same(model[0].running_mean, before)
    model.eval()[1].train()
    assert (model(torch.ones(100, 2)) == 0).any()


@claim(
    "`eval()` does not turn autograd off. `torch.inference_mode()` does, and so does `torch.no_grad()`.",
    "Without autograd, no activations are kept for a backward pass.",
)
def test_autograd_stays_on() -> None:
    model, saved = nn.Sequential(nn.Linear(2, 2), nn.Tanh()).eval(), []
    with torch.autograd.graph.saved_tensors_hooks(lambda x: saved.append(x) or x, lambda x: x):
        assert model(torch.ones(1, 2)).requires_grad
        kept = len(saved)
        for mode in (torch.inference_mode, torch.no_grad):
            with mode():
                assert not model(torch.ones(1, 2)).requires_grad
    assert len(saved) == kept > 0


@claim("an inference tensor cannot be saved for backward.")
@pytest.mark.parametrize(
    "operation", [torch.mul, torch.matmul, torch.div, F.mse_loss, F.linear, torch.pow, torch.atan2]
)
def test_inference_tensor(operation: object) -> None:
    with torch.inference_mode():
        given_tensor = torch.rand(3, 3)
    raises(
        "Inference tensors cannot be saved for backward", operation, torch.rand(3, 3, requires_grad=True), given_tensor
    )


@claim(
    "So multiply each loss by `len(inputs)`, and divide the sum by the number of samples.",
    "By default, most loss functions return a mean over the batch.",
)
@pytest.mark.parametrize(
    "name",
    [
        "MSELoss",
        "L1Loss",
        "SmoothL1Loss",
        "HuberLoss",
        "BCEWithLogitsLoss",
        "PoissonNLLLoss",
        "CrossEntropyLoss",
        "SoftMarginLoss",
    ],
)
@given(sizes=SIZES)
def test_weighted_mean(name: str, sizes: list[int]) -> None:
    loss = getattr(nn, name)()
    outputs, targets = torch.randn(sum(sizes), 3).double(), torch.rand(sum(sizes), 3).double()
    total = sum(loss(a, b) * len(a) for a, b in zip(outputs.split(sizes), targets.split(sizes), strict=True))
    close(total / len(outputs), loss(outputs, targets))


@claim(
    "With class weights or `ignore_index`, and targets that are class numbers, `cross_entropy` divides by the sum of the weights of the targets that count: multiply by that sum, leave out batches where it is 0, and divide by the total of these sums."
)
@given(
    st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=4), min_size=1, max_size=4), st.sampled_from([-100, 0])
)
def test_weighted_cross_entropy(batches: list[list[int]], ignored: int) -> None:
    weight, targets = torch.tensor([1.0, 2.0, 5.0]).double(), [torch.tensor(batch) for batch in batches]
    outputs = [torch.randn(len(target), 3).double() for target in targets]
    sums = [weight[target[target != ignored]].sum() for target in targets]
    assume(sum(sums) > 0)
    parts = [
        F.cross_entropy(a, b, weight=weight, ignore_index=ignored) * size
        for a, b, size in zip(outputs, targets, sums, strict=True)
        if size > 0
    ]
    close(
        sum(parts) / sum(sums),
        F.cross_entropy(torch.cat(outputs), torch.cat(targets), weight=weight, ignore_index=ignored),
    )


@claim("A sum of losses that are not detached keeps the graph of every batch.")
@given(st.integers(1, 6), st.booleans())
def test_graphs_stay(batches: int, backward: bool) -> None:
    model, total = nn.Linear(1, 1), torch.zeros(())
    for _ in range(batches):
        loss = F.mse_loss(model(torch.ones(4, 1)), torch.ones(4, 1))
        if backward:
            loss.backward()
        total = total + loss
    seen, todo = set(), [total.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            todo += [following for following, _ in node.next_functions]
    assert sum("Mse" in node.name() for node in seen) == batches


@claim(
    "Linear layers with nothing between them are one linear layer.",
    "`nn.ReLU()` between the layers removes that limit.",
)
@given(st.lists(st.integers(1, 5), min_size=2, max_size=5))
def test_one_linear_layer(widths: list[int]) -> None:
    layers = [nn.Linear(a, b) for a, b in pairwise(widths)]
    model = nn.Sequential(*layers).double()
    zero = model(torch.zeros(1, widths[0]).double())
    matrix = model(torch.eye(widths[0]).double()) - zero
    x = torch.randn(7, widths[0]).double()
    close(model(x), x @ matrix + zero)
    bent = nn.Sequential(nn.Linear(1, 8), nn.ReLU(), nn.Linear(8, 1))(torch.linspace(-3, 3, 50)[:, None]).flatten()
    assert (bent[2:] - 2 * bent[1:-1] + bent[:-2]).abs().max() > 1e-4


@claim(
    "A forward hook is a function that the layer calls after each of its own calls.",
    "After `remove()` the hook is no longer called (register_forward_hook).",
)
@given(st.integers(0, 5), st.integers(0, 5))
def test_hook(before: int, after: int) -> None:
    layer, calls = nn.ReLU(), []
    handle = layer.register_forward_hook(lambda *given_arguments: calls.append(given_arguments))
    for _ in range(before):
        layer(torch.ones(1))
    handle.remove()
    for _ in range(after):
        layer(torch.ones(1))
    assert len(calls) == before


@claim("`StepLR` multiplies the learning rate by `gamma` after every `step_size` calls of its `step()`.")
@given(st.integers(1, 6), st.floats(0.1, 2.0), st.integers(0, 20))
def test_step_lr(size: int, gamma: float, steps: int) -> None:
    optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.5)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, size, gamma)
    for _ in range(steps):
        optimizer.step()
        scheduler.step()
    assert optimizer.param_groups[0]["lr"] == pytest.approx(0.5 * gamma ** (steps // size))


@claim(
    "If the norm, the length of all gradients as one vector, is above `max_norm`, `clip_grad_norm_` shortens them to it.",
    "`clip_grad_norm_` returns the norm before clipping: print it for some steps, and choose a `max_norm` that it rarely exceeds.",
)
@given(st.lists(st.floats(-100, 100), min_size=1, max_size=5), st.floats(0.01, 10))
def test_clipping(gradients: list[float], most: float) -> None:
    weights = [nn.Parameter(torch.zeros(1).double()) for _ in gradients]
    for weight, gradient in zip(weights, gradients, strict=True):
        weight.grad = torch.tensor([gradient]).double()
    assert nn.utils.clip_grad_norm_(weights, most).item() == pytest.approx(np.linalg.norm(gradients))
    clipped = torch.tensor(gradients).double() * min(1, most / max(np.linalg.norm(gradients), 1e-9))
    torch.testing.assert_close(torch.cat([weight.grad for weight in weights]), clipped, rtol=1e-3, atol=1e-6)


@claim(
    "Call `train()` at the start of each epoch, because the evaluation leaves the model in `eval()`.",
    "In training mode two passes over the same inputs differ, and `BatchNorm` counts both.",
)
@given(st.integers(1, 4))
def test_mode_stays(passes: int) -> None:
    norm = nn.BatchNorm1d(8)
    model = nn.Sequential(norm, nn.Dropout(0.5))
    inputs = torch.randn(16, 8)
    for _ in range(passes):
        assert not model(inputs).equal(model(inputs))
    assert norm.num_batches_tracked == 2 * passes
    model.eval()
    assert model(inputs).equal(model(inputs))
    assert norm.num_batches_tracked == 2 * passes
    assert not model.training


@claim("gradient | for each parameter, how fast the loss changes when that parameter grows")
@given(st.floats(-2, 2), st.floats(-2, 2))
def test_gradient(w: float, x: float) -> None:
    weight = torch.tensor(w, dtype=torch.float64, requires_grad=True)
    ((weight * x - 1) ** 2).backward()
    assert weight.grad is not None
    steps = [((w + step) * x - 1) ** 2 for step in (-1e-5, 1e-5)]
    assert weight.grad.item() == pytest.approx((steps[1] - steps[0]) / 2e-5, abs=1e-4)


@claim(
    "A loss of your own is a function that returns a tensor with one element, computed from the outputs with PyTorch's operations."
)
def test_own_loss() -> None:
    layer = nn.Linear(2, 1)
    (layer(torch.ones(3, 2)).abs().mean() + 0.1 * layer.weight.square().sum()).backward()
    assert layer.weight.grad is not None
    assert refuses(layer(torch.ones(3, 2)).abs().backward)


@claim("So it can only learn a straight line.")
@given(st.integers(1, 3))
def test_straight_line(layers: int) -> None:
    model = nn.Sequential(nn.Linear(1, 4), *(nn.Linear(4, 4) for _ in range(layers)), nn.Linear(4, 1)).double()
    with torch.no_grad():
        a, b, c = model(torch.tensor([[0.0], [1.0], [2.0]]).double())
    close(b - a, c - b)


@claim("Most modules have no `.device`, so ask a parameter.")
def test_ask_a_parameter() -> None:
    model = nn.Sequential(nn.Linear(1, 1))
    raises("has no attribute 'device'", getattr, model, "device")
    assert next(model.to("meta").parameters()).device.type == "meta"


@claim(
    "`nn.MSELoss()` holds no tensors and does not need to move; [a loss with class weights does](../devices/what-moves.md#losses-have-no-device-unless-they-hold-buffers)."
)
def test_losses_hold() -> None:
    assert not nn.MSELoss().state_dict()
    weighted = nn.CrossEntropyLoss(weight=torch.ones(3))
    assert weighted.to("meta").weight.device.type == "meta"


@claim("`.to` on a tensor returns the moved tensor, so assign the result.")
def test_assign() -> None:
    x = torch.ones(1)
    assert x.to("meta").device.type == "meta"
    assert x.device.type == "cpu"


@claim(
    "For the accuracy of a classifier, add up `(model(inputs).argmax(dim=1) == targets).sum()` in the same way, and divide by `count` at the end: the program does."
)
@given(SIZES)
def test_accuracy(sizes: list[int]) -> None:
    scores, targets = torch.rand(sum(sizes), 3), torch.randint(3, (sum(sizes),))
    batches = zip(scores.split(sizes), targets.split(sizes), strict=True)
    right = sum((outputs.argmax(dim=1) == labels).sum() for outputs, labels in batches)
    assert right / sum(sizes) == (scores.argmax(dim=1) == targets).float().mean()
