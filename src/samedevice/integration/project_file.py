"""project_file: a project's mkdocs.yml to its `Settings`, without MkDocs and its plugins."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from samedevice.errors import SameDeviceError
from samedevice.pages.parsing import SNIPPETS
from samedevice.project import CHOICES, DEFAULTS, KINDS, SETTINGS, Settings

NAME = "mkdocs.yml"
OTHER_NAME = "mkdocs.yaml"
CONFIG_DIR = "$config_dir"
PLUGIN = "samedevice"
EXTENSION = ("samedevice", "samedevice.integration.extension")
"""The names under which `markdown_extensions` may list the extension."""
LONGEST = 86_400
"""Seconds that a project may give a block: a day."""
SUPERFENCES = "pymdownx.superfences"
MACROS = ("macros", "zensical.extensions.macros")
"""The names under which `plugins` or `markdown_extensions` may list macros."""
OTHER_FILE = f"go to the folder of your {NAME}, or, if yours has another name, write one that says INHERIT: that name"
OTHER_TOML = (
    f"write [project.markdown_extensions.{PLUGIN}] in zensical.toml, and markdown_extensions: [{PLUGIN}] in {NAME}"
)
"""What to do in a project without a mkdocs.yml."""


class ProjectError(SameDeviceError):
    """A mkdocs.yml that cannot be used as it is."""


class _Reader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Reads a file whose functions nobody calls: they are their names, and what has another tag is None."""


# `!relative` in `base_path` is a folder, seen from that of the file
_Reader.add_constructor("!relative", lambda loader, node: str(node.value).replace(CONFIG_DIR, ".") or ".")
_Reader.add_constructor(None, lambda loader, node: None)
_Reader.add_multi_constructor("tag:yaml.org,2002:python/name:", lambda loader, name, node: name)


def named(root: Path) -> Path:
    """The file that configures the documentation of the project in `root`, whether it is there or not."""
    return next((path for path in (root / NAME, root / OTHER_NAME) if path.is_file()), root / NAME)


def read(root: Path) -> dict[str, Any]:
    """What the project's mkdocs.yml says, with what it inherits. Raises ProjectError."""
    path = named(root)
    try:
        return _read(path)
    except OSError as error:
        advice = OTHER_TOML if (root / "zensical.toml").is_file() else OTHER_FILE
        raise ProjectError(f"{path} cannot be read ({error.strerror}); {advice}") from None


def read_text(text: str, path: Path) -> dict[str, Any]:
    """What a text says in the place of a file, without what it inherits. Raises ProjectError."""
    try:
        found = yaml.load(text, Loader=_Reader)
    except yaml.YAMLError as error:
        raise ProjectError(f"{path} is no YAML: {' '.join(str(error).split())}") from None
    if not isinstance(found, dict):
        raise ProjectError(f"{path} says nothing; begin it with site_name")
    return found


def _read(path: Path, below: tuple[Path, ...] = ()) -> dict[str, Any]:
    """What a file says, with what it inherits; `below` are those that inherit it."""
    if path.resolve() in below:
        raise ProjectError(f"{path} inherits itself; leave out one INHERIT")
    try:
        found = read_text(path.read_text(encoding="utf-8-sig"), path)
    except UnicodeDecodeError:
        raise ProjectError(f"{path} is not UTF-8; save it as UTF-8") from None
    if "INHERIT" not in found:
        return found
    return _merged(_read(path.parent / str(found.pop("INHERIT")), (*below, path.resolve())), found)


def _merged(below: dict[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """One mapping over another, as MkDocs inherits: mappings within them are merged, too."""
    both = {key: (below[key], value) for key, value in above.items() if key in below}
    deep = {key: _merged(*pair) for key, pair in both.items() if all(isinstance(one, dict) for one in pair)}
    return below | dict(above) | deep


def settings_of(project: Mapping[str, Any], root: Path) -> Settings:
    """What a project says of the plugin in its mkdocs.yml. Raises ProjectError for what the plugin does not take."""
    own = checked(dict(entries(project.get("plugins"))).get(PLUGIN) or {})
    docs = str(project.get("docs_dir") or DEFAULTS.docs).strip("/")
    macros = any(name in MACROS for key in ("plugins", "markdown_extensions") for name, _ in entries(project.get(key)))
    extensions = dict(entries(project.get("markdown_extensions")))
    includes = SNIPPETS in extensions and not own.get("console")
    snippets = json.dumps(extensions[SNIPPETS] or {}, default=os.fspath, sort_keys=True) if includes else ""
    said = own | {"snippets": snippets, "macros": macros, "custom": custom(extensions.get(SUPERFENCES))}
    return Settings.of(said, root, str(project.get("site_name") or ""), docs)


def checked(own: Any) -> dict[str, Any]:
    """What a project says of the plugin. Raises ProjectError for what the plugin does not take."""
    if not isinstance(own, Mapping):
        raise ProjectError(f"{NAME}: {PLUGIN}: {own!r} is no table of settings; write `name: value` lines below it")
    for name, value in own.items():
        if name not in SETTINGS:
            raise ProjectError(f"{NAME}: the plugin {PLUGIN} has no setting {name}; it has {', '.join(SETTINGS)}")
        wrong = _wrong(name, value)
        if wrong:
            raise ProjectError(f"{NAME}: {PLUGIN}: {name}: {wrong}")
    return dict(own)


def _wrong(name: str, given: object) -> str:
    """What is wrong with the value of a setting; empty if nothing is."""
    kind: type = KINDS[name]
    value: Any = given
    if not isinstance(given, (int, float) if kind is float else kind) or (type(given) is bool) != (kind is bool):
        return f"{given!r} is no {kind.__name__}; write one"
    for one in value if kind is list else [value]:
        if one not in CHOICES.get(name, (one,)):
            return f"there is no {one!r}; write {' or '.join(CHOICES[name])}"
    if kind is list and not all(isinstance(one, str) for one in value):
        return "write each entry as a text"
    if kind is dict and not all(type(one) in (str, int, float) for one in value.values()):
        return "write each value as a text, in quotes"
    if kind is float and not 0 < value <= LONGEST:
        return f"write seconds, more than 0 and at most {LONGEST:,}"
    if name in ("cwd", "setup") and (value.startswith("/") or ".." in value.split("/")):
        return f"{value} is not below the folder of {NAME}; name one that is"
    return ""


def custom(superfences: Any) -> list[str]:
    """The languages of the custom fences in the settings of superfences; markdown-exec takes only those with `exec`."""
    listed = (superfences or {}).get("custom_fences") or ()
    validators = [one.get("validator") for one in listed]
    modules = [str(getattr(one, "__module__", one)).partition(".")[0] for one in validators]
    return [str(one.get("name")) for one, name in zip(listed, modules, strict=True) if name != "markdown_exec"]


def entries(listed: Any) -> list[tuple[str, Any]]:
    """Names and settings of plugins or extensions, which are a list of names and of mappings, or one mapping."""
    if isinstance(listed, dict):
        return list(listed.items())
    return [pair for one in listed or () for pair in (one.items() if isinstance(one, dict) else [(str(one), None)])]


def asks(project: Mapping[str, Any]) -> bool:
    """Whether a project lists the plugin, or the extension that weaves its pages."""
    return any(name == PLUGIN for name, _ in entries(project.get("plugins"))) or weaves(project)


def weaves(project: Mapping[str, Any]) -> bool:
    """Whether a project lists the extension that weaves its pages."""
    return any(name in EXTENSION for name, _ in entries(project.get("markdown_extensions")))
