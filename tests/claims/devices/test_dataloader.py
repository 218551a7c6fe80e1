"""DataLoader: what it makes of items, and what its arguments do."""

from __future__ import annotations

import collections
import inspect
import multiprocessing

import numpy as np
import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st
from torch.utils.data import DataLoader, Dataset, Subset, TensorDataset, default_collate, random_split

from claims.claimlib import claim, raises, refuses, same

NUMBERS = st.one_of(st.integers(-9, 9), st.floats(-9, 9, width=32))


class Reading(Dataset):
    """Notes which items are read."""

    def __init__(self) -> None:
        self.read: list[int] = []

    def __len__(self) -> int:
        return 10

    def __getitem__(self, index: int) -> int:
        self.read.append(index)
        return index


@claim(
    "It makes a batch when the loop asks for one:",
    "The loader read nothing before the loop asked, and then only the two items of the first batch.",
)
@given(st.integers(1, 10))
def test_lazy(size: int) -> None:
    data = Reading()
    loader = iter(DataLoader(data, batch_size=size))
    assert data.read == []
    next(loader)
    assert data.read == list(range(size))


@claim(
    "Strings stay strings. Tensors of different shapes cannot be stacked: write a `collate_fn` that pads sequences with `torch.nn.utils.rnn.pad_sequence(items, batch_first=True)`, or pass `collate_fn=list` to get a list."
)
@given(st.lists(st.integers(1, 5), min_size=2, max_size=5))
def test_different_shapes(lengths: list[int]) -> None:
    items = [torch.ones(length) for length in lengths]
    assert refuses(default_collate, items) == (len(set(lengths)) > 1)
    padded = torch.nn.utils.rnn.pad_sequence(items, batch_first=True)
    assert (padded.shape, padded.sum()) == ((len(items), max(lengths)), sum(lengths))
    assert len(next(iter(DataLoader(items, batch_size=len(items), collate_fn=list)))) == len(items)
    assert default_collate(["a", "b"]) == ["a", "b"]


@claim(
    "If the first number of a batch is a Python float, or if the items are NumPy arrays of `float64`, NumPy's default, the batch is `float64`, which MPS does not take and layers in `float32` refuse.",
    "If the first number is an `int`, the batch is `int64`, or `float32` if a float comes later, so the dtype can change from batch to batch: return `float(value)`, or a tensor.",
)
@given(st.lists(NUMBERS, min_size=1, max_size=5))
@example([0, 0.5])
@example([0.5, 0])
def test_dtype_of_numbers(items: list[float]) -> None:
    later = any(isinstance(item, float) for item in items)
    expected = torch.float64 if isinstance(items[0], float) else torch.float32 if later else torch.int64
    assert default_collate(items).dtype == expected
    assert default_collate([float(item) for item in items]).dtype == torch.float64
    arrays = [np.array([float(item)]) for item in items]
    assert default_collate(arrays).dtype == torch.float64
    assert default_collate([array.astype(np.float32) for array in arrays]).dtype == torch.float32


@claim("`default_collate` keeps the structure of the items, except that a plain tuple becomes a list.")
def test_structure() -> None:
    pair = collections.namedtuple("pair", ["a", "b"])
    item = {"x": torch.ones(2), "y": [1, (2.0, "a")], "z": pair(1, 2)}
    batch = default_collate([item, item])
    assert (type(batch), type(batch["y"]), type(batch["y"][1]), type(batch["z"])) == (dict, list, list, pair)
    assert (batch["x"].shape, list(batch["y"][1][1])) == ((2, 2), ["a", "a"])


@claim("`batch_size` | 1 | items in a batch; `None` passes items on singly, NumPy arrays as tensors")
def test_batch_size() -> None:
    assert next(iter(DataLoader([1, 2]))).shape == (1,)
    assert next(iter(DataLoader([1, 2], batch_size=None))) == 1
    assert isinstance(next(iter(DataLoader([np.ones(2)], batch_size=None))), torch.Tensor)


@claim(
    "`drop_last` | `False` | leaves out the last batch if it is smaller",
    "`len(loader)` is the number of batches, the smaller last one included unless `drop_last=True`.",
)
@given(st.integers(1, 20), st.integers(1, 7), st.booleans())
def test_drop_last(n: int, size: int, drop: bool) -> None:
    loader = DataLoader(range(n), batch_size=size, drop_last=drop)
    assert len(loader) == len(list(loader)) == (n // size if drop else -(-n // size))


@claim("`shuffle` | `False` | a new random order in each epoch")
def test_shuffle() -> None:
    loader = DataLoader(range(50), batch_size=50, shuffle=True)
    first, second = (next(iter(loader)).tolist() for _ in range(2))
    assert first != second
    assert sorted(first) == sorted(second) == list(range(50))


@claim("`sampler`, `batch_sampler` | `None` | your own order of indices, or of lists of them")
@given(st.lists(st.integers(0, 9), min_size=1))
def test_samplers(order: list[int]) -> None:
    assert [batch.item() for batch in DataLoader(range(10), sampler=order)] == order
    assert [batch.tolist() for batch in DataLoader(range(10), batch_sampler=[order, order])] == [order, order]


@claim(
    "A part holds indices only, and no item is copied.",
    "With a generator of its own the split is the same in each run.",
    "`Subset` has the items of the indices that you name, and `random_split` makes several parts at random, such as one for training and one for testing.",
)
@given(st.integers(2, 20))
def test_parts(n: int) -> None:
    data = TensorDataset(torch.arange(n))
    parts = random_split(data, [0.5, 0.5], generator=torch.Generator().manual_seed(0))
    again = random_split(data, [0.5, 0.5], generator=torch.Generator().manual_seed(0))
    assert [part.indices for part in parts] == [part.indices for part in again]
    assert sorted(parts[0].indices + parts[1].indices) == list(range(n))
    assert parts[0].dataset is data
    assert Subset(data, [1, 0])[0] == data[1]


@claim("A `DataLoader` over tensors on the device works as well, without workers and without `pin_memory=True` (why).")
def test_tensors_on_the_device(device: torch.device) -> None:
    data = TensorDataset(torch.arange(6, device=device))
    assert {batch.device.type for (batch,) in DataLoader(data, batch_size=4, shuffle=True)} == {device.type}


@claim("Calling `.to()` on it raises an `AttributeError`.")
def test_no_to() -> None:
    raises("'DataLoader' object has no attribute 'to'", lambda: DataLoader([1]).to("cpu"))


@claim(
    "If all samples of a batch are broken, `default_collate` has nothing to join and raises `IndexError`: return `None` for that batch, too, and skip it in the loop."
)
def test_broken_batch() -> None:
    def collate(items: list[float | None]) -> object:
        return default_collate([item for item in items if item is not None])

    with pytest.raises(IndexError):
        list(DataLoader([1.0, None], collate_fn=collate))
    loader = DataLoader([1.0, None], collate_fn=lambda items: None if items == [None] else collate(items))
    assert [batch.tolist() for batch in loader if batch is not None] == [[1.0]]


@claim("To skip broken samples, let `__getitem__` return `None`, and leave these out in the `collate_fn`.")
@given(st.lists(st.one_of(st.none(), st.integers(0, 9)), min_size=1))
def test_broken_samples(items: list[int | None]) -> None:
    loader = DataLoader(
        items, batch_size=len(items), collate_fn=lambda batch: [item for item in batch if item is not None]
    )
    assert next(iter(loader)) == [item for item in items if item is not None]


@claim(
    "`prefetch_factor` | 2 with workers | batches that each worker reads ahead",
    "`persistent_workers` | `False` | keeps workers between epochs",
    "`in_order` | `True` | `False` returns a batch as soon as a worker has it",
)
@pytest.mark.filterwarnings("ignore:This DataLoader will create")
def test_defaults() -> None:
    assert DataLoader([1]).prefetch_factor is None
    workers = DataLoader([1], num_workers=1, multiprocessing_context="fork")
    assert (workers.prefetch_factor, workers.persistent_workers, workers.in_order) == (2, False, True)
    same(torch.tensor([next(iter(workers)).item()]), torch.tensor([1]))


@claim(
    "`worker_init_fn` | `None` | is called in each worker with its number",
    "`generator` | `None` | random numbers for the order and the workers' seeds",
    "`multiprocessing_context` | `None` | how workers start",
)
def test_workers_and_generator() -> None:
    given = inspect.signature(DataLoader).parameters
    assert [given[name].default for name in ("worker_init_fn", "generator", "multiprocessing_context")] == [None] * 3
    queue = multiprocessing.get_context("fork").SimpleQueue()
    options = {"num_workers": 2, "multiprocessing_context": "fork", "worker_init_fn": queue.put}
    list(DataLoader(range(4), **options))
    assert sorted([queue.get(), queue.get()]) == [0, 1]
    orders = [
        list(DataLoader(range(20), batch_size=None, shuffle=True, generator=torch.Generator().manual_seed(seed)))
        for seed in (1, 1, 2)
    ]
    assert orders[0] == orders[1] != orders[2]
