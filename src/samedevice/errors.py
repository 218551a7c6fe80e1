"""The errors that a person meets: one class a kind of failure, each saying where, what, and what to do."""

from __future__ import annotations


class SameDeviceError(Exception):
    """Base of every error that this package raises on purpose."""


class PageError(SameDeviceError):
    """A page that cannot be read: a bad fence, an unknown option, a missing file."""

    def __init__(self, path: str, line: int, message: str) -> None:
        super().__init__(f"{path}:{line}: {message}")
        self.path = path
        self.line = line
        self.message = message


class RecordingError(SameDeviceError):
    """A recording that cannot be used: truncated, damaged by hand, of an unknown format."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(f"{path}: {message}")
        self.path = path
        self.message = message


class SessionError(SameDeviceError):
    """The machinery that runs pages failed, not a page: no interpreter, no torch, no such device."""
