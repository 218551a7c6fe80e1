"""Lets pytest find the engine in a plain checkout, without installing it, and says what this project's settings are."""

import sys
from importlib.util import find_spec

import pytest

NEEDED = ("torch", "numpy", "matplotlib", "sybil")
MISSING = [name for name in NEEDED if not find_spec(name)]
if sys.version_info < (3, 11) or MISSING:
    have = f"this is Python {sys.version_info[0]}.{sys.version_info[1]}" + "".join(
        f", without {one}" for one in MISSING
    )
    pytest.exit(f"The pages need Python 3.11 or newer with {', '.join(NEEDED)}: {have}.", returncode=4)

from same_device_site.settings import SETTINGS  # noqa: E402 - it imports sybil

pytest_plugins = ("samedevice.integration.pytest",)
SAMEDEVICE = SETTINGS
