"""Compare two folders that `observe.py` wrote, of a real and a simulated GPU, and print what differs, and how often.

python tools/simulated_gpu/compare.py REAL SIMULATED
"""

from __future__ import annotations

import collections
import json
import sys
from pathlib import Path
from typing import Any

META = ("shape", "dtype", "device", "layout", "stride")
TOLERANCES = {"float16": 3e-2, "bfloat16": 8e-2}
"""Of the sums of a result, relative to the sum of its absolute values; 1e-3 in the other dtypes."""


def main() -> None:
    """Print a line for each sample or network that differs in something, then how many agree in what."""
    real, simulated = (_read(Path(folder)) for folder in sys.argv[1:3])
    totals: collections.Counter[str] = collections.Counter()
    for case in sorted(real.keys() | simulated.keys()):
        observed, seen = real.get(case), simulated.get(case)
        if observed is None or seen is None:
            print(f"{case}: crashed or missing")
            totals["cases that crashed or are missing"] += 1
        elif isinstance(observed, dict):
            totals["networks"] += 1
            _network(case, observed, seen, totals)
        else:
            for number, (one, other) in enumerate(zip(observed, seen, strict=True)):
                totals["samples"] += 1
                for what, values in _differences(one, other, case.split()[-1]).items():
                    totals[f"samples that differ in {what}"] += 1
                    print(f"{case} [{number}] {what}: {values[0]} / {values[1]}"[:300])
    for name, number in totals.items():
        print(f"{number:6} {name}")


def _read(folder: Path) -> dict[str, Any]:
    lines = [json.loads(line) for path in sorted(folder.glob("*.jsonl")) for line in path.read_text().splitlines()]
    return {line["case"]: line.get("observed") for line in lines}


def _network(case: str, real: dict[str, Any], simulated: dict[str, Any], totals: collections.Counter[str]) -> None:
    most, expected = max(simulated["peaks"]), max(real["peaks"])
    totals["networks with the same peak"] += most == expected
    apart = max(abs(a - b) for a, b in zip(real["losses"], simulated["losses"], strict=True))
    print(f"{case}: peak {expected:,} / {most:,} ({most / expected - 1:+.1%}), losses {apart:.1e} apart")


def _differences(real: dict[str, Any], simulated: dict[str, Any], dtype: str) -> dict[str, tuple[Any, Any]]:
    """What differs between two samples, and how it is here and there."""
    names = ("error", "peak", "waits", "warnings")
    found = {name: (real.get(name), simulated.get(name)) for name in names if real.get(name) != simulated.get(name)}
    if "error" in real or "error" in simulated:
        return found
    here, there = real["results"], simulated["results"]
    if len(here) != len(there):
        return {**found, "number of results": (len(here), len(there))}
    for one, other in zip(here, there, strict=True):
        for name in META:
            if one.get(name) != other.get(name):
                found[name] = (one.get(name), other.get(name))
        if not _near(one, other, TOLERANCES.get(dtype, 1e-3)):
            found["values"] = tuple(each.get("sums", each.get("value")) for each in (one, other))
    return found


def _near(one: dict[str, Any], other: dict[str, Any], tolerance: float) -> bool:
    if one.get("value") != other.get("value") or one.get("finite") != other.get("finite"):
        return False
    most = tolerance * max(1.0, abs(one.get("size", 0)))
    return all(abs(a - b) <= most for a, b in zip(one.get("sums", ()), other.get("sums", ()), strict=True))


if __name__ == "__main__":
    main()
