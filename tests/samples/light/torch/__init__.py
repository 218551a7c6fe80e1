"""A stand-in for PyTorch that is imported at once: as much of it as the engine itself asks for."""

import runpy
from importlib.metadata import distribution
from types import SimpleNamespace

__version__ = runpy.run_path(str(distribution("torch").locate_file("torch/version.py")))["__version__"]
backends = SimpleNamespace(mps=SimpleNamespace(is_available=lambda: False))
cuda = SimpleNamespace(is_available=lambda: False, device_count=lambda: 0)
