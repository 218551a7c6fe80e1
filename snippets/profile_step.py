"""Profile a training step: where its time and its memory go, on the CPU or on a CUDA GPU.

Someone added a penalty to the loss of this model. The report shows what it costs.

    python snippets/profile_step.py
    python snippets/profile_step.py --trace step.json
"""

import argparse
import os

os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # both before the import: they keep logs off the screen
os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")

import torch
from torch import Tensor, nn
from torch.profiler import ProfilerActivity, profile, record_function, schedule

PARTS = ("forward", "penalty", "backward", "optimizer")
ACTIVE = 3


def train_step(model: nn.Sequential, batch: Tensor, optimizer: torch.optim.Optimizer) -> None:
    """Make one update; `record_function` gives each part a name in the report."""
    with record_function("forward"):
        loss = model(batch).square().mean()
    with record_function("penalty"):
        weight = next(model.parameters())
        loss = loss + 0.01 * torch.linalg.matrix_norm(weight, ord=2)
    optimizer.zero_grad()
    with record_function("backward"):
        loss.backward()
    with record_function("optimizer"):
        optimizer.step()


def record(device: torch.device) -> profile:
    """Run a few steps of a small model and return what the profiler saw in the last ones."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 256)).to(device)
    batch = torch.randn(32, 256).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    activities = [ProfilerActivity.CPU]
    if device.type == "cuda":
        activities.append(ProfilerActivity.CUDA)
    steps = schedule(wait=1, warmup=1, active=ACTIVE)
    with profile(activities=activities, schedule=steps, profile_memory=True, acc_events=True) as profiler:
        for _ in range(2 + ACTIVE):
            train_step(model, batch, optimizer)
            profiler.step()
    return profiler


def report(profiler: profile, device: torch.device) -> None:
    """Print the parts of a step, the operation that takes most time, and the one that allocates most."""
    events = [event for event in profiler.key_averages() if event.device_type.name == "CPU"]
    parts = {event.key: event for event in events if event.key in PARTS}
    total = sum(event.cpu_time_total for event in parts.values())
    print("part       time on the CPU")
    for name in PARTS:
        part = parts[name]
        print(f"{name:10} {part.cpu_time_total / ACTIVE / 1e3:8.2f} ms {part.cpu_time_total / total:4.0%}")

    column = "self_device_time_total" if device.type == "cuda" else "self_cpu_time_total"
    operations = [event for event in events if event.key.startswith("aten::")]
    slowest = max(operations, key=lambda event: getattr(event, column))
    print(f"most time of its own: {slowest.key}, {getattr(slowest, column) / ACTIVE / 1e3:.2f} ms a step")

    column = "self_device_memory_usage" if device.type == "cuda" else "self_cpu_memory_usage"
    largest = max(operations, key=lambda event: getattr(event, column))
    print(f"most memory of its own: {largest.key}, {getattr(largest, column) / ACTIVE / 2**10:.0f} KiB a step")


def main() -> None:
    """Read the command line, profile, and report."""
    parser = argparse.ArgumentParser(description="Profile a training step.")
    parser.add_argument("--trace", metavar="FILE", help="write a trace for a viewer")
    trace: str | None = parser.parse_args().trace
    device = torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")
    profiler = record(device)
    report(profiler, device)
    if trace:
        profiler.export_chrome_trace(trace)
        print("wrote", trace)


if __name__ == "__main__":
    main()
