"""An output: what is shown of it, and how it is kept as JSON."""

from __future__ import annotations

import json

from samedevice.outputs.output import Figure, Output, Raised


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
