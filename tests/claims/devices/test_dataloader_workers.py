"""DataLoader workers: who reads what, and in which order."""

from __future__ import annotations

import os
import time

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info

from claims.claimlib import claim, raises

few = settings(max_examples=2)
"""Workers take time to start."""


class Who(Dataset):
    """Items that say which process read them."""

    def __init__(self, n: int) -> None:
        self.n = n

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, index: int) -> tuple[int, int]:
        return index, os.getpid()


class Stream(IterableDataset):
    """Numbers, shared among the workers if asked."""

    def __init__(self, n: int, shared: bool) -> None:
        self.n, self.shared = n, shared

    def __iter__(self):
        worker = get_worker_info()
        every = range(self.n)
        return iter(every if worker is None or not self.shared else every[worker.id :: worker.num_workers])


def loader(data: Dataset | IterableDataset, workers: int, **options: object) -> DataLoader:
    """A loader with forked workers."""
    return DataLoader(data, num_workers=workers, multiprocessing_context="fork" if workers else None, **options)


@claim(
    "The batches of a dataset with `__getitem__` come in the sampler's order whatever the number of workers, unless you pass `in_order=False`.",
    "Each worker makes whole batches, in turn.",
    "With `num_workers=0`, the default, the process of the loop reads the items itself, between two steps.",
)
@few
@given(st.integers(5, 12), st.integers(0, 2), st.integers(1, 3))
def test_order(n: int, workers: int, size: int) -> None:
    batches = list(loader(Who(n), workers, batch_size=size))
    assert [index for batch, _ in batches for index in batch.tolist()] == list(range(n))
    readers = [set(pids.tolist()) for _, pids in batches]
    assert all(len(pids) == 1 for pids in readers)
    assert (readers[0] == {os.getpid()}) == (workers == 0)
    if workers == 2 and len(readers) > 2:
        assert readers[0] == readers[2] != readers[1]


@claim(
    "Each worker iterates over a copy of it, so without further care each item comes once from every worker.",
    "Let each worker take its share: `get_worker_info()` returns its number and how many there are, and `None` in the main process.",
)
@few
@given(st.integers(1, 6), st.booleans())
def test_streams(n: int, shared: bool) -> None:
    items = sorted(batch.item() for batch in loader(Stream(n, shared), 2))
    assert items == sorted(list(range(n)) * (1 if shared else 2))
    assert get_worker_info() is None


@claim(
    "`shuffle=True` and `sampler` raise a `ValueError`, because the dataset decides the order: to shuffle, fill a list with some items in `__iter__`, and yield a random one of it each time."
)
@pytest.mark.parametrize("options", [{"shuffle": True}, {"sampler": [0, 1]}], ids=str)
def test_no_sampler(options: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="DataLoader with IterableDataset"):
        DataLoader(Stream(2, False), **options)


@claim("Each worker prepares `prefetch_factor` batches ahead, 2 by default.")
def test_prefetch() -> None:
    assert loader(Who(2), 1).prefetch_factor == 2
    raises("prefetch_factor option could only be specified in multiprocessing", DataLoader, Who(2), prefetch_factor=2)


@claim("With `persistent_workers=True` only the first epoch pays.")
@pytest.mark.parametrize("persistent", [False, True])
def test_persistent_workers(persistent: bool) -> None:
    again = loader(Who(2), 1, persistent_workers=persistent)
    first, second = ({pids.item() for _, pids in again} for _ in range(2))
    assert (first == second) == persistent


@claim(
    "A tensor of the dataset on which you called `share_memory_()` is the same one in all workers, also as a cache that they write to."
)
@pytest.mark.parametrize("shared", [False, True])
def test_shared_tensor(shared: bool) -> None:
    cache = torch.zeros(4)
    if shared:
        cache.share_memory_()

    class Writing(Dataset):
        def __len__(self) -> int:
            return 4

        def __getitem__(self, index: int) -> int:
            cache[index] = 1
            return index

    list(loader(Writing(), 2))
    assert cache.tolist() == [float(shared)] * 4


class Slow(Dataset):
    """Items that take 10 ms to arrive."""

    def __len__(self) -> int:
        return 24

    def __getitem__(self, index: int) -> int:
        time.sleep(0.01)
        return index


@claim("Two workers wait for two batches at the same time, so an epoch takes about half as long.")
def test_two_workers() -> None:
    def seconds(workers: int) -> float:
        loader = DataLoader(
            Slow(),
            batch_size=4,
            num_workers=workers,
            persistent_workers=workers > 0,
            multiprocessing_context="fork" if workers else None,
        )
        list(loader)
        start = time.perf_counter()
        assert sum(len(batch) for batch in loader) == 24
        return time.perf_counter() - start

    alone = seconds(0)
    assert min(seconds(2) for _ in range(2)) < 0.8 * alone


@claim("`len(loader)` raises a `TypeError` unless the dataset has `__len__`.")
def test_no_length() -> None:
    class Stream(IterableDataset[int]):
        def __iter__(self):  # type: ignore[no-untyped-def]
            return iter(range(5))

    class Long(Stream):
        def __len__(self) -> int:
            return 5

    raises("has no len()", len, DataLoader(Stream()))
    assert len(DataLoader(Long(), batch_size=2)) == 3
