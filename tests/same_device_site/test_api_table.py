"""The table of names: where each is documented, its versions, its pages, and the use of deprecated ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from same_device_site.api_names import names
from same_device_site.api_table import Catalogue, Version, api_table, catalogue, is_private, misused
from same_device_site.site import Site
from samedevice.outputs.environments import Environment
from samedevice.outputs.output import Output, Raised
from samedevice.outputs.recordings import update
from samedevice.pages.page import Page

Write = Callable[..., Page]
STABLE = "https://docs.pytorch.org/docs/stable/"
ABOUT = Catalogue(
    {
        "torch.": "generated/{name}.html",
        "torch.cuda.memory_": "generated/torch.cuda.memory.{last}.html",
        "torch.float": "dtypes.html",
        "torch.nn.Parameter": "parameter.html",
        "torch.version.": "",
        "torch.xpu$": "xpu.html",
    },
    {
        "torch.old.": Version(deprecated="2.4", use="torch.new", source="https://a.b/4"),
        "torch.new": Version(since="2.6", source="https://a.b/6"),
        "torch.odd": Version(deprecated="2.7", source="https://a.b/7"),
        "torch.gone": Version(deprecated="2.9", until="2.13", use="torch.new", source="https://a.b/9"),
    },
)
PAGES = {
    "torch.add": STABLE + "generated/torch.add.html",
    "torch.cuda.memory_stats": STABLE + "generated/torch.cuda.memory.memory_stats.html",
    "torch.float16": STABLE + "dtypes.html",
    "torch.float_power": STABLE + "generated/torch.float_power.html",
    "torch.nn.ParameterList": STABLE + "generated/torch.nn.ParameterList.html",
    "torch.nn.Parameter.data": STABLE + "parameter.html",
    "torch.version.cuda": "",
    "torch._C.x": "",
    "torch.xpu": STABLE + "xpu.html",
    "torch.xpu.Stream": STABLE + "generated/torch.xpu.Stream.html",
    "torch.gone": "https://docs.pytorch.org/docs/2.13/generated/torch.gone.html",
}


@pytest.mark.parametrize(("name", "address"), PAGES.items(), ids=PAGES.keys())
def test_the_longest_key_that_fits_tells_the_page(name: str, address: str) -> None:
    """One line of the data file serves a whole module, and an exception has one of its own."""
    assert ABOUT.page(name) == address


def test_a_name_with_an_underscore_in_front_of_a_part_is_private() -> None:
    """It may change in any version; a special name is not one."""
    assert is_private("torch.cuda.memory._snapshot")
    assert is_private("torch._C.x")
    assert not is_private("torch.__version__")


def test_a_row_tells_status_versions_and_pages(write: Write) -> None:
    """The whole table, as Markdown."""
    one = write("```python\nimport torch\ntorch.add, torch.old.x, torch._C.y, torch.gone\n```\n", "docs/a/one.md")
    two = write("```python\nimport torch\ntorch.add, torch.new, torch.odd, torch.version.cuda\n```\n", "docs/a/two.md")
    site = Site((one, two), {}, {page.path: names(page) for page in (one, two)})
    add, new = f"[`torch.add`]({STABLE}generated/torch.add.html)", f"[`torch.new`]({STABLE}generated/torch.new.html)"
    gone = "[`torch.gone`](https://docs.pytorch.org/docs/2.13/generated/torch.gone.html)"
    odd = f"[`torch.odd`]({STABLE}generated/torch.odd.html)"
    old = f"[`torch.old.x`]({STABLE}generated/torch.old.x.html)"
    assert api_table(Page("docs/b/apis.md", "", ()), site, ABOUT).split("\n") == [
        "| Name | Status | Used on |",
        "| --- | --- | --- |",
        "| `torch._C.y` | private | [one](../a/one.md) |",
        f"| {add} | stable | [one](../a/one.md), [two](../a/two.md) |",
        f"| {gone} | deprecated since [2.9](https://a.b/9): use `torch.new`, until 2.13 | [one](../a/one.md) |",
        f"| {new} | stable, since [2.6](https://a.b/6) | [two](../a/two.md) |",
        f"| {odd} | deprecated since [2.7](https://a.b/7) | [two](../a/two.md) |",
        f"| {old} | deprecated since [2.4](https://a.b/4): use `torch.new` | [one](../a/one.md) |",
        "| `torch.version.cuda` | stable, not documented | [two](../a/two.md) |",
    ]


OUTPUTS = {
    "nothing": (Output(), True),
    "a value": (Output(value="3"), True),
    "the warning": (Output(text="FutureWarning: torch.old.x is deprecated\n"), False),
    "an error": (Output(raised=Raised("RuntimeError", "gone")), False),
    "not recorded": (None, False),
}


@pytest.mark.parametrize(("output", "expected"), OUTPUTS.values(), ids=OUTPUTS.keys())
def test_a_deprecated_name_belongs_into_a_block_that_shows_so(
    write: Write, output: Output | None, expected: bool
) -> None:
    """Elsewhere a reader would copy it."""
    page = write("```python\nimport torch\n```\n\n```python\ntorch.old.x\n```\n")
    about = Environment("cpu", "EPYC", "2.13.0", "3.11.7", "", "2026-11-21")
    recording = update(None, page, about, [Output(), output])
    assert recording is not None
    site = Site((page,), {page.path: (recording,)}, {page.path: names(page)})
    assert [(str(block), name) for block, name in misused(page, site, ABOUT)] == (
        [("docs/page.md:5", "torch.old.x")] if expected else []
    )


def test_a_site_without_the_data_file_has_an_empty_catalogue(root: Path) -> None:
    """The engine serves other sites too."""
    assert catalogue(root) == Catalogue({}, {})
