"""frontmatter: the front matter of a page or a notebook, read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import yaml  # type: ignore[import-untyped]

PAGE = re.compile(r"\A---\n(.*?)\n---\n", re.S)
NOTEBOOK = re.compile(r"\A# ---\n(.*?)\n# ---\n", re.S)
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The quicker one, where PyYAML has it."""


def front_matter(text: str) -> Mapping[str, Any]:
    """What a page, or a notebook in percent format, says before its first line; empty if it says nothing."""
    notebook = NOTEBOOK.match(text)
    page = PAGE.match(text)
    told = re.sub(r"^# ?", "", notebook[1], flags=re.M) if notebook else page[1] if page else ""
    known = yaml.load(told, LOADER) if told else None
    return known if isinstance(known, dict) else {}
