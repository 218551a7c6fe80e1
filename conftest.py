"""Lets pytest find the engine in a plain checkout, without installing it."""

pytest_plugins = ("samedevice.integration.pytest",)
