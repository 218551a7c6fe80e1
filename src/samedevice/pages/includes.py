"""includes: the code of a block with the files that pymdownx.snippets puts into it, as that extension does it."""

from __future__ import annotations

import json
import re
from pathlib import Path

SNIPPETS = "pymdownx.snippets"
INCLUDE = re.compile(r"^\s*;?-{2,}8<-{2,}(?!\S)", re.M)
"""Where a file is included."""


def with_includes(code: str, root: Path, settings: str) -> str:
    """The code with the files in it; `settings` are those of the extension, as JSON. Raises ValueError."""
    from markdown import Markdown  # type: ignore[import-untyped]

    given = json.loads(settings)
    bases = given.get("base_path", ["."])
    own = {
        "base_path": [str(root / base) for base in ([bases] if isinstance(bases, str) else bases)],
        "auto_append": [],
        "check_paths": True,
    }
    md = Markdown(extensions=[SNIPPETS], extension_configs={SNIPPETS: given | own})
    try:
        lines: list[str] = md.preprocessors["snippet"].run(code.split("\n"))
    except Exception as error:  # the extension has a class of its own for what it does not find
        raise ValueError(str(error)) from None
    return "\n".join(lines)
