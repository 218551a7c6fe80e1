"""What the tests of the adapters share: a site, and an environment with the package as people install it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from samedevice.project import PACKAGE

BLOCKED = """\
import importlib.metadata, re, sys
from importlib.machinery import PathFinder

def needed(package, found):
    if package not in found:
        found.add(package)
        for line in importlib.metadata.requires(package) or []:
            name = re.match(r"[\\w.-]+", line)[0]
            try:
                importlib.metadata.version(name)
            except importlib.metadata.PackageNotFoundError:
                continue
            if "extra ==" not in line:
                needed(name, found)
    return found

packages = importlib.metadata.packages_distributions()
found = {"samedevice"}
for package in PACKAGES:
    needed(package, found)

def plain(name):
    return re.sub(r"[-_.]+", "-", name).lower()

there = {plain(name) for name in found}

class Blocked:
    def find_spec(self, name, path=None, target=None):
        owners = packages.get(name.partition(".")[0], ())
        if owners and not there & {plain(owner) for owner in owners}:
            return None
        return PathFinder.find_spec(name, path, target)

    def find_distributions(self, *given):
        return (one for one in PathFinder.find_distributions(*given) if plain(one.metadata["Name"]) in there)

sys.meta_path[:] = [Blocked() if finder is PathFinder else finder for finder in sys.meta_path]
"""
"""Hides the packages of a shared folder, all but this package, some others, and what those need."""
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "-q")


def build_wheel(folder: Path) -> None:
    """Build the package's wheel from a copy of its source."""
    source = folder / "source"
    source.mkdir()
    wanted = (PACKAGE.parents[1] / name for name in ("src", "pyproject.toml", "README.md", "LICENSE"))
    subprocess.run(["cp", "-r", *wanted, source], check=True)
    subprocess.run([*PIP, "wheel", "--no-deps", "--no-build-isolation", "-w", folder, source], check=True)


@pytest.fixture
def installed(once: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Installs the wheel where there is nothing else but some packages and what they need.

    Returns the folder of the environment's programs.
    """
    pytest.importorskip("setuptools", minversion="77")
    folder = tmp_path_factory.mktemp("installed")
    environ = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}

    def installed(*packages: str) -> Path:
        wheel = once("wheel", build_wheel)
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "environment"], check=True)
        python = folder / "environment/bin/python"
        command = [*PIP, f"--python={python}", "install", "--no-deps", *wheel.glob("*.whl")]
        subprocess.run(command, env=environ, check=True)
        own = next(folder.glob("environment/lib/python*/site-packages"))
        shared = [path for path in sys.path if path.endswith("site-packages")]
        (own / "shared.pth").write_text("\n".join([*shared, "import blocked"]), encoding="utf-8")
        (own / "blocked.py").write_text(f"PACKAGES = {packages!r}\n{BLOCKED}", encoding="utf-8")
        return python.parent

    return installed


@pytest.fixture
def site(one_server: object, root: Path) -> Iterator[Any]:
    """A site with the Markdown extensions of ours; MkDocs keeps plugins from build to build, this forgets them."""
    from made_site import Site
    from mkdocs.config.defaults import MkDocsConfig

    yield Site(root)
    MkDocsConfig.plugins.plugin_cache.clear()
