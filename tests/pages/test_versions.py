"""Blocks that need a version of PyTorch."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from samedevice.errors import PageError
from samedevice.pages.page import Page


@pytest.mark.parametrize(
    ("needs", "device", "versions", "words"),
    [
        ("torch>=2.15", "", ">=2.15", "PyTorch 2.15 or newer"),
        ("cuda torch >= 2.11, <2.15", "cuda", ">= 2.11, <2.15", "CUDA and PyTorch 2.11 or newer and older than 2.15"),
        ("torch<2.14", "", "<2.14", "PyTorch older than 2.14"),
        ("2 cuda torch>=2.11", "cuda", ">=2.11", "2 devices with CUDA and PyTorch 2.11 or newer"),
        ("mps", "mps", "", "MPS"),
    ],
)
def test_a_block_can_need_a_version_of_pytorch(
    write: Callable[..., Page], needs: str, device: str, versions: str, words: str
) -> None:
    """Alone, and together with a device; the page says it in words."""
    (block,) = write(f'```python needs="{needs}"\nx\n```\n').blocks
    assert (block.options.needs, block.options.versions, block.options.needed) == (device, versions, words)


@pytest.mark.parametrize(
    ("torch", "runs"),
    [
        ("2.15.0+cu132", True),
        ("2.16.0a0+git1", True),
        ("2.15.0a0", True),
        ("2.13.0+cpu", False),
        ("odd", False),
        ("", True),
    ],
)
def test_a_block_runs_with_the_versions_that_it_needs(write: Callable[..., Page], torch: str, runs: bool) -> None:
    """The build does not matter; a version that is not known counts as any."""
    (block,) = write('```python needs="torch>=2.15"\nx\n```\n').blocks
    assert block.runs_on("cpu", torch) is runs


@pytest.mark.parametrize(("torch", "runs"), [("2.9.1", False), ("2.11.0", True), ("2.13.9", True), ("2.14.0", False)])
def test_a_block_runs_between_two_versions(write: Callable[..., Page], torch: str, runs: bool) -> None:
    """The first counts, the last does not; 2.9 is older than 2.11."""
    (block,) = write('```python needs="torch>=2.11,<2.14"\nx\n```\n').blocks
    assert block.runs_on("cpu", torch) is runs


@pytest.mark.parametrize("needs", ["torch==2.15.0", "torch>2.14", "torch>=2", "torch>=2.15,", "torch~=2.15"])
def test_a_version_that_a_script_could_not_check_is_refused(write: Callable[..., Page], needs: str) -> None:
    """A downloaded script makes the same comparison as pytest."""
    with pytest.raises(PageError, match=r"names no version of PyTorch; write torch>=2\.15, torch<2\.14, or both"):
        write(f'```python needs="{needs}"\nx\n```\n')
