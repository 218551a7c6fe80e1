"""extras: the packages that only a part of the engine needs, and the extra of this package that installs them."""

from __future__ import annotations

import importlib.util
import sys

from samedevice.errors import SameDeviceError

EXTRAS = {
    "mkdocs": ("mkdocs", "markdown", "pymdownx", "pygments"),
    "notebooks": ("mkdocs_jupyter",),
}
"""The modules that each extra installs. Those of `torch` are missing: pages import them, and the engine does not."""


class MissingExtra(SameDeviceError):  # noqa: N818
    """A package is missing that only a part of the engine needs."""


def need(extra: str, purpose: str) -> None:
    """Raise MissingExtra where a module of an extra is not installed; `purpose` is what would need it."""
    missing = [module for module in EXTRAS[extra] if importlib.util.find_spec(module) is None]
    if missing:
        command = f'{sys.executable} -m pip install "samedevice[{extra}]"'
        raise MissingExtra(f"{purpose} needs {', '.join(missing)}, which {_are(missing)} not installed; run {command}")


def _are(names: list[str]) -> str:
    return "is" if len(names) == 1 else "are"
