"""An output: how printed text is cleaned and cut, and which two outputs count as the same."""

from __future__ import annotations

import json

import pytest

from samedevice.outputs.cleaning import LIMIT, clean, cut
from samedevice.outputs.comparison import difference, same_text
from samedevice.outputs.output import Figure, Output, Raised


@pytest.mark.parametrize(
    ("printed", "kept"),
    [
        ("one\r\ntwo\r\n", "one\ntwo\n"),
        ("10%\r50%\r100%\n", "100%\n"),
        ("100%\r", "100%"),
        ("\x1b[1;31mred\x1b[0m and \x1b[38;5;208morange\x1b[m", "red and orange"),
        ("<object object at 0x7f3c2c5d9e30>", "<object object at 0x...>"),
        ("0xff is 255, 0x7f3c2c5d9e30 is an address", "0xff is 255, 0x... is an address"),
        ("gone. (Triggered internally at /build/c10/core/x.cpp:12.)", "gone."),
        ('File "/home/me/site/docs/page.md", line 3', 'File "docs/page.md", line 3'),
        ("bell \a, null \0, backspace \b, delete \x7f", "bell ␇, null ␀, backspace ␈, delete ␡"),
        ("tab\tand line\n", "tab\tand line\n"),
        ("user \u202egnp.exe", "user <U+202E>gnp.exe"),
        ("\x9b31m and \x85", "<U+009B>31m and <U+0085>"),
        ("unknown sequence \x1b[2K", "unknown sequence ␛[2K"),
        ("é ü 日本 🙂", "é ü 日本 🙂"),
    ],
    ids=lambda text: repr(text)[:30],
)
def test_cleaned_text_is_the_same_on_every_run_and_hides_nothing(printed: str, kept: str) -> None:
    """What differs from run to run would make every comparison fail; what cannot be seen could deceive."""
    assert clean(printed, {"/home/me/site/": ""}) == kept


def test_a_folder_with_a_longer_name_is_not_taken_for_the_repository() -> None:
    """What was printed must not be changed."""
    places = {"/home/me/site/": "", "/home/me/site": "."}
    assert clean("/home/me/site /home/me/site/x /home/me/site2/x", places) == ". x /home/me/site2/x"


def test_long_text_is_cut_and_says_so() -> None:
    """A page that prints 100 MB must neither be recorded whole nor pass for whole."""
    assert cut("x" * LIMIT) == "x" * LIMIT
    assert cut("x" * (LIMIT + 1234)) == "x" * LIMIT + "\n[1,234 more characters, not kept]"
    assert cut("x" * (LIMIT + 1), more=1_000) == "x" * LIMIT + "\n[1,001 more characters, not kept]"


def test_what_is_shown_is_the_text_then_the_value_then_the_exception() -> None:
    """It is the order in which a notebook shows them."""
    output = Output(text="printed\n", value="tensor([1.])", raised=Raised("ValueError", "bad"))
    assert output.shown == "printed\ntensor([1.])\nValueError: bad"
    assert Output(raised=Raised("StopIteration", "")).shown == "StopIteration"
    assert Output().shown == ""


def test_an_output_survives_json_without_its_trace() -> None:
    """Recordings are JSON; a trace holds lines that shift with the prose."""
    output = Output("text\n", "1", Raised("E", "m", "Traceback ..."), (Figure("<svg/>", "a line"),), "")
    found = Output.from_json(json.loads(json.dumps(output.to_json())))
    assert found == Output("text\n", "1", Raised("E", "m"), (Figure("<svg/>", "a line"),), "")
    assert Output().to_json() == {}
    assert Output.from_json({}) == Output()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("same", "same"),
        ("tensor([0.25, 1.0])", "tensor([0.250, 1.00])"),
        ("loss 1e-3", "loss 1.0e-03"),
        ("loss 0.001", "loss 1e-3"),
        ("3.", "3.0"),
        ("0.", "0.0"),
        ("0.0000", "0.000"),
        ("0.0000", "0.0000e+00"),
        ("0.1235", "0.12345678"),
        ("-1.50", "-1.5"),
    ],
)
def test_numbers_are_compared_at_the_precision_printed(one: str, other: str) -> None:
    """The number of digits printed follows from other numbers in the tensor, and is no difference."""
    assert same_text(one, other)
    assert same_text(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("0.1234", "0.1235"),
        ("1.0", "-1.0"),
        ("1.0000", "1.0001"),
        ("0.5", "5.0"),
        ("1e-3", "1e-4"),
        ("0.0", "0.4"),
        ("torch.Size([2, 3])", "torch.Size([2, 4])"),
        ("torch.Size([2, 3])", "torch.Size([2, 3, 1])"),
        ("torch.float32", "torch.float16"),
        ("device='cuda:0'", "device='cuda:1'"),
        ("device(type='cpu')", "device(type='cuda', index=0)"),
        ("tensor([1])", "tensor([1.])"),
        ("tensor([1., 2.])", "tensor([1., 2.], dtype=torch.float64)"),
        ("100", "101"),
        ("1.0 s", "1.0 ms"),
        ("nan", "1.0"),
        ("inf", "-inf"),
        ("True", "False"),
        ("a b", "a  b"),
        ("a\nb", "a b"),
        ("2.13.0", "2.13.1"),
        ("", "0.0"),
        ("0.0e+00", "0.0e+01"),
        ("tensor([1., 2.])", "tensor([1.4000, 2.4000])"),
    ],
)
def test_everything_else_counts(one: str, other: str) -> None:
    """Shape, dtype, device and whole numbers are facts; a comparison that lets them pass tests nothing."""
    assert not same_text(one, other)
    assert not same_text(other, one)


def test_where_numbers_vary_only_the_text_around_them_counts() -> None:
    """Times and memory differ from run to run, the sentence around them does not."""
    assert same_text("took  1.25 s\non 3 runs", "took 10.5 s\non 12 runs", numbers_vary=True)
    assert same_text("-1.5e-3 W", "2 W", numbers_vary=True)
    assert same_text("1,383/s", "784/s", numbers_vary=True)
    assert not same_text("1,38", "784", numbers_vary=True)
    assert not same_text("took 1.25 s", "took 1.25 ms", numbers_vary=True)
    assert not same_text("1 2", "1 2 3", numbers_vary=True)
    assert not same_text("took 1 s", "took # s", numbers_vary=True)
    assert not same_text("a # b", "a #b", numbers_vary=True)
    assert not same_text("torch.float32 1.0", "torch.float16 1.0", numbers_vary=True)


def test_a_difference_is_shown_line_by_line() -> None:
    """A person must see at a glance what was recorded and what came now."""
    found = difference(Output("a\nb\nc\n"), Output("a\nB\nc\n"))
    assert found.splitlines() == ["--- recorded", "+++ now", "@@ -1,3 +1,3 @@", " a", "-b", "+B", " c"]
    assert difference(Output("a\n"), Output("a\n")) == ""
    assert difference(Output("1.5"), Output("2.5"), numbers_vary=True) == ""


def test_a_difference_in_the_exception_is_a_difference() -> None:
    """Error messages are content."""
    assert "-ValueError: a" in difference(
        Output(raised=Raised("ValueError", "a")), Output(raised=Raised("ValueError", "b"))
    )
    trace = Raised("ValueError", "a", "Traceback")
    assert difference(Output(raised=Raised("ValueError", "a")), Output(raised=trace)) == ""


def test_figures_are_compared_by_their_bytes() -> None:
    """The same code draws the same picture."""
    old, new = Figure("<svg>1</svg>", "a line"), Figure("<svg>2</svg>", "a line")
    assert difference(Output(figures=(old,)), Output(figures=(old,))) == ""
    assert (
        difference(Output(figures=(old,)), Output(figures=(new,))) == "figure 1: another picture than the recorded one"
    )
    assert difference(Output(figures=(old,)), Output(figures=(new,)), numbers_vary=True) == ""
    assert difference(Output(figures=(old,)), Output()) == "recorded 1 figures, now 0"
    alt = Output(figures=(Figure("<svg>1</svg>", "two lines"),))
    assert difference(Output(figures=(old,)), alt) == "figure 1: its alt text was recorded as 'a line', now 'two lines'"
