"""The programs of the stepper do what it says, with the meta device in the place of the GPU."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest
import torch

CHECK = Path(__file__).parents[2] / "snippets/device_check.py"
"""The site's own program that refuses what a GPU refuses."""


def test_each_tensor_is_where_the_stepper_says(ask: Any) -> None:
    """Line by line; a line that is said to fail does."""
    spec = importlib.util.spec_from_file_location("device_check", CHECK)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (programs,) = ask("devices", "programs", [[]])
    assert len(programs) == 2
    for lines in programs.values():
        names: dict[str, Any] = {"torch": torch, "nn": torch.nn}
        with module.DeviceCheck():
            for line, changed, _, *error in lines:
                on_meta = line.replace("cuda", "meta")
                if error:
                    with pytest.raises(RuntimeError, match="device"):
                        exec(on_meta, names)
                    continue
                exec(on_meta, names)
                for name, device in changed.items():
                    assert eval(name, names).device.type == device.replace("cuda", "meta"), line
