"""notebook_document: notebooks as JSON, in nbformat 4.5: cells, outputs, the document around them.

The package nbformat makes the same dictionaries; its import costs each build 0.15 s, so it is left to the tests, which
have it check these.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Part = dict[str, Any]
"""A cell, or an output."""
KERNEL = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}


def document(cells: Iterable[Part]) -> str:
    """A notebook with these cells, as the text of its file."""
    numbered = [{"id": f"cell-{number}"} | cell for number, cell in enumerate(cells)]
    return json.dumps({"cells": numbered, "metadata": KERNEL, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"


def markdown_cell(source: str) -> Part:
    """A cell of text."""
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def code_cell(source: str, outputs: Sequence[Part] = (), metadata: Mapping[str, Any] | None = None) -> Part:
    """A cell of code with its outputs."""
    cell = {"cell_type": "code", "execution_count": None, "metadata": dict(metadata or {})}
    return cell | {"outputs": list(outputs), "source": source.rstrip("\n")}


def stream(text: str) -> Part:
    """An output that was printed."""
    return {"output_type": "stream", "name": "stdout", "text": text}


def display(data: Mapping[str, str]) -> Part:
    """An output that is a picture, or HTML: its forms by their types."""
    return {"output_type": "display_data", "metadata": {}, "data": dict(data)}


def result(text: str) -> Part:
    """An output that is the value of the cell's last expression."""
    return {"output_type": "execute_result", "execution_count": None, "metadata": {}, "data": {"text/plain": text}}


def error(name: str, message: str) -> Part:
    """An output that is an exception: the name of its class, its message."""
    return {"output_type": "error", "ename": name, "evalue": message, "traceback": [f"{name}: {message}"]}
