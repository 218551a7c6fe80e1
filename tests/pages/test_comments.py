"""What code says in comments that it prints, as pytest-examples has it."""

from __future__ import annotations

import pytest

from samedevice.pages.comments import commented, said, silent

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


@pytest.mark.parametrize(
    ("code", "printed", "wanted"),
    [
        ("print(1)\n", [(1, "1\n")], "print(1)\n#> 1\n"),
        ("print(1)\n#> 2\nx = 1\n#> 3\n", [(1, "1\n")], "print(1)\n#> 1\nx = 1\n#> 3\n"),
        ("if x:\n    print(x)\n    #> 2\n", [], "if x:\n    print(x)\n"),
        ("if x:\n    print(x)\n#> 2\n", [(2, "2\n")], "if x:\n    print(x)\n#> 2\n"),
        ("show(1)\n", [(1, "1\n")], "show(1)\n#> 1\n"),
        (LOOP, [(5, "1\n"), (5, "2\n")], f"{LOOP}    #> 1\n    #> 2\n"),
        ("def f():\n    print(1)\n\nf()\n", [(2, "1\n")], "def f():\n    print(1)\n    #> 1\n\nf()\n"),
        ("if x: print(1); print(2)\n", [(1, "1\n"), (1, "2\n")], "if x: print(1); print(2)\n#> 1\n#> 2\n"),
        ("print()\nprint('a\\n b')\n", [(1, "\n"), (2, "a\n b\n")], "print()\n#>\nprint('a\\n b')\n#> a\n#>  b\n"),
        ("print(x)\n'''\na long one\n'''\n", [(1, "1\n")], "print(x)\n'''\na long one\n'''\n"),
        ("print(1)", [(1, "1\n")], "print(1)\n#> 1"),
    ],
)
def test_what_is_printed_comes_below_the_statement_that_prints_it(
    code: str, printed: list[tuple[int, str]], wanted: str
) -> None:
    """What a `print` does not print any more is not said any more; what is below other code may mean anything."""
    assert commented(code, printed, str.__eq__) == wanted
