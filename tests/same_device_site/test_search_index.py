"""The index of the search: what it keeps of a section, and what it leaves out."""

from __future__ import annotations

import json
from pathlib import Path

from same_device_site.search_index import ENOUGH, FILE, rows, write

TEXT = (
    "<p>Free it with <code>x &lt; 3</code>.</p> <table><tr><td>a cell</td></tr></table>"
    "<pre><code>import torch\n\ntorch.cuda.empty_cache()\nprint(freed)\n</code></pre>"
    "<pre>RuntimeError: no\n</pre><p>Read more: Elsewhere.</p>"
)


def test_a_section_keeps_prose_and_the_names_in_its_code() -> None:
    """Prose without elements, tables behind a bar; of the code the class that it raised and the names of modules."""
    (page, section) = rows(
        [
            {"location": "a.html", "title": "A", "text": ""},
            {"location": "a.html#b", "title": "<code>B</code>", "text": TEXT},
        ],
        {"a.html#b": ["how to free it", "clear it"]},
    )
    assert page == ["a.html", "A", "", "", ""]
    assert section == [
        "#b",
        "<code>B</code>",
        "Free it with x < 3.\n|a cell",
        "RuntimeError:\ntorch.cuda.empty_cache",
        "how to free it\nclear it",
    ]


def test_a_line_that_is_everywhere_says_nothing() -> None:
    """Such as the choice of the device, at the start of each program."""
    code = "<pre><code>device = torch.device('cpu')\ntorch.ones({})\n</code></pre>"
    found = rows([{"location": f"{n}.html", "title": "T", "text": code.format(n)} for n in range(30)], {})
    assert found[0][3] == "torch.ones"


def test_a_long_section_keeps_its_first_sentences() -> None:
    """Whole ones, and of a page about a message fewer: its title is what people paste."""
    text = "<p>" + "A sentence of some words. " * 90 + "</p>"
    ((_, _, kept, _, _), (_, _, least, _, _)) = rows(
        [{"location": name, "title": "T", "text": text} for name in ("tensors/a.html", "errors/b.html")], {}
    )
    assert ENOUGH > len(kept) > len(least)
    assert {kept[-6:], least[-6:]} == {"words."}


def test_the_plugins_index_is_replaced_once(tmp_path: Path) -> None:
    """`mkdocs serve` writes it again and again; without the plugin there is none."""
    path = tmp_path / FILE
    write(tmp_path, tmp_path, [])
    assert not path.exists()
    path.parent.mkdir()
    path.write_text(json.dumps({"config": {}, "docs": [{"location": "a.html", "title": "A", "text": "<p>x</p>"}]}))
    for _ in range(2):
        write(tmp_path, tmp_path, [])
        assert json.loads(path.read_text(encoding="utf-8"))["docs"] == {
            "columns": [["a.html"], ["A"], ["x"], [""], [""]]
        }
