"""check_export: a page and its recordings to the JSON that `samedevice check` reads back, and that to a `Published`.

It lies beside the page's HTML. A reader's machine runs the blocks from it without the repository, so it also holds the
files that they run or read. What was recorded is in it as in the repository (`page_file`), without the figures: other
versions of matplotlib draw other pictures.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from samedevice.errors import PageError, SameDeviceError
from samedevice.outputs.environments import Environment
from samedevice.outputs.output import Figure, Output
from samedevice.outputs.page_file import PageFile, from_json
from samedevice.outputs.recordings import Recording, State
from samedevice.outputs.schema import (
    CODE,
    LINE,
    PATH,
    RECORDING,
    FormatError,
    SchemaError,
    flag,
    many,
    named,
    one_of,
    read,
    record,
    whole,
)
from samedevice.pages.fences import Fence
from samedevice.pages.options import known_options, read_info, read_options
from samedevice.pages.page import KINDS, Block, Page
from samedevice.pages.sections import Part
from samedevice.project import DEFAULTS, Settings

SUFFIX = "check.json"
"""How the name of a page's file ends, in place of html."""
FORMAT = 4
"""The version of the file; what is recorded in it has one of its own."""
SETTINGS = Settings(namespace="section")
"""What is known of the project of such a page: that its sections may have names of their own."""
KEPT = ("kind", "code", "path", "line", "code_line")
"""The fields of a block that are kept as they are."""
BLOCK = record(
    {
        "kind": one_of(*KINDS),
        "code": CODE,
        "path": PATH,
        "line": whole(1, 1_000_000),
        "code_line": whole(1, 1_000_000),
        "options": named(LINE, LINE, 100),
        "skips_main": flag,
    }
)
"""A block; its options are as its author wrote them, and are read again, but for what its code decides."""
PUBLISHED = record(
    {
        "format": whole(0, 1_000),
        "title": LINE,
        "page": PATH,
        "files": named(PATH, CODE, 200),
        "parts": many(record({"anchor": LINE, "line": whole(1, 1_000_000)}), 5_000),
        "blocks": many(BLOCK, 5_000),
        "recordings": RECORDING,
    }
)
"""Such a file: everything in it comes from a server."""
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
    file = PageFile()
    for one in recordings:
        file = file.updated(page, _fresh(page, one))
    found = {
        "format": FORMAT,
        "title": title,
        "page": page.path,
        "files": dict(files),
        "parts": [{"anchor": part.anchor, "line": part.line} for part in page.parts],
        "blocks": [_block(page, block) for block in page.blocks],
        "recordings": file.to_json(),
    }
    return json.dumps(found, ensure_ascii=False) + "\n"


def _fresh(page: Page, recording: Recording) -> Recording:
    """What a recording says of the page's blocks as they are."""
    found = (recording.find(page, block.index) for block in page.blocks)
    entries = (one.entry for one in found if one.state in (State.FRESH, State.UNUSED))
    return replace(recording, entries=tuple(entry for entry in entries if entry))


def _block(page: Page, block: Block) -> dict[str, Any]:
    written = read_info(block.fence, page.path, page.settings)[1]
    options = {key: value for key, value in written.items() if key in known_options()}
    kept = {key: getattr(block, key) for key in KEPT}
    return kept | {"options": options, "skips_main": block.options.skips_main}


def without_pictures(output: Output) -> Output:
    """The output with an empty figure for each of its own: how many it draws is all that is compared elsewhere."""
    return replace(output, figures=(Figure("", ""),) * len(output.figures))


def published(data: str) -> Published:
    """What such a file says. Raises PublishedError."""
    try:
        return _published(read(data, PUBLISHED, FORMAT))
    except FormatError:
        raise PublishedError("this page was published by another version of samedevice; install that version") from None
    except (ValueError, PageError) as error:
        raise PublishedError(f"this is no page that samedevice can check: {error}") from None


def _published(found: dict[str, Any]) -> Published:
    path = found["page"]
    if not DEFAULTS.is_page(path):
        raise SchemaError(f"is {path}, which is no page", "page")
    for inner, outer in ((name, str(above)) for name in found["files"] for above in PurePosixPath(name).parents):
        if outer in found["files"]:
            raise SchemaError(f"are wrong: {inner} is below {outer}, which is a file", "files")
    blocks = tuple(_read_block(one, path, index) for index, one in enumerate(found["blocks"]))
    parts = tuple(Part(path, one["anchor"], one["line"]) for one in found["parts"])
    page = Page(path, "", blocks, parts=parts)
    recordings = from_json(found["recordings"], lambda _: "").recordings()
    return Published(found["title"], page, found["files"], tuple(_printed(page, block, recordings) for block in blocks))


def _printed(page: Page, block: Block, recordings: Sequence[Recording]) -> Printed:
    """What environments printed for a block."""
    found = ((one.environment, one.find(page, block.index).output) for one in recordings)
    return tuple((about, without_pictures(output)) for about, output in found if output)


def _read_block(found: dict[str, Any], page: str, index: int) -> Block:
    fence = Fence(found["line"], 0, found["line"], "", "```", found["kind"], "")
    options = read_options(dict(found["options"]), page, found["line"], SETTINGS)
    options = replace(options, skips_main=found["skips_main"])
    return Block(page=page, index=index, **{key: found[key] for key in KEPT}, options=options, fence=fence)
