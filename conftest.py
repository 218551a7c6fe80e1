"""Lets pytest find the engine in a plain checkout, without installing it, and says what this project's settings are."""

from same_device_site.settings import SETTINGS

pytest_plugins = ("samedevice.integration.pytest",)
SAMEDEVICE = SETTINGS
