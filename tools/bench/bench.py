"""What building and testing cost on a made-up site that grows: prints it, and writes the figures of a whole run.

Usage: python tools/bench/bench.py [--rounds N] [--quick]. Each page is `page.md`, which has ten blocks. plain is the
site without our plugin, which runs nothing. cold is a build with no cache, warm one after which nothing has changed.
bare is one Python process that runs the blocks, tests is pytest. Commands have one compute thread and are run in turn,
after a round that does not count; figures are medians, ratios are medians of the rounds' ratios. They go to the page
about/how-it-works, which then wants to be recorded again. Takes half an hour; the machine must be idle.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

from samedevice.devices import available_cores
from samedevice.running.machine import processor

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/about/how-it-works.md"
LITERAL = re.compile(r"^measured = \{\n.*?^\}\n", re.M | re.S)
"""Where the page holds the figures that its plot shows."""
SIZES, QUICK = (10, 100, 1000), (5, 10, 20)
"""Pages of the sites."""
ENVIRON = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": "", "NO_MKDOCS_2_WARNING": "1"}
CONFIG = """\
site_name: Bench
theme: {{name: material, font: false, features: [navigation.prune]}}
plugins: [{plugins}]
markdown_extensions: [admonition, toc, pymdownx.highlight, pymdownx.superfences]
"""
BARE = """\
import contextlib, io, json, pathlib
for page, blocks in json.loads(pathlib.Path("blocks.json").read_text()).items():
    names = {"__name__": "__main__"}
    for block in blocks:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(block, page, "exec"), names)
"""
PLAIN, OURS = (["-m", "mkdocs", "build", "-q", "-f", name] for name in ("plain.yml", "ours.yml"))
TESTS = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "docs"]
COMMANDS = {"plain": PLAIN, "bare": ["bare.py"], "cold": OURS, "warm": OURS, "tests": TESTS}
GOALS = [("cold", ("plain", "bare"), 1.0), ("warm", ("plain",), 1.05), ("tests", ("bare",), 1.2)]
"""What is compared with what, and the ratio that it should not exceed on the smallest site."""
Costs = dict[str, list[float]]
"""The seconds of each round, by command."""


def make_site(folder: Path, pages: int) -> None:
    """Write a site with our configuration, a plain one, and a program that runs the blocks alone.

    Its pages are in folders of ten, so that a page's navigation does not grow with the site.
    """
    template, blocks = Path(__file__).with_name("page.md").read_text(encoding="utf-8"), {}
    for n in range(pages):
        name = f"{n // 100:02}/{n // 10:03}/page-{n:04}" if n else "index"
        path, text = folder / f"docs/{name}.md", template.replace("NUMBER", str(n))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        blocks[name] = re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)
    (folder / "plain.yml").write_text(CONFIG.format(plugins="search"))
    (folder / "ours.yml").write_text(CONFIG.format(plugins="search, samedevice"))
    shutil.copy(ROOT / "conftest.py", folder)
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "bare.py").write_text(BARE)
    (folder / "blocks.json").write_text(json.dumps(blocks))


def seconds(arguments: Sequence[str], folder: Path) -> float:
    """How long Python takes with these arguments. Raises SystemExit with its last words if it fails."""
    command, started = [sys.executable, *arguments], time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=os.environ | ENVIRON, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(arguments)} failed in {folder}:\n{(done.stdout + done.stderr)[-3000:]}")
    return time.perf_counter() - started


def measured(folder: Path, pages: int, rounds: int) -> Costs:
    """The seconds of each command on a site of so many pages, several rounds of all in turn."""
    make_site(folder, pages)
    seconds([*TESTS, "--record"], folder)
    found: Costs = {name: [] for name in COMMANDS}
    for number in range(rounds + 1):
        for name, arguments in COMMANDS.items():
            if name == "cold":
                shutil.rmtree(folder / ".cache", ignore_errors=True)
            spent = seconds(arguments, folder)
            found[name] += [spent] * (number > 0)
            print(f"  {pages} pages, round {number} of {rounds}: {name} {spent:.2f} s", file=sys.stderr, flush=True)
    return found


def ratio(found: Costs, name: str, others: Sequence[str]) -> float:
    """The median over the rounds of what one command took against what the others took together in that round."""
    rounds = zip(found[name], *(found[other] for other in others), strict=True)
    return float(median(own / sum(rest) for own, *rest in rounds))


def literal(where: str, sizes: Sequence[int], medians: Mapping[str, Sequence[float]]) -> str:
    """The figures as the code of the page has them."""
    rows = {"where": where, "pages": list(sizes)} | {name: list(medians[name]) for name in ("plain", "cold", "warm")}
    return "measured = {\n" + "".join(f'    "{name}": {json.dumps(value)},\n' for name, value in rows.items()) + "}\n"


def main() -> None:
    """Measure, print, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="rounds after one that warms up (default: 3)")
    parser.add_argument("--quick", action="store_true", help="small sites; nothing is written")
    options = parser.parse_args()
    sizes = QUICK if options.quick else SIZES
    with tempfile.TemporaryDirectory(prefix="samedevice-bench-") as place:
        found = [measured(Path(place, str(size)), size, options.rounds) for size in sizes]
    medians = {name: [round(median(costs[name]), 3) for costs in found] for name in COMMANDS}
    print(f"{'pages':<24}" + "".join(f"{size:9}" for size in sizes))
    for name, taken in medians.items():
        print(f"{name + ', seconds':<24}" + "".join(f"{value:9.2f}" for value in taken))
    for name, others, most in GOALS:
        print(f"{name + ' / ' + ' + '.join(others):<24}{ratio(found[0], name, others):9.2f}, at most {most}")
    print(f"memory of the largest process: {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024} MB")
    if not options.quick:
        where = f"{processor()}, {available_cores()} cores, {datetime.datetime.now(datetime.UTC).date().isoformat()}"
        text = LITERAL.sub(lambda _: literal(where, sizes, medians), PAGE.read_text(encoding="utf-8"), count=1)
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
