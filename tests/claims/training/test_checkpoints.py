"""Checkpoints: what a training depends on, and how it comes back."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.utils.data import DataLoader, Dataset

from claims.claimlib import claim, one_memory, refuses, same


def trained(lr: float = 0.1, steps: int = 1) -> tuple[nn.Module, torch.optim.Optimizer]:
    """A layer after some updates by Adam, and its optimizer."""
    layer = nn.Linear(2, 1)
    optimizer = torch.optim.Adam(layer.parameters(), lr=lr)
    for _ in range(steps):
        update(layer, optimizer)
    return layer, optimizer


def update(layer: nn.Module, optimizer: torch.optim.Optimizer) -> None:
    """One update of a layer."""
    optimizer.zero_grad()
    layer(torch.tensor([[1.0, 2.0]])).square().sum().backward()
    optimizer.step()


@claim(
    "Save the state dicts of the model and the optimizer together with the epoch, and load all of them before you go on."
)
@given(st.integers(1, 4))
def test_both_are_needed(steps: int) -> None:
    layer, optimizer = trained(steps=steps)
    saved = deepcopy({"layer": layer.state_dict(), "optimizer": optimizer.state_dict()})
    ends = []
    for parts in (("layer", "optimizer"), ("layer",)):
        again, other = trained(steps=0)
        again.load_state_dict(saved["layer"])
        if "optimizer" in parts:
            other.load_state_dict(saved["optimizer"])
        update(again, other)
        ends.append(again.weight.detach())
    update(layer, optimizer)
    same(ends[0], layer.weight.detach())
    assert not torch.equal(ends[1], ends[0])


@claim("the parameters and persistent buffers by their names; they share the model's memory")
def test_a_state_shares() -> None:
    model = nn.BatchNorm1d(2)
    state = model.state_dict()
    assert all(one_memory(state[name], one) for name, one in (*model.named_parameters(), *model.named_buffers()))


@claim("take over the state, the learning rate and the other options")
@given(st.floats(0.001, 1), st.floats(0.001, 1))
def test_the_learning_rate_comes_back(saved: float, other: float) -> None:
    _, optimizer = trained(lr=saved)
    _, fresh = trained(lr=other, steps=0)
    fresh.load_state_dict(optimizer.state_dict())
    assert fresh.param_groups[0]["lr"] == saved


@claim(
    "read them; tensors go to the device that they had, unless `map_location` says where",
    'to load a file of a GPU on any machine | `torch.load(path, map_location="cpu")`',
)
def test_where_a_file_goes(device: torch.device, tmp_path: Path) -> None:
    torch.save(torch.ones(2, device=device), tmp_path / "x.pt")
    assert torch.load(tmp_path / "x.pt").device.type == device.type
    assert torch.load(tmp_path / "x.pt", map_location="cpu").device.type == "cpu"


@claim("They store plain numbers and tensors, because `torch.load` refuses NumPy's arrays by default.")
def test_arrays_are_refused(tmp_path: Path) -> None:
    kind, keys, *rest = np.random.get_state()
    torch.save((kind, keys), tmp_path / "array.pt")
    torch.save((kind, keys.tolist(), *rest), tmp_path / "list.pt")
    assert refuses(torch.load, tmp_path / "array.pt")
    assert not refuses(torch.load, tmp_path / "list.pt")


@claim("model | the parameters, and the buffers that are persistent")
def test_state_of_a_model() -> None:
    model = nn.BatchNorm1d(2)
    model.register_buffer("table", torch.ones(2), persistent=False)
    names = {name for name, _ in (*model.named_parameters(), *model.named_buffers())}
    assert set(model.state_dict()) == names - {"table"}


@claim(
    "optimizer | Adam's running averages",
    "scaler | the loss scale and when it grows",
    "scheduler | the place in the learning rate schedule",
)
def test_other_states() -> None:
    weight = nn.Parameter(torch.ones(1))
    optimizer, scaler = torch.optim.Adam([weight]), torch.amp.GradScaler("cpu")
    weight.grad = torch.ones(1)
    optimizer.step()
    assert {"exp_avg", "exp_avg_sq"} <= set(optimizer.state_dict()["state"][0])
    assert {"scale", "growth_interval", "_growth_tracker"} <= set(scaler.state_dict())
    assert "last_epoch" in torch.optim.lr_scheduler.StepLR(optimizer, 1).state_dict()


class Drawn(Dataset):
    """Items that are random numbers."""

    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> torch.Tensor:
        return torch.rand(1)


@claim("Worker processes of a `DataLoader` start again with their first random number.")
def test_workers_start_again() -> None:
    def first() -> torch.Tensor:
        generator = torch.Generator().manual_seed(0)
        return next(iter(DataLoader(Drawn(), num_workers=1, generator=generator, multiprocessing_context="fork")))

    same(first(), first())


@claim("`load_state_dict` copies the values to the parameters' device, and the random states have to be on the CPU.")
def test_load_copies(device: torch.device) -> None:
    model, state = nn.Linear(1, 1).to(device), nn.Linear(1, 1).state_dict()
    model.load_state_dict(state)
    assert model.weight.device.type == device.type
    assert not one_memory(model.weight, state["weight"])
    assert refuses(torch.set_rng_state, torch.get_rng_state().to("meta"))


@claim("only some parameters of a file | `model.load_state_dict(state, strict=False)`, and read what it returns")
def test_some_parameters() -> None:
    state = {"weight": torch.ones(1, 2), "other": torch.ones(1)}
    layer = nn.Linear(2, 1)
    assert refuses(layer.load_state_dict, state)
    found = layer.load_state_dict(state, strict=False)
    assert (found.missing_keys, found.unexpected_keys) == (["bias"], ["other"])
    same(layer.weight.detach(), state["weight"])


@claim(
    "the best model so far, in memory | `best = copy.deepcopy(model.state_dict())`: the state dict shares the model's memory"
)
def test_the_best() -> None:
    layer, optimizer = trained()
    shared, best = layer.state_dict(), deepcopy(layer.state_dict())
    update(layer, optimizer)
    assert shared["weight"].equal(layer.weight)
    assert not best["weight"].equal(layer.weight)


@claim("An optimizer takes over the tensors of the dictionary without a copy, if their dtype and device fit.")
def test_an_optimizer_shares() -> None:
    (first, optimizer), (second, other) = trained(), trained(steps=0)
    state = optimizer.state_dict()
    other.load_state_dict(state)
    assert one_memory(other.state[second.weight]["exp_avg"], state["state"][0]["exp_avg"])
    other.load_state_dict(deepcopy(state))
    assert not one_memory(other.state[second.weight]["exp_avg"], state["state"][0]["exp_avg"])
    assert first.weight is not second.weight


def states(optimizer: torch.optim.Optimizer) -> list[torch.Tensor]:
    return [x for entry in optimizer.state.values() for x in entry.values() if isinstance(x, torch.Tensor) and x.dim()]


@claim("After `torch.load` that is fine; to load one state into two optimizers, pass a `copy.deepcopy` of it to each.")
def test_two_optimizers() -> None:
    state = trained()[1].state_dict()
    first, second = trained()[1], trained()[1]
    for copied in (False, True):
        for optimizer in (first, second):
            optimizer.load_state_dict(deepcopy(state) if copied else state)
        assert states(first)
        for x, y in zip(states(first), states(second), strict=True):
            assert one_memory(x, y) is not copied
