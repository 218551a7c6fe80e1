"""Reports: where Python waits, what is copied, what holds the memory, and tests that fail by it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

PLUGIN = ("-p", "simulated_gpu.pytest_plugin", "--simulated-gpu")
TRAINING = """
import torch
from torch import nn
model = nn.Sequential(nn.Linear(512, 2048), nn.ReLU(), nn.Linear(2048, 512)).to("cuda")
optimizer = torch.optim.AdamW(model.parameters())
for _ in range(3):
    x = torch.ones(64, 512).to("cuda")
    loss = model(x).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    print(loss.item() > 0)
print(torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved())
"""
COPIES = """
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
    torch.cuda.synchronize()
for line, count in found.lines.items():
    copies = [(*copy, number, count.bytes[copy]) for copy, number in count.copies.items()]
    print(line.number, sum(count.waits.values()), copies, count.launches > 0)
print(found.waits, found.copies)
"""
pytestmark = pytest.mark.cuda_build
Run = Callable[..., str]


def test_each_wait_and_copy_has_its_line(simulated: Run) -> None:
    """A copy and the wait for it are one wait; a read of one value is no copy."""
    to_gpu, to_cpu = "'CPU to GPU'", "'GPU to CPU'"
    assert simulated(COPIES).splitlines() == [
        f"6 0 [({to_gpu}, True, False, 1, 4096)] False",
        f"7 1 [({to_gpu}, True, True, 1, 4096)] False",
        f"8 1 [({to_gpu}, False, True, 1, 32)] False",
        f"9 1 [({to_gpu}, False, True, 1, 4096)] False",
        f"10 1 [({to_cpu}, False, True, 1, 4096)] False",
        "11 1 [] True",
        "12 1 [] True",
        "13 1 [] True",
        "14 0 [] True",
        "15 1 [] False",
        "8 5",
    ]


def test_what_holds_the_peak(simulated: Run, tmp_path: Path) -> None:
    """The sizes are those of the model, and the peaks are those that PyTorch's allocator counts."""
    printed = simulated(TRAINING, "--report-json", "report.json", "--report-svg", "memory.svg")
    allocated, reserved = map(int, printed.splitlines()[-1].split())
    assert printed == simulated(TRAINING), "a report does not change what it reports"
    (memory,) = (whole := json.loads((tmp_path / "report.json").read_text()))["memory"]
    assert (memory["peak"], memory["reserved"]) == (allocated, reserved)
    parameters = 4 * (2 * 512 * 2048 + 2048 + 512)
    assert memory["held"]["parameters"] == memory["held"]["gradients"] == parameters
    assert 2 * parameters <= memory["held"]["optimizer state"] <= 2 * parameters + 4 * 512
    gradients = {line["line"] for line in memory["lines"] if line["held as"] == "gradients"}
    assert gradients == {9}, "the backward pass runs in a thread that has no Python stack"
    assert [line["line"] for line in whole["lines"] if line["waits"]] == [4, 7, 12]
    assert next(line["launches"] for line in whole["lines"] if line["line"] == 9) > 5
    assert len(ElementTree.fromstring((tmp_path / "memory.svg").read_text())) > 4


def test_the_text_fits_a_screen(simulated: Run, python: Callable[..., object], tmp_path: Path) -> None:
    """It is written to standard error, and names lines with their code."""
    (tmp_path / "program.py").write_text(TRAINING)
    text = python("-m", "simulated_gpu", "--report", "program.py").stderr  # type: ignore[attr-defined]
    assert len(text.splitlines()) <= 40
    assert max(map(len, text.splitlines())) <= 130
    assert "program.py:12  print(loss.item() > 0)" in text


def test_a_program_that_runs_out_of_memory(python: Callable[..., object], tmp_path: Path) -> None:
    """The report names the line that fails, and the line that held the memory."""
    (tmp_path / "program.py").write_text(
        "import torch\nheld = torch.ones(200, 2**20, dtype=torch.uint8, device='cuda')\n"
        "more = torch.ones(100, 2**20, dtype=torch.uint8, device='cuda')\n"
    )
    done = python("-m", "simulated_gpu", "--memory", "256MiB", "--report", "program.py")
    assert done.returncode == 1  # type: ignore[attr-defined]
    text = done.stderr  # type: ignore[attr-defined]
    assert "Out of memory at program.py:3, which asked for 100 MiB" in text
    assert "200 MiB  other    program.py:2" in text


def test_without_a_simulated_gpu_there_is_nothing_to_report(python: Callable[..., object]) -> None:
    """An empty report would pass for a good one."""
    done = python("-c", "import simulated_gpu\nwith simulated_gpu.report(): pass")
    assert "MachineError: there is no simulated GPU to report" in done.stderr  # type: ignore[attr-defined]


LIMITED = """
import pytest, torch

@pytest.mark.simulated_gpu(max_waits=1, max_copies=0)
def test_within():
    torch.ones(5, device="cuda").sum().item()

@pytest.mark.simulated_gpu(max_waits=1)
def test_waits():
    x = torch.ones(5, device="cuda")
    assert x.sum().item() == 5
    assert x.max().item() == 1

@pytest.mark.simulated_gpu(max_copies=0)
def test_copies():
    torch.ones(5).cuda()

@pytest.mark.simulated_gpu(max_memory="1MiB")
def test_memory():
    torch.ones(2**20, device="cuda")
"""


@pytest.fixture
def _plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the processes that pytester starts find the plugin and what is compiled already."""
    monkeypatch.setenv("XDG_CACHE_HOME", os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache")))
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2] / "src"))
    monkeypatch.delenv("SIMULATED_GPU", raising=False)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)


@pytest.mark.usefixtures("_plugin")
def test_a_test_that_exceeds_a_limit_fails_and_names_the_lines(pytester: pytest.Pytester) -> None:
    """Each test has a report of its own, also while all tests have one."""
    pytester.makepyfile(test_limits=LIMITED)
    done = pytester.runpytest_subprocess(*PLUGIN, "--simulated-gpu-report")
    done.assert_outcomes(passed=1, failed=3)
    done.stdout.fnmatch_lines(
        [
            "Python waited 2 times for the GPU; max_waits is 1",
            "*test_limits.py:10  assert x.sum().item() == 5",
            "*test_limits.py:11  assert x.max().item() == 1",
            "there were 1 copies between CPU and GPU; max_copies is 0",
            "*test_limits.py:15  torch.ones(5).cuda()",
            "4194304 bytes were allocated at the peak; max_memory is 1048576",
            "*test_limits.py:19  torch.ones(2[*][*]20, device=*",
            "Simulated GPU: all tests. Python waited 4 times*",
        ]
    )


@pytest.mark.usefixtures("_plugin")
def test_a_limit_that_is_not_understood_is_an_error(pytester: pytest.Pytester) -> None:
    """A typing error must not pass for a limit that holds."""
    pytester.makepyfile(LIMITED.replace("max_waits=1)", "most_waits=1)"))
    done = pytester.runpytest_subprocess(*PLUGIN)
    done.stdout.fnmatch_lines(["*@pytest.mark.simulated_gpu takes max_waits, max_copies, max_memory*"])
    assert done.ret != 0


@pytest.mark.usefixtures("_plugin")
def test_a_report_of_several_processes_is_refused(pytester: pytest.Pytester) -> None:
    """The process that shows it runs no test, so it would be empty."""
    pytester.makepyfile(LIMITED)
    done = pytester.runpytest_subprocess(*PLUGIN, "--simulated-gpu-report", "-n", "1")
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    done.stderr.fnmatch_lines(["*the report is of one process. Leave out -n.*"])
