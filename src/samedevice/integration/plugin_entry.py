"""plugin_entry: adds the plugin to what a project's mkdocs.yml lists, and changes nothing else in it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from samedevice.integration.project_file import PLUGIN, ProjectError, entries, read_text

LISTED = r"^{key}:(?P<rest>[^\r\n]*)(?:\r?\n|\Z)"
"""Where a mkdocs.yml begins a list."""
IN_LINE = re.compile(r"(?P<items>\s*\[.*[^\s,])[\s,]*(?P<end>\]\s*(?:#.*)?)")
"""A list in one line, which is not empty."""

Settings = Mapping[str, Any]
"""Settings of the plugin, as mkdocs.yml has them."""


def with_entries(path: Path, project: Mapping[str, Any], keys: Mapping[str, Settings]) -> dict[Path, str]:
    """The texts of the files that list what is below each key, with the plugin added. Raises ProjectError.

    `path` is the project's mkdocs.yml, and `project` what it says, with what it inherits.
    """
    texts: dict[Path, str] = {}
    for key, own in keys.items():
        file = _listing(path, key, project.get(key))
        text = texts.get(file) or file.read_bytes().decode()
        texts[file] = with_entry(text, file, key, own, project.get(key))
    return texts


def _listing(path: Path, key: str, listed: object) -> Path:
    """The file that lists what is below a key: that in `path`, or one that it inherits from, in the same folder."""
    before = read_text(path.read_text(encoding="utf-8"), path)
    parent = (path.parent / str(before.get("INHERIT", ""))).resolve()
    if isinstance(listed, list) and key not in before and parent.is_relative_to(path.parent.resolve()):
        return _listing(parent, key, listed) if parent.is_file() else path
    return path


def with_entry(text: str, path: Path, key: str, own: Settings, inherited: object = None) -> str:
    """The text of a mkdocs.yml with `samedevice` at the end of what it lists under `key`, and nothing else changed.

    `own` are its settings, `inherited` is what is listed with what the file inherits. Raises ProjectError where that
    is not what YAML reads.
    """
    settings = ", ".join(f"{name}: {json.dumps(value)}" for name, value in own.items())
    before, options = read_text(text, path), f" {{{settings}}}" if own else ""
    mapping, given = isinstance(before.get(key, inherited), dict), entries(before.get(key))
    entry = f"{PLUGIN}:{options or ' {}'}" if mapping else f"- {PLUGIN}{':' * bool(options)}{options}"
    advice = f"add this below {key}:, and run samedevice init again:\n\n  {entry}"
    if key not in before:
        if not mapping and (inherited or key != "plugins"):  # a list replaces what is inherited, or Zensical's defaults
            raise ProjectError(
                f"{path.name} itself lists no {key}; in the file that does, or in a whole list, {advice}"
            )
        given = [("search", None)] if key == "plugins" and not mapping else []  # one mapping is merged with another
        text = "\n".join([text.rstrip(), "", f"{key}:", *(f"  - {name}" for name, _ in given), ""])
    after = _added(text, key, entry)
    try:
        found = read_text(after, path)
    except ProjectError:  # the list is written in a way that is not known here
        found = {}
    listed = [(name, said or {} if name == PLUGIN else said) for name, said in entries(found.get(key))]
    wanted = [*given, (PLUGIN, dict(own))]
    if {**before, key: wanted} != {**found, key: listed}:
        raise ProjectError(f"{path.name} was not changed: {_reason(text, key)}; {advice}")
    return after


def _listed(text: str, key: str) -> re.Match[str] | None:
    """Where the list of a key begins: of two the last one, which is what YAML reads."""
    return next(reversed([*re.finditer(LISTED.format(key=key), text, re.M)]), None)


def _reason(text: str, key: str) -> str:
    """Why nothing can be added below a key."""
    listed = _listed(text, key)
    if listed is None:
        return f"no line of it begins with {key}:"
    line = text.count("\n", 0, listed.start()) + 1
    return f"the list in line {line}, `{listed[0].strip()}`, has a form that this command does not know"


def _added(text: str, key: str, entry: str) -> str:
    """The text with one more entry below a key, if its list is written as lists mostly are."""
    end = "\r\n" if "\r\n" in text else "\n"
    listed = _listed(text, key)
    if listed is None:
        return text
    in_line = IN_LINE.fullmatch(listed["rest"])
    if in_line:
        items = f"{in_line['items']}, {entry.removeprefix('- ')}{in_line['end']}"
        return f"{text[: listed.start('rest')]}{items}{text[listed.end('rest') :]}"
    first, last, at = "", listed.end(), listed.end()
    for line in text[at:].splitlines(keepends=True):
        at += len(line)
        if line.strip() and not line.lstrip().startswith("#"):
            if line[0] not in " \t-":
                break
            first, last = first or line, at
    indent = first[: len(first) - len(first.lstrip())] if first else "  "
    above = text[:last] if text[:last].endswith("\n") else text[:last] + end
    return f"{above}{indent}{entry}{end}{text[last:]}"
