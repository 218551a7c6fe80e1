"""Measure the simulated GPU with PyTorch's OpInfo database, and print a table.

    python tools/simulated_gpu/measure.py --dtypes float32 float16 [--forward] [--only add,mul] [--out results.jsonl]
    python tools/simulated_gpu/measure.py --pairs

The first compares values with the CPU's, forward and backward; the second asks for each dtype whether an operator takes
it, and compares with what the database says of CUDA.
A worker process runs the cases one after another. If one crashes or hangs, that is its verdict and a
new worker goes on. The database needs the package expecttest.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import selectors
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

SECONDS = 60
Case = tuple[str, str, str]
WAYS = {"forward": ["forward"], "pairs": ["pair"], "both": ["forward", "backward"]}


def main() -> None:
    """Run the cases and print how many had which verdict."""
    options = _options()
    if options.worker:
        _work(options.samples)
        return
    results = []
    with open(options.out, "w") as file:
        for result in _measure(options):
            results.append(result)
            print(json.dumps(result), file=file, flush=True)
            if result["verdict"] in BAD:
                print(_line(result), flush=True)
    _print_table(results)


BAD = ("different", "fails", "refused", "accepted", "accepted, CPU fails", "crash", "hang")


DTYPES = (
    "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex32", "complex64",
    "complex128", "bool",
)  # fmt: skip


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dtypes", nargs="+", help="float32, or all with --pairs")
    parser.add_argument("--only", type=lambda text: text.split(","), help="names of operators")
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--forward", dest="what", action="store_const", const="forward", help="measure no gradients")
    way.add_argument(
        "--pairs", dest="what", action="store_const", const="pairs", help="operators and dtypes, no values"
    )
    parser.set_defaults(what="both")
    parser.add_argument("--samples", type=int, default=6, help="at most so many inputs a case")
    parser.add_argument("--part", type=_part, default=(0, 1), help="i/n: one part of n")
    parser.add_argument("--out", type=Path, default=Path("measured.jsonl"))
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def _part(text: str) -> tuple[int, int]:
    i, n = map(int, text.split("/"))
    return i, n


def _measure(options: argparse.Namespace) -> Iterator[dict[str, str]]:
    names = options.only or _names()
    i, n = options.part
    dtypes = options.dtypes or (DTYPES if options.what == "pairs" else ["float32"])
    cases = [(op, dtype, way) for op in names[i::n] for dtype in dtypes for way in WAYS[options.what]]
    worker = None
    for op, dtype, way in cases:
        worker = worker or _Worker(options.samples)
        answer = worker.ask((op, dtype, way))
        if answer[0] in ("crash", "hang"):
            worker = None
        yield {
            "op": op,
            "dtype": dtype,
            "way": way,
            "verdict": answer[0],
            "why": answer[1],
        }


def _names() -> list[str]:
    code = "import sys; sys.path.insert(0, sys.argv[1]); import cases; print('\\n'.join(cases.operators()))"
    start = f"import simulated_gpu; simulated_gpu.start(2); {code}"
    command = [sys.executable, "-c", start, str(Path(__file__).parent)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.split()


class _Worker:
    """A process that answers a case with a verdict."""

    def __init__(self, samples: int) -> None:
        command = [sys.executable, "-W", "ignore", __file__, "--worker", "--samples", str(samples)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, bufsize=1
        )
        self.selector = selectors.DefaultSelector()
        assert self.process.stdout is not None
        self.selector.register(self.process.stdout, selectors.EVENT_READ)
        self.started = False

    def ask(self, case: Case) -> tuple[str, str]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps(case), file=self.process.stdin, flush=True)
        if not self.selector.select(SECONDS if self.started else 10 * SECONDS):
            self.process.kill()
            return "hang", f"no answer in {SECONDS} s"
        self.started = True
        line = self.process.stdout.readline()
        if not line:
            return "crash", f"exit status {self.process.wait()}"
        verdict, why = json.loads(line)
        return verdict, why


def _work(samples: int) -> None:
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what an operator prints must not get between the answers
    import simulated_gpu

    simulated_gpu.start(2)
    import cases
    import torch

    torch.set_num_threads(1)
    operators = cases.operators()
    for line in sys.stdin:
        name, dtype, way = json.loads(line)
        op, dtype = operators[name], getattr(torch, dtype)
        verdict = cases.pair(op, dtype) if way == "pair" else cases.run(op, dtype, way == "backward", samples)
        print(json.dumps(verdict), file=answers)


def _line(result: dict[str, str]) -> str:
    return f"{result['op']} {result['dtype']} {result['way']}: {result['verdict']}: {result['why'][:300]!r}"


def _print_table(results: list[dict[str, str]]) -> None:
    counts = collections.Counter((r["dtype"], r["way"], r["verdict"]) for r in results)
    verdicts = sorted({verdict for _, _, verdict in counts})
    print("| dtype | way | " + " | ".join(map(str, verdicts)) + " |")
    print("|---" * (len(verdicts) + 2) + "|")
    for dtype, way in dict.fromkeys((d, w) for d, w, _ in counts):
        print(f"| {dtype} | {way} | " + " | ".join(str(counts[dtype, way, v]) for v in verdicts) + " |")


if __name__ == "__main__":
    main()
