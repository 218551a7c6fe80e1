"""What is shown of a block whose page says what it prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from samedevice.outputs.output import Figure, Output
from samedevice.pages.parsing import parse_page
from samedevice.project import Settings
from samedevice.weaving.panes import ShownOutput, unsaid

FIGURE = (Figure("<svg/>", ""),)
BELOW = "```python\nprint(1)\n```\n\n```text\n1\n```\n"
COMMENTS = "```python\nprint(1)\n#> 1\nx\n```\n"


@pytest.mark.parametrize(
    ("text", "output", "left"),
    [
        (BELOW, Output("1\n"), None),
        (BELOW, Output("1\n", figures=FIGURE), Output(figures=FIGURE)),
        (COMMENTS, Output("1\n"), None),
        (COMMENTS.replace("x\n", "x\n#> 2\n"), Output("1\n"), None),
        (COMMENTS, Output("1\n", "2", figures=FIGURE), Output("", "2", figures=FIGURE)),
        (COMMENTS, Output("1\nby another way\n"), Output("1\nby another way\n")),
        ("```python\nprint(x)\n'''\n{\n  1,\n}\n'''\n```\n", Output("{1}\n"), None),
        ("```python\nprint(x)\n'''\n{2}\n'''\n```\n", Output("{1}\n"), Output("{1}\n")),
        ("```python\nprint(1)\n```\n", Output("1\n"), Output("1\n")),
        ('```python\n{\n    "a": [1, 2],  # data\n}\n```\n', Output(value="{'a': [1, 2]}"), None),
        ("```python\nf([1])\n```\n", Output(value="[1]"), Output(value="[1]")),
        ("```python\n7\n```\n", Output(value="7"), Output(value="7")),
    ],
)
def test_what_the_page_says_is_not_shown_again(root: Path, text: str, output: Output, left: Output | None) -> None:
    """All else is: no page can say a figure."""
    path = root / "docs/page.md"
    path.write_text(text, encoding="utf-8")
    (block,) = parse_page(path, root, settings=Settings(expect="following")).blocks
    found = unsaid(block, [ShownOutput("cpu", output, None)])
    assert [one.output for one in found] == ([left] if left else [])
