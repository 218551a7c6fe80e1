"""Say which lines of code hold the memory of a training step, and write a snapshot of a CUDA GPU's memory.

PyTorch can record what its allocator hands out on a CUDA GPU. On other devices the program records nothing: it counts
what autograd keeps for backward instead, and writes no file.

    python snippets/memory_snapshot.py
    python snippets/memory_snapshot.py --output step.pickle --tokens 2048
"""

# region setup
import argparse
import linecache
import math
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import torch
from torch import Tensor, nn

SEED = 42
MIB = 2**20
WIDTH = 64
BATCH = 8
ELSEWHERE = "backward (no line of this file)"

Bytes = Mapping[str, int]


@dataclass(frozen=True)
class Options:
    """What the command line can change.

    Attributes:
        device: where the model is trained.
        output: file for the snapshot; written on a CUDA GPU only.
        tokens: length of each sequence.
        steps: training steps to record.
    """

    device: torch.device
    output: Path = Path("memory_snapshot.pickle")
    tokens: int = 1024
    steps: int = 2


# endregion


# region model
class Block(nn.Module):
    """Attention written out, then a small network, on tensors of shape (batch, tokens, WIDTH)."""

    def __init__(self) -> None:
        super().__init__()
        self.project = nn.Linear(WIDTH, 3 * WIDTH)
        self.widen = nn.Linear(WIDTH, 4 * WIDTH)
        self.narrow = nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = self.project(x).chunk(3, dim=-1)
        scores = query @ key.transpose(1, 2) / math.sqrt(WIDTH)
        weights = scores.softmax(dim=-1)
        x = x + weights @ value
        hidden = nn.functional.gelu(self.widen(x))
        narrowed: Tensor = self.narrow(hidden)
        return x + narrowed


def forward(model: nn.Module, options: Options) -> Tensor:
    """Run the model on random data; return a loss."""
    inputs = torch.randn(BATCH, options.tokens, WIDTH, device=options.device)
    outputs: Tensor = model(inputs)
    return outputs.square().mean()


# endregion


# region lines
def line_here(frames: Iterable[tuple[str, int]]) -> str:
    """Name the innermost line of this file in a stack of (file, line number), innermost first."""
    name = Path(__file__).name
    number = next((line for file, line in frames if Path(file).name == name), None)
    return ELSEWHERE if number is None else f"{number:4}: {linecache.getline(__file__, number).strip()}"


def show(held: Bytes, count: int = 8) -> None:
    """Print the lines that hold most, largest first."""
    for line, size in sorted(held.items(), key=lambda item: -item[1])[:count]:
        print(f"{size / MIB:6.1f} MiB  {line}")


# endregion


# region count
def python_stack(frame: FrameType | None) -> Iterable[tuple[str, int]]:
    """Walk a stack of Python frames from the innermost outward."""
    while frame is not None:
        yield frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back


def kept_for_backward(options: Options) -> Bytes:
    """Bytes that autograd holds after the forward pass, parameters left out, by the line that saved them first."""
    model = Block().to(options.device)
    seen = {parameter.untyped_storage() for parameter in model.parameters()}
    held: Counter[str] = Counter()

    def keep(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        if storage not in seen:
            seen.add(storage)
            held[line_here(python_stack(sys._getframe(1)))] += storage.nbytes()
        return tensor.detach()

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        forward(model, options)
    return held


# endregion


# region snapshot
def record(options: Options) -> list[dict[str, Any]]:
    """Train with the memory history on, write the snapshot, and return the GPU's events, oldest first."""
    torch.cuda.init()
    torch.cuda.memory._record_memory_history(stacks="python", max_entries=100_000)
    model = Block().to(options.device)
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(options.steps):
        loss = forward(model, options)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    snapshot = torch.cuda.memory._snapshot()
    torch.cuda.memory._dump_snapshot(str(options.output))
    torch.cuda.memory._record_memory_history(enabled=None)
    events: list[dict[str, Any]] = snapshot["device_traces"][options.device.index or 0]
    return events


# endregion


# region replay
def at_the_peak(events: Iterable[dict[str, Any]]) -> Bytes:
    """Replay allocations and frees; return the bytes that each line held when most was held."""
    alive: dict[int, tuple[str, int]] = {}
    held: Counter[str] = Counter()
    peak: Counter[str] = Counter()
    for event in events:
        if event["action"] == "alloc":
            line = line_here((frame["filename"], frame["line"]) for frame in event.get("frames", []))
            alive[event["addr"]] = (line, event["size"])
            held[line] += event["size"]
        elif event["action"] == "free_completed" and event["addr"] in alive:
            line, size = alive.pop(event["addr"])
            held[line] -= size
        if held.total() > peak.total():
            peak = held.copy()
    return peak


# endregion


# region report
def run(options: Options) -> None:
    """Record or count, depending on the device, and print a report."""
    torch.manual_seed(SEED)
    if options.device.type == "cuda":
        events = record(options)
        held = at_the_peak(events)
        print(f"device {options.device}: {len(events)} events in {options.steps} steps; held at the peak, by line:")
        show(held)
        print(f"wrote {options.output.name} ({options.output.stat().st_size / MIB:.1f} MiB)")
        print("to look at it, drop the file on https://docs.pytorch.org/memory_viz")
    else:
        print(f"device {options.device}: this program records allocations on CUDA only, so no snapshot is written.")
        print(f"On a CUDA GPU, {options.output.name} would hold the allocations of {options.steps} steps.")
        print("Counted instead: kept for backward after the forward pass, by line:")
        show(kept_for_backward(options))


# endregion


# region arguments
def devices_here() -> dict[str, int]:
    """Count the devices of each kind on this machine, an accelerator before the CPU."""
    accelerator = torch.accelerator.current_accelerator(check_available=True)
    found = {} if accelerator is None else {accelerator.type: torch.accelerator.device_count()}
    return found | {"cpu": 1}


def device_argument(name: str) -> torch.device:
    """Turn a name into a device that is really there.

    Raises:
        argparse.ArgumentTypeError: PyTorch does not know the name, or this machine has no such device.
    """
    try:
        device = torch.device(name)
    except RuntimeError:
        raise argparse.ArgumentTypeError(f"{name!r} is not the name of a device") from None
    here = devices_here()
    # An index can be negative: torch.device reads cuda:200 as cuda:-56.
    if (device.index or 0) not in range(here.get(device.type, 0)):
        raise argparse.ArgumentTypeError(f"{name!r} is not available on this machine, which has: {', '.join(here)}")
    return device


def file_argument(text: str) -> Path:
    """Name a file in a folder that exists.

    Raises:
        argparse.ArgumentTypeError: the folder does not exist, or the name is that of a folder.
    """
    path = Path(text)
    if path.is_dir() or not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"{text!r} is not a file in an existing folder")
    return path


def positive(text: str) -> int:
    """Read a whole number above zero.

    Raises:
        argparse.ArgumentTypeError: the text is something else.
    """
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above zero")
    return int(text)


def parse_arguments(arguments: Sequence[str] | None = None) -> Options:
    """Read the command line; a wrong one ends the program with a message and exit status 2."""
    parser = argparse.ArgumentParser(description="Say which lines of code hold the memory of a training step.")
    best, output = next(iter(devices_here())), Options.output
    parser.add_argument("--device", type=device_argument, default=best, help=f"cpu, cuda, mps (default here: {best})")
    parser.add_argument("--output", type=file_argument, default=output, metavar="FILE", help=f"default: {output}")
    parser.add_argument("--tokens", type=positive, default=1024, metavar="N", help="sequence length (default: 1024)")
    parser.add_argument("--steps", type=positive, default=2, metavar="N", help="training steps (default: 2)")
    return Options(**vars(parser.parse_args(arguments)))


# endregion


if __name__ == "__main__":
    run(parse_arguments())
