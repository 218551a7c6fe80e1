"""A stand-in for PyTorch that is imported at once: as much of it as the engine itself asks for."""

from importlib.metadata import version
from types import SimpleNamespace

__version__ = version("torch")
backends = SimpleNamespace(mps=SimpleNamespace(is_available=lambda: False))
cuda = SimpleNamespace(is_available=lambda: False, device_count=lambda: 0)
