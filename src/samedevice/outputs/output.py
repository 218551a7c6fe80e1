"""Output: what a block printed, returned, raised and drew."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any


@dataclass(frozen=True)
class Figure:
    """A picture that a block drew."""

    svg: str
    """The SVG document, the same bytes for the same picture."""
    alt: str
    """What the page said that the picture shows, when it was recorded. Pages show what they say now."""

    @property
    def name(self) -> str:
        """Hash of the document, by which recordings name it."""
        return _sha256(self.svg)[:12]


@dataclass(frozen=True)
class Raised:
    """An exception that ended a block."""

    type: str
    """Name of its class."""
    message: str
    """Its message."""
    trace: str = ""
    """The traceback inside the page and the files it calls; empty where the exception was announced."""
    announced: str = ""
    """Name of the class that the block announces, where this one is a subclass of it; else empty."""

    def is_a(self, name: str) -> bool:
        """Whether `pytest.raises` would take it for this class."""
        return bool(name) and name in (self.type, self.announced)


CHANGED = "is not kept, because a file that it runs or reads changed while it ran; run it again"
"""What `died` says of a block of which nobody knows which text it ran."""
RECORDED = ("text", "value", "raised", "figures", "died")
"""The fields of an output that are recorded with it."""
VARIES = "prints something else each time"
"""What `died` says of a block whose output is neither shown nor compared, since it was never the same twice."""


NOT_RUN = "was not run"
"""What `died` begins with for a block below one that ended their process."""


@dataclass(frozen=True)
class Output:
    """What one block did on one device."""

    text: str = ""
    """Standard output and standard error, in the order written."""
    value: str = ""
    """The repr of the last expression; empty if there is none, or it is None."""
    raised: Raised | None = None
    """The exception that ended the block."""
    figures: tuple[Figure, ...] = ()
    """Figures left open at the block's end."""
    died: str = ""
    """Why the block's process had to end in it: its time limit, a signal, an exit; empty if it did not."""
    unsure: str = ""
    """What of a simulated device a real one may do differently; never recorded."""
    lines: tuple[tuple[int, str], ...] = ()
    """Which line of the code printed what, where its page says so in comments; never recorded."""
    opened: tuple[str, ...] = field(default=(), compare=False)
    """What it opened below the repository, as `running.observing` notes it; `read` says what that means."""
    read: tuple[tuple[str, str], ...] = field(default=(), compare=False)
    """The files of the repository that it read, and hashes of what was in them; recorded with the block."""
    used: bool = field(default=True, compare=False)
    """Whether it, or what came before it, used the device; recorded with the block."""

    @property
    def ended(self) -> bool:
        """Whether it ended its process, by itself or at its time limit."""
        return bool(self.died) and self.died != VARIES and not self.died.startswith(NOT_RUN)

    @property
    def shown(self) -> str:
        """All of the text as it stands on the page."""
        parts = [self.text.rstrip("\n"), self.value]
        if self.raised:
            parts.append(f"{self.raised.type}: {self.raised.message}" if self.raised.message else self.raised.type)
        return "\n".join(part for part in parts if part)

    def to_json(self) -> dict[str, Any]:
        """All of it but what is empty, for another process. `used` is always there, since a missing one means yes."""
        found = _fields(self) | {
            "raised": self.raised and _fields(self.raised),
            "figures": [_fields(figure) for figure in self.figures],
        }
        return {key: value for key, value in found.items() if value or key == "used"}

    @property
    def recorded(self) -> dict[str, Any]:
        """What is recorded of it: no trace, and the names of its figures in place of the figures."""
        found = {key: value for key, value in self.to_json().items() if key in RECORDED}
        if self.raised:
            kept = {key: value for key, value in _fields(self.raised).items() if key != "trace"}
            found["raised"] = {key: value for key, value in kept.items() if value or key != "announced"}
        if self.figures:
            found["figures"] = [{"svg": one.name, "alt": one.alt} for one in self.figures]
        return found

    @cached_property
    def digest(self) -> str:
        """The output's name in a recording: the hash of what is recorded of it."""
        return digest(self.recorded)

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> Output:
        """The inverse of `to_json`, and of `recorded` once the figures are whole. Other fields are left out."""
        known = {one.name: found[one.name] for one in fields(cls) if one.name in found}
        known |= {key: tuple(map(tuple, known[key])) for key in ("lines", "read") if key in known}
        known["opened"] = tuple(known.get("opened", ()))
        known["raised"] = Raised(**known["raised"]) if known.get("raised") else None
        known["figures"] = tuple(Figure(**figure) for figure in known.get("figures", ()))
        return cls(**known)


def _fields(of: Output | Raised | Figure) -> dict[str, Any]:
    """The values of its fields, by their names."""
    return {one.name: getattr(of, one.name) for one in fields(of)}


def digest(recorded: dict[str, Any]) -> str:
    """The name of an output in a recording, given what is recorded of it."""
    return _sha256(json.dumps(recorded, sort_keys=True))[:16]


def _sha256(text: str) -> str:
    import hashlib  # here, because a page's process makes none

    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()
