"""`python -m simulated_gpu --report`: what it says of a training loop, line by line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.cuda_build

PROGRAM = """\
import torch
model = torch.nn.Linear(1000, 1000, device="cuda")
optimizer = torch.optim.Adam(model.parameters())
pageable, pinned = torch.ones(64, 1000), torch.ones(64, 1000).pin_memory()
for _ in range(3):
    x = pageable.cuda()
    y = pinned.to("cuda", non_blocking=True)
    loss = (model(x) - y).square().sum()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    print(loss.item() > 0)
torch.cuda.synchronize()
print(torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved())
"""
# PyTorch 2.15 gives cuBLAS its workspace anew at each call, unless it is asked to keep it as it did before
KEEPS_WORKSPACES = {"TORCH_CUBLAS_WORKSPACE_CACHE": "1"}


@pytest.fixture
def made(simulated: Callable[..., str], tmp_path: Path) -> tuple[dict[str, Any], str]:
    """Run the program with a report, and return the report and what the program printed."""
    reports = ("--report-json", "report.json", "--report-svg", "memory.svg", "--report-github")
    printed = simulated(PROGRAM, *reports, **KEEPS_WORKSPACES)
    return json.loads((tmp_path / "report.json").read_text()), printed


def test_each_line_has_its_waits_copies_and_bytes(made: tuple[dict[str, Any], str], tmp_path: Path) -> None:
    """One run, as starting takes the most time: all that the report says of this program was counted by hand."""
    report, printed = made
    assert [(row["line"], row["what"], row["count"]) for row in report["waits"]] == [
        ("program.py:6", "cudaStreamSynchronize", 3),
        ("program.py:12", "cudaStreamSynchronize", 3),
        ("program.py:13", "cudaDeviceSynchronize", 1),
    ]
    copies = {row.pop("line"): row for row in report["copies"]}
    assert copies == {
        "program.py:6": {"to_gpu": True, "pinned": False, "blocking": True, "count": 3, "bytes": 768_000},
        "program.py:7": {"to_gpu": True, "pinned": True, "blocking": False, "count": 3, "bytes": 768_000},
    }
    phases = {row["line"]: row["phase"] for row in report["kernels"]}
    assert phases["program.py:9"] == "backward"
    assert phases["program.py:10"] == "step"

    (memory,) = report["memory"]
    peak, reserved = (int(number) for number in printed.splitlines()[3].split())
    assert (memory["peak"], memory["reserved"]) == (peak, reserved)
    assert sum(held["bytes"] for held in memory["held"]) == peak
    weights = -(-1000 * 1000 * 4 // 512) * 512 + 4096  # with the bias
    held = {(row["line"], row["category"]): row["bytes"] for row in memory["held"]}
    assert held["program.py:2", "parameters"] == weights
    assert held["program.py:9", "gradients"] == weights
    assert held["program.py:10", "optimizer state"] == 2 * weights
    workspaces = [row["bytes"] for row in memory["held"] if row["category"] == "workspaces"]
    # PyTorch counts the block that it found: it does not split off a rest of 1 MiB or less
    assert workspaces
    assert all(8_519_680 <= held <= 8_519_680 + 2**20 for held in workspaces)
    assert (memory["line"], memory["phase"]) == ("program.py:10", "step")

    assert "::notice file=program.py,line=12,title=Python waits for the GPU::3 times, in cudaStream" in printed
    picture = (tmp_path / "memory.svg").read_text()
    assert picture.startswith("<svg ")
    assert "<title>optimizer state</title>" in picture


COPIES = """\
import torch, simulated_gpu
pinned = torch.ones(1024).pin_memory()
torch.cuda.init()
with simulated_gpu.report() as found:
    pinned.to("cuda", non_blocking=True)
    pinned.to("cuda")
    torch.ones(8).to("cuda", non_blocking=True)
    x = torch.ones(1024).to("cuda")
    y = x.cpu()
    x.sum().item()
    x.nonzero()
    if (x > 0).any(): pass
    x + 1
    z = torch.empty(1024).pin_memory().copy_(x, non_blocking=True)
    torch.cuda.synchronize()
waits = {row.line: row.count for row in found.waits}
copies = {row.line: (row.to_gpu, row.pinned, row.blocking, row.count, row.bytes) for row in found.copies}
for number in range(5, 16):
    print(number, waits.get(f"program.py:{number}", 0), copies.get(f"program.py:{number}", ""))
"""


def test_a_copy_and_its_wait_count_once(simulated: Callable[..., str]) -> None:
    """A read of one value is a wait and no copy; a wait on another line is no copy's."""
    assert simulated(COPIES).splitlines() == [
        "5 0 (True, True, False, 1, 4096)",
        "6 1 (True, True, True, 1, 4096)",
        "7 0 (True, False, True, 1, 32)",
        "8 1 (True, False, True, 1, 4096)",
        "9 1 (False, False, True, 1, 4096)",
        "10 1 ",
        "11 1 ",
        "12 1 ",
        "13 0 ",
        "14 0 (False, True, False, 1, 4096)",
        "15 1 ",
    ]


def test_the_text_fits_a_screen(made: tuple[dict[str, Any], str], python: Callable[..., Any], tmp_path: Path) -> None:
    """It is written to standard error, names lines with their code, and changes nothing of the program."""
    done = python("-m", "simulated_gpu", "--report", "program.py", **KEEPS_WORKSPACES)
    text = done.stderr.splitlines()
    assert done.stdout == "".join(line for line in made[1].splitlines(keepends=True) if not line.startswith("::"))
    assert len(text) <= 40
    assert max(map(len, text)) <= 130
    assert "Python waits for the GPU 7 times" in text
    assert any(line.endswith("program.py:12  print(loss.item() > 0)") for line in text)


def test_the_line_that_does_not_fit_is_named(python: Callable[..., Any], tmp_path: Path) -> None:
    """People ask "Will it fit?". The report comes even though the program ends with the error."""
    (tmp_path / "program.py").write_text("""\
import torch
layer = torch.nn.Linear(1000, 1000).to("cuda")
wide = torch.ones(30_000, 1000, device="cuda")
more = torch.ones(30_000, 1000, device="cuda")
""")
    done = python("-m", "simulated_gpu", "--memory", "140MiB", "--report", "program.py")
    assert done.returncode == 1
    assert "out of memory in forward: 114 MiB did not fit: more = torch.ones" in done.stderr
    assert "; does not fit, PyTorch took" in done.stderr
    assert "parameters 3.8 MiB" in done.stderr, "a model that was never called holds parameters too"


def test_a_second_model_in_the_memory_of_the_first_holds_parameters(simulated: Callable[..., str]) -> None:
    """A search for the largest batch makes a model for each, and the one that does not fit never gets to a step."""
    program = """\
import torch, simulated_gpu
with simulated_gpu.report() as found:
    for batch in (8, 1000):
        model = torch.nn.Linear(1000, 1000, bias=False, device="cuda")
        loss = model(torch.ones(batch, 1000, device="cuda")).sum()
        del model, loss
print(found.memory[0].categories()["parameters"])
"""
    assert simulated(program) == "4000256\n"


def test_the_program_may_set_what_pytorch_reads_at_its_import(simulated: Callable[..., str]) -> None:
    """So the report must not import PyTorch."""
    program = "import sys\nprint('torch' in sys.modules)\nimport torch\ntorch.ones(5, device='cuda').sum().item()\n"
    assert simulated(program, "--report-github").splitlines()[0] == "False"
    assert "line=4,title=Python waits" in simulated(program, "--report-github")


def test_without_a_simulated_gpu_there_is_nothing_to_report(python: Callable[..., Any]) -> None:
    """An empty report would pass for a good one."""
    done = python("-c", "import simulated_gpu\nwith simulated_gpu.report(): pass")
    assert "MachineError: there is no simulated GPU to report on" in done.stderr


def test_a_file_that_cannot_be_written_is_said_before_the_program_runs(python: Callable[..., Any]) -> None:
    """An hour later would be too late."""
    done = python("-m", "simulated_gpu", "--report-json", "none/report.json", __file__)
    assert done.returncode == 2
    assert done.stderr.startswith("simulated_gpu: the report cannot be written to /")
    assert done.stderr.endswith("none/report.json: there is no such folder to write to\n")
