"""Find the largest batch size whose training step fits into a memory budget, on the CPU, a CUDA GPU or an Apple GPU.

On CUDA every candidate trains for two steps under a memory limit, and runs out of memory if it has to. On other
devices the program counts bytes on the meta device, which computes shapes and no numbers.

    python snippets/find_batch_size.py
    python snippets/find_batch_size.py --budget 2048 --width 4096 --multiple 8
"""

# region setup
import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

SEED = 42
MIB = 2**20


@dataclass(frozen=True)
class Options:
    """What the command line can change.

    Attributes:
        device: the device to find a batch size for.
        budget: memory that a training step may take, in MiB.
        width: features of each layer.
        layers: number of layers.
        multiple: every batch size tried is a multiple of this.
    """

    device: torch.device
    budget: int = 256
    width: int = 1024
    layers: int = 4
    multiple: int = 128


# endregion


# region step
Trained = tuple[nn.Module, torch.optim.Adam]


def train(options: Options, device: torch.device, batch_size: int, steps: int = 2) -> Trained:
    """Build a model on the device and train it on random data; return it with its optimizer.

    Two steps by default: Adam allocates its state at the end of the first one.
    """
    torch.manual_seed(SEED)
    layers = [nn.Sequential(nn.Linear(options.width, options.width), nn.ReLU()) for _ in range(options.layers)]
    model = nn.Sequential(*layers).to(device)
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(steps):
        inputs = torch.randn(batch_size, options.width, device=device)
        optimizer.zero_grad()
        model(inputs).square().mean().backward()
        optimizer.step()
    return model, optimizer


# endregion


# region measure
def measured(options: Options, batch_size: int) -> int | None:
    """Train within the budget on a CUDA GPU: the peak in bytes, or None if memory ran out."""
    gpu = options.device.index  # None, the current GPU, for "cuda": the limit takes no device without an index
    total = torch.cuda.get_device_properties(gpu).total_memory
    torch.cuda.set_per_process_memory_fraction(options.budget * MIB / total, gpu)
    torch.cuda.reset_peak_memory_stats(gpu)
    try:
        train(options, options.device, batch_size)
        peak = torch.cuda.max_memory_allocated(gpu)
    except torch.OutOfMemoryError:
        peak = None  # clean up below: in here the exception still holds the step's tensors
    torch.cuda.empty_cache()
    torch.cuda.set_per_process_memory_fraction(1.0, gpu)
    return peak


# endregion


# region count
def counted(options: Options, batch_size: int) -> int | None:
    """Add up what a step needs without running it: the sum in bytes, or None if over the budget.

    The sum has parameters, gradients, optimizer state, and what autograd keeps for backward. Gradients come as kept
    tensors go, so the four are never all there at once; temporary tensors of single operations are not in the sum.
    """
    alive: set[torch.UntypedStorage] = set()

    def keep(tensor: Tensor) -> Tensor:
        alive.add(tensor.untyped_storage())
        return tensor.detach()

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        model, optimizer = train(options, torch.device("meta"), batch_size, steps=1)
    state = [value for values in optimizer.state.values() for value in values.values()]
    gradients = [parameter.grad for parameter in model.parameters() if parameter.grad is not None]
    for tensor in [*model.parameters(), *gradients, *state]:
        alive.add(tensor.untyped_storage())
    total = sum(storage.nbytes() for storage in alive)
    return total if total <= options.budget * MIB else None


# endregion


# region search
def largest(fits: Callable[[int], bool], multiple: int) -> int:
    """Return the largest multiple for which `fits` is true, 0 if there is none: double until it fails, then bisect."""
    good, bad = 0, multiple
    while fits(bad):
        good, bad = bad, 2 * bad
    while bad - good > multiple:
        middle = (good + bad) // (2 * multiple) * multiple
        good, bad = (middle, bad) if fits(middle) else (good, middle)
    return good


# endregion


# region report
def find(options: Options) -> int:
    """Search for the largest batch size, with one line of output for each one tried."""
    on_gpu = options.device.type == "cuda"
    method = measured if on_gpu else counted
    print(f"device {options.device}, budget {options.budget} MiB, {'measured' if on_gpu else 'counted, not run'}")

    def fits(batch_size: int) -> bool:
        used = method(options, batch_size)
        print(f"batch size {batch_size:6}: " + ("too large" if used is None else f"{used / MIB:6.1f} MiB"), flush=True)
        return used is not None

    found = largest(fits, options.multiple)
    print(f"largest that fits: {found}" if found else "nothing fits: give a larger --budget or a smaller --multiple")
    return found


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
    parser = argparse.ArgumentParser(description="Find the largest batch size that fits into a memory budget.")
    best = next(iter(devices_here()))
    parser.add_argument("--device", type=device_argument, default=best, help=f"cpu, cuda, mps (default here: {best})")
    parser.add_argument("--budget", type=positive, default=256, metavar="MIB", help="memory to use (default: 256 MiB)")
    parser.add_argument("--width", type=positive, default=1024, metavar="N", help="features a layer (default: 1024)")
    parser.add_argument("--layers", type=positive, default=4, metavar="N", help="layers (default: 4)")
    parser.add_argument("--multiple", type=positive, default=128, metavar="N", help="try multiples of N (default: 128)")
    options = Options(**vars(parser.parse_args(arguments)))
    if options.device.type == "cuda":
        total = torch.cuda.get_device_properties(options.device).total_memory // MIB
        if options.budget > total:
            parser.error(f"--budget {options.budget}: this GPU has {total} MiB")
    return options


# endregion


if __name__ == "__main__":
    find(parse_arguments())
