"""Reproducibility: what a seed fixes, and what has a state of its own."""

from __future__ import annotations

import random

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.utils.data import DataLoader, Dataset

from claims.claimlib import DTYPES, claim, refuses, same

SEEDS = st.integers(0, 2**32)
DRAWS = {
    "rand": lambda **k: torch.rand(5, **k), "randn": lambda **k: torch.randn(5, **k), "randint": lambda **k: torch.randint(99, (5,), **k),
    "randperm": lambda **k: torch.randperm(9, **k), "normal": lambda **k: torch.normal(0.0, 1.0, (5,), **k), "bernoulli": lambda **k: torch.bernoulli(torch.full((9,), 0.5), **k),
    "multinomial": lambda **k: torch.multinomial(torch.ones(9), 5, **k), "normal_": lambda **k: torch.empty(5).normal_(**k), "exponential_": lambda **k: torch.empty(5).exponential_(**k),
}  # fmt: skip
each_draw = pytest.mark.parametrize("name", DRAWS)


@claim("Set the same seed before each draw, and the draws are equal:", "A seed is a number that sets the state.")
@each_draw
@given(seed=SEEDS)
def test_seed(name: str, seed: int) -> None:
    torch.manual_seed(seed)
    first = DRAWS[name]()
    torch.manual_seed(seed)
    same(DRAWS[name](), first)


@claim(
    "Pass it as `generator=` to `torch.rand`, `randn`, `randint`, `randperm`, `normal`, `bernoulli`, `multinomial`, to methods such as `tensor.normal_()`, to `random_split` and to `DataLoader`.",
    "The numbers are those of `torch.manual_seed(42)`, and the default sequence has not moved.",
)
@each_draw
@given(seed=SEEDS)
def test_generator(name: str, seed: int) -> None:
    torch.manual_seed(seed)
    expected = DRAWS[name]()
    before = torch.get_rng_state()
    same(DRAWS[name](generator=torch.Generator().manual_seed(seed)), expected)
    same(torch.get_rng_state(), before)


@claim(
    "PyTorch's random numbers are pseudorandom: a generator computes each number from a hidden state, and every draw changes the state."
)
@each_draw
def test_state_changes(name: str) -> None:
    before = torch.get_rng_state()
    DRAWS[name]()
    assert not torch.equal(torch.get_rng_state(), before)


@claim(
    "It returns the CPU's generator. `torch.initial_seed()` reads the seed, and `torch.seed()` sets an unpredictable one."
)
@given(SEEDS)
def test_initial_seed(seed: int) -> None:
    assert torch.manual_seed(seed) is torch.default_generator
    assert torch.initial_seed() == seed
    assert torch.seed() != torch.seed()


@claim(
    "Python and NumPy have their own generators, which `torch.manual_seed` does not seed.",
    "A `numpy.random.default_rng(seed)` has its own state, which `np.random.seed` does not touch.",
)
def test_other_generators() -> None:
    def draws() -> list[float]:
        torch.manual_seed(1)
        return [random.random(), np.random.rand()]

    assert not set(draws()) & set(draws())
    rng = np.random.default_rng(1)
    first = rng.random()
    np.random.seed(1)
    assert rng.random() != first


@claim("The dtype matters too: for `rand`, the `float64` numbers are not the `float32` numbers with more digits.")
@given(SEEDS)
def test_dtype_matters(seed: int) -> None:
    drawn = []
    for dtype in (torch.float32, torch.float64):
        torch.manual_seed(seed)
        drawn.append(torch.rand(8, dtype=dtype).double())
    assert not torch.allclose(*drawn, atol=1e-4)


@claim(
    "For normal numbers on the CPU, the size matters as well: PyTorch uses another method from 16 elements on, so even the first numbers differ."
)
@given(SEEDS, st.integers(1, 15), st.integers(16, 40))
def test_size_matters(seed: int, small: int, large: int) -> None:
    drawn = []
    for size in (small, 15, large):
        torch.manual_seed(seed)
        drawn.append(torch.randn(size)[0])
    assert drawn[0] == drawn[1] != drawn[2]


@claim("A new generator without a seed is not random: it starts from the same fixed number in every run.")
def test_new_generator() -> None:
    assert torch.Generator().initial_seed() == torch.Generator().initial_seed() == 67280421310721


@claim(
    'A generator belongs to one device, the CPU unless you write `torch.Generator(device="cuda")`, and works only for tensors there.'
)
def test_device_of_a_generator(device: torch.device) -> None:
    assert torch.Generator().device.type == "cpu"
    assert torch.rand(1, device=device, generator=torch.Generator(device)).device.type == device.type
    assert refuses(torch.rand, 1, device=device, generator=torch.Generator()) == (device.type != "cpu")


@claim(
    "Each device has its own generator. `torch.manual_seed` gives all of them the same seed, but a CPU and a GPU do not give the same numbers."
)
def test_each_device(device: torch.device) -> None:
    torch.manual_seed(3)
    here = torch.rand(4, device=device).cpu()
    torch.manual_seed(3)
    assert torch.equal(here, torch.rand(4)) == (device.type == "cpu")


@claim(
    "To get the same numbers on every device, draw them on the CPU and move them.",
    "This also holds for a model: create it on the CPU and move it, and it starts with the same parameters on every device.",
)
def test_draw_and_move(device: torch.device) -> None:
    torch.manual_seed(3)
    model = nn.Linear(3, 3).to(device)
    torch.manual_seed(3)
    same(model.weight.cpu(), nn.Linear(3, 3).weight)


@claim(
    "`torch.get_rng_state()` returns the state of the CPU's generator as a tensor of bytes, and `torch.set_rng_state()` sets it.",
    "`torch.random.fork_rng()` puts the state back at the end of a `with` block.",
)
@pytest.mark.filterwarnings("ignore:CUDA reports that you have")
@each_draw
def test_states(name: str) -> None:
    state = torch.get_rng_state()
    assert (state.dtype, state.device.type) == (torch.uint8, "cpu")
    first = DRAWS[name]()
    torch.set_rng_state(state)
    with torch.random.fork_rng():
        torch.manual_seed(99)
        DRAWS[name]()
    same(DRAWS[name](), first)


@claim(
    "Without one, each pass takes a seed from the default generator, with `shuffle=False` too.",
    "Each pass over the data, an epoch, has a new order.",
)
@pytest.mark.parametrize("shuffle", [False, True])
def test_passes(shuffle: bool) -> None:
    loader = DataLoader(range(50), batch_size=50, shuffle=shuffle)
    before = torch.get_rng_state()
    first = next(iter(loader)).tolist()
    assert not torch.equal(torch.get_rng_state(), before)
    assert (next(iter(loader)).tolist() == first) == (not shuffle)


@claim("Floats become `nan`, integers the largest number of their dtype.")
@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype != torch.bool], ids=str)
def test_filled(dtype: torch.dtype) -> None:
    torch.use_deterministic_algorithms(True)
    try:
        x = torch.empty(100, dtype=dtype)
    finally:
        torch.use_deterministic_algorithms(False)
    if dtype.is_floating_point or dtype.is_complex:
        assert x.isnan().all()
    else:
        assert (x == torch.iinfo(dtype).max).all()


@claim("So a data split with its own generator stays the same, whatever the rest of the program draws:")
@given(st.integers(0, 9))
def test_split(draws: int) -> None:
    torch.rand(draws)
    parts = torch.utils.data.random_split(range(20), [15, 5], generator=torch.Generator().manual_seed(7))
    assert parts[1].indices == torch.randperm(20, generator=torch.Generator().manual_seed(7))[15:].tolist()


@claim("`==` compares element by element; `torch.equal` gives one answer for the whole tensor.")
@given(st.lists(st.booleans(), min_size=1))
def test_equal(values: list[bool]) -> None:
    x, y = torch.tensor(values), torch.ones(len(values), dtype=torch.bool)
    assert (x == y).tolist() == values
    assert torch.equal(x, y) is all(values)


@claim("For CUDA, `torch.cuda.get_rng_state_all()` returns one state for each GPU.")
def test_states_of_gpus() -> None:
    assert len(torch.cuda.get_rng_state_all()) == torch.cuda.device_count()


@claim("If you seed again, the sequence starts over, and numbers that should be independent become equal.")
@given(st.integers(0, 2**40), st.integers(1, 20))
def test_starts_over(seed: int, n: int) -> None:
    torch.manual_seed(seed)
    first, later = torch.rand(n), torch.rand(n)
    torch.manual_seed(seed)
    same(torch.rand(n), first)
    assert not later.equal(first)


class Drawn(Dataset):
    """Random numbers of PyTorch, Python and NumPy."""

    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> torch.Tensor:
        return torch.tensor([torch.rand(()).item(), random.random(), np.random.rand()])


@claim(
    "The loader gives each worker a different seed, derived from the generator, and each worker seeds PyTorch, Python and NumPy's global generator from it.",
    "So another `num_workers` gives other numbers, and 0 takes them from the main process.",
)
def test_seeds_of_workers() -> None:
    def epoch(workers: int) -> torch.Tensor:
        generator = torch.Generator().manual_seed(42)
        context = "fork" if workers else None
        loader = DataLoader(Drawn(), num_workers=workers, generator=generator, multiprocessing_context=context)
        return torch.cat(list(loader))

    found = epoch(2)
    assert len(found.unique()) == found.numel()
    same(epoch(2), found)
    assert not epoch(1).equal(found)
    assert not epoch(0).equal(epoch(0))
