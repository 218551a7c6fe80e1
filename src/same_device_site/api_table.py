"""apitable: every name of PyTorch that the pages use, with where it is documented and its versions, as Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from same_device_site.api_names import in_order
from same_device_site.site import Site, link
from samedevice import DEVICES, Block, Page, Recording, block_statuses

API_DATA = Path("docs/reference/apis.json")
"""What is known of PyTorch's names: where they are documented, and since when they exist."""
DOCUMENTATION = "https://docs.pytorch.org/docs/{version}/"
WORDS = ("deprecat", "Warning: ")
"""One of these stands in the output of a block that is about a deprecation."""
Value = TypeVar("Value")


@dataclass(frozen=True)
class Version:
    """Since and until when a name is in PyTorch."""

    since: str = ""
    """The first version that has it; empty if that is not known, or long ago."""
    deprecated: str = ""
    """The first version that deprecates it; empty if none does."""
    until: str = ""
    """The last version that has it; empty if it is still there."""
    use: str = ""
    """What to use in its place; empty if nothing is."""
    source: str = ""
    """Address of the page that says so."""


@dataclass(frozen=True)
class Catalogue:
    """What is known of the names of PyTorch. A name belongs to its own key, or to the longest that it starts with."""

    pages: Mapping[str, str]
    """Page of PyTorch's documentation, below `DOCUMENTATION`; empty if there is none."""
    versions: Mapping[str, Version]
    """Their versions."""

    def page(self, name: str) -> str:
        """Address of the documentation of a name; empty if it has none."""
        found = "" if is_private(name) else self.pages.get(f"{name}$") or _longest(self.pages, name) or ""
        folder = DOCUMENTATION.format(version=self.version(name).until or "stable")
        return found and folder + found.format(name=name, last=name.rpartition(".")[2])

    def version(self, name: str) -> Version:
        """Since and until when a name is there."""
        return _longest(self.versions, name) or Version()


def catalogue(root: Path) -> Catalogue:
    """What the data file under the repository root says; nothing if there is none."""
    if not (root / API_DATA).is_file():
        return Catalogue({}, {})
    found = json.loads((root / API_DATA).read_text(encoding="utf-8"))
    return Catalogue(found["pages"], {name: Version(**about) for name, about in found["versions"].items()})


def is_private(name: str) -> bool:
    """Whether a part of a name begins with one underscore."""
    return any(part.startswith("_") and not part.startswith("__") for part in name.split("."))


def _longest(keys: Mapping[str, Value], name: str) -> Value | None:
    """What the longest key has that a name begins with; a key that ends within a word of the name is not meant."""
    for end in range(len(name), 0, -1):
        key, rest = name[:end], name[end:]
        if key in keys and (not rest or key[-1] in "._" or rest[0] in ".0123456789"):
            return keys[key]
    return None


def api_table(page: Page, site: Site, about: Catalogue) -> str:
    """The Markdown of the table, as it stands on `page`."""
    users: dict[str, list[Page]] = {}
    for one in site.pages:
        for name in site.names.get(one.path, ()):
            users.setdefault(name, []).append(one)
    rows = [_row(name, users[name], page, about) for name in in_order(users)]
    return "\n".join(["| Name | Status | Used on |", "| --- | --- | --- |", *rows])


def _row(name: str, users: list[Page], page: Page, about: Catalogue) -> str:
    address = about.page(name)
    shown = f"[`{name}`]({address})" if address else f"`{name}`"
    pages = ", ".join(link(page, user, text=user.name.rpartition("/")[2]) for user in users)
    return f"| {shown} | {_status(name, about.version(name), bool(address))} | {pages} |"


def _status(name: str, version: Version, documented: bool) -> str:
    found = "private" if is_private(name) else "stable" if documented else "stable, not documented"
    if version.deprecated:
        use = f": use `{version.use}`" if version.use else ""
        found = f"deprecated since [{version.deprecated}]({version.source}){use}"
    if version.since:
        found += f", since [{version.since}]({version.source})"
    return found + (f", until {version.until}" if version.until else "")


def misused(page: Page, site: Site, about: Catalogue) -> Iterator[tuple[Block, str]]:
    """The blocks of a page that use a deprecated name and are not about that: each with the name.

    A block is about it if it raises, or says "deprecated" or gives a warning in what it printed. One that is not
    recorded on any device cannot be judged.
    """
    recordings = site.recorded(page)
    for name, blocks in site.names.get(page.path, {}).items():
        if about.version(name).deprecated:
            yield from ((page.blocks[index], name) for index in blocks if _silent(page, page.blocks[index], recordings))


def _silent(page: Page, block: Block, recordings: Sequence[Recording]) -> bool:
    """Whether a block is recorded and says nothing of a deprecation."""
    found = [one for device in DEVICES for one in block_statuses(page, block.index, device, recordings)]
    outputs = [one.output for one in found if one.output]
    return bool(outputs) and not any(one.raised or any(word in one.shown for word in WORDS) for one in outputs)
