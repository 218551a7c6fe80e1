"""results: what was measured, as a table, as a file of JSON, and in the block of a page that draws it."""

from __future__ import annotations

import datetime
import json
import platform
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from measure import Cost, median, ratio
from peers import AGAIN
from scale import growth, overhead

from samedevice.devices import torch_build
from samedevice.running.machine import available_cores, processor

ROOT = Path(__file__).parents[2]
FILE = Path(__file__).with_name("results.json")
PAGE = ROOT / "docs/about/how-it-works.md"
LITERAL = re.compile(r"^measured = \{\n.*?^\}\n", re.M | re.S)
"""Where the page holds the figures that its plot shows."""
PROJECT = "project "
"""What begins the name of a part that is another project."""
BUILT = "build of "
"""What begins the name of a part that is another project, built as it builds itself."""
OTHERS = ROOT / "docs/about/your-own-docs.md"
TABLE = re.compile(r"^\| Pages of \|.*?\n(?=\n)", re.M | re.S)
"""Where that page holds the figures of other projects."""
BUILT_TABLE = re.compile(r"^\| Project \|.*?\n(?=\n)", re.M | re.S)
"""Where it holds those of projects that are built as they build themselves."""
OTHER_TOOL = "with pytest-markdown-docs"
"""What the figures of the other tool are kept as, for most of these."""
Found = dict[str, list[Cost]]
Goal = tuple[str, float, float]
"""What is compared, its figure, and the most that it may be."""


def sites_goals(found: Found, warm: float, build_peers: list[str], test_peers: list[str]) -> Iterator[Goal]:
    """What the figures of a site are held to."""
    yield "cold / (plain + bare)", ratio(found, "cold", "plain", "bare"), 1.0
    yield "warm / plain", ratio(found, "warm", "plain"), warm
    yield "tests / bare", ratio(found, "tests", "bare"), 1.2
    for peer in build_peers:
        ours = "warm" if peer.endswith(AGAIN) else "cold"
        yield f"{ours} / {peer}", ratio(found, ours, peer), 1.0
    for peer in test_peers:
        yield f"tests / {peer}", ratio(found, "tests", peer), 1.0


def scale_goals(found: dict[str, Any]) -> Iterator[Goal]:
    """What the figures of the sites that grow are held to."""
    yield "cold, a page more", growth(found, "cold"), 1.15
    yield "warm, a page more", growth(found, "warm"), 1.15
    yield "warm - plain, ms a page", overhead(found), 2.0
    yield "memory, MB", max(found["memory_mb"]), 400
    yield "cores idle in a cold build", 1 - found["cores_busy"][-1], 0.15


def reload_goals(found: dict[str, Any]) -> Iterator[Goal]:
    """What the way from a save to the browser is held to."""
    yield "word / plain word", found["word"] / found["plain_word"], 1.2
    yield "(block - its page's run) / plain word", (found["block"] - found["run"]) / found["plain_word"], 1.2


def print_costs(title: str, found: Found) -> None:
    """Print a table of medians."""
    rounds = len(next(iter(found.values())))
    print(f"\n{title}; medians of {rounds} rounds\n\n{'':<22}{'seconds':>9}{'CPU s':>9}  memory of the main process")
    for name, costs in found.items():
        cost = median(costs)
        print(f"{name:<22}{cost.seconds:9.2f}{cost.cpu:9.2f}{cost.megabytes:6.0f} MB")


def print_figures(title: str, found: dict[str, Any]) -> None:
    """Print figures by their names."""
    print(f"\n{title}\n")
    for name, figure in found.items():
        values = figure if isinstance(figure, list) else [figure]
        print(f"{name:<22}" + "".join(f"{value:9.4g}" for value in values))


def print_goals(goals: list[Goal]) -> None:
    """Print what was reached and what was not."""
    print(f"\n{'':<40}{'measured':>9}{'at most':>9}")
    for name, figure, most in goals:
        print(f"{name:<40}{figure:9.2f}{most:9.2f}{'' if figure <= most else '  missed'}")


def summary(found: Found) -> dict[str, Any]:
    """The medians of a site, as they are kept."""
    rows = ((name, median(costs)) for name, costs in found.items())
    return {name: {"seconds": round(cost.seconds, 3), "cpu": round(cost.cpu, 3)} for name, cost in rows}


def machine() -> dict[str, Any]:
    """Where and when something was measured."""
    day = datetime.datetime.now(datetime.UTC).date().isoformat()
    about = {"processor": processor(), "cores": available_cores(), "python": platform.python_version()}
    return about | {"torch": torch_build().version, "day": day}


def save(part: str, found: dict[str, Any], goals: list[Goal]) -> None:
    """Keep the figures of a part in place of those that it had."""
    kept = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    ratios = {name: round(figure, 3) for name, figure, _ in goals}
    kept[part] = {"machine": machine(), "measured": found, "ratios": ratios}
    FILE.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def literal(kept: dict[str, Any]) -> str:
    """The figures of the sites that grow, as the code of the page has them."""
    about, found = kept["machine"], kept["measured"]
    where = f"{about['processor']}, {about['cores']} cores, {about['day']}"
    rows = {"where": where} | {name: found[name] for name in ("pages", "plain", "cold", "warm")}
    return "measured = {\n" + "".join(f'    "{name}": {json.dumps(value)},\n' for name, value in rows.items()) + "}\n"


def write_page() -> None:
    """Put the figures into the page that draws them. Raises SystemExit if it has no place for them."""
    kept = json.loads(FILE.read_text(encoding="utf-8"))["scale"]
    text, count = LITERAL.subn(lambda _: literal(kept), PAGE.read_text(encoding="utf-8"))
    if count != 1:
        raise SystemExit(f"{PAGE} must have one block with the lines from `measured = {{` to `}}`; it has {count}")
    PAGE.write_text(text, encoding="utf-8")


def print_project(name: str, found: dict[str, Any]) -> None:
    """Print what was found of the pages of another project."""
    print(f"\n{name}\n{json.dumps(found, indent=1, ensure_ascii=False)}")


ROWS: dict[str, Callable[[dict[str, Any]], str]] = {
    "Pages of": lambda one: f"[{one['name']} {one['release']}]({one['address']}/tree/{one['commit']})",
    "---": lambda one: "---",
    "Pages that are read": lambda one: f"{one['pages']} of {one['pages'] + len(one['refused'])}",
    "Of them refused by the build": lambda one: str(len(one["refused by the build"])),
    "Blocks of Python on them": lambda one: str(one["blocks"]),
    "Shown and not run": lambda one: _listed(one["skipped"]),
    "Run": lambda one: str(one["passed"] + sum(one["failed"].values())),
    "Passed": lambda one: str(one["passed"]),
    "Failed": lambda one: _listed(one["failed"]),
    "Recorded, without those that fail": lambda one: str(one["recorded"]),
    "Printed the same in a second run": lambda one: str(one["the same again"]),
    "Processor time, seconds": lambda one: f"{one['cpu']:.0f}",
    "Other tool": lambda one: str(one["their tool"]["tool"]),
    "With it passed": lambda one: str(one["their tool"]["passed"]),
    "With it failed": lambda one: str(one["their tool"]["failed"]),
    "With it skipped": lambda one: str(one["their tool"]["skipped"]),
    "Processor time with it, seconds": lambda one: f"{one['their tool']['cpu']:.0f}",
}
"""The rows of the table of other projects: what each says, and how."""


def _listed(counted: dict[str, int], most: int = 4) -> str:
    """A sum, and what it is made of: `5 (3 a, 2 b)`, `5 (all a)`; only the largest parts are named."""
    if len(counted) == 1:
        return "".join(f"{count} (all {what})" for what, count in counted.items())
    ordered = sorted(counted.items(), key=lambda item: -item[1])
    named = [f"{count} {what}" for what, count in ordered]
    rest = sum(count for _, count in ordered[most:])
    parts = named[:most] + [f"{rest} others"] * bool(rest)
    return f"{sum(counted.values())} ({', '.join(parts)})" if counted else "0"


def table(projects: list[dict[str, Any]]) -> str:
    """What was found of other projects, a column for each, as the page has it."""
    return "".join(f"| {label} | {' | '.join(map(cell, projects))} |\n" for label, cell in ROWS.items())


def _other(one: dict[str, Any]) -> dict[str, Any]:
    """The figures of the other tool; before 2026-11-27, of the fences of both only its time was kept."""
    found = next(value for key, value in one.items() if key.startswith("with "))
    return found if isinstance(found, dict) else {"cpu": found}


def _times(one: dict[str, Any]) -> str:
    """The processor time of both tools, that of the code alone in brackets where it was measured."""
    return " / ".join(map(_time, (one, _other(one)))) if "cpu" in one else ""


def _time(one: dict[str, Any]) -> str:
    return f"{one['cpu']:.2f}" + (f" ({one['code alone']:.2f})" if "code alone" in one else "")


def _ratio(one: dict[str, Any]) -> str:
    return f"{one['cpu'] / _other(one)['cpu']:.2f}" if "cpu" in one else ""


def _passed(one: dict[str, Any]) -> str:
    return f"{one['passed']} / {one['failed']}" if one["passed"] or one["failed"] else "none found"


COLUMNS: dict[str, Callable[[dict[str, Any]], str]] = {
    "Project": lambda one: f"[{_name(one['name'])}]({one['address']}/tree/{one['commit']})",
    "Warnings": lambda one: str(one["warnings"][-1]),
    "Blocks that passed / failed": _passed,
    "With pytest-markdown-docs": lambda one: (
        _passed(_other(one)) + ", with pytest-codeblocks" * (OTHER_TOOL not in one)
    ),
    "Processor time, seconds, ours / theirs": _times,
    "Ratio": _ratio,
    "Blocks of both": lambda one: str(one.get("the fences of both", {}).get("blocks", 0)),
    "Time for these": lambda one: _times(one.get("the fences of both", {})),
    "Their ratio": lambda one: _ratio(one.get("the fences of both", {})),
}
"""The columns of the table of projects that are built as they build themselves."""


def built_table(projects: list[dict[str, Any]]) -> str:
    """What was found of them, a row for each, as the page has it."""
    rows = [list(COLUMNS), ["---"] * len(COLUMNS), *([cell(one) for cell in COLUMNS.values()] for one in projects)]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def kept_projects(parts: str = PROJECT) -> list[dict[str, Any]]:
    """What is kept of other projects, in the order of their names; `parts` begins those of one kind."""
    kept = json.loads(FILE.read_text(encoding="utf-8"))
    names = sorted((part.removeprefix(parts) for part in kept if part.startswith(parts)), key=_name)
    return [{"name": name} | kept[parts + name]["measured"] for name in names]


def _name(name: str) -> str:
    return name.removeprefix("own-")


def write_projects() -> None:
    """Put the figures of other projects into the page. Raises SystemExit if it has no place for them."""
    text = OTHERS.read_text(encoding="utf-8")
    for place, new in ((TABLE, table(kept_projects())), (BUILT_TABLE, built_table(kept_projects(BUILT)))):
        text, count = place.subn(new.replace("\\", r"\\"), text)
        if count != 1:
            raise SystemExit(f"{OTHERS} must have one table like {place.pattern}; it has {count}")
    OTHERS.write_text(text, encoding="utf-8")
