"""What a simulated GPU can tell about a program: where Python waits, what is copied, and what holds the memory."""

from .recording import report
from .result import CopyCount, LineCount, Report

__all__ = ["CopyCount", "LineCount", "Report", "report"]
