"""Schema: what a file of somebody else may say; each field has a kind, a form, a length."""

from __future__ import annotations

import json
from typing import Any

import pytest

from samedevice.outputs.cleaning import LIMIT, clean
from samedevice.outputs.schema import PATH, RECORDING, FormatError, SchemaError, read

ABOUT = {"device": "cpu", "name": "EPYC 9B14", "torch": "2.13.0+cpu", "python": "3.11.7", "driver": "", "day": ""}
HASH = "0123456789abcdef0123"
BLOCK: dict[str, Any] = {"hash": HASH, "code": "print(1)", "output": {"text": "1\n"}, "seal": HASH}
WHOLE: dict[str, Any] = {"format": 2, "environment": ABOUT, "seal": HASH, "blocks": [BLOCK]}


def about(**changes: Any) -> dict[str, Any]:
    """A recording with another environment."""
    return WHOLE | {"environment": ABOUT | changes}


def block(**changes: Any) -> dict[str, Any]:
    """A recording with another block."""
    return WHOLE | {"blocks": [BLOCK | changes]}


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
    "code in a version": (about(torch="2.99.0\nimport os; os.system('echo INJECTED')\n# "), "environment.torch is no"),
    "HTML in a version": (about(torch="2.13.0<script>"), "environment.torch is no"),
    "a version of digits": (about(torch="9" * 5_000 + ".1"), "environment.torch has 5,002 characters"),
    "a way up in a version": (about(torch="../../x"), "environment.torch is no"),
    "HTML in a name": (about(name="<b>"), "environment.name is no name"),
    "lines in a name": (about(name="a\n# b"), "environment.name is no name"),
    "Markdown in a name": (about(name="![x](y)"), "environment.name is no name"),
    "a name of letters that look alike": (about(name="\u0415PYC"), "environment.name is no name"),
    "a long name": (about(name="a" * 121), "environment.name has 121"),
    "a device": (about(device="tpu"), "environment.device is none of cpu, cuda, mps"),
    "a list as a device": (about(device=["cpu"]), "environment.device is none of"),
    "a day": (about(day="2026-11-22)\n\n# Heading"), "environment.day"),
    "a Python": (about(python="3"), "environment.python is no version"),
    "a NumPy": (about(numpy="x"), "environment.numpy is no version"),
    "a driver": (about(driver="a b"), "environment.driver is no version"),
    "another field": (about(more=""), "environment has a field 'more' that is not known"),
    "no device": (WHOLE | {"environment": {"name": ""}}, "environment has no device"),
    "no table": (WHOLE | {"environment": []}, "environment is no table"),
    "blocks without end": (WHOLE | {"blocks": [BLOCK] * 5_001}, "blocks is no list of 0 to 5000"),
    "a number for a list": (WHOLE | {"blocks": 3}, "blocks is no list"),
    "a hash": (block(hash="x"), r"blocks\[0\].hash is no hash"),
    "a seal": (block(seal=None), r"blocks\[0\].seal is no text"),
    "lines of code": (block(code="a\nb"), r"blocks\[0\].code is no line"),
    "a terminal's sequence": (
        block(output={"text": "\x1b[2J"}),
        r"blocks\[0\].output.text is no text that was cleaned",
    ),
    "text that runs backwards": (block(output={"value": "\u202egnp"}), "output.value is no text that was cleaned"),
    "half a character": (block(output={"text": "\ud800"}), "output.text is no text that was cleaned"),
    "long text": (block(output={"text": "x" * (LIMIT + 200)}), "output.text has 20,200 characters"),
    "an exception of numbers": (block(output={"raised": {"type": 1, "message": ""}}), "output.raised.type is no text"),
    "an exception without a message": (block(output={"raised": {"type": "E"}}), "output.raised has no message"),
    "a figure elsewhere": (block(output={"figures": [{"svg": "../x.svg", "alt": ""}]}), r"figures\[0\].svg is no name"),
    "figures without end": (block(output={"figures": [{}] * 101}), "output.figures is no list"),
    "a format": (WHOLE | {"format": "2"}, "format is no whole number"),
    "true for a format": (WHOLE | {"format": True}, "format is no whole number"),
}


@pytest.mark.parametrize(("found", "told"), REFUSED.values(), ids=REFUSED.keys())
def test_what_no_machine_records_is_refused_with_the_name_of_its_field(found: dict[str, Any], told: str) -> None:
    """A recording is made by somebody else, with good seals; what is in it goes into scripts, pages and terminals."""
    RECORDING(WHOLE)
    with pytest.raises(SchemaError, match=told):
        read(json.dumps(found), RECORDING, 2)


@pytest.mark.parametrize("data", ["", "[" * 100_000, "nan", '{"a": 1' + "0" * 5_000 + "}", "[]", "3", '{"format": []}'])
def test_what_is_no_table_of_json_is_refused(data: str) -> None:
    """Python has five kinds of errors for it."""
    with pytest.raises(SchemaError):
        read(data, RECORDING, 2)


def test_another_version_of_the_file_is_told_as_such() -> None:
    """Whatever else it holds: to call it damaged would send people on a wrong track."""
    with pytest.raises(FormatError, match="format 3 is not known here"):
        read('{"format": 3, "new": []}', RECORDING, 2)


@pytest.mark.parametrize("printed", ["".join(map(chr, range(0x3000))), "\ud800\udcff", "x" * 50_000, "\x1b[2J\r\u2066"])
def test_what_is_cleaned_passes(printed: str) -> None:
    """Else a block could print what makes its page's recording unreadable."""
    RECORDING(block(output={"text": clean(printed, {}), "raised": {"type": "E", "message": clean(printed, {})}}))


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
