"""Compare the waits that a report counts with the warnings of `torch.cuda.set_sync_debug_mode`, operation by operation.

    python -m simulated_gpu tests/simulated_gpu/programs/waits.py

PyTorch warns in two places, c10::cuda::memcpy_and_sync and c10::cuda::stream_synchronize, which whatever waits calls.
In the machine code of PyTorch 2.13.0's libraries, these warn: the reads of .item() and its kin in each dtype, copy_,
nonzero, torch.mode of slices that its fused kernel does not take, torch.unique of bool, Stream.synchronize, MAGMA on a
stream of the user's, and tensors that are sent to another process. The first three and Stream.synchronize are in the
table below, and so is torch.unique, which is computed in one piece here: its wait is made. Of the rest, that torch.mode
and the sending fail here, and MAGMA's waits count as all calls of cudaStreamSynchronize do.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable

import torch

from simulated_gpu.reporting.events import the_watch

x = torch.arange(12.0, device="cuda").reshape(3, 4)
flags, places = x > 3, torch.tensor([0, 2], device="cuda")
counts, many = torch.tensor([1, 2, 3], device="cuda"), torch.arange(3000, device="cuda")
pinned, pageable = torch.ones(3, 4).pin_memory(), torch.ones(3, 4)

OPERATIONS: dict[str, Callable[[], object]] = {
    "x.sum().item()": lambda: x.sum().item(),
    "float(x[0, 0])": lambda: float(x[0, 0]),
    "if x.any()": lambda: bool(x.any()),
    "x.tolist()": lambda: x.tolist(),
    "x.cpu()": lambda: x.cpu(),
    'x.to("cpu", non_blocking=True)': lambda: x.to("cpu", non_blocking=True),
    "pageable.cuda()": lambda: pageable.cuda(),
    "pageable.cuda(non_blocking=True)": lambda: pageable.cuda(non_blocking=True),
    "pinned.cuda()": lambda: pinned.cuda(),
    "pinned.cuda(non_blocking=True)": lambda: pinned.cuda(non_blocking=True),
    "pinned.copy_(x)": lambda: pinned.copy_(x),
    "pinned.copy_(x, non_blocking=True)": lambda: pinned.copy_(x, non_blocking=True),
    'torch.tensor([1.0], device="cuda")': lambda: torch.tensor([1.0], device="cuda"),
    'torch.ones(3, device="cuda")': lambda: torch.ones(3, device="cuda"),
    "x.nonzero()": lambda: x.nonzero(),
    "x[flags]": lambda: x[flags],
    "x[flags] = 0.0": lambda: x.clone().__setitem__(flags, 0.0),
    "x[places]": lambda: x[places],
    "x[[0, 2]]": lambda: x[[0, 2]],
    "x.masked_select(flags)": lambda: x.masked_select(flags),
    "x.masked_fill(flags, 0)": lambda: x.masked_fill(flags, 0),
    "torch.where(flags)": lambda: torch.where(flags),
    "torch.where(flags, x, 0)": lambda: torch.where(flags, x, 0),
    "torch.unique(x)": lambda: torch.unique(x),
    "torch.unique(flags)": lambda: torch.unique(flags),
    "torch.unique_consecutive(x)": lambda: torch.unique_consecutive(x),
    "torch.isin(counts, many)": lambda: torch.isin(counts, many),
    "torch.equal(x, x + 1)": lambda: torch.equal(x, x + 1),
    "torch.allclose(x, x)": lambda: torch.allclose(x, x),
    "x.isnan().any()": lambda: x.isnan().any(),
    "torch.repeat_interleave(x, counts, 0)": lambda: torch.repeat_interleave(x, counts, 0),
    "torch.repeat_interleave(..., output_size=6)": lambda: torch.repeat_interleave(x, counts, 0, output_size=6),
    "torch.bincount(counts)": lambda: torch.bincount(counts),
    "F.one_hot(counts)": lambda: torch.nn.functional.one_hot(counts),
    "F.one_hot(counts, 4)": lambda: torch.nn.functional.one_hot(counts, 4),
    "x.sort()": lambda: x.sort(),
    "x.topk(2)": lambda: x.topk(2),
    "torch.cuda.synchronize()": lambda: torch.cuda.synchronize(),
    "stream.synchronize()": lambda: torch.cuda.current_stream().synchronize(),
    "event.synchronize()": lambda: torch.cuda.current_stream().record_event().synchronize(),
    "str(x)": lambda: str(x),
}
NOT_WARNED = {"torch.cuda.synchronize()", "event.synchronize()"}
"""They wait, and the mode does not warn: it "does not yet detect all synchronizing operations"."""


def main() -> int:
    """Print a row for each operation. Return 1 if one differs that is not in `NOT_WARNED`."""
    print(f"{'operation':46} warned  counted")
    differ = {name for name, run in OPERATIONS.items() if _differs(name, *_measured(run))}
    print(f"{len(OPERATIONS)} operations, {len(differ)} differ")
    return int(differ != NOT_WARNED)


def _measured(run: Callable[[], object]) -> tuple[int, int]:
    """Return how often PyTorch warns, and how many waits a report counts."""
    run()  # what an operation does for the first time only is not its own
    torch.cuda.set_sync_debug_mode("warn")
    counts = the_watch().start()  # what a report counts with, without its look at the memory
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            run()
    finally:
        the_watch().stop(counts)
        torch.cuda.set_sync_debug_mode("default")
    number = sum("synchronizing CUDA operation" in str(warning.message) for warning in warned)
    return number, sum(counts.waits.values())


def _differs(name: str, warned: int, counted: int) -> bool:
    print(f"{name:46} {warned:6}  {counted:7}{'' if warned == counted else '  differs'}")
    return warned != counted


if __name__ == "__main__":
    sys.exit(main())
