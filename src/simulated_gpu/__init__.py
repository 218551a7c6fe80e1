"""A CUDA device made of main memory, for tests of PyTorch code where no GPU is.

    python -m simulated_gpu --gpus 2 train.py
    pytest --simulated-gpu
    SIMULATED_GPU=1 python train.py

In a program, call `start` before PyTorch is imported. (PYTEST_DONT_REWRITE: it may be imported before pytest is.)
"""

from .errors import MachineError, NotSimulated, SettingError, SimulatedGPUError
from .reporting import Report, report
from .settings import Settings
from .startup import running, start
from .values.unsure import unsure

__all__ = [
    "MachineError",
    "NotSimulated",
    "Report",
    "SettingError",
    "Settings",
    "SimulatedGPUError",
    "report",
    "running",
    "start",
    "unsure",
]
__version__ = "0.1.0"
