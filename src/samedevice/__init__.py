"""The engine of Same Device: runs the code blocks of documentation and shows what each device printed.

What this module names is the public API; all other names may change at any time. Each is imported when it is used,
because a page's own process imports this module too.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from samedevice.devices import DEVICES, LABELS
    from samedevice.errors import PageError, RecordingError, SameDeviceError
    from samedevice.integration.extension import rendered_page
    from samedevice.integration.rendered_site import RenderedSite
    from samedevice.outputs.comparison import difference, same_text
    from samedevice.outputs.counts import Count, count_blocks, is_simulated
    from samedevice.outputs.environments import Environment, version_order
    from samedevice.outputs.escaping import xml
    from samedevice.outputs.labels import all_versions
    from samedevice.outputs.output import Output
    from samedevice.outputs.recording_files import load_all
    from samedevice.outputs.recordings import Recording, State, block_statuses, overall_state, uses
    from samedevice.pages.fences import fence_mark
    from samedevice.pages.links import Link, find_links, replace_links
    from samedevice.pages.options import option_meanings
    from samedevice.pages.page import Block, Page
    from samedevice.pages.parsing import parse_page
    from samedevice.project import SETTINGS, Settings
    from samedevice.weaving.anchors import anchor
    from samedevice.weaving.panes import listed
    from samedevice.weaving.prose import title

_MODULES = {
    "devices": ("DEVICES", "LABELS"),
    "errors": ("PageError", "RecordingError", "SameDeviceError"),
    "integration.extension": ("rendered_page",),
    "integration.rendered_site": ("RenderedSite",),
    "outputs.comparison": ("difference", "same_text"),
    "outputs.environments": ("Environment", "version_order"),
    "outputs.escaping": ("xml",),
    "outputs.labels": ("all_versions",),
    "outputs.output": ("Output",),
    "outputs.recording_files": ("load_all",),
    "outputs.recordings": ("Recording", "State", "overall_state", "block_statuses", "uses"),
    "outputs.counts": ("Count", "count_blocks", "is_simulated"),
    "pages.fences": ("fence_mark",),
    "pages.links": ("Link", "find_links", "replace_links"),
    "pages.options": ("option_meanings",),
    "pages.page": ("Block", "Page"),
    "pages.parsing": ("parse_page",),
    "project": ("SETTINGS", "Settings"),
    "weaving.anchors": ("anchor",),
    "weaving.panes": ("listed",),
    "weaving.prose": ("title",),
}
"""The modules that define the public names; a test holds that they are those above."""

__all__ = [
    "DEVICES",
    "LABELS",
    "SETTINGS",
    "Block",
    "Count",
    "Environment",
    "Link",
    "Output",
    "Page",
    "PageError",
    "Recording",
    "RecordingError",
    "RenderedSite",
    "SameDeviceError",
    "Settings",
    "State",
    "all_versions",
    "anchor",
    "block_statuses",
    "count_blocks",
    "difference",
    "fence_mark",
    "find_links",
    "is_simulated",
    "listed",
    "load_all",
    "option_meanings",
    "overall_state",
    "parse_page",
    "rendered_page",
    "replace_links",
    "same_text",
    "title",
    "uses",
    "version_order",
    "xml",
]


def __getattr__(name: str) -> Any:
    for module, names in _MODULES.items():
        if name in names:
            return getattr(importlib.import_module(f"samedevice.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
