"""options: the tables of what an author may write on a fence, and a project in its mkdocs.yml."""

from __future__ import annotations

from collections.abc import Mapping

from samedevice import SETTINGS, option_meanings


def option_table() -> str:
    """The options of a fence."""
    return _table("Option", option_meanings())


def setting_table() -> str:
    """The settings of the plugin."""
    return _table("Setting", SETTINGS)


def _table(head: str, rows: Mapping[str, str]) -> str:
    lines = [f"| `{name}` | {meaning} |" for name, meaning in rows.items()]
    return "\n".join([f"| {head} | Meaning |", "| --- | --- |", *lines])
