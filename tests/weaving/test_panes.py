"""Panes: outputs that are the same are shown once, and their environments are called by their versions."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from samedevice.outputs.environments import Environment
from samedevice.outputs.output import Figure, Output
from samedevice.pages.page import Block, Page
from samedevice.weaving.output_html import output_html
from samedevice.weaving.panes import ShownOutput, listed, panes_of

CPU = Environment("cpu", "EPYC 9B14", "2.15.0+cu132", "3.11.7", "", "2026-11-21", "2.4.6")
GPU = Environment("cuda", "NVIDIA H200", "2.13.0+cu130", "3.11.7", "580", "2026-11-20")
VERSIONS = ("2.15.0+cu132", "2.13.0+cpu", "2.11.0+cu130", "2.9.1+cu128")


@pytest.fixture
def block(write: Callable[..., Page]) -> Block:
    """A block without options."""
    return write("```python\nx\n```\n").blocks[0]


def on_cpu(*texts: str) -> list[ShownOutput]:
    """What the versions printed, the newest first."""
    return [
        ShownOutput("cpu", Output(text), replace(CPU, torch=torch))
        for torch, text in zip(VERSIONS, texts, strict=False)
    ]


@pytest.mark.parametrize(
    ("own", "text"),
    [
        ("2.9 2.11 2.13 2.15", "2.9, 2.11, 2.13, 2.15"),
        ("2.15 2.9 2.11", "2.9, 2.11, 2.15"),
        ("2.9 2.15", "2.9, 2.15"),
        ("2.15", "2.15"),
        ("", ""),
    ],
)
def test_the_versions_that_ran_are_named_and_no_other(own: str, text: str) -> None:
    """ "2.9 to 2.15" named four versions as seven: nobody had run 2.10, 2.12 and 2.14."""
    assert listed(set(own.split()), ["2.9", "2.11", "2.13", "2.15"]) == text


def test_versions_that_agree_are_one_label(block: Block) -> None:
    """Nothing is to be chosen there, so there is no switch."""
    html = output_html(block, on_cpu("1", "1", "1", "1"))
    assert "CPU · PyTorch 2.9, 2.11, 2.13, 2.15" in html
    assert "<p>EPYC 9B14, PyTorch 2.15.0+cu132, Python 3.11.7, NumPy 2.4.6, 2026-11-21\nEPYC 9B14, PyTorch 2.13" in html
    assert "sd-switch" not in html
    assert "data-at" not in html


def test_a_block_that_prints_nothing_says_nothing_of_a_device_that_must_run_it_again(block: Block) -> None:
    """Imports had a switch, and below it "prints nothing"."""
    stale = ShownOutput("cuda", None, None, "Recorded for earlier code.")
    assert output_html(block, [*on_cpu(""), stale]) == ""
    assert "earlier code" in output_html(block, [*on_cpu("1"), stale])
    assert "earlier code" in output_html(block, [stale])
    assert "earlier code" in output_html(block, [*on_cpu(""), replace(stale, wrong=True)])


def test_an_output_that_depends_on_arguments_has_the_command(write: Callable[..., Page], root: Path) -> None:
    """A listing that trains for 20 epochs, above an output that ends at 15, made readers doubt both."""
    (root / "snippets").mkdir()
    (root / "snippets/train.py").write_text("print(1)\n", encoding="utf-8")
    fence = '```python file="snippets/train.py"'
    with_args, without = write(f'{fence} args="--epochs 2"\n```\n\n{fence}\n```\n').blocks
    html = output_html(with_args, on_cpu("1"))
    assert "<code>$ python snippets/train.py --epochs 2</code></p>" in html
    assert 'style="--sd-lines:2"' in html
    assert "sd-command" not in output_html(without, on_cpu("1"))


@pytest.mark.parametrize(
    ("one", "other", "marked"),
    [
        ("cpu cpu cpu cpu", "cpu cuda cpu cpu", "cpu <mark>cpu</mark> cpu cpu|cpu <mark>cuda</mark> cpu cpu"),
        ("1 2 3 4", "2 3 4 5", "<mark>1 </mark>2 3 4|2 3 4<mark> 5</mark>"),
        ("1 2", "1 2 3", "1 2|1 2<mark> 3</mark>"),
        ("a < b", "a < c", "a &lt; <mark>b</mark>|a &lt; <mark>c</mark>"),
    ],
)
def test_what_differs_is_marked_in_its_place(block: Block, one: str, other: str, marked: str) -> None:
    """Words that are there in both, but not in the same places, are marked only if fewer would be otherwise."""
    html = output_html(block, on_cpu(one, other))
    assert "|".join(re.findall(r'<pre class="sd-text"[^>]*>(.*?)</pre>', html)) == marked


def test_a_version_that_differs_gets_a_switch_and_the_newest_is_first(block: Block) -> None:
    """Without JavaScript the others are hidden by having no device of their own."""
    html = output_html(block, on_cpu("mm: no", "no", "no", "no"))
    assert '<button type="button" data-torch="" data-at="2.15">2.15</button>' in html
    assert '<button type="button" data-torch="2.13" data-at="2.13 2.11 2.9">2.9, 2.11, 2.13</button>' in html
    assert html.index('<div class="sd-pane" data-device="cpu" data-at="cpu-2.15">') < html.index("<mark>mm:")
    assert '<div class="sd-pane" data-device="" data-at="cpu-2.13 cpu-2.11 cpu-2.9">' in html
    assert 'data-devices="cpu" data-at="cpu-2.15 cpu-2.13 cpu-2.11 cpu-2.9"' in html
    assert 'aria-label="Device"' not in html


def test_a_measurement_is_named_by_those_who_measured_it(write: Callable[..., Page]) -> None:
    """Times that were measured anew for each version need no switch, but none may have another one's name."""
    (block,) = write('```python numbers="vary"\nx\n```\n').blocks
    shown = on_cpu("took 1.5 s", "took 2.5 s", "took 1.5 s")
    (pane,) = panes_of(block, shown)
    assert pane.shown[0].output == Output("took 1.5 s")
    assert pane.label == "CPU · PyTorch 2.11, 2.15"
    assert pane.versions("cpu") == "2.11, 2.13, 2.15"
    html = output_html(block, shown)
    details = html[html.index("<details") : html.index("</details>")]
    other = "EPYC 9B14, PyTorch 2.13.0+cpu, Python 3.11.7, NumPy 2.4.6, 2026-11-21"
    assert details.endswith(f"<p>Other numbers:</p><p>{other}</p><pre>took 2.5 s</pre>")
    assert details.count("EPYC 9B14") == 3
    assert "sd-switch" not in html


def test_a_label_names_the_gpu(write: Callable[..., Page]) -> None:
    """Whoever compares their time with it has to know the GPU, and all else is the same on each."""
    (measured,) = write('```python numbers="vary"\nx\n```\n').blocks
    (other,) = write("```python\nx\n```\n").blocks
    shown = [ShownOutput("cuda", Output("took 1.5 s"), GPU)]
    labels = [pane.label for block in (measured, other) for pane in panes_of(block, shown)]
    assert labels == [
        f"CUDA ({GPU.short_name.upper()}) · PyTorch 2.13",
        f"CUDA ({GPU.short_name.upper()}) · PyTorch 2.13",
    ]


def test_a_figure_recorded_under_another_description_is_the_same_output(block: Block) -> None:
    """The author mends the description on a machine without the GPU that recorded the figure."""
    old, new = (Output(figures=(Figure("<svg></svg>", alt),)) for alt in ("A line.", "A line that rises."))
    (pane,) = panes_of(block, [ShownOutput("cpu", new, CPU), ShownOutput("cuda", old, GPU)])
    assert pane.first == ("cpu", "cuda")


def test_devices_with_other_versions_say_which(block: Block) -> None:
    """Nobody ran the GPU with the versions that only the CPU ran with."""
    (pane,) = panes_of(block, [*on_cpu("1", "1", "1"), ShownOutput("cuda", Output("1"), GPU)])
    assert pane.label == "CPU · PyTorch 2.11, 2.13, 2.15, CUDA (H200) · PyTorch 2.13"
    assert pane.first == ("cpu", "cuda")


@pytest.mark.parametrize(
    ("cpu", "gpu", "by_version"),
    [
        (("new", "old"), "old", True),  # the GPU printed what the CPU printed with the same version
        (("new", "old"), "new", False),
        (("new", "old"), "other", False),
        (("new",), "old", False),  # no version ran on both
    ],
)
def test_what_only_the_version_changed_does_not_count_as_the_devices(
    block: Block, cpu: tuple[str, ...], gpu: str, by_version: bool
) -> None:
    """The line below the title said "1 by device" of a message that PyTorch had reworded."""
    html = output_html(block, [*on_cpu(*cpu), ShownOutput("cuda", Output(gpu), GPU)])
    assert ("data-by-version" in html) == by_version


def test_two_builds_of_one_version_are_told_apart_where_they_differ(block: Block) -> None:
    """A build for CPUs and one for CUDA without a GPU raise other errors."""
    builds = [replace(CPU, torch="2.13.0+cu130"), replace(CPU, torch="2.13.0+cpu")]
    one, other = panes_of(block, [ShownOutput("cpu", Output(text), at) for text, at in zip("ab", builds, strict=True)])
    assert (one.label, other.label) == ("CPU · PyTorch 2.13.0+cu130", "CPU · PyTorch 2.13.0+cpu")
    assert one.marks("cpu") == ["cpu-2.13.0+cu130", "2.13"]
    assert other.marks("cpu") == ["cpu-2.13.0+cpu"]
    (both,) = panes_of(block, [ShownOutput("cpu", Output("a"), at) for at in builds])
    assert both.label == "CPU · PyTorch 2.13"


def test_two_gpus_with_one_version_are_told_apart_where_they_differ(block: Block) -> None:
    """They are two machines, and one label would be false."""
    gpus = [GPU, replace(GPU, name="NVIDIA H100 PCIe")]
    found = panes_of(block, [ShownOutput("cuda", Output(text), at) for text, at in zip("ab", gpus, strict=True)])
    assert [pane.versions("cuda") for pane in found] == ["H200 2.13.0+cu130", "H100 2.13.0+cu130"]


def test_a_block_for_a_version_says_what_it_needs(write: Callable[..., Page]) -> None:
    """A reader with an older one must know why theirs does not have it."""
    (block,) = write('```python needs="torch>=2.15"\nx\n```\n').blocks
    assert "CPU · PyTorch 2.15</span> needs PyTorch 2.15 or newer</summary>" in output_html(block, on_cpu("1"))


SIMULATED = Environment("cuda", "Simulated GPU", "2.13.0+cu130", "3.11.7", "", "2026-11-23", simulated=True)


def test_what_a_simulated_device_printed_is_marked(block: Block) -> None:
    """A reader who is asked whether a GPU ran it must say no: by its label, its look, its switch and a sentence."""
    shown = [*on_cpu("cpu"), ShownOutput("cuda", Output("cuda:0"), SIMULATED)]
    html = output_html(block, shown, about="../about/gpu.html")
    assert '<span class="sd-label">CUDA, simulated · PyTorch 2.13</span>' in html
    assert ">CUDA, simulated</button>" in html
    assert html.count('class="sd-pane sd-simulated"') == 1
    sentence = "No GPU ran this: PyTorch's own CUDA code ran on a device in main memory."
    assert f'<a href="../about/gpu.html">{sentence}</a>\nSimulated GPU, PyTorch 2.13.0+cu130' in html
    assert f"<p>{sentence}\nSimulated GPU" in output_html(block, shown)


def test_what_both_printed_is_the_output_of_the_real_one(block: Block) -> None:
    """A page must not be doubled, and the label must keep the kinds apart."""
    same = [ShownOutput("cuda", Output("1"), replace(SIMULATED, torch=torch)) for torch in VERSIONS]
    html = output_html(block, [*on_cpu("1", "1", "1", "1"), *same])
    assert '<span class="sd-label">CPU · PyTorch 2.9, 2.11, 2.13, 2.15</span> and CUDA, simulated</summary>' in html
    assert "sd-simulated" not in html
    assert "sd-switch" not in html
    fewer = output_html(block, [*on_cpu("1", "1", "1", "1"), same[1]])
    assert "2.9, 2.11, 2.13, 2.15</span> and CUDA, simulated · PyTorch 2.13</summary>" in fewer


def test_words_that_repeat_are_aligned_within_a_limit(block: Block) -> None:
    """1,500 equal words with holes took minutes, though a page compares no more than 10 million pairs."""
    texts = ["b " * 1_500, " ".join("c" if at % 7 == 0 else "b" for at in range(1_500))]
    shown = [
        ShownOutput("cpu", Output(text), replace(CPU, torch=torch))
        for text, torch in zip(texts, VERSIONS, strict=False)
    ]
    start = time.process_time()
    assert "c b b b" in output_html(block, shown).replace("<mark>", "").replace("</mark>", "")
    assert time.process_time() - start < 2


@pytest.mark.parametrize("output", [None, Output("")])
def test_a_note_stands_in_the_place_of_what_was_printed(block: Block, output: Output | None) -> None:
    """ "Not recorded" and "prints nothing" below each other would say two things of one block."""
    html = output_html(block, [ShownOutput("cpu", output, CPU, note="its numbers vary")])
    assert "its numbers vary" in html
    assert "prints nothing" not in html
    assert "prints nothing" in output_html(block, [ShownOutput("cpu", Output(""), CPU), *on_cpu("1")])
