"""Why blocks fail, by kind."""

from __future__ import annotations

import pytest

from samedevice.integration.summary import kind_of
from samedevice.outputs.output import Output, Raised


@pytest.mark.parametrize(
    ("type", "message", "kind"),
    [
        ("NameError", "name 'x' is not defined", "lack a name"),
        ("ModuleNotFoundError", "No module named 'x'", "lack a package"),
        ("FileNotFoundError", "[Errno 2] No such file or directory: 'x'", "lack a file"),
        ("ConnectError", "[Errno -2] Name or service not known", "lack a network or a service"),
        ("URLError", "<urlopen error [Errno -3] Temporary failure in name resolution>", "lack a network or a service"),
        ("ServerSelectionTimeoutError", "localhost:27017: refused", "lack a network or a service"),
        ("SyntaxError", "invalid syntax", "are no Python"),
        ("TranscriptError", "httpx.ConnectError: [Errno -2] Name", "lack a network or a service"),
        ("TranscriptError", "it prints something else\n\nFailed example:", "print something else than they say"),
        ("ValueError", "name 'x' is not defined", "raise other errors"),
    ],
)
def test_an_exception_has_a_kind(type: str, message: str, kind: str) -> None:
    """By its class, and by what the system says of a network."""
    assert kind_of(Output(raised=Raised(type, message))) == kind


def test_a_block_that_ended_its_process_has_a_kind() -> None:
    """One that hangs costs time; one that crashes is a bug of somebody."""
    assert kind_of(Output(died="did not end within 60 s and was killed")) == "take too long"
    assert kind_of(Output(died="ended its process with signal SIGSEGV")) == "end their process"
    assert kind_of(Output()) == "raise other errors"
