"""Environments: what a folder is called, and which version is newer."""

from __future__ import annotations

import pytest

from samedevice.outputs.environments import Environment, nearest


def made(torch: str, device: str = "cpu", name: str = "AMD EPYC") -> Environment:
    """An environment of which the rest does not matter."""
    return Environment(device, name, torch, "3.11.7")


@pytest.mark.parametrize(
    ("device", "name", "torch", "folder"),
    [
        ("cpu", "AMD EPYC 9B14", "2.13.0+cpu", "cpu-2.13.0+cpu"),
        ("cpu", "Apple M2", "2.13.0", "cpu-2.13.0"),
        ("cuda", "NVIDIA H100 80GB HBM3", "2.11.0+cu130", "h100-2.11.0+cu130"),
        ("cuda", "NVIDIA A100-SXM4-40GB", "2.11.0+cu130", "a100-2.11.0+cu130"),
        ("cuda", "Tesla T4", "2.11.0+cu130", "t4-2.11.0+cu130"),
        ("cuda", "NVIDIA GeForce RTX 4090", "2.11.0+cu130", "rtx-4090-2.11.0+cu130"),
        ("cuda", "AMD Instinct MI300X", "2.13.0+rocm7.1", "mi300x-2.13.0+rocm7.1"),
        ("mps", "Apple M2 Pro", "2.13.0", "m2-pro-2.13.0"),
        ("cuda", "NVIDIA", "2.13.0/../x", "cuda-2.13.0_.._x"),
    ],
)
def test_a_folder_is_named_after_device_and_version(device: str, name: str, torch: str, folder: str) -> None:
    """A CPU's model is recorded, but every machine with a CPU shares the recordings of its version."""
    assert made(torch, device, name).folder == folder


def test_versions_are_ordered_as_numbers() -> None:
    """2.9 is older than 2.15."""
    found = sorted(map(made, ("2.9.1+cu128", "2.15.0+cu132", "2.13.0+cu130", "2.13.0+cpu")), key=lambda one: one.order)
    assert [one.torch for one in found] == ["2.9.1+cu128", "2.13.0+cpu", "2.13.0+cu130", "2.15.0+cu132"]


def test_the_nearest_version_is_the_newest_that_is_not_newer() -> None:
    """A difference is told against it."""
    recorded = [made("2.11.0"), made("2.13.0")]
    assert nearest(made("2.12.0"), recorded).torch == "2.11.0"
    assert nearest(made("2.15.0"), recorded).torch == "2.13.0"
    assert nearest(made("2.9.0"), recorded).torch == "2.11.0"
    simulated = [made(version, "cuda", "Simulated GPU") for version in ("2.9.0", "2.11.0")]
    assert nearest(made("2.11.0", "cuda", "NVIDIA H100"), simulated).torch == "2.11.0"
