"""conventions: what authors write for other tools, on fences and in code, and which blocks are left alone for it.

A project that holds every fence to the rules of this engine (`console`) knows none of them.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterator, Mapping

WORD = re.compile(r"(?P<key>[.#]?[\w:-]+)(?:=(?P<value>\"[^\"]*\"|'[^']*'|[^\s}]+))?")
"""An option as any tool writes it."""
NAMED = re.compile(r"\.?(?:python|py|pycon)3?\b", re.I)
"""What the first line of a fence of Python begins with."""
PROMPT = re.compile(r"\s*>>> ")
"""What a transcript begins with."""
SKIPPED = re.compile(
    r"<!--\s*(?:pytest-codeblocks:\s*skip|pytest\.mark\.skip\b[^>]*|pytest-markdown-docs:\s*notest)\s*-->\s*\Z"
)
"""A comment above a fence by which its own tests skip it."""
HIDDEN = re.compile(
    r" {0,3}<!--+[ \t]*invisible-code-block:[ \t]*(?P<info>(?:python|py)3?\b[^\n>]*)\n(?P<code>.*?)[ \t]*--+>", re.S
)
"""A comment with code that runs and is not shown, as Sybil has it; `info` is what a fence would begin with."""
HIDES = "<!--"
"""What begins it."""
INCLUDED = re.compile(r"^[ \t]*(?P<what>\{[!*%])[^\n]*[!*%]\}[ \t]*$", re.M)
"""A line of no Python, in the place of which another extension or plugin puts a file: `{! a.py !}`, `{* a.py *}`."""


MACRO = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.S)
"""What the plugin macros writes anew."""


def is_output(info: str) -> bool:
    """Whether a fence with this first line may hold what the block above it prints."""
    return info.strip("{. }").partition(" ")[0].lower() in ("", "text", "txt", "output", "console")


def _newer(value: str) -> bool:
    """Whether a version of Python is newer than this one."""
    return tuple(map(int, re.findall(r"\d+", value))) > sys.version_info[:2]


LEAVES: Mapping[str, Callable[[str], bool]] = {
    "exec": lambda value: True,  # markdown-exec runs it, and shows what it likes
    "fixture": lambda value: True,  # pytest-markdown-docs runs it with names that pytest's fixtures give it
    "notest": lambda value: True,  # pytest-markdown-docs
    "requires": _newer,  # pytest-examples, as pydantic and dirty-equals use it
    "test": lambda value: value.startswith("skip"),
}
"""The options by which a fence is another tool's, or is not run: it stays as it is."""
PASSED = frozenset(
    "continuation group html id idprefix linenums lint output result retry rewrite_assert runner session source "
    "upgrade".split()
).union(LEAVES)
"""The options that mean nothing here. Classes and ids do neither."""


def words(info: str) -> dict[str, str]:
    """The options of a fence as any tool would read them; without quotes, and without what follows a colon."""
    return {found["key"].partition(":")[0]: (found["value"] or "").strip("\"'") for found in WORD.finditer(info)}


def passes(key: str) -> bool:
    """Whether an option is passed on to the renderer unread."""
    return key.partition(":")[0] in PASSED or key[0] in ".#"


def why_left(info: str, above: str = "", body: str = "", macros: bool = False) -> str:
    """Why a fence with this first line, this text above it and this code stays as it is; empty if it is ours.

    `macros` is whether the project has that plugin.
    """
    found = words(info)
    key = next((key for key, test in LEAVES.items() if key in found and test(found[key])), "")
    comment, included = SKIPPED.match(above, max(0, above.rfind("<!--"))), INCLUDED.search(body)
    macro = MACRO.search(body) if macros else None
    left = (comment[0].strip("<!-> \n") if comment else "") or (included["what"] if included else "")
    return key or left or (macro[0][:2] if macro else "")


MAIN = re.compile(r"""^if[ \t(]*__name__[ \t]*==[ \t]*["']__main__["'][ \t)]*:""", re.M)
"""Finds what a module does only as a program."""
SERVER = re.compile(
    r"(?:uvicorn|hypercorn|granian|waitress|app|mcp|server)\.(?:run|serve)|web\.run_app|.*\.(?:serve_forever|run_forever)"
)
"""The names of functions that serve until somebody stops them."""
PROGRAM = re.compile(
    r"subprocess\.(?:run|call|check_call|check_output|getoutput|Popen)|os\.(?:system|popen|exec\w+|spawn\w+|startfile)"
)
"""The names of functions that start programs."""
STARTS = {"a server": SERVER, "another program": PROGRAM}


def what_it_starts(code: str) -> str:
    """`a server` or `another program` if that is what code starts; else empty, also for code that is no Python.

    What functions would do counts not, nor what is below `if __name__ == "__main__":`.
    """
    if not any(word in code for word in ("run", "serve", "subprocess", "os.")):
        return ""
    try:
        called = set(_called(ast.parse(code)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    return next((what for what, names in STARTS.items() if any(map(names.fullmatch, called))), "")


def _called(node: ast.AST) -> Iterator[str]:
    """The names of the functions that code calls itself."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        return
    if isinstance(node, ast.If) and ast.unparse(node.test) == "__name__ == '__main__'":
        return
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        yield ast.unparse(node.func)
    for child in ast.iter_child_nodes(node):
        yield from _called(child)
