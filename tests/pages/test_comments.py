"""What code says in comments that it prints, as pytest-examples has it."""

from __future__ import annotations

import pytest

from samedevice.pages.comments import commented, quoted, said, says, silent, whole

DICT = "print(x)\n\"\"\"\n{\n    'a': [1, 2],\n    'b': 'c',\n}\n\"\"\"\nprint(y)\n"
HELP = 'try:\n    f()\nexcept E as e:\n    print(e)\n    #> 0\n"""\nold\n"""\n'
CAUGHT = 'try:\n    f()\nexcept E as e:\n    print(e)\n    """\n    old\n    """\n'
LOOP = """\
for x in (
    1,
    2,
):
    print(
        x
    )
"""


def test_only_comments_on_lines_of_their_own_say_what_is_printed() -> None:
    """Text in quotes may hold anything, and a page may show code that is no Python."""
    code = 'print(1)\n#> 1\nx = """\n#> 2\n"""  #> 3\n    #> 4\n#>\n# > 5\n'
    assert said(code) == {2: "1", 6: "4", 7: ""}
    assert silent("print(1)\n#> 1\n#> 2\nx = 1\n") == "print(1)\nx = 1\n"
    assert said("print('\n#> 1\n") == {}


def test_a_text_in_quotes_below_what_prints_says_what_it_prints() -> None:
    """So pytest-examples writes what is long. A text below a field of a class documents the field."""
    assert quoted(DICT) == {(2, 7): "\n{\n    'a': [1, 2],\n    'b': 'c',\n}\n"}
    assert says(CAUGHT)
    assert quoted('class A:\n    x: int = 1\n    """What it is."""\n') == {}
    assert quoted('print(1)\n\n"""apart"""\n') == {}
    assert silent(CAUGHT) == "try:\n    f()\nexcept E as e:\n    print(e)\n"
    assert whole(f"print(0)\n#> 0\n{DICT}").startswith("0\n{\n    'a'")


@pytest.mark.parametrize(
    ("code", "printed", "wanted"),
    [
        ("print(1)\n", [(1, "1\n")], "print(1)\n#> 1\n"),
        ("print(1)\n#> 2\nx = 1\n#> 3\n", [(1, "1\n")], "print(1)\n#> 1\nx = 1\n#> 3\n"),
        ("if x:\n    print(x)\n    #> 2\n", [], "if x:\n    print(x)\n"),
        ("if x:\n    print(x)\n#> 2\n", [(2, "2\n")], "if x:\n    print(x)\n#> 2\n"),
        ("print(0)\n#> 0\nshow(1)\n", [(1, "0\n"), (3, "1\n")], "print(0)\n#> 0\nshow(1)\n"),
        ("show(1)\n#> 0\n", [(1, "1\n")], "show(1)\n#> 1\n"),
        (HELP, [(2, "usage\n"), (4, "0\n")], HELP.replace("old", "usage")),
        (LOOP, [(5, "1\n"), (5, "2\n")], f"{LOOP}    #> 1\n    #> 2\n"),
        ("def f():\n    print(1)\n\nf()\n", [(2, "1\n")], "def f():\n    print(1)\n    #> 1\n\nf()\n"),
        ("if x: print(1); print(2)\n", [(1, "1\n"), (1, "2\n")], "if x: print(1); print(2)\n#> 1\n#> 2\n"),
        ("print()\nprint('a\\n b')\n", [(1, "\n"), (2, "a\n b\n")], "print()\n#>\nprint('a\\n b')\n#> a\n#>  b\n"),
        ("print(x)\n'''\na long one\n'''\n", [(1, "1\n")], "print(x)\n'''\n1\n'''\n"),
        (DICT, [(1, "{'a': [1, 2], 'b': 'c'}\n")], DICT),
        (DICT, [(1, "{'a': [1, 3]}\n")], 'print(x)\n"""\n{\'a\': [1, 3]}\n"""\nprint(y)\n'),
        (CAUGHT, [(4, "no\\\n")], CAUGHT.replace("old", "no\\\\")),
        ("print(1)", [(1, "1\n")], "print(1)\n#> 1"),
    ],
)
def test_what_is_printed_comes_below_the_statement_that_prints_it(
    code: str, printed: list[tuple[int, str]], wanted: str
) -> None:
    """What a `print` does not print any more is not said any more; what is below other code may mean anything."""
    assert commented(code, printed, str.__eq__) == wanted
