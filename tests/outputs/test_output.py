"""An output: what is shown of it, and how it is kept as JSON."""

from __future__ import annotations

import json
from dataclasses import fields

from samedevice.outputs.output import Figure, Output, Raised


def test_what_is_shown_is_the_text_then_the_value_then_the_exception() -> None:
    """It is the order in which a notebook shows them."""
    output = Output(text="printed\n", value="tensor([1.])", raised=Raised("ValueError", "bad"))
    assert output.shown == "printed\ntensor([1.])\nValueError: bad"
    assert Output(raised=Raised("StopIteration", "")).shown == "StopIteration"
    assert Output().shown == ""


def test_an_output_survives_json_whole() -> None:
    """A page's process hands it on so."""
    output = Output(
        "text\n",
        "1",
        Raised("E", "m", "Traceback ...", "Base"),
        (Figure("<svg/>", "a line"),),
        "died",
        "unsure",
        ((1, "text"),),
        ("r /x",),
        (("x", "0"),),
        used=False,
    )
    assert all(getattr(output, one.name) != one.default for one in fields(Output))
    found = Output.from_json(json.loads(json.dumps(output.to_json())))
    assert [getattr(found, one.name) for one in fields(Output)] == [getattr(output, one.name) for one in fields(Output)]
    assert Output.from_json(Output().to_json()) == Output.from_json({"no": "field"}) == Output()


def test_an_output_is_recorded_without_its_trace() -> None:
    """A trace holds lines that shift with the prose, and a figure has a file of its own."""
    figure = Figure("<svg/>", "a line")
    output = Output("text\n", "", Raised("E", "m", "Traceback ..."), (figure,), unsure="x", lines=((1, "text"),))
    assert output.recorded == {
        "text": "text\n",
        "raised": {"type": "E", "message": "m"},
        "figures": [{"svg": figure.name, "alt": "a line"}],
    }
    assert Output(raised=Raised("E", "m", announced="B")).recorded["raised"] == {
        "type": "E",
        "message": "m",
        "announced": "B",
    }
    assert Output().recorded == {}
