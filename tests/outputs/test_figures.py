"""Figures: what Matplotlib draws may be on a page; what acts, links, loads or changes the page around it may not."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from samedevice.outputs.figures import figure_fault
from samedevice.project import PACKAGE, RECORDINGS
from samedevice.running.worker import draw

ROOT = Path(__file__).parents[2]
SVG = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" version="1.1">{}</svg>'


@pytest.fixture
def plt() -> Iterator[Any]:
    """Matplotlib as the site sets it up, without a figure before and after."""
    import matplotlib.pyplot as plt

    with plt.rc_context(fname=PACKAGE / "running/matplotlibrc"):
        yield plt
        plt.close("all")


def test_every_recorded_figure_passes() -> None:
    """The check must not cost the site a picture that it has."""
    found = sorted((ROOT / RECORDINGS).rglob("*.svg"))
    assert len(found) >= 10
    assert [path.name for path in found if figure_fault(path.read_text(encoding="utf-8"))] == []


def many_kinds(plt: Any) -> Any:
    """A figure with all that Matplotlib writes in a way of its own."""
    figure, axes = plt.subplots(3, 4)
    axes = axes.ravel()
    axes[0].bar([1, 2], [3, 4], hatch="//", label="a<b> & \"c\" 'd'")
    axes[0].legend()
    axes[1].imshow([[1, 2], [3, 4]], alpha=0.5)
    shaded = axes[2].tripcolor([0, 1, 0, 1], [0, 0, 1, 1], [1, 2, 3, 4], shading="gouraud")
    plt.colorbar(shaded, ax=axes[2])
    axes[3].scatter([1, 2], [1, 2], c=[1, 2], s=[10, 20], alpha=0.5)
    axes[4].text(0, 0, 'url(#x) id="a" href="#b"', rotation=30, weight="bold", style="italic", family="monospace")
    axes[5].set_title(r"$\frac{a}{b}\sqrt{x}$ é")
    axes[6].contourf([[1, 2], [3, 4]])
    axes[7].pcolormesh([[1, 2], [3, 4]], rasterized=True)
    axes[8].fill_between([0, 1], [1, 2], alpha=0.2, hatch="xx")
    axes[8].annotate("x", (1, 1), (0, 0), arrowprops={"arrowstyle": "->"})
    axes[9].quiver([1, 2], [1, 2], [1, 1], [2, 1])
    axes[10].pie([1, 2], labels=["a", "b"])
    axes[11].step([1, 2], [2, 3], linestyle="-.", clip_path=plt.Circle((1, 2), 1, transform=axes[11].transData))
    return figure


@pytest.mark.parametrize("text", ["none", "path"])
def test_what_matplotlib_draws_passes(plt: Any, text: str) -> None:
    """Hatches, clip paths, shading, pictures, formulas, text as text and as paths."""
    plt.rcParams["svg.fonttype"] = text
    assert figure_fault(draw(many_kinds(plt))) == ""


@pytest.mark.parametrize("address", ["javascript:alert(1)", "https://example.org"])
def test_a_link_is_refused_with_what_to_do(plt: Any, address: str) -> None:
    """Matplotlib turns url= into a link as it is given."""
    plt.plot([1, 2], url=address)
    assert figure_fault(draw(plt.gcf())).startswith("its figure holds <a>; ")
    assert "leave out url=" in figure_fault(draw(plt.gcf()))


def nested(outer: str, inner: str) -> str:
    """Elements of which each holds ten references to the one before: 1.5 kB that make ten million shapes."""
    first = outer.format("a0", "<path/>")
    return first + "".join(outer.format(f"a{n + 1}", inner.format(f"a{n}") * 10) for n in range(7))


SHAPES = nested('<g id="{}">{}</g>', '<use xlink:href="#{}"/>')


def picture(width: int, height: int) -> str:
    """An image whose file says that it has this size."""
    size = width.to_bytes(4, "big") + height.to_bytes(4, "big")
    data = base64.b64encode(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + size + bytes(9)).decode()
    return f'<image xlink:href="data:image/png;base64,{data}"/>'


FORGED = {
    "a script": "<script>alert(1)</script>",
    "foreign HTML": "<foreignObject><body/></foreignObject>",
    "an animation": '<animate attributeName="href" values="javascript:alert(1)"/>',
    "a frame": "<iframe/>",
    "a handler": '<g onload="alert(1)"/>',
    "a class": '<g class="md-header"/>',
    "a link of a shape": '<use xlink:href="https://example.org/x.svg#a"/>',
    "a picture from elsewhere": '<image xlink:href="https://example.org/x.png"/>',
    "a picture that is an SVG": '<image xlink:href="data:image/svg+xml;base64,PHN2Zz4="/>',
    "a plain href": '<image href="https://example.org/x.png"/>',
    "a paint from elsewhere": '<rect fill="url(https://example.org/x.svg#a)"/>',
    "a paint from beside": '<rect fill="url(x.svg#a)"/>',
    "a style that loads": '<rect style="fill: url(//example.org/x)"/>',
    "a style that loads, hidden": '<rect style="fill: \\75rl(//example.org/x)"/>',
    "a style that covers the page": '<rect style="position: fixed"/>',
    "a style sheet": "<defs><style>*{stroke-linejoin: round; stroke-linecap: butt} body{display: none}</style></defs>",
    "a style sheet that loads": '<style>@import "//example.org/x.css";</style>',
    "a figure in a figure": '<svg xmlns="http://www.w3.org/2000/svg"/>',
    "another namespace": '<g xmlns="http://www.w3.org/1999/xhtml"/>',
    "a prefix": '<s:script xmlns:s="http://www.w3.org/2000/svg">alert(1)</s:script>',
    "shapes without end": SHAPES,
    "shapes without end in defs": f"<defs>{SHAPES}</defs>",
    "patterns in patterns": nested('<pattern id="{}">{}</pattern>', '<rect style="fill: url(#{})"/>'),
    "clips in clips": nested('<clipPath id="{}">{}</clipPath>', '<path d="M 0 0" clip-path="url(#{})"/>'),
    "a circle": '<g id="a"><use xlink:href="#b"/></g><g id="b"><use xlink:href="#a"/></g>',
    "a deep figure": "<g>" * 20_000 + "</g>" * 20_000,
    "a chain": "".join(f'<g id="a{n}"><use xlink:href="#a{n + 1}"/></g>' for n in range(20_000)),
    "a picture of 10 GB": picture(50_000, 50_000),
    "many large pictures": picture(5_000, 4_000) * 2,
    "a picture that is none": '<image xlink:href="data:image/png;base64,AAAA=="/>',
    "a comment that HTML ends early": "<!--><script>alert(1)</script>-->",
    "a comment": "<!-- x -->",
    "a section": "<![CDATA[<script>alert(1)</script>]]>",
    "an instruction": "<?xml-stylesheet href='x.css'?>",
    "single quotes": "<g id='__config'/>",
    "a bracket in a value": '<path d="M 0 0>"/>',
    "an unknown entity": "<text>&x;</text>",
    "broken XML": "<g>",
}


@pytest.mark.parametrize("inside", FORGED.values(), ids=FORGED.keys())
def test_what_acts_loads_or_reads_differently_as_html_is_refused(inside: str) -> None:
    """A recording of another machine is put into the page as it is."""
    assert figure_fault(SVG.format("<g/>")) == ""
    assert figure_fault(SVG.format(inside))


def test_shapes_that_are_used_often_pass() -> None:
    """Matplotlib defines each marker once, and refers to it for each point."""
    marker = '<g id="m"><path d="M 0 0"/></g>'
    assert figure_fault(SVG.format(f"<defs>{marker}</defs>" + '<use xlink:href="#m"/>' * 10_000)) == ""
    assert figure_fault(SVG.format(marker + '<g><use xlink:href="#m"/></g>')) == ""
    assert figure_fault(SVG.format(picture(4_000, 4_000))) == ""


ENTITY = '<!DOCTYPE svg [<!ENTITY a "<script/>">]>'


@pytest.mark.parametrize(
    "svg",
    [
        SVG.format("<g/>") + "<iframe/>",
        SVG.format("<g/>") + "text",
        "<iframe/>" + SVG.format("<g/>"),
        ENTITY + SVG.format("&a;"),
        "<html/>",
        "",
        SVG.format("\ud800"),
        SVG.format("<g/>").replace("<svg ", '<svg onload="alert(1)" '),
    ],
    ids=["after", "text after", "before", "entity", "no figure", "empty", "surrogate", "root"],
)
def test_what_is_no_single_figure_is_refused(svg: str) -> None:
    """What is beside the SVG is on the page as well."""
    assert figure_fault(svg)
