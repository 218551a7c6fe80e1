"""Where a report goes: the standard error output, a file of JSON, a picture, annotations of GitHub Actions."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from ..errors import SettingError
from .annotations import remarks
from .facts import Report
from .picture import picture


@dataclass(frozen=True)
class Outputs:
    """What is to be written at the end."""

    text: bool = False
    github: bool = False
    json: Path | None = None
    svg: Path | None = None

    def __bool__(self) -> bool:
        return bool(self.text or self.github or self.json or self.svg)

    def check(self) -> None:
        """Raise SettingError now, before the program runs for an hour, if a file cannot be written."""
        for path in (self.json, self.svg):
            if path and not os.access(path.absolute().parent, os.W_OK):
                raise SettingError(f"the report cannot be written to {path}: there is no such folder to write to")

    def write(self, report: Report) -> None:
        """Write the report."""
        if self.json:
            self.json.write_text(json.dumps(report.to_json(), indent=1) + "\n")
        if self.svg and report.fullest is not None:
            self.svg.write_text(picture(report.fullest))
        elif self.svg:
            print(f"simulated_gpu: {self.svg} was not written: the program used no GPU", file=sys.stderr)
        if self.text:
            print(report, file=sys.stderr)
        if self.github:
            print(*remarks(report), sep="\n")
