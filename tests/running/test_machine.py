"""Facts of the machine: what every output says about where it was made."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from samedevice import nvidia
from samedevice.outputs.schema import ENVIRONMENT
from samedevice.pages.page import Page
from samedevice.running import machine
from samedevice.running.machine import processor
from samedevice.running.section_runner import SectionRunner


def test_an_environment_names_device_and_versions(one_server: object, root: Path, write: Callable[..., Page]) -> None:
    """Every output says where it comes from."""
    with SectionRunner(root) as sessions:
        found = sessions.run(write("```python\n1\n```\n"), "cpu").environment
    assert found is not None
    assert (found.device, found.name, found.driver) == ("cpu", processor(), "")
    assert re.fullmatch(r"\d+\.\d+\.\d+\S*", found.torch)
    assert found.python == ".".join(map(str, sys.version_info[:3]))
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", found.day)


def test_the_processor_has_a_name_without_marks() -> None:
    """Every output shows it."""
    assert processor()
    assert not re.search(r"\(R\)|\(TM\)|@|  ", processor())


def test_what_a_machine_says_of_itself_can_be_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name with marks would make a recording that nobody can read."""
    monkeypatch.setattr(machine, "processor", processor.__wrapped__)
    monkeypatch.setattr("platform.machine", lambda: "Pentium\u00ae <4>\n\u202e [x]")
    monkeypatch.setattr("platform.processor", lambda: "")
    monkeypatch.setattr("pathlib.Path.exists", lambda _: False)
    assert machine.processor() == "Pentium 4 x"
    ENVIRONMENT({"device": "cpu", **machine.environment("cpu")})


def test_a_driver_that_hangs_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a broken driver nvidia-smi never ends; the page must still run."""
    (tmp_path / "nvidia-smi").write_text("#!/bin/sh\nexec sleep 600\n")
    (tmp_path / "nvidia-smi").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setattr(nvidia, "DRIVER_LIMIT", 0.1)
    monkeypatch.setattr(nvidia, "KERNEL", tmp_path / "no such file")
    assert nvidia.driver() == ""
