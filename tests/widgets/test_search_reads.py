"""The search finds the errors in what people paste: real logs, as they stand in public issues."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

SAMPLES = json.loads((Path(__file__).parents[1] / "samples/reference/logs.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("sample", SAMPLES, ids=[one["errors"][0][:40] for one in SAMPLES])
def test_the_errors_of_a_log_are_read(errors: Any, sample: dict[str, Any]) -> None:
    """The last one first, without colors, prefixes, progress bars and the lines of its traceback."""
    found = [": ".join(filter(None, (one["name"], one["text"].strip()))) for one in errors(sample["log"])]
    assert len(found) == len(sample["errors"]), found
    for text, expected in zip(found, sample["errors"], strict=True):
        assert text.startswith(expected)
