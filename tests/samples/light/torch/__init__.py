"""A stand-in for PyTorch that is imported at once: as much of it as the engine itself asks for."""

import os
import runpy
from importlib.metadata import distribution
from types import SimpleNamespace

__version__ = runpy.run_path(str(distribution("torch").locate_file("torch/version.py")))["__version__"]
backends = SimpleNamespace(mps=SimpleNamespace(is_available=lambda: False))
cuda = SimpleNamespace(
    is_available=lambda: "SIMULATED_GPU" in os.environ,
    device_count=lambda: int(os.environ.get("SIMULATED_GPU", "0")),
    get_device_name=lambda number: "Simulated GPU",
)
