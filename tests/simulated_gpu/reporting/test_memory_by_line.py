"""The allocator's history, gone through by hand: what holds memory at the peak, and why."""

from __future__ import annotations

from typing import Any

from simulated_gpu.reporting.lines import line_of, phase_of
from simulated_gpu.reporting.memory import Knowledge, examine
from simulated_gpu.reporting.tensors import Note

KNOWN = Knowledge(
    noted={(0, 0x1000): [Note(15, "parameters", 4)]}, workspaces={0x9000}, backward=[(30, "a.py:7")], counted={}
)
NOTHING: dict[str, Any] = {"segments": [], "device_traces": []}


def entry(action: str, address: int, size: int, time: int, *frames: tuple[str, int, str]) -> dict[str, Any]:
    """Return an entry of the history as PyTorch's snapshot has it."""
    found = [{"filename": file, "line": line, "name": name} for file, line, name in frames]
    return {"action": action, "addr": address, "size": size, "time_us": time, "frames": found}


def test_what_is_kept_for_the_backward_is_activations_and_the_rest_is_temporary() -> None:
    """The history says nothing of it; the life of each piece does."""
    own = ("a.py", 5, "main")
    trace = [
        entry("segment_alloc", 0x1000, 2**21, 9),
        entry("alloc", 0x1000, 1000, 10, ("a.py", 2, "main")),
        entry("alloc", 0x9000, 2048, 11, own),
        entry("alloc", 0x3000, 512, 20, own),
        entry("alloc", 0x4000, 512, 21, own),
        entry("free_requested", 0x4000, 512, 22),
        entry("alloc", 0x5000, 100, 31),
        entry("free_requested", 0x3000, 512, 33),
    ]
    memory = examine(0, 2**30, NOTHING, {"device_traces": [trace]}, KNOWN)
    assert memory.peak == 1024 + 2048 + 512 + 512
    assert memory.reserved == 2**21
    assert {(held.line, held.category): held.bytes for held in memory.held} == {
        ("a.py:2", "parameters"): 1024,
        ("a.py:5", "workspaces"): 2048,
        ("a.py:5", "activations"): 512,
        ("a.py:5", "temporary"): 512,
    }


def test_a_forward_whose_backward_an_error_prevents_holds_activations() -> None:
    """With shapes only, a loss that is read before the backward ends the program."""
    trace = [entry("alloc", 0x3000, 512, 20, ("a.py", 5, "main"))]
    found = {
        failed: examine(
            0, 2**30, NOTHING, {"device_traces": [trace]}, Knowledge({}, set(), [], {}, failed)
        ).categories()
        for failed in (True, False)
    }
    assert found == {True: {"activations": 512}, False: {"temporary": 512}}


def test_a_thread_of_autograd_has_the_line_that_runs_it() -> None:
    """It has no frame of Python's; the program waits in `backward()` meanwhile."""
    memory = examine(0, 2**30, NOTHING, {"device_traces": [[entry("alloc", 0x5000, 4096, 31)]]}, KNOWN)
    assert (memory.line, memory.phase) == ("a.py:7", "backward")


def test_what_was_there_before_counts() -> None:
    """A report of one step begins with a model that is on the GPU already."""
    blocks = [{"address": 0x1000, "size": 4096, "state": "active_allocated"}, {"state": "inactive"}]
    before = {"segments": [{"device": 0, "total_size": 2**21, "blocks": blocks}], "device_traces": [[]]}
    trace = [entry("free_requested", 0x1000, 4096, 10), entry("alloc", 0x2000, 512, 11, ("a.py", 5, "main"))]
    memory = examine(0, 2**30, before, {"device_traces": [trace]}, Knowledge({}, set(), [], {}))
    assert (memory.peak, memory.reserved) == (4096, 2**21)
    assert [(held.category, held.bytes) for held in memory.held] == [("allocated before", 4096)]


def test_the_line_is_the_innermost_of_the_users() -> None:
    """Not PyTorch's, not an installed library's, not Python's own."""
    frames = [
        ("/usr/lib/python3/site-packages/torch/nn/modules/linear.py", 134, "forward"),
        ("/usr/lib/python3/site-packages/library/layers.py", 3, "forward"),
        ("model.py", 9, "forward"),
        ("train.py", 40, "main"),
    ]
    assert line_of(frames) == "model.py:9"
    assert line_of(frames[:2]) is None
    assert phase_of(frames) == "forward"
    assert phase_of([("/x/site-packages/torch/optim/adam.py", 1, "adam"), *frames]) == "step"
    assert phase_of([*frames[:2], ("/x/site-packages/torch/autograd/function.py", 3, "apply")]) == "backward"
