"""The box answers with the section that fits, and with the reader's numbers: what its worker says, run by Node."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote_plus

import pytest
import torch
from torch import nn

from same_device_site.error_index import entries, entry_ids, told_fits
from same_device_site.settings import parse_page
from same_device_site.site import Site

ROOT = Path(__file__).parents[2]
RUN = """
const fs = require("fs"), [script] = process.argv.slice(1), { docs, asked } = JSON.parse(fs.readFileSync(0, "utf8"));
require("vm").runInThisContext(fs.readFileSync(script, "utf8"));
sdSearch.answer({ type: 0, data: { flat: true, docs } });
console.log(JSON.stringify(sdSearch.answer({ type: 2, data: asked }).data.items));
"""
LINEAR = """  File "/opt/lib/python3.12/site-packages/torch/nn/modules/linear.py", line 125, in forward
    return F.linear(input, self.weight, self.bias)
"""
MAT = "RuntimeError: mat1 and mat2 shapes cannot be multiplied"
MAT_PAGE = "errors/mat1-and-mat2-shapes-cannot-be-multiplied"
FITTING = [
    (f"{MAT} (64x784 and 512x10)", MAT_PAGE, "`nn.Linear(784, 10)`"),
    (f"{LINEAR}{MAT} (3x2 and 3x2)", MAT_PAGE, "`nn.Linear(2, 2)`"),
    (f"{MAT} (3x2 and 3x2)", f"{MAT_PAGE}#err-mat1-mat2-shapes", "`first @ second.T` is 3x3"),
    (f"{MAT} (3x2 and 5x2)", f"{MAT_PAGE}#err-mat1-mat2-shapes", "`first @ second.T` has the shape 3x5"),
    (
        f"    c = torch.mm(a, b)\n{MAT} (64x784 and 512x10)",
        f"{MAT_PAGE}#err-mat1-mat2-shapes",
        "no transposition makes them fit",
    ),
    (
        "RuntimeError: shape '[32, 400]' is invalid for input of size 51200",
        "errors/shape-is-invalid-for-input-of-size",
        "`reshape(32, 1600)`",
    ),
    ("IndexError: Target 10 is out of bounds.", "errors/target-is-out-of-bounds", "at least 11 outputs"),
    (
        "RuntimeError: running_mean should contain 256 elements not 512",
        "errors/running-mean-should-contain-elements",
        "`nn.BatchNorm2d(256)`",
    ),
    (
        "in torch/utils/data/_utils/collate.py\nRuntimeError: stack expects each tensor to be equal size, "
        "but got [3] at entry 0 and [4] at entry 1",
        "errors/stack-expects-each-tensor-to-be-equal-size#err-stack",
        "",
    ),
]


@pytest.fixture(scope="module")
def fitting() -> Callable[[str], dict[str, Any]]:
    """Answers as the box's worker does, with the entries of this site: the best one."""
    node = shutil.which("node")
    if node is None and not os.environ.get("CI"):
        pytest.skip("needs node")
    pages = tuple(parse_page(path, ROOT) for path in sorted((ROOT / "docs/errors").glob("*.md")))
    found = [one for one in entries(Site(pages, {}, {})) if not one.silent]
    ids, told = entry_ids(found), told_fits(found)
    docs = [
        {"location": f"#{ids[one]}", "title": f"<code>{one.text}</code>", "text": "", "fits": told.get(ids[one], [])}
        for one in found
    ]

    def answer(asked: str) -> dict[str, Any]:
        command, given = (
            [node or "node", "-e", RUN, str(ROOT / "docs/assets/search.js")],
            {"docs": docs, "asked": asked},
        )
        done = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True, check=True)
        best: dict[str, Any] = json.loads(done.stdout)[0]
        return best

    return answer


@pytest.mark.parametrize(("asked", "section", "says"), FITTING)
def test_the_section_that_fits_is_chosen(
    fitting: Callable[[str], dict[str, Any]], asked: str, section: str, says: str
) -> None:
    """By the traceback, the operator in the message, or the numbers; it says what follows from them."""
    best = fitting(asked)
    assert not best["weak"]
    assert best["at"] == section
    assert says in best.get("says", "")


def test_two_matrices_are_drawn_with_the_numbers_of_the_message(fitting: Callable[[str], dict[str, Any]]) -> None:
    """Rows and columns of each, for the picture in the box; a message without them has none."""
    assert fitting(f"{MAT} (64x784 and 512x10)")["shapes"] == [[64, 784], [512, 10]]
    assert "shapes" not in fitting("IndexError: Target 10 is out of bounds.")


def test_the_example_on_the_home_page_leads_to_a_fix_that_works(fitting: Callable[[str], dict[str, Any]]) -> None:
    """It is the first thing that a visitor tries."""
    home = unquote_plus(re.findall(r'\?error=(mat1[^"]+)"', HOME)[0])
    rows, given, expected, _ = map(int, re.findall(r"\d+", home.partition("(")[2]))
    with pytest.raises(RuntimeError, match="mat1 and mat2 shapes cannot be multiplied"):
        nn.Linear(expected, 10)(torch.rand(rows, given))
    (code,) = re.findall(r"`(nn\.Linear\([^`]*\))`", fitting(f"RuntimeError: {home}")["says"])
    assert eval(code, {"nn": nn})(torch.rand(rows, given)).shape == (rows, 10)


HOME = (ROOT / "docs/index.md").read_text(encoding="utf-8")
