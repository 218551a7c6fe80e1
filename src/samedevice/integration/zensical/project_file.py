"""project_file: a project's mkdocs.yml, read without MkDocs, and adapted for one build by Zensical.

It is read and written as YAML's nodes, so that the tags of functions stay as they are.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from samedevice.errors import SameDeviceError
from samedevice.integration.page_assets import SCRIPT, STYLE
from samedevice.project import DEFAULTS, MARKDOWN, NAMESPACES, NOTEBOOK, SETTINGS, Settings

NAME = "mkdocs.yml"
PLUGIN = "samedevice"
EXTENSION = ("samedevice", "samedevice.integration.extension")
"""The names under which `markdown_extensions` may list the extension."""


class ProjectError(SameDeviceError):
    """A mkdocs.yml that cannot be used as it is."""


class _Reader(yaml.SafeLoader):  # type: ignore[misc]
    """Reads a file whose functions and addresses nobody asks for: what has a tag of its own is None."""


_Reader.add_constructor(None, lambda loader, node: None)


def read(root: Path) -> dict[str, Any]:
    """What the project's mkdocs.yml says, with what it inherits. Raises ProjectError."""
    return _read(root / NAME)


def _read(path: Path) -> dict[str, Any]:
    try:
        found = yaml.load(path.read_text(encoding="utf-8"), Loader=_Reader)
    except OSError as error:
        raise ProjectError(f"{path} cannot be read ({error.strerror}); go to the folder of your {NAME}") from None
    except yaml.YAMLError as error:
        raise ProjectError(f"{path} is no YAML: {' '.join(str(error).split())}") from None
    if not isinstance(found, dict):
        raise ProjectError(f"{path} says nothing; begin it with site_name")
    parent = found.pop("INHERIT", None)
    return (_read(path.parent / parent) if parent else {}) | found


def settings_of(project: Mapping[str, Any], root: Path) -> Settings:
    """What a project says of the plugin in its mkdocs.yml. Raises ProjectError for what the plugin does not take."""
    own = _plugin(project.get("plugins") or ())
    for name, value in own.items():
        if name not in SETTINGS:
            raise ProjectError(f"{NAME}: the plugin {PLUGIN} has no setting {name}; it has {', '.join(SETTINGS)}")
        default = getattr(DEFAULTS, name)
        kind = list if isinstance(default, tuple) else type(default)
        if not isinstance(value, kind):
            raise ProjectError(f"{NAME}: {PLUGIN}: {name}: {value!r} is no {kind.__name__}; write one")
        if name == "namespace" and value not in NAMESPACES:
            raise ProjectError(f"{NAME}: {PLUGIN}: {name}: there is no {value!r}; write {' or '.join(NAMESPACES)}")
    docs = str(project.get("docs_dir") or DEFAULTS.docs).strip("/")
    return Settings.of(own, root, str(project.get("site_name") or ""), docs)


def _plugin(plugins: Any) -> dict[str, Any]:
    """What is said of the plugin: plugins are a list of names and of mappings, or one mapping."""
    pairs = plugins.items() if isinstance(plugins, dict) else _pairs(plugins)
    return next((given or {} for name, given in pairs if name == PLUGIN), {})


def _pairs(listed: Any) -> Iterator[tuple[str, Any]]:
    for one in listed:
        yield from one.items() if isinstance(one, dict) else [(one, None)]


def weaves(project: Mapping[str, Any]) -> bool:
    """Whether a project lists the extension that weaves its pages."""
    listed = project.get("markdown_extensions") or ()
    names = listed if isinstance(listed, dict) else [name for name, _ in _pairs(listed)]
    return any(name in EXTENSION for name in names)


def adapted(root: Path, notebooks: Collection[str], changes: Mapping[str, Any]) -> str:
    """The text of a mkdocs.yml for a copy of the project: it loads our style and script, and notebooks are Markdown.

    `notebooks` are their paths below the folder of pages, `changes` values to set. Raises OSError.
    """
    top = yaml.compose((root / NAME).read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
    for node in _scalars(top):
        if node.value in notebooks:
            node.value = node.value.removesuffix(NOTEBOOK) + MARKDOWN
    for mapping, key in ((top, "INHERIT"), (_value(top, "theme"), "custom_dir")):
        found = _value(mapping, key)
        if found is not None:
            found.value = str((root / found.value).resolve())
    for key, before, after in (("extra_css", [STYLE], []), ("extra_javascript", [], [SCRIPT])):
        own = _value(top, key)
        listed = _node([])
        listed.value = [*_node(before).value, *(own.value if own is not None else ()), *_node(after).value]
        _set(top, key, listed)
    for key, value in changes.items():
        _set(top, key, _node(value))
    return str(yaml.serialize(top, allow_unicode=True))


def _scalars(node: Any) -> Iterator[Any]:
    if isinstance(node, yaml.ScalarNode):
        yield node
        return
    for child in node.value:
        for one in child if isinstance(child, tuple) else (child,):
            yield from _scalars(one)


def _value(node: Any, key: str) -> Any:
    """The value of a key of a mapping; None if it has none."""
    pairs = node.value if isinstance(node, yaml.MappingNode) else ()
    return next((value for name, value in pairs if name.value == key), None)


def _set(node: Any, key: str, value: Any) -> None:
    """Give a key of a mapping a value, in place of the one that it has."""
    node.value = [pair for pair in node.value if pair[0].value != key]
    node.value.append((_node(key), value))


def _node(value: Any) -> Any:
    """A plain value as a node."""
    return yaml.compose(json.dumps(value), Loader=yaml.SafeLoader)
