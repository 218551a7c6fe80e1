"""What pytest finds of an installed package: inert, until a project's configuration names its mkdocs.yml.

    [tool.pytest.ini_options]
    samedevice = "mkdocs.yml"

Then the blocks of its pages are tests. The options have long names, since other plugins have a --device too.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from samedevice.extras import MissingExtra, need
from samedevice.project import FLAGS, Settings

NAME = "samedevice-pages"
"""What pytest calls the plugin once it is asked for."""
HERE = "samedevice.integration.pytest"
"""The plugin, which a conftest.py may have loaded by itself."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the setting that asks for the plugin, and its options."""
    parser.addini("samedevice", "the project's mkdocs.yml: the blocks of its pages are tests then", default="")
    group = parser.getgroup("samedevice", "Same Device")
    about = "run the pages' blocks on this device only: cpu, cuda or mps; may be given twice"
    group.addoption(f"{FLAGS}device", dest="samedevice_device", action="append", help=about)
    about = "with --samedevice-device cuda: run the blocks on simulated GPUs, with a CUDA build of PyTorch"
    group.addoption(f"{FLAGS}simulated", dest="samedevice_simulated", action="store_true", help=about)
    about = "write what the blocks print to the folder of recordings"
    group.addoption(f"{FLAGS}record", dest="samedevice_record", action="store_true", help=about)


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Load the plugin where a project asks for it."""
    name = str(config.getini("samedevice"))
    if not name or config.pluginmanager.has_plugin(HERE):
        return
    from samedevice.integration import pytest as plugin

    config.stash[plugin.SETTINGS] = read(config.rootpath / name, config.rootpath)
    hooks = {key: value for key, value in vars(plugin).items() if key.startswith("pytest_")}
    del hooks["pytest_addoption"]
    config.pluginmanager.register(SimpleNamespace(**hooks), NAME)


def read(path: Path, root: Path) -> Settings:
    """What a project's mkdocs.yml says. Raises pytest.UsageError."""
    if not path.is_file() or path.parent != root:
        raise pytest.UsageError(f'samedevice = "{path.name}": there is no such file in {root}, the rootdir of pytest')
    try:
        need("mkdocs", f"reading {path.name}")
    except MissingExtra as error:
        raise pytest.UsageError(str(error)) from None
    from mkdocs.config import load_config
    from mkdocs.exceptions import Abort, ConfigurationError

    from samedevice.integration.mkdocs.config import SameDeviceConfig, settings_of

    try:
        config = load_config(str(path))
    except (Abort, ConfigurationError) as error:
        raise pytest.UsageError(f"{path.name} cannot be read: {error}") from None
    own = getattr(config.plugins.get("samedevice"), "config", None)
    if not isinstance(own, SameDeviceConfig):
        raise pytest.UsageError(f"{path.name} does not list the plugin samedevice; add it below plugins:")
    return settings_of(config, own, root)
