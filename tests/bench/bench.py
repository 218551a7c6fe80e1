"""What building and testing cost, as ratios within one run, on a made-up site of 20 pages with 10 torch blocks each.

floor: mkdocs-material builds the same pages and runs nothing. bare: one Python process imports torch and executes all
the blocks. All commands have one compute thread. They are run in turn, several rounds; the table holds medians.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
EXTENSIONS = """
markdown_extensions:
  - admonition
  - toc:
      permalink: true
  - pymdownx.highlight
  - pymdownx.superfences:
      custom_fences:
        - name: samedevice
          class: samedevice
          format: !!python/name:samedevice.weave.output_fence
"""
CONFIG = "site_name: Bench\ntheme: {name: material, font: false}\nplugins: [search%s]\n" + EXTENSIONS
CONFTEST = 'pytest_plugins = ("samedevice.pytest_plugin",)\n'
MEASURED = """import atexit, pathlib, resource, runpy, sys
def note():
    pathlib.Path("memory").write_text(str(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss))
atexit.register(note)
sys.argv = sys.argv[1:]
if sys.argv[0] == "-m":
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
else:
    runpy.run_path(sys.argv[0], run_name="__main__")
"""
BARE = """import contextlib, io, pathlib, re, sys
for path in sorted(pathlib.Path("docs").glob("*.md")):
    names = {"__name__": "__main__"}
    for block in re.findall(r"```python\\n(.*?)```", path.read_text(), re.S):
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(block, str(path), "exec"), names)
"""


@dataclass(frozen=True)
class Cost:
    """What one run of a command took."""

    seconds: float
    """Wall-clock time."""
    megabytes: float
    """Peak memory of the command's own process, in MB; its workers are not in it."""


def page(number: int) -> str:
    """A page of ten blocks: small tensors, a matrix product, a model, a few training steps."""
    return f"""# Page {number}

```python
import torch
torch.manual_seed({number})
x = torch.rand(64, 64)
print(x.shape, x.dtype)
```

```python
print((x @ x).mean())
```

```python
y = x.reshape(8, 8, 64).sum(dim=0)
print(y.shape)
```

```python
model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 1))
print(sum(p.numel() for p in model.parameters()))
```

```python
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(20):
    optimizer.zero_grad()
    loss = model(x).square().mean()
    loss.backward()
    optimizer.step()
print(f"{{loss.item():.3f}}")
```

```python
big = torch.rand(512, 512)
for _ in range(4):
    big = torch.tanh(big @ big / 256)
print(big.shape)
```

```python
print(torch.arange(12).reshape(3, 4))
```

```python
print(torch.equal(x, x.clone()), x.is_contiguous())
```

```python
u, s, v = torch.linalg.svd(torch.rand(96, 96))
print(s.shape)
```

```python
values, indices = torch.topk(x.flatten(), 5)
print(values.shape, indices.dtype)
```
"""


def make_site(folder: Path, pages: int) -> None:
    """Write the site, its two configurations and what pytest needs."""
    (folder / "docs").mkdir(parents=True)
    for number in range(pages):
        name = "index" if number == 0 else f"page-{number:04d}"
        (folder / "docs" / f"{name}.md").write_text(page(number))
    (folder / "plain.yml").write_text(CONFIG % "")
    (folder / "ours.yml").write_text(CONFIG % ", samedevice")
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "measured.py").write_text(MEASURED)
    (folder / "bare.py").write_text("import torch\n" + BARE)


def run(arguments: list[str], folder: Path) -> Cost:
    """Run Python with these arguments to its end. Raises SystemExit with its output if it fails."""
    command = [sys.executable, "measured.py", *arguments]
    environ = os.environ | {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": ""}
    log = folder / "log"
    started = time.perf_counter()
    with log.open("w") as sink:
        status = subprocess.run(command, cwd=folder, env=environ, stdout=sink, stderr=subprocess.STDOUT).returncode
    seconds = time.perf_counter() - started
    if status:
        raise SystemExit(f"{' '.join(command)} failed:\n{log.read_text()[-3000:]}")
    return Cost(seconds, int((folder / "memory").read_text()) / 1024)


def commands(folder: Path) -> dict[str, Callable[[], Cost]]:
    """What is measured, by name, in the order of a round."""

    def mkdocs(config: str) -> Cost:
        return run(["-m", "mkdocs", "build", "-q", "-f", config], folder)

    def cold() -> Cost:
        shutil.rmtree(folder / ".cache", ignore_errors=True)
        return mkdocs("ours.yml")

    return {
        "floor": lambda: mkdocs("plain.yml"),
        "bare": lambda: run(["bare.py"], folder),
        "cold": cold,
        "warm": lambda: mkdocs("ours.yml"),
        "tests": lambda: run(["-m", "pytest", "-q", "-p", "no:cacheprovider", "docs"], folder),
    }


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=20, help="pages of the made-up site (default: 20)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds after one that warms up (default: 5)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="samedevice-bench-") as place:
        folder = Path(place, "site")
        make_site(folder, options.pages)
        record = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "docs", "--record"]
        run(record, folder)
        found: dict[str, list[Cost]] = {}
        for number in range(options.rounds + 1):
            for name, command in commands(folder).items():
                cost = command()
                if number:
                    found.setdefault(name, []).append(cost)
    report(found, options.pages)


def report(found: dict[str, list[Cost]], pages: int) -> None:
    """Print medians, and the ratios of the issue's figures; each ratio is the median of the rounds' ratios."""
    print(f"{pages} pages, {pages * 10} blocks; median of {len(found['floor'])} rounds\n")
    print("what    seconds  memory of the main process")
    for name, costs in found.items():
        seconds = statistics.median(cost.seconds for cost in costs)
        print(f"{name:<8}{seconds:7.2f}  {statistics.median(cost.megabytes for cost in costs):4.0f} MB")
    rounds = [dict(zip(found, row, strict=True)) for row in zip(*found.values(), strict=True)]
    ratios = [
        ("cold / (floor + bare)", 1.15, lambda r: r["cold"].seconds / (r["floor"].seconds + r["bare"].seconds)),
        ("warm / floor", 1.10, lambda r: r["warm"].seconds / r["floor"].seconds),
        ("tests / bare", 1.50, lambda r: r["tests"].seconds / r["bare"].seconds),
    ]
    print("\nratio                   measured  at most")
    for name, goal, ratio in ratios:
        print(f"{name:<24}{statistics.median(map(ratio, rounds)):8.2f}  {goal:7.2f}")


if __name__ == "__main__":
    main()
