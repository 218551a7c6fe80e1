"""scale: the made-up site at ten, a hundred and a thousand pages."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from measure import Cost, in_turn, median
from ours import commands, record
from sites import make_site

from samedevice.running.machine import available_cores

SIZES = (10, 100, 1000)
MEASURED = ("plain", "cold", "warm")


def measure(folder: Path, rounds: int, sizes: tuple[int, ...] = SIZES) -> dict[str, Any]:
    """Build the site in all sizes with and without our plugin: seconds, memory and use of the cores for each size."""
    found: dict[int, dict[str, Cost]] = {}
    for size in sizes:
        print(f"{size} pages", file=sys.stderr)
        place = folder / str(size)
        make_site(place, size)
        record(place)
        named = commands(place, "docs/index.md")
        costs = in_turn({name: named[name] for name in MEASURED}, rounds, warm_up=size < sizes[-1])
        found[size] = {name: median(of) for name, of in costs.items()}
    return {
        "pages": list(found),
        **{name: [round(found[size][name].seconds, 3) for size in found] for name in MEASURED},
        "memory_mb": [round(found[size]["cold"].megabytes) for size in found],
        "cores_busy": [round(_busy(found[size]["cold"]), 3) for size in found],
    }


def _busy(cost: Cost) -> float:
    """The share of the time of all cores that a command used."""
    return cost.cpu / (cost.seconds * available_cores())


def growth(found: dict[str, Any], name: str) -> float:
    """What a page more costs in the step to the largest site, against what it costs in the step before."""
    (a, b, c), (x, y, z) = found["pages"], found[name]
    return float(((z - y) / (c - b)) / ((y - x) / (b - a)))


def overhead(found: dict[str, Any]) -> float:
    """Milliseconds that a warm build of the largest site takes a page more than a plain one."""
    return float((found["warm"][-1] - found["plain"][-1]) / found["pages"][-1] * 1000)
