"""Schema: what a file of somebody else may say; each field has a kind, a form, a length."""

from __future__ import annotations

import json
from typing import Any

import pytest

from samedevice.outputs.cleaning import LIMIT, clean
from samedevice.outputs.schema import PATH, RECORDING, FormatError, SchemaError, read

ABOUT = {"device": "cpu", "name": "EPYC 9B14", "torch": "2.13.0+cpu", "python": "3.11.7", "driver": "", "day": ""}
HASH = "0123456789abcdef"
NAME = "cpu-2.13.0+cpu"
BLOCK: dict[str, Any] = {"code": HASH, "line": "print(1)", "printed": {HASH: [NAME]}}
WHOLE: dict[str, Any] = {
    "format": 3,
    "environments": {NAME: ABOUT},
    "setup": [],
    "sections": [{"anchor": "a", "blocks": [BLOCK]}],
    "outputs": {HASH: {"text": "1\n"}},
}


def about(**changes: Any) -> dict[str, Any]:
    """A recording with another environment."""
    return WHOLE | {"environments": {NAME: ABOUT | changes}}


def block(**changes: Any) -> dict[str, Any]:
    """A recording with another block."""
    return WHOLE | {"sections": [{"anchor": "a", "blocks": [BLOCK | changes]}]}


def printed(**output: Any) -> dict[str, Any]:
    """A recording with another output."""
    return WHOLE | {"outputs": {HASH: output}}


@pytest.mark.parametrize(
    "torch",
    [
        "",
        "2.13.0+cpu",
        "2.9.0a0+git1234abc",
        "2.15.0.dev20261101+cu132",
        "2.7.0a0+79aa17489c.nv25.04",
        "2.1.0a0+x-dirty",
    ],
)
def test_versions_of_pytorch_pass(torch: str) -> None:
    """Builds of one's own and those of vendors have long names."""
    RECORDING(about(torch=torch))


REFUSED = {
    "code in a version": (
        about(torch="2.99.0\nimport os; os.system('echo INJECTED')\n# "),
        "environments.*[.]torch is no",
    ),
    "HTML in a version": (about(torch="2.13.0<script>"), "environments.*[.]torch is no"),
    "a version of digits": (about(torch="9" * 5_000 + ".1"), "environments.*[.]torch has 5,002 characters"),
    "a way up in a version": (about(torch="../../x"), "environments.*[.]torch is no"),
    "HTML in a name": (about(name="<b>"), "environments.*[.]name is no name"),
    "lines in a name": (about(name="a\n# b"), "environments.*[.]name is no name"),
    "Markdown in a name": (about(name="![x](y)"), "environments.*[.]name is no name"),
    "a name of letters that look alike": (about(name="\u0415PYC"), "environments.*[.]name is no name"),
    "a long name": (about(name="a" * 121), "environments.*[.]name has 121"),
    "a device": (about(device="tpu"), "environments.*[.]device is none of cpu, cuda, mps"),
    "a list as a device": (about(device=["cpu"]), "environments.*[.]device is none of"),
    "a day": (about(day="2026-11-22)\n\n# Heading"), "environments.*[.]day"),
    "a day that there is not": (about(day="2031-02-31"), "environments.*[.]day"),
    "a Python": (about(python="3"), "environments.*[.]python is no version"),
    "a NumPy": (about(numpy="x"), "environments.*[.]numpy is no version"),
    "a driver": (about(driver="a b"), "environments.*[.]driver is no version"),
    "another field": (about(more=""), "environments.* has a field 'more' that is not known"),
    "no device": (WHOLE | {"environments": {NAME: {"name": ""}}}, "environments.* has no device"),
    "no table": (WHOLE | {"environments": []}, "environments is no table"),
    "a way up in the name of an environment": (
        WHOLE | {"environments": {"../x": ABOUT}},
        "environments.* is no name of",
    ),
    "blocks without end": (WHOLE | {"setup": [BLOCK] * 50_001}, "setup is no list of 0 to 50000"),
    "a number for a list": (WHOLE | {"sections": 3}, "sections is no list"),
    "a hash": (block(code="x"), r"sections\[0\].blocks\[0\].code is no hash"),
    "no code": (WHOLE | {"setup": [{"line": "x"}]}, r"setup\[0\] has no code"),
    "lines of code": (block(line="a\nb"), r"blocks\[0\].line is no line"),
    "a number for a flag": (block(alone=1), r"blocks\[0\].alone is neither true nor false"),
    "a way out of the repository": (block(read={"../x": HASH}), r"blocks\[0\].read.* is no path below a folder"),
    "what was read without a hash": (block(read={"x": "?"}), r"blocks\[0\].read\['x'\] is no hash"),
    "a text for the environments": (block(only=NAME), r"blocks\[0\].only is no list"),
    "HTML in an environment": (block(unused=["<b>"]), r"blocks\[0\].unused\[0\] is no name"),
    "an output's name": (block(printed={"x": [NAME]}), r"blocks\[0\].printed.* is no hash"),
    "a terminal's sequence": (
        printed(text="\x1b[2J"),
        r"outputs.*text is no text that was cleaned",
    ),
    "text that runs backwards": (printed(value="\u202egnp"), "outputs.*value is no text that was cleaned"),
    "half a character": (printed(text="\ud800"), "outputs.*text is no text that was cleaned"),
    "long text": (printed(text="x" * (LIMIT + 200)), "outputs.*text has 20,200 characters"),
    "an exception of numbers": (printed(raised={"type": 1, "message": ""}), "outputs.*raised.type is no text"),
    "an exception without a message": (printed(raised={"type": "E"}), "outputs.*raised has no message"),
    "a figure elsewhere": (printed(figures=[{"svg": "../x.svg", "alt": ""}]), r"figures\[0\].svg is no name"),
    "figures without end": (printed(figures=[{}] * 101), "outputs.*figures is no list"),
    "a format": (WHOLE | {"format": "3"}, "format is no whole number"),
    "true for a format": (WHOLE | {"format": True}, "format is no whole number"),
}


@pytest.mark.parametrize(("found", "told"), REFUSED.values(), ids=REFUSED.keys())
def test_what_no_machine_records_is_refused_with_the_name_of_its_field(found: dict[str, Any], told: str) -> None:
    """A recording is made by somebody else, with names that match; what is in it goes into scripts and pages."""
    RECORDING(WHOLE)
    with pytest.raises(SchemaError, match=told):
        read(json.dumps(found), RECORDING, 3)


@pytest.mark.parametrize("data", ["", "[" * 100_000, "nan", '{"a": 1' + "0" * 5_000 + "}", "[]", "3", '{"format": []}'])
def test_what_is_no_table_of_json_is_refused(data: str) -> None:
    """Python has five kinds of errors for it."""
    with pytest.raises(SchemaError):
        read(data, RECORDING, 3)


def test_another_version_of_the_file_is_told_as_such() -> None:
    """Whatever else it holds: to call it damaged would send people on a wrong track."""
    with pytest.raises(FormatError, match="format 4 is not known here"):
        read('{"format": 4, "new": []}', RECORDING, 3)


@pytest.mark.parametrize("told", ["".join(map(chr, range(0x3000))), "\ud800\udcff", "x" * 50_000, "\x1b[2J\r\u2066"])
def test_what_is_cleaned_passes(told: str) -> None:
    """Else a block could print what makes its page's recording unreadable."""
    RECORDING(printed(text=clean(told, {}), raised={"type": "E", "message": clean(told, {})}))


@pytest.mark.parametrize("path", ["docs/a.md", "a", "docs/a b.py", "docs/.x/..y", "docs/é.md"])
def test_a_path_below_a_folder_passes(path: str) -> None:
    """Names may be of any language."""
    PATH(path)


@pytest.mark.parametrize(
    "path",
    [
        "",
        ".",
        "..",
        "/a",
        "a/",
        "a//b",
        "a/../b",
        "a/.",
        "./a",
        "a\\b",
        "C:a",
        "a\0",
        "a\nb",
        "a/" * 17 + "a",
        "\ud800",
    ],
)
def test_a_path_that_leaves_its_folder_or_has_another_form_is_refused(path: str) -> None:
    """Files are written to such paths."""
    with pytest.raises(SchemaError):
        PATH(path)
