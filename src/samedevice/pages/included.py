"""included: the files that a block's code leads to, so that their change is the block's change.

These are the files below the folders of programs and pages that it names, alone or by a pattern (`cat docs/*.csv`); the
programs that it runs as modules (`python -m snippets.train`); the modules beside a program that it imports; and what
those programs and modules lead to in turn. Their texts are published with the page. So they are regular files of those
two folders, by their own names: neither hidden, nor behind a link, nor reached by `..`.
"""

from __future__ import annotations

import contextlib
import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from samedevice.pages.block import Block
from samedevice.project import DEFAULTS, Settings

NAMED = r"(?<![\w-])(?P<path>(?:{programs}|{docs})/[\w./*?\[\]-]*[\w*?\]])"
MODULE = r"\b(?P<module>{module}(?:\.\w+)+)"
MEMBERS = r"\bfrom\s+{module}\s+import\s+(?P<names>\w+(?:\s*,\s*\w+)*)"
"""What code names files by, with the folders of a project for the names in braces."""
IMPORT = re.compile(r"^[ \t]*import[ \t]+(?P<names>.+)$", re.M)
FROM = re.compile(r"^[ \t]*from[ \t]+(?P<dots>\.*)(?P<module>[\w.]*)[ \t]+import[ \t]+(?P<names>\(?[\w \t,]*)", re.M)


Changes = dict[Path, tuple[int, int, int, int]]
"""For each file its disk, its number there, and when its text and it were last changed."""


def included_files(code: str, root: Path, program: Path | None = None, settings: Settings = DEFAULTS) -> list[Path]:
    """The files that code leads to, in order; `program` is the file that it comes from, beside which it imports."""
    found: set[Path] = set()
    waiting = list(_led_to(code, root, program, settings))
    while waiting:
        path = waiting.pop()
        if path not in found and _is_own(path, root, settings):
            found.add(path)
            if path.suffix == ".py" and path.is_relative_to(root / settings.programs):
                waiting += _led_to(path.read_bytes().decode(errors="replace"), root, path, settings)
    return sorted(found)


def included_text(code: str, root: Path, program: Path | None = None, settings: Settings = DEFAULTS) -> str:
    """Name and text of each of these files; two such texts are equal where the files are."""
    found = included_files(code, root, program, settings)
    return "\0".join(f"{path.name}\n{path.read_bytes().decode(errors='replace')}" for path in found)


def files_of(block: Block, root: Path, settings: Settings) -> list[Path]:
    """The files that a block runs, reads or imports, its own program last."""
    program = root / block.path if block.options.file else None
    return [*included_files(block.code, root, program, settings), *filter(None, [program])]


def changes(block: Block, root: Path, settings: Settings) -> Changes:
    """When each file that a block runs, reads or imports was last changed, and which one it is.

    No program can set the time of change (`st_ctime`), except on Windows. So where this is the same before and after a
    run, and the text after it is the text that was hashed, the run had that text, even if somebody edits files
    meanwhile and takes the edit back. A copy to run from would have other paths, and other data beside it.
    """
    found: Changes = {}
    for path in files_of(block, root, settings) if block.included or block.kind == "program" else ():
        with contextlib.suppress(OSError):
            at = path.stat()
            found[path] = (at.st_dev, at.st_ino, at.st_mtime_ns, at.st_ctime_ns)
    return found


def is_current(block: Block, root: Path, settings: Settings, before: Changes) -> bool:
    """Whether the files of a block are those that were read with its page, and did not change since `before`."""
    program = root / block.path if block.options.file else None
    try:
        if block.kind == "program" and (root / block.path).read_text(encoding="utf-8-sig") != block.code:
            return False
        same = included_text(block.code, root, program, settings) == block.included
        return same and changes(block, root, settings) == before
    except (OSError, UnicodeDecodeError):
        return False


def _is_own(path: Path, root: Path, settings: Settings) -> bool:
    """Whether a path is the own name of a regular file below the folders of programs and pages, and not hidden."""
    try:
        name, true = path.relative_to(root), path.resolve(strict=True)
    except (OSError, RuntimeError, ValueError):
        return False
    below = any(name.is_relative_to(folder) for folder in (settings.programs, settings.docs))
    hidden = any(part.startswith(".") for part in name.parts)
    return below and not hidden and true == root.resolve() / name and true.is_file()


def _without_comments(code: str) -> str:
    """Code of Python without its comments, which name files that it may never read; other code as it is."""
    lines = code.split("\n")
    try:
        for token in tokenize.generate_tokens(io.StringIO(code).readline):
            if token.type == tokenize.COMMENT:
                row, column = token.start
                lines[row - 1] = lines[row - 1][:column]
    except (tokenize.TokenError, SyntaxError, IndexError):
        return code
    return "\n".join(lines)


def _led_to(code: str, root: Path, program: Path | None, settings: Settings) -> Iterator[Path]:
    """The places that code names, whether something is there or not."""
    module = settings.programs.replace("/", ".")
    if program is None and not any(name in code for name in (f"{settings.programs}/", f"{settings.docs}/", module)):
        return  # to find comments takes longer
    code = _without_comments(code) if "#" in code else code
    for name in {match["path"] for match in _pattern(NAMED, settings).finditer(code)}:
        with contextlib.suppress(ValueError):  # what looks like a pattern may be none
            yield from sorted(root.glob(name)) if re.search(r"[*?\[]", name) else [root / name]
    for match in _pattern(MODULE, settings).finditer(code):
        yield from _module(root, match["module"])
    for match in _pattern(MEMBERS, settings).finditer(code):
        for name in re.findall(r"\w+", match["names"]):
            yield from _module(root / settings.programs, name)
    if program is not None:
        for name in _imported(code):
            yield from _module(program.parent, name)


@cache
def _pattern(text: str, settings: Settings) -> re.Pattern[str]:
    """One of the patterns, for the folders of a project."""
    names = {"programs": settings.programs, "docs": settings.docs, "module": settings.programs.replace("/", ".")}
    for name, value in names.items():
        text = text.replace(f"{{{name}}}", re.escape(value))
    return re.compile(text)


def _imported(code: str) -> Iterator[str]:
    """The modules that code imports, as named from the folder that it is in."""
    for match in IMPORT.finditer(code):
        yield from (name.split()[0] for name in match["names"].split(",") if name.strip())
    for match in FROM.finditer(code):
        yield match["module"]
        parts = [match["module"]] if match["module"] else []
        yield from (".".join([*parts, name]) for name in re.findall(r"\w+", match["names"]))


def _module(folder: Path, name: str) -> Iterator[Path]:
    """The files that may be a module, the packages that it is in included."""
    parts = [part for part in name.split(".") if part.isidentifier()]
    for depth in range(1, len(parts) + 1):
        path = folder.joinpath(*parts[:depth])
        yield path.with_name(path.name + ".py")
        yield path / "__init__.py"
