"""What a simulated GPU can tell about a program: where it waits, what it copies, and what holds its memory."""

from .facts import Copies, Held, Kernels, Memory, OutOfMemory, Report, Waits
from .recording import report

__all__ = ["Copies", "Held", "Kernels", "Memory", "OutOfMemory", "Report", "Waits", "report"]
