"""Moving models: what `Module.to` changes, keeps and leaves behind."""

from __future__ import annotations

import copy
import io

import pytest
import torch
from torch import nn

from claims.claimlib import claim, one_memory, raises, refuses, same
from claims.devices.mixed import Mixed

MODULES = {
    "linear": lambda: nn.Linear(2, 3), "conv": lambda: nn.Conv2d(1, 2, 3), "lstm": lambda: nn.LSTM(2, 3), "batch norm": lambda: nn.BatchNorm1d(3), "embedding": lambda: nn.Embedding(4, 2),
    "attention": lambda: nn.MultiheadAttention(4, 2), "layer": lambda: nn.TransformerEncoderLayer(4, 2, 8), "nested": lambda: nn.Sequential(nn.Linear(2, 2), nn.ModuleList([nn.BatchNorm1d(2)])),
}  # fmt: skip
every_module = pytest.mark.parametrize("make", MODULES.values(), ids=MODULES)
OPTIMIZERS = [
    name
    for name in torch.optim.__all__
    if isinstance(getattr(torch.optim, name, None), type) and name not in ("Optimizer", "LBFGS", "SparseAdam")
]


@claim(
    "`model.to(device)` changes the model that it is called on, and returns that same model.",
    "returns | a tensor: itself if nothing had to change | the module itself",
    "moves | the tensor | parameters and buffers, submodules included",
    "changes the object itself | no | yes",
)
@every_module
def test_in_place(make: object, device: torch.device) -> None:
    model = make()
    for there in (device, torch.device("meta")):
        assert model.to(there) is model
        assert {tensor.device.type for tensor in (*model.parameters(), *model.buffers())} == {there.type}


@claim("integer dtypes | yes | no", "`copy=True` | yes | no: use `copy.deepcopy`")
@every_module
def test_what_a_module_refuses(make: object) -> None:
    raises("only accepts floating point or complex", make().to, torch.int64)
    assert refuses(make().to, "cpu", copy=True)
    assert torch.ones(1).to(torch.int64, copy=True).dtype == torch.int64


@claim(
    "A move gives each `Parameter` new memory, and keeps the `Parameter` object:",
    "So an optimizer that refers to a parameter still does after the move, and two layers that share a weight go on sharing it:",
)
@every_module
def test_same_objects(make: object, device: torch.device) -> None:
    model = make()
    before = list(model.parameters())
    model.to(device).double()
    assert all(a is b for a, b in zip(before, model.parameters(), strict=True))
    tied = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    tied[1].weight = tied[0].weight
    assert tied.to(device).half()[1].weight is tied[0].weight


@claim("Moves to and from the meta device are the exception: they make new parameters.")
@every_module
def test_meta_makes_new_ones(make: object) -> None:
    model = make()
    before = {id(parameter) for parameter in model.parameters()}
    kept = list(model.parameters())
    model.to("meta")
    assert not before & {id(parameter) for parameter in model.parameters()}
    assert all(parameter.device.type == "cpu" for parameter in kept)
    there = {id(parameter): parameter for parameter in model.parameters()}
    model.to_empty(device="cpu")
    assert not set(there) & {id(parameter) for parameter in model.parameters()}


@claim("A buffer that moves becomes another tensor: a name that you gave it before keeps the old one.")
def test_buffers_are_replaced() -> None:
    model = Mixed()
    name = model.mean
    model.double()
    assert (name.dtype, model.mean.dtype) == (torch.float32, torch.float64)


@claim("keep the original as well | `copy.deepcopy(model).to(device)`")
@every_module
def test_deepcopy(make: object) -> None:
    model = make()
    twin = copy.deepcopy(model).to("meta")
    assert {parameter.device.type for parameter in model.parameters()} == {"cpu"}
    assert {parameter.device.type for parameter in twin.parameters()} == {"meta"}


@claim(
    "To bring the values of one model into another of the same kind, wherever both are, copy them: `twin.load_state_dict(original.state_dict())`. The two share no memory after that."
)
@every_module
def test_copy_the_values(make: object, device: torch.device) -> None:
    original, twin = make(), make().to(device)
    twin.load_state_dict(original.state_dict())
    for a, b in zip(original.state_dict().values(), twin.state_dict().values(), strict=True):
        same(b.cpu(), a)
        assert not one_memory(a, b)


@claim("PyTorch's layers with parameters take `device=`, and a `with` block gives the constructors in it a default:")
@pytest.mark.parametrize(
    "name",
    [
        name
        for name in dir(nn)
        if isinstance(getattr(nn, name), type)
        and hasattr(getattr(nn, name), "reset_parameters")
        and not name.startswith(("Lazy", "RNNBase", "RNNCellBase"))
    ],
)
def test_constructors(name: str) -> None:
    sizes = {"Bilinear": (2, 2, 2), "GroupNorm": (1, 2), "AdaptiveLogSoftmaxWithLoss": (4, 10, [5])}
    kind = getattr(nn, name)
    arguments = (
        next(given for given in (sizes.get(name), (2,), (2, 2), (2, 2, 1)) if given and not refuses(kind, *given))
        if name != "PReLU"
        else ()
    )
    with torch.device("meta"):
        inside = kind(*arguments)
    for module in (kind(*arguments, device="meta"), inside):
        assert {parameter.device.type for parameter in module.parameters()} <= {"meta"}


@claim(
    "Most optimizers make their state at the first step (`Adagrad` at once), here on the device of the parameters.",
    "Adam's averages are on the device of the parameters, but its step counter may stay on the CPU.",
)
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_state_is_made_at_the_first_step(name: str) -> None:
    layer = nn.Linear(2, 2, bias=False)
    optimizer = getattr(torch.optim, name)(layer.parameters())
    assert bool(optimizer.state) == (name == "Adagrad")
    layer(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    assert all(
        value.device.type == "cpu"
        for state in optimizer.state.values()
        for value in state.values()
        if isinstance(value, torch.Tensor)
    )


@claim(
    "`load_state_dict` gives state (except step counters) the device and the dtype of the parameters, so loading an optimizer's own state moves it:"
)
def test_loading_moves_the_state(device: torch.device) -> None:
    layer = nn.Linear(2, 2)
    optimizer = torch.optim.Adam(layer.parameters())
    layer(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    layer.to(device, torch.float64)
    optimizer.load_state_dict(optimizer.state_dict())
    for state in optimizer.state.values():
        assert {(state[key].device.type, state[key].dtype) for key in ("exp_avg", "exp_avg_sq")} == {
            (device.type, torch.float64)
        }
        assert state["step"].dtype == torch.float32


@claim(
    "`load_state_dict` copies the values into the model's own parameters, which keep their device and dtype:",
    "`load_state_dict(state, assign=True)` instead makes the loaded tensors the model's parameters, with their device and dtype:",
)
def test_load_state_dict(device: torch.device) -> None:
    state = nn.Linear(2, 2).state_dict()
    model = nn.Linear(2, 2).to(device, torch.float16)
    model.load_state_dict(state)
    assert (model.weight.device.type, model.weight.dtype) == (device.type, torch.float16)
    model.load_state_dict(state, assign=True)
    assert (model.weight.device.type, model.weight.dtype) == ("cpu", torch.float32)
    assert one_memory(model.weight, state["weight"])


@claim(
    "With `strict=False` it leaves out names that only one side has, and returns them; for a tensor of another shape it raises all the same, so remove that name from `state` first."
)
def test_strict() -> None:
    model, state = nn.Linear(2, 2), {"weight": torch.ones(2, 2), "extra": torch.ones(1)}
    found = model.load_state_dict(state, strict=False)
    assert (found.missing_keys, found.unexpected_keys) == (["bias"], ["extra"])
    raises("size mismatch", model.load_state_dict, {"weight": torch.ones(3, 2)}, strict=False)


@claim(
    'With `"cpu"` or the variable `device`, a file from a GPU loads on every machine.',
    "Each tensor in the file remembers its device, and `torch.load` puts it back there.",
)
def test_map_location(device: torch.device, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(torch.serialization, "location_tag", lambda storage: "cuda:7")
        file = io.BytesIO()
        torch.save(torch.ones(2), file)
    for place in ("cpu", device, torch.device("cpu"), {"cuda:7": "cpu"}, lambda storage, location: storage):
        file.seek(0)
        assert torch.load(file, map_location=place).tolist() == [1, 1]
    file.seek(0)
    assert refuses(torch.load, file)


@claim(
    "Two things get lost: ties between weights, and buffers that are not in the file.",
    "On a meta model, `to_empty` unties weights too, and leaves such buffers uninitialized.",
)
def test_what_gets_lost() -> None:
    class Tied(Mixed):
        def __init__(self) -> None:
            super().__init__()
            self.other = self.weight

    state = Tied().state_dict()
    with torch.device("meta"):
        model = Tied()
    model.load_state_dict(state, assign=True)
    assert model.weight is not model.other
    assert model.table.device.type == "meta"
    assert Tied().to("meta").to_empty(device="cpu").weight is not None


@claim("Most modules have no `.device`, and asking for it fails.")
@pytest.mark.parametrize("module", [nn.Linear(1, 1), nn.ReLU(), nn.Sequential(), nn.LSTM(1, 1), nn.MSELoss()], ids=str)
def test_no_device(module: nn.Module) -> None:
    raises("has no attribute 'device'", getattr, module, "device")


@claim(
    "A dictionary changes only the devices that it names.",
    "A function gets each storage on the CPU; this one returns it unchanged and so leaves it there.",
)
def test_dictionary_and_function() -> None:
    file, seen = io.BytesIO(), []
    torch.save({"a": torch.ones(2), "b": torch.ones(3)}, file)

    def load(where: object) -> dict[str, torch.Tensor]:
        file.seek(0)
        return torch.load(file, map_location=where)  # type: ignore[no-any-return]

    assert {x.device.type for x in load({"cpu": "meta"}).values()} == {"meta"}
    assert {x.device.type for x in load({"cuda:0": "meta"}).values()} == {"cpu"}
    found = load(lambda storage, place: seen.append((storage.device.type, place)) or storage)
    assert seen == [("cpu", "cpu")] * 2
    assert {x.device.type for x in found.values()} == {"cpu"}


@claim(
    "It refuses a whole model: with `weights_only=False` such a file loads, if you trust it and the model's class can be imported."
)
def test_whole_model() -> None:
    file = io.BytesIO()
    torch.save(nn.Linear(1, 1), file)
    file.seek(0)
    raises("Weights only load failed", torch.load, file)
    file.seek(0)
    assert isinstance(torch.load(file, weights_only=False), nn.Linear)


@claim(
    "`.to(device)` cannot move a tensor without values.",
    "The parameters are new objects: create the optimizer after this.",
)
def test_to_empty() -> None:
    layer = nn.Linear(2, 2, device="meta")
    raises("Cannot copy out of meta tensor", layer.to, "cpu")
    before = layer.weight
    assert layer.to_empty(device="cpu").weight is not before
    assert layer.weight.device.type == "cpu"
