"""The pytest plugin, devices and versions of PyTorch: what is run, skipped and compared where."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest
from made_repository import COMMAND, CPU_FOLDER, TWO, Repository

from same_device_site.settings import parse_page
from samedevice.devices import torch_build, why_absent
from samedevice.integration.pytest import pytest_xdist_make_scheduler
from samedevice.outputs.environments import Environment
from samedevice.outputs.output import Output
from samedevice.outputs.recording_files import Recordings
from samedevice.outputs.recordings import update


def test_a_device_that_is_not_here_cannot_be_asked_for(repository: Repository) -> None:
    """No test would run, and that must not pass for a success; what is wrong with the machine is told."""
    device = "mps" if sys.platform != "darwin" else "cuda"
    output, outcomes = repository.pytest("--device", device, "--record")
    assert outcomes == {}
    assert f"--device {device}: {why_absent(device)} (this machine has " in output
    assert "nothing was run or recorded" in output
    output, _ = repository.pytest("--device", "cud")
    assert "invalid choice: 'cud'" in output


def test_a_device_that_only_seems_to_be_here_fails(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """A driver too old for this PyTorch would else skip everything, and pass."""
    monkeypatch.setattr("samedevice.integration.pytest.present_devices", lambda *_: ("cpu", "cuda"))
    output, outcomes = repository.pytest("--device", "cuda")
    assert outcomes == {"failed": 2}
    assert "docs/page.md:3 was not run: --device cuda, but torch sees no such device; is its driver too old?" in output
    assert repository.pytest("--record")[1] == {"passed": 2, "skipped": 2}


def test_a_block_for_two_devices_is_skipped_where_there_is_one(repository: Repository) -> None:
    """The reason is told; nothing fails that this machine cannot run."""
    repository.page("page", '```python\nx = 1\n```\n\n```python needs="2 cpu"\nx = 2\n```\n')
    repository.pytest("--record")
    output, outcomes = repository.pytest("-rs")
    assert outcomes == {"passed": 2, "skipped": 1}
    assert "needs 2 cpu, this machine has 1" in output


def test_pages_are_run_by_one_process() -> None:
    """It runs them side by side, and starts PyTorch once; a GPU that ran two pages at once had less memory for each."""
    pytest.importorskip("xdist")
    config = SimpleNamespace(getvalue=lambda name: ["2*popen"])
    split = pytest_xdist_make_scheduler(config, None)._split_scope  # type: ignore[arg-type]
    names = ["cpu-01-line-3", "cpu-02-line-9", "cuda-01-line-3", "cuda-simulated-02-line-9"]
    assert len({split(f"docs/{page}.md::{name}") for page in "ab" for name in names}) == 1
    assert split("tests/test_x.py::test_cuda-x") == "tests/test_x.py::test_cuda-x"


OTHER = Environment("cpu", "EPYC", "2.1.0", "3.11.7", "", "2026-11-21")


def as_another_version_printed(repository: Repository, *outputs: Output) -> None:
    """Make up a recording of the page from another PyTorch on a CPU."""
    page = parse_page(repository.root / "docs/page.md", repository.root)
    found = update(None, page, OTHER, outputs)
    assert found is not None
    Recordings(repository.root, "tests/recordings").save(page, found)


def test_what_a_version_that_is_not_recorded_prints_is_compared_with_all_that_are(repository: Repository) -> None:
    """It passes where it prints what another one printed, and the summary counts that; the rest is told."""
    as_another_version_printed(repository, Output("one 1\n"), Output("deux 2\n"))
    output, outcomes = repository.pytest()
    assert outcomes == {"failed": 1, "passed": 2}
    assert f"outputs with PyTorch {torch_build().version}: 1 as cpu-2.1.0 printed\n" in output
    assert "docs/page.md:8 on cpu: not what was recorded (EPYC, PyTorch 2.1.0, 2026-11-21), nor what any" in output
    assert f"If this is what {CPU_FOLDER} prints, run {COMMAND}" in output
    repository.pytest("--record")
    output, outcomes = repository.pytest()
    assert outcomes == {"passed": 3}
    assert "outputs with PyTorch" not in output


def test_recordings_of_other_versions_that_are_stale_are_counted(recorded: Repository) -> None:
    """They are recorded with those versions, when the pages are done. Blocks that a version does not run are not."""
    as_another_version_printed(recorded, Output("one 1\n"), Output("two 2\n"))
    recorded.page("page", TWO.replace("two", "2") + '\n```python needs="torch>=2.2"\n3\n```\n')
    recorded.pytest("--record")
    output, outcomes = recorded.pytest()
    assert outcomes == {"passed": 4}
    assert "\ncpu-2.1.0: 1 blocks are not recorded as they now are; record them with that PyTorch\n" in output


def test_a_block_for_another_version_is_skipped_and_says_why(repository: Repository) -> None:
    """The blocks after it run as ever."""
    repository.page("page", '```python needs="torch>=99.0"\n1 / 0\n```\n\n```python\nprint(2)\n```\n')
    assert repository.pytest("--record")[1] == {"passed": 1, "skipped": 1}
    output, outcomes = repository.pytest("-rs")
    assert outcomes == {"passed": 2, "skipped": 1}
    assert f"needs PyTorch 99.0 or newer, this is {torch_build().version}" in output
