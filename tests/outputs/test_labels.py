"""How an environment is called: one module words it, wherever it is read."""

from __future__ import annotations

import pytest

from samedevice.outputs import labels
from samedevice.outputs.environments import Environment
from samedevice.outputs.labels import Label

OLD = Environment("cpu", "A CPU", "2.9.1+cpu", "3.11.7", day="2026-11-19")
NEW = Environment("cpu", "A CPU", "2.15.0+cpu", "3.11.7", day="2026-11-21", numpy="2.4.6")
GPU = Environment("cuda", "NVIDIA H100", "2.13.0+cu130", "3.11.7", "580.95.05", "2026-11-20")
PLAIN = Environment("cpu", "A CPU", "", "3.11.7", day="2026-11-20")
WORDS = {
    "brief": (str(GPU), "NVIDIA H100, PyTorch 2.13.0+cu130, 2026-11-20"),
    "full": (labels.full(NEW), "A CPU, PyTorch 2.15.0+cpu, Python 3.11.7, NumPy 2.4.6, 2026-11-21"),
    "full, of a GPU": (
        labels.full(GPU),
        "NVIDIA H100, PyTorch 2.13.0+cu130, Python 3.11.7, driver 580.95.05, 2026-11-20",
    ),
    "full, without PyTorch": (labels.full(PLAIN), "A CPU, Python 3.11.7, 2026-11-20"),
    "a pane": (str(Label(("cpu", "cuda"), "PyTorch", "2.9, 2.15")), "CPU and CUDA · PyTorch 2.9, 2.15"),
    "a pane of a GPU": (
        str(Label(("cpu", "cuda"), "PyTorch", "2.11", model="H100")),
        "CPU and CUDA (H100) · PyTorch 2.11",
    ),
    "a pane without versions": (str(Label(("cpu",), "PyTorch", "")), "CPU"),
    "the devices of a pane": (Label(("cuda",), "PyTorch", "2.11", simulated=True).names, "CUDA, simulated"),
    "a version on a device": (labels.version_on(GPU), "PyTorch 2.13.0+cu130 on CUDA"),
    "all": (labels.all_versions([NEW, OLD, GPU]), "PyTorch 2.9.1, 2.13.0 and 2.15.0, last on 2026-11-21"),
}


@pytest.mark.parametrize(("found", "wanted"), WORDS.values(), ids=WORDS.keys())
def test_an_environment_is_called(found: str, wanted: str) -> None:
    """Pages, exports, summaries and messages say the same of it."""
    assert found == wanted
