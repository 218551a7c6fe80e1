"""`@pytest.mark.simulated_gpu(max_waits=2)` and `pytest --simulated-gpu-report`, as a person sees them."""

from __future__ import annotations

import os
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from simulated_gpu import SettingError
from simulated_gpu.reporting.limits import limits

INSTALLED = entry_points(group="pytest11", name="simulated_gpu")  # pytest loads it then, and refuses to do so twice
PLUGIN = () if INSTALLED else ("-p", "simulated_gpu.pytest_plugin")
TESTS = """
import pytest, torch

@pytest.mark.simulated_gpu(max_waits=1, max_memory="1KiB")
def test_waits():
    x = torch.ones(1000, device="cuda")
    assert x.sum().item() + x.sum().item() == 2000

@pytest.mark.simulated_gpu(max_waits=2, max_copies=0, max_memory=2**20)
def test_within():
    x = torch.ones(1000, device="cuda")
    assert x.sum().item() + x.sum().item() == 2000

@pytest.mark.simulated_gpu(max_wait=2)
def test_mistyped():
    pass
"""


@pytest.fixture(autouse=True)
def _source_on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the processes that pytester starts find the plugin, as if it were installed, and what is compiled already."""
    monkeypatch.setenv("XDG_CACHE_HOME", os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache")))
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3] / "src"))
    monkeypatch.delenv("SIMULATED_GPU", raising=False)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)


@pytest.mark.cuda_build
@pytest.mark.parametrize("workers", [(), ("-n", "1")])
def test_a_limit_fails_the_test_and_names_the_lines(pytester: pytest.Pytester, workers: tuple[str, ...]) -> None:
    """In one process and in xdist's workers, whose reports come home."""
    pytester.makepyfile(test_step=TESTS)
    done = pytester.runpytest_subprocess(*PLUGIN, "--simulated-gpu", "--simulated-gpu-report", *workers)
    done.assert_outcomes(passed=1, failed=2)
    done.stdout.fnmatch_lines(
        [
            "Python waits for the GPU 2 times, max_waits=1:",
            "  test_step.py:6: 2 times, in cudaStreamSynchronize",
            "GPU 0 holds * (* bytes) at the peak, in test_step.py:*; max_memory=1.0 KiB:",
            "mark simulated_gpu: max_wait is no limit; use max_waits, max_copies, max_kernels, max_memory",
            "*= simulated GPU =*",
            "test_step.py::test_w*: 2 waits, 0 copies, * kernels, peak *",
            "Python waits for the GPU 4 times",
        ]
    )


def test_a_report_needs_a_simulated_gpu(pytester: pytest.Pytester) -> None:
    """Nothing would be counted on another device."""
    done = pytester.runpytest_subprocess(*PLUGIN, "--simulated-gpu-report")
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    done.stderr.fnmatch_lines(["*--simulated-gpu-report: there is no simulated GPU to report on. Add --simulated-gpu."])


def test_without_a_simulated_gpu_a_mark_changes_nothing(pytester: pytest.Pytester) -> None:
    """The same tests run on real GPUs and on none."""
    pytester.makepyfile("import pytest\n@pytest.mark.simulated_gpu(max_waits=0)\ndef test(): pass")
    pytester.runpytest_subprocess(*PLUGIN, "--strict-markers").assert_outcomes(passed=1)


def test_memory_is_a_number_or_a_text() -> None:
    """As the option --memory takes it."""
    assert limits((), {"max_memory": "1KiB"}) == limits((), {"max_memory": 1024})
    with pytest.raises(SettingError, match="3 is no limit"):
        limits((3,), {})
