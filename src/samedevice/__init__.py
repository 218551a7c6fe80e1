"""The engine of Same Device: runs the code blocks of documentation and shows what each device printed.

What this module imports below is the public API; all other names may change at any time. Each is imported when it is
used, because a page's own process imports this module too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from samedevice.devices import DEVICES as DEVICES, LABELS as LABELS
    from samedevice.errors import (
        PageError as PageError,
        RecordingError as RecordingError,
        SameDeviceError as SameDeviceError,
    )
    from samedevice.integration.extension import rendered_page as rendered_page
    from samedevice.integration.page_weaver import RenderedSite as RenderedSite
    from samedevice.outputs.comparison import difference as difference, same_text as same_text
    from samedevice.outputs.recordings import Count as Count, count_blocks as count_blocks, is_simulated as is_simulated
    from samedevice.outputs.environments import Environment as Environment, version_order as version_order
    from samedevice.outputs.escaping import xml as xml
    from samedevice.outputs.labels import all_versions as all_versions
    from samedevice.outputs.output import Output as Output
    from samedevice.outputs.recording_files import load_all as load_all
    from samedevice.outputs.recordings import (
        Recording as Recording,
        State as State,
        block_statuses as block_statuses,
        overall_state as overall_state,
        uses as uses,
    )
    from samedevice.pages.fences import fence_mark as fence_mark
    from samedevice.weaving.prose import Link as Link, find_links as find_links, replace_links as replace_links
    from samedevice.pages.options import option_meanings as option_meanings
    from samedevice.pages.page import Block as Block, Page as Page
    from samedevice.pages.parsing import parse_page as parse_page
    from samedevice.project import SETTINGS as SETTINGS, Settings as Settings
    from samedevice.weaving.weave import anchor as anchor
    from samedevice.weaving.panes import listed as listed
    from samedevice.weaving.prose import title as title


def public_names() -> dict[str, str]:
    """The public names, each with the module that it is imported from: what the imports above say."""
    import ast
    from pathlib import Path

    nodes = ast.walk(ast.parse(Path(__file__).read_text(encoding="utf-8")))
    found = (
        node for node in nodes if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("samedevice.")
    )
    return {alias.name: str(node.module) for node in found for alias in node.names}


def __getattr__(name: str) -> Any:
    import importlib

    for public, module in public_names().items():
        if name == public:
            globals()[name] = getattr(importlib.import_module(module), name)
            return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
