"""`pytest --simulated-gpu`: what a person sees who runs tests with it."""

from __future__ import annotations

import os
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from simulated_gpu import pytest_plugin

CACHES = os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))
INSTALLED = entry_points(group="pytest11", name="simulated_gpu")  # pytest loads it then, and refuses to do so twice
PLUGIN = () if INSTALLED else ("-p", "simulated_gpu.pytest_plugin")
TESTS = """
import torch
def test_count():
    assert torch.cuda.device_count() == {count}
def test_data():
    assert torch.tensor([5.]).cuda().item() == 5
"""


@pytest.fixture(autouse=True)
def _source_on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the processes that pytester starts find the plugin, as if it were installed, and what is compiled already."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2] / "src"))
    monkeypatch.setenv("XDG_CACHE_HOME", CACHES)  # pytester gives each test a home of its own
    monkeypatch.delenv("SIMULATED_GPU", raising=False)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)  # the site's tests hide GPUs, simulated ones too


@pytest.mark.cuda_build
@pytest.mark.parametrize(
    "options", [("--simulated-gpu=2",), ("--simulated-gpu", "2"), ("--simulated-gpu=2", "-n", "1")]
)
def test_the_tests_find_the_gpus(pytester: pytest.Pytester, options: tuple[str, ...]) -> None:
    """In one process, and in the workers of xdist."""
    pytester.makepyfile(TESTS.format(count=2))
    done = pytester.runpytest_subprocess(*PLUGIN, *options)
    done.assert_outcomes(passed=2)
    done.stdout.fnmatch_lines(["simulated GPU: 2 x 16 GiB, compute capability 8.0*"])


@pytest.mark.cuda_build
def test_the_tests_may_have_shapes_only(pytester: pytest.Pytester) -> None:
    """A test of a large model's memory, which the machine could not hold."""
    pytester.makepyfile("import torch\ndef test_large():\n    torch.ones(2**34, device='cuda')")
    done = pytester.runpytest_subprocess(
        *PLUGIN, "--simulated-gpu", "--simulated-gpu-shapes-only", "--simulated-gpu-memory=80GiB"
    )
    done.assert_outcomes(passed=1)
    done.stdout.fnmatch_lines(["simulated GPU: 1 x 80 GiB, compute capability 8.0, shapes only*"])


@pytest.mark.cuda_build
def test_a_path_may_follow_the_option(pytester: pytest.Pytester) -> None:
    """`pytest --simulated-gpu tests` is what people type, and tests is no number."""
    pytester.mkdir("folder").joinpath("test_x.py").write_text(TESTS.format(count=1))
    pytester.runpytest_subprocess(*PLUGIN, "--simulated-gpu", "folder").assert_outcomes(passed=2)


@pytest.mark.cuda_build
def test_a_conftest_may_import_pytorch(pytester: pytest.Pytester) -> None:
    """Most do, and they are loaded before any test."""
    pytester.makeconftest("import torch")
    pytester.makepyfile(TESTS.format(count=1))
    pytester.runpytest_subprocess(*PLUGIN, "--simulated-gpu").assert_outcomes(passed=2)


def test_without_the_option_nothing_changes(pytester: pytest.Pytester) -> None:
    """Who installs it for one project has it in the environment of all."""
    pytester.makepyfile(
        "import os, sys\ndef test(): assert 'SIMULATED_GPU' not in os.environ and 'torch' not in sys.modules"
    )
    done = pytester.runpytest_subprocess(*PLUGIN, "-W", "error")
    done.assert_outcomes(passed=1)
    assert "simulated" not in done.stdout.str().split("plugins:")[0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--simulated-gpu=99",), "*--simulated-gpu: 99 GPUs: choose 1 to 16"),
        (("--simulated-gpu=many",), "*--simulated-gpu: many is no number of GPUs"),
        (("--simulated-gpu", "--simulated-gpu-memory=8XB"), "*memory '8XB': write a number and a unit, such as 8GiB*"),
    ],
)
def test_a_wrong_option_is_an_error_of_usage(pytester: pytest.Pytester, options: tuple[str, ...], message: str) -> None:
    """One line that says what to write, no traceback."""
    done = pytester.runpytest_subprocess(*PLUGIN, *options)
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    done.stderr.fnmatch_lines([message])


def test_the_help_names_the_options(pytester: pytest.Pytester) -> None:
    """`pytest --help` is where people look."""
    done = pytester.runpytest_subprocess(*PLUGIN, "--help")
    done.stdout.fnmatch_lines(["simulated GPU:", "*--simulated-gpu=[[]N]*", "*--simulated-gpu-memory=SIZE*"])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (["--simulated-gpu", "tests"], ["--simulated-gpu=1", "tests"]),
        (["tests", "--simulated-gpu"], ["tests", "--simulated-gpu=1"]),
        (["--simulated-gpu", "2", "tests"], ["--simulated-gpu", "2", "tests"]),
        (["--simulated-gpu=2"], ["--simulated-gpu=2"]),
    ],
)
def test_the_number_is_written_where_it_was_left_out(before: list[str], after: list[str]) -> None:
    """Argument parsers take what follows an option for its value."""
    arguments = list(before)
    assert pytest_plugin.write_number(arguments) == (before != after)
    assert arguments == after
