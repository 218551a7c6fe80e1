"""plugin_entry: a project's mkdocs.yml to the same text with the plugin in its lists, and nothing else changed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from samedevice.integration.project_file import PLUGIN, ProjectError, entries, read_text

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
        raise ProjectError(
            f"{path.name} was not changed: its list of {key} has a form that this command does not know; {advice}"
        )
    return after


def _added(text: str, key: str, entry: str) -> str:
    """The text with one more entry at the end of what is below a key; as it is, if that is empty brackets."""
    pairs = yaml.compose(text, Loader=yaml.SafeLoader).value
    listed = next(value for name, value in reversed(pairs) if name.value == key)  # of two, YAML reads the last one
    in_line, empty = bool(getattr(listed, "flow_style", False)), not listed.value
    if empty and in_line:
        return text
    last = listed
    while isinstance(last, yaml.CollectionNode) and last.value and (last is listed or not last.flow_style):
        last = last.value[-1][1] if isinstance(last, yaml.MappingNode) else last.value[-1]
    at = last.end_mark.index
    if in_line:
        return f"{text[:at]}, {entry.removeprefix('- ')}{text[at:]}"
    end, indent = "\r\n" if "\r\n" in text else "\n", "  " if empty else " " * listed.start_mark.column
    at = text.find("\n", at) + 1 or len(text)
    above = text[:at] if text[:at].endswith("\n") else text[:at] + end
    return f"{above}{indent}{entry}{end}{text[at:]}"
