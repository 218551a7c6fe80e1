"""record: what the build's cache depends on beside the code."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from samedevice import nvidia
from samedevice.devices import torch_build
from samedevice.outputs import record
from samedevice.outputs.environments import Environment, Run
from samedevice.outputs.output import Output
from samedevice.outputs.record import OutputCache
from samedevice.pages.page import Page

GPU = "Model: \t\t NVIDIA {}\nIRQ:   \t\t 24\n"


def test_a_run_is_forgotten_when_a_package_changes(
    root: Path, write: Callable[..., Page], monkeypatch: pytest.MonkeyPatch
) -> None:
    """NumPy, pandas and Matplotlib decide what a page prints and draws, too."""
    import platform

    packages = root / "packages"
    (packages / "numpy-2.1.0.dist-info").mkdir(parents=True)
    monkeypatch.setenv("PYTHONPATH", str(packages))
    page = write("```python\n1\n```\n")
    here = Environment("cpu", "EPYC", torch_build().version, platform.python_version(), "", "2026-11-21")
    OutputCache(root).keep(page, "cpu", Run((Output("1"),), here, 1))
    assert OutputCache(root).find(page, "cpu")
    (packages / "numpy-2.1.0.dist-info").rename(packages / "numpy-2.2.0.dist-info")
    assert OutputCache(root).find(page, "cpu") is None


def test_what_a_package_adds_to_the_path_is_not_another_package(
    root: Path, write: Callable[..., Page], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Setuptools does so when it is imported: a test that ran before decided whether a page was run again."""
    found = record.installed()
    assert any(name.startswith("torch-") for name in found)
    (root / "vendored/more-1.0.dist-info").mkdir(parents=True)
    monkeypatch.syspath_prepend(str(root / "vendored"))
    assert record.installed() == found


def test_another_gpu_or_driver_is_another_device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cache may lie on a disk that several machines share."""
    monkeypatch.setattr(nvidia, "KERNEL", tmp_path)
    gpu = tmp_path / "gpus/0000:01:00.0/information"
    gpu.parent.mkdir(parents=True)
    (tmp_path / "version").write_text("NVRM version: NVIDIA 580.95.05\nGCC version: 12\n", encoding="utf-8")
    found = []
    for name, irq in (("H100", "24"), ("H100", "25"), ("H200", "24")):
        gpu.write_text(GPU.format(name).replace("24", irq), encoding="utf-8")
        found.append(record.hardware("cuda"))
    (tmp_path / "version").write_text("NVRM version: NVIDIA 581.00.00\nGCC version: 12\n", encoding="utf-8")
    found.append(record.hardware("cuda"))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")
    found.append(record.hardware("cuda"))
    assert found[0] == found[1]
    assert len({tuple(one) for one in found}) == 4
