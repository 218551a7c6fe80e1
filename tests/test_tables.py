"""The tables of options and of devices: what is added to one of them is known everywhere, without another edit."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from samedevice.errors import PageError
from samedevice.exporting.check_export import check_export, published
from samedevice.pages import options
from samedevice.pages.options import Options, option, option_meanings
from samedevice.pages.page import Page

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class More(Options):
    """The options, and one more."""

    color: str = option('color="red"', "what the block is painted with", output=True)
    depth: int = option('depth="2"', "how deep it is", default=1, output=True)


def test_an_option_is_added_in_one_place(write: Callable[..., Page], monkeypatch: pytest.MonkeyPatch) -> None:
    """A second list would drop it, silently: pages, hashes, the published page and the table of the guide know it."""
    plain = write("```python\nx = 1\n```\n")
    monkeypatch.setattr(options, "Options", More)
    page = write('```python color="red" depth="3"\nx = 1\n```\n')
    assert page.blocks[0].options == More(color="red", depth=3)
    assert page.hashes("cpu") != plain.hashes("cpu")
    assert option_meanings()['color="red"'] == "what the block is painted with"
    found = published(check_export(page, "Page", {}, [])).page
    assert (found.blocks[0].options.color, found.blocks[0].options.depth) == ("red", 3)  # type: ignore[attr-defined]
    assert found.hashes("cpu") == page.hashes("cpu")
    with pytest.raises(PageError, match='depth="deep" is no whole number; write depth="2"'):
        write('```python depth="deep"\nx = 1\n```\n')


MADE_UP = """\
    "xpu": Kind(
        "XPU",
        "an Intel GPU",
        "torch.xpu.device_count() >= {count}",
        present=lambda: True,
        absent=lambda: "no driver",
        count="3",
        name="'Arc'",
    ),
"""
USE = """\
import sys
from pathlib import Path

import samedevice.devices as devices

path = Path(devices.__file__)
source = path.read_text(encoding="utf-8").replace('    "mps": Kind(', sys.argv[1] + '    "mps": Kind(')
exec(compile(source, str(path), "exec"), devices.__dict__)

from samedevice.integration.page_weaver import where_used
from samedevice.integration.pytest import pytest_addoption
from samedevice.outputs.environments import Environment
from samedevice.outputs.output import Output
from samedevice.pages.parsing import parse_page
from samedevice.running import machine
from samedevice.weaving.copies import copies, program
from samedevice.exporting.exports import exports
from samedevice.weaving.panes import ShownOutput
from samedevice.weaving.summary import summary_html
from samedevice.weaving.weave import woven_outputs, weave

root = Path(sys.argv[2])
page = parse_page(root / "docs/page.md", root)
shown = {0: [ShownOutput("xpu", Output("fast\\n"), Environment("xpu", "Arc", "2.15.0", "3.11.7", day="2026-11-22"))]}
print(devices.present_devices(), machine.count("xpu"), machine.environment("xpu")["name"])
print(*woven_outputs(weave(page, shown, copies(page, shown))), summary_html(page, shown))
print(program(page, 0, copies(page, shown)), exports(page, shown)["py"])
print(where_used('<head></head><p class="sd-out">', False))
"""


def test_a_kind_of_device_is_added_in_one_place(tmp_path: Path) -> None:
    """An entry of the table is all: machine, page, summary, switch, copies and exports know it."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/page.md").write_text('# Page\n\n```python needs="xpu"\nprint("fast")\n```\n', encoding="utf-8")
    command = [sys.executable, "-W", "error", "-c", USE, MADE_UP, str(tmp_path)]
    environ = {"PYTHONPATH": str(ROOT / "src"), "PATH": ""}
    run = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    first, rest = run.stdout.split("\n", 1)
    assert first == "('cpu', 'xpu') 3 Arc"
    for text in (
        'data-device="xpu"',
        "XPU (ARC) · PyTorch 2.15",
        "The code block ran on XPU",
        "Needs an Intel GPU.",
        "if torch.xpu.device_count() >= 1:",
        'devices=["cpu", "cuda", "xpu", "mps"]',
    ):
        assert text in rest, text
