"""run_claims: runs the claims of `tests/claims` on a device, in one process beside the sections."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

CLAIMS = "tests/claims"
"""The folder of the claims, below the kit."""
OUTPUT = "claims.log"
"""The file, below the kit, that pytest writes to."""
FAILED = re.compile(r"^(?:FAILED|ERROR) (?P<test>\S+?::.*?|\S+)(?: - (?P<why>.*))?$", re.M)
"""A line of pytest's summary about a test that failed."""
RAN = (0, 1)
"""The exit statuses of pytest where it ran the tests: none failed, or some did."""


class ClaimsRun:
    """The claims as they run in an environment, in the kit at `kit`. A file's claims are recorded when it is done."""

    def __init__(self, kit: Path, environment: str, environ: Mapping[str, str]) -> None:
        self.environment = environment
        self.output = kit / OUTPUT
        command = [sys.executable, "-m", "pytest", CLAIMS, "--claims-record", "-q", "-rfE", "-p", "no:cacheprovider"]
        with self.output.open("wb") as output:
            streams: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": subprocess.STDOUT}
            given = os.environ | environ
            self.process = subprocess.Popen(command, cwd=kit, env=given, start_new_session=True, **streams)

    @property
    def ended(self) -> bool:
        """Whether it has ended."""
        return self.process.poll() is not None

    @property
    def broken(self) -> str:
        """Why pytest did not run them, once it has ended; empty if it did."""
        status = self.process.returncode
        return "" if status in RAN else f"pytest ended with status {status}: {self.summary()}"

    def failures(self) -> Iterator[tuple[str, str]]:
        """Each test that failed, and why."""
        text = self.output.read_text(encoding="utf-8", errors="replace").strip()
        for match in FAILED.finditer(text):
            yield match["test"], match["why"] or ""

    def summary(self) -> str:
        """The last line that pytest wrote: how many passed."""
        lines = self.output.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return lines[-1] if lines else ""

    def close(self) -> None:
        """Kill it if it still runs, with all that it started."""
        if not self.ended:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
