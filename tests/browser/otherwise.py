"""What the site that another builder makes does otherwise than that of MkDocs, and why: these tests fail there."""

from __future__ import annotations

OTHERWISE: dict[str, dict[str, str]] = {"zensical": {}}
"""By builder: the beginning of a test's name, as pytest has it below this folder, with the reason."""
