"""check_export: a page's blocks with what each environment printed, as JSON that `samedevice check` reads back. Pure.

It lies beside the page's HTML. A reader's machine runs the blocks from it without the repository, so it also holds the
files that they run or read. Of a figure it has the description alone: other versions of matplotlib draw other pictures.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from samedevice.errors import SameDeviceError
from samedevice.outputs.environments import Environment
from samedevice.outputs.output import Figure, Output
from samedevice.outputs.recordings import Recording
from samedevice.pages.fences import Fence
from samedevice.pages.options import Options
from samedevice.pages.page import Block, Page
from samedevice.pages.sections import Part
from samedevice.project import DEFAULTS

SUFFIX = "check.json"
"""How the name of a page's file ends, in place of html."""
FORMAT = 2
Printed = tuple[tuple[Environment, Output], ...]
"""What environments printed for one block."""


class PublishedError(SameDeviceError):
    """A file that is no published page, or was written by another version of the engine."""


@dataclass(frozen=True)
class Published:
    """A page as a reader's machine gets it."""

    title: str
    """The page's heading."""
    page: Page
    """Its blocks; the text around them is left out."""
    files: Mapping[str, str]
    """Texts of the files that the blocks run or read, by their paths below the repository's root."""
    printed: tuple[Printed, ...]
    """For each block what the environments printed that recorded it as it is."""


def check_export(page: Page, title: str, files: Mapping[str, str], recordings: Sequence[Recording]) -> str:
    """The page's file. `files` has the texts of the files that its blocks lead to, by their paths."""
    about = [asdict(one.environment) for one in recordings]
    blocks = [_block(block) | {"printed": list(_printed(page, block, recordings))} for block in page.blocks]
    parts = [(part.anchor, part.line) for part in page.parts]
    found = {
        "format": FORMAT,
        "parts": parts,
        "title": title,
        "page": page.path,
        "files": dict(files),
        "environments": about,
    }
    return json.dumps(found | {"blocks": blocks}, ensure_ascii=False) + "\n"


def _block(block: Block) -> dict[str, Any]:
    kept = ("kind", "code", "path", "line", "code_line", "included")
    default = type(block.options)()
    options = {key: value for key, value in asdict(block.options).items() if value != getattr(default, key)}
    return {key: getattr(block, key) for key in kept} | {"options": options}


def _printed(page: Page, block: Block, recordings: Sequence[Recording]) -> Iterator[dict[str, Any]]:
    """Each output once, with the numbers of the environments that printed it."""
    outputs: dict[str, Output] = {}
    by: dict[str, list[int]] = {}
    for number, recording in enumerate(recordings):
        output = recording.find(page, block.index).output
        if output is not None:
            plain = without_pictures(output)
            outputs[plain.digest] = plain
            by.setdefault(plain.digest, []).append(number)
    yield from ({"by": by[digest], "output": output.to_json()} for digest, output in outputs.items())


def without_pictures(output: Output) -> Output:
    """The output with an empty figure for each of its own: how many it draws is all that is compared elsewhere."""
    return replace(output, figures=(Figure("", ""),) * len(output.figures))


def published(text: str) -> Published:
    """What such a file says. Raises PublishedError."""
    try:
        found = json.loads(text)
        if found["format"] != FORMAT:
            raise PublishedError("this page was published by another version of samedevice; install that version")
        return _published(found)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise PublishedError(f"this is no page that samedevice can check ({reason})") from None


def _published(found: dict[str, Any]) -> Published:
    path = _inner(found["page"])
    if not DEFAULTS.is_page(path):
        raise ValueError(f"{path} is no page")
    files = {_inner(name): str(text) for name, text in found["files"].items()}
    environments = [Environment(**one) for one in found["environments"]]
    blocks = tuple(_read_block(one, path, index) for index, one in enumerate(found["blocks"]))
    printed = tuple(tuple(_read_printed(one["printed"], environments)) for one in found["blocks"])
    parts = tuple(Part(path, str(anchor), int(line), int(line)) for anchor, line in found["parts"])
    return Published(str(found["title"]), Page(path, "", blocks, parts=parts), files, printed)


def _inner(name: str) -> str:
    """A path, if it stays below the root. Raises ValueError."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name:
        raise ValueError(f"{name} leaves the folder")
    return path.as_posix()


def _read_block(found: dict[str, Any], page: str, index: int) -> Block:
    options = found["options"]
    raises = tuple((str(device), str(name)) for device, name in options.get("raises", ()))
    fence = Fence(found["line"], 0, found["line"], "", "```", found["kind"], "")
    plain = {key: found[key] for key in ("kind", "code", "path", "line", "code_line", "included")}
    _inner(plain["path"])
    return Block(page=page, index=index, **plain, options=Options(**options | {"raises": raises}), fence=fence)


def _read_printed(found: list[dict[str, Any]], environments: list[Environment]) -> Iterator[tuple[Environment, Output]]:
    for one in found:
        output = Output.from_json(one["output"])
        yield from ((environments[number], output) for number in one["by"])
