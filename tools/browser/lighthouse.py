"""Lighthouse's scores of five pages, served as GitHub Pages does; fails below the goals.

Performance is that of a phone of the middle class with a slow connection, which Lighthouse simulates. How much slower
such a phone is than this machine follows from the speed that Lighthouse measures here.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests/browser"))

from served import served  # noqa: E402 - it is found there

PACKAGE = "lighthouse@12.8.2"
PAGES = ("index.html", "tensors/creating.html", "amp/gradscaler.html", "reference/errors.html", "devices/cuda.html")
"""The pages that are measured."""
GOALS = {"performance": 98, "accessibility": 100, "best-practices": 100, "seo": 100}
RUNS = 3
"""Times that a page is measured; the best counts, because all that disturbs a measurement makes it slower."""
FLAGS = "--headless=new --no-sandbox --disable-gpu --disable-background-networking"
PHONE = 1750 / 4
"""Benchmark index of the phone that Lighthouse means: it slows a fast desktop, 1500 to 2000, four times (its
docs/throttling.md), and has a slower machine take a smaller factor."""


def build(site: Path) -> None:
    """Write the site for a repository that is known, as it is published."""
    environ = {"SAMEDEVICE_REPOSITORY": "someone/same-device", "NO_MKDOCS_2_WARNING": "1"} | os.environ
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(site)]
    subprocess.run(command, cwd=ROOT, check=True, env=environ)


def measure(url: str, slowdown: float) -> dict[str, Any]:
    """Lighthouse's report on a page."""
    command = (
        f"npx --yes {PACKAGE} {url} --quiet --output=json --throttling.cpuSlowdownMultiplier={slowdown:.1f}".split()
    )
    environ = os.environ | {"CHROME_PATH": shutil.which("chromium") or ""}
    done = subprocess.run(
        [*command, f"--chrome-flags={FLAGS}"], check=True, env=environ, capture_output=True, text=True
    )
    return dict(json.loads(done.stdout))


def main() -> None:
    """Measure the pages and print a line for each."""
    for name in ("npx", "chromium"):
        if shutil.which(name) is None:
            sys.exit(f"{name} is missing; Debian has it: apt-get install nodejs npm chromium")
    missed = False
    with tempfile.TemporaryDirectory(prefix="samedevice-lighthouse-") as folder:
        site = Path(folder, "site")
        build(site)
        with served(site) as address:
            index = measure(address, 1)["environment"]["benchmarkIndex"]
            slowdown = min(4.0, max(1.0, index / PHONE))
            print(f"benchmark index {index:.0f}: CPU slowed {slowdown:.1f} times for a phone")
            for page in PAGES:
                found = [measure(address + page, slowdown)["categories"] for _ in range(RUNS)]
                scores = {name: max(round(100 * one[name]["score"]) for one in found) for name in GOALS}
                print(f"{page:<28}", "  ".join(f"{name} {score}" for name, score in scores.items()), flush=True)
                missed |= any(scores[name] < goal for name, goal in GOALS.items())
    if missed:
        sys.exit("below the goals: " + ", ".join(f"{name} {goal}" for name, goal in GOALS.items()))


if __name__ == "__main__":
    main()
