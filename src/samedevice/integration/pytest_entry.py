"""What pytest finds of an installed package: inert, unless the mkdocs.yml beside the project lists `samedevice`.

Then the blocks of its pages are tests. The options have long names, since other plugins have a --device too. There is
no setting in pytest's own configuration: pytest would warn of it wherever this package is not installed.
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from samedevice.errors import SameDeviceError
from samedevice.integration.pytest_options import add_options
from samedevice.project import FLAGS, Settings

NAME = "samedevice-pages"
"""What pytest calls the plugin once it is asked for."""
HERE = "samedevice.integration.pytest"
"""The plugin, which a conftest.py may have loaded by itself."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    add_options(parser, FLAGS)


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Load the plugin where a project asks for it."""
    settings = None if config.pluginmanager.has_plugin(HERE) else _asked(config.rootpath)
    here = config.invocation_params.dir
    if settings is None:
        if config.rootpath.is_relative_to(here) and config.rootpath != here and _asked(here):
            advice = f"give --rootdir={here}, or begin a pyproject.toml there with [tool.pytest.ini_options]"
            raise pytest.UsageError(f"pytest takes {config.rootpath} for the folder of the project; {advice}")
        return
    from samedevice.integration import pytest as plugin

    config.stash[plugin.SETTINGS] = settings
    hooks = ModuleType(NAME)  # before version 9, pytest takes no SimpleNamespace: it has no hash
    vars(hooks).update((key, value) for key, value in vars(plugin).items() if key.startswith("pytest_"))
    del vars(hooks)["pytest_addoption"]
    config.pluginmanager.register(hooks, NAME)


def _asked(root: Path) -> Settings | None:
    """What the project's mkdocs.yml says; None if it does not ask. Raises pytest.UsageError."""
    from samedevice.integration.project_file import PLUGIN, asks, named, read, settings_of

    path = named(root)
    text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    if PLUGIN not in text and "INHERIT" not in text:
        return None
    try:
        project = read(root)
        return settings_of(project, root) if asks(project) else None
    except SameDeviceError as error:
        if PLUGIN not in text:
            return None  # what is wrong with it is no business of ours
        raise pytest.UsageError(str(error)) from None
