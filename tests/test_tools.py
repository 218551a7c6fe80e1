"""The tools: each can be read with what it imports, and what no other test uses does what it says."""

from __future__ import annotations

import json
import runpy
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from samedevice.outputs.environments import Environment
from samedevice.outputs.recordings import State

ROOT = Path(__file__).parents[1]
TOOLS = sorted((ROOT / "tools").rglob("*.py"))
Tool = Callable[[str], dict[str, Any]]
H100 = Environment("cuda", "NVIDIA H100", "2.13.0+cu130", "3.11.7", "580", "2026-11-24")


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Tool:
    """Reads a tool without starting it; returns its names."""

    def tool(name: str) -> dict[str, Any]:
        path = ROOT / "tools" / name
        monkeypatch.syspath_prepend(path.parent)
        return runpy.run_path(str(path), run_name=path.stem)

    return tool


@pytest.mark.parametrize("path", TOOLS, ids=lambda path: path.relative_to(ROOT / "tools").as_posix())
def test_nothing_that_a_tool_imports_is_gone(path: Path, tool: Tool) -> None:
    """A tool that somebody starts once a year is broken by whoever renames a module, and nobody sees it."""
    assert tool(path.relative_to(ROOT / "tools").as_posix())["__doc__"]


def test_what_only_a_real_gpu_can_print_again_is_listed(tool: Tool) -> None:
    """An H100 is there for half an hour a month; a CPU, and a simulated GPU, can print again at any time."""
    status = tool("recordings/status.py")
    one, lost, table = status["Recorded"], status["lost"], status["table"]
    before = [one(about, "1" * 16, "docs/x.md:3", State.FRESH) for about in (H100, replace(H100, simulated=True))]
    assert list(lost(before, before)) == []
    now = [found._replace(state=State.STALE) for found in before]
    assert list(lost(before, now)) == [f"docs/x.md:3: {H100.folder} has to run it again"]
    assert [line.split() for line in table(now)] == [
        ["environment", "fresh", "unused", "stale", "missing"],
        [before[1].environment.folder, "0", "0", "1", "0"],
        [H100.folder, "0", "0", "1", "0"],
    ]


def test_a_sentence_that_says_much_needs_a_claim_or_a_source(tool: Tool) -> None:
    """The list is there to be worked through: what is on it has neither."""
    text = "# Page\n\nEach copy is new.\nIt is so in [every case](https://a.b).\nHere is one.\n"
    assert list(tool("claims/unclaimed.py")["saying_much"](text)) == [(3, "Each copy is new.")]


def test_what_differs_between_a_real_and_a_simulated_gpu_is_printed(
    tool: Tool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """On the day of a GPU it says where the simulated one is wrong."""
    sample = {"peak": 512, "waits": 0, "warnings": [], "results": [{"shape": "torch.Size([2])", "sums": [1.0, 2.0]}]}
    network = {"losses": [1.0], "peaks": [1000]}
    observed = {"add float32": [sample, sample], "MLP, float32": network, "gone float32": [sample]}
    shown = {
        "add float32": [sample, sample | {"waits": 1, "results": [{"shape": "torch.Size([2])", "sums": [1.0, 3.0]}]}],
        "MLP, float32": network | {"peaks": [1010]},
    }
    for name, cases in (("real", observed), ("simulated", shown)):
        (tmp_path / name).mkdir()
        lines = (json.dumps({"case": case, "observed": found}) for case, found in cases.items())
        (tmp_path / name / "0.jsonl").write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["compare.py", str(tmp_path / "real"), str(tmp_path / "simulated")])
    tool("simulated_gpu/compare.py")["main"]()
    told = capsys.readouterr().out.splitlines()
    assert told[:4] == [
        "MLP, float32: peak 1,000 / 1,010 (+1.0%), losses 0.0e+00 apart",
        "add float32 [1] waits: 0 / 1",
        "add float32 [1] values: [1.0, 2.0] / [1.0, 3.0]",
        "gone float32: crashed or missing",
    ]
    assert "     2 samples" in told
    assert "     1 cases that crashed or are missing" in told
