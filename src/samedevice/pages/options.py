"""options: the first line of a fence to `Options`, and what is wrong with it: what an author may say there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import Field, dataclass, field, fields
from functools import cached_property, partial
from typing import Any

from samedevice.devices import DEVICES, LABELS
from samedevice.errors import Complaints, PageError
from samedevice.pages import conventions
from samedevice.pages.fences import Fence
from samedevice.project import DEFAULTS, PROGRAMS, Settings

PYTHON = ("python", "py", "python3", "py3")
TRANSCRIPTS = ("pycon", "pycon3")
"""The languages of transcripts: code after `>>>`, and what it prints."""
FIGURE = "A figure"
"""What the figure of a block shows that says nothing of it, where that is no error."""
RUN = "run"
"""The word on the fences that are ours, in a project that says so."""
LOOKALIKES = {
    "pycon": "python",
    "pycon3": "python",
    "ipython": "python",
    "ipython3": "python",
    "bash": "console",
    "sh": "console",
    "shell": "console",
    "zsh": "console",
    "shell-session": "console",
}
BESIDE = f"names no device beside the CPU; use {' or '.join(DEVICES[1:])}"
RUN_ADVICE = 'is unknown; write run="no" reason="...", the word run, or leave it out'
SIMULATED_ADVICE = 'is unknown; write simulated="no" reason="...", or simulated="yes"'
OURS = "samedevice"
"""The language of the fences that a build writes into pages."""
OPTION = re.compile(r"\s*(?P<key>[A-Za-z_][\w-]*)=(?P<quote>[\"'])(?P<value>.*?)(?P=quote)(?=\s|$)")
FOREIGN = re.compile(r"\s*(?P<key>[.#]?[\w:-]+)(?:=(?P<value>\"[^\"]*\"|'[^']*'|[^\s\"']+))?(?=\s|$)")
"""An option of another tool: `linenums="1"`, `exec`, `.annotate`."""
INFO = re.compile(r"\.?(?P<language>[\w#.+-]+)?(?=\s|\{|$)\s*(?P<rest>.*)$")
RELEASE = re.compile(r"(?P<major>\d+)\.(?P<minor>\d+)")
NAMES = f"{', '.join(DEVICES[1:])} or {DEVICES[0]}"
"""The devices, as an author may name them: `cuda, mps or cpu`."""
NEEDS = re.compile(r"(?:(?:(?P<count>\d+)\s+)?(?P<device>(?!torch\b)\w+))?\s*(?:torch\s*(?P<versions>\S.*))?$")
NEEDS_ADVICE = f'use {NAMES}, "2 cuda" for two, "torch>=2.15" for a version, or "cuda torch>=2.15"'
VERSIONS_ADVICE = 'write torch>=2.15, torch<2.14, or both, as in "torch>=2.11,<2.14"'
LINES = re.compile(r"\d+(?:-\d+)?(?: +\d+(?:-\d+)?)*$")
VERSIONS = re.compile(r"\s*(?P<sign>>=|<)\s*(?P<major>\d+)\.(?P<minor>\d+)\s*$")

Read = Callable[[str], dict[str, Any]]
"""Reads a value as written, and gives fields of `Options` with their values. Raises ValueError for what is wrong."""


def read_word(name: str, field: str, meant: Mapping[str, Any], advice: str) -> Read:
    """Reads an option that can have some values only; `meant` has for each of them the value of the `field`."""

    def read(value: str) -> dict[str, Any]:
        if value not in meant:
            raise ValueError(f'{name}="{value}" {advice}')
        return {field: meant[value]}

    return read


def read_lines(value: str) -> dict[str, Any]:
    """Numbers of lines, and ranges of them."""
    if not LINES.match(value):
        raise ValueError(f'hl_lines="{value}" names no lines; write hl_lines="2" or hl_lines="1-3 5"')
    return {"hl_lines": value}


def read_needs(value: str) -> dict[str, Any]:
    """The device, how many of it, and the versions of PyTorch that a block needs."""
    match = NEEDS.match(value)
    device = match["device"] or "" if match else ""
    if match is None or device not in ("", *DEVICES) or match["count"] == "0":
        raise ValueError(f'needs="{value}" names no device; {NEEDS_ADVICE}')
    versions = (match["versions"] or "").strip()
    if not all(VERSIONS.match(part) for part in versions.split(",") if versions):
        raise ValueError(f'needs="{value}" names no version of PyTorch; {VERSIONS_ADVICE}')
    return {"needs": device, "count": int(match["count"] or 1), "versions": versions}


def read_raises(value: str) -> dict[str, Any]:
    """The exceptions that a block must raise, each on one device or on all."""
    pairs: list[tuple[str, str]] = []
    for part in filter(None, (part.strip() for part in value.split(","))):
        device, _, name = part.rpartition(":")
        device, name = device.strip(), name.strip()
        if device and device not in DEVICES:
            raise ValueError(f'raises="{value}": {device} names no device; use {NAMES}')
        if not name.isidentifier():
            raise ValueError(f'raises="{value}" names no exception; write raises="RuntimeError"')
        if any(device == where or not (device and where) for where, _ in pairs):
            raise ValueError(f'raises="{value}" names two exceptions for one device; keep one of them')
        pairs.append((device, name))
    return {"raises": tuple(pairs)}


def option(example: str, meaning: str, *, default: Any = "", read: Read | None = None, output: bool = False) -> Any:
    """A field of `Options`, which is the one table of options: another option is one more field.

    `example` is how an author writes it, and `meaning` what it does. A whole number as its default makes it one.
    `read` is needed where the value is something else than that, or the text as written. `output` is whether it can
    change what a block prints, so that its change makes a recording stale.
    """
    return field(default=default, metadata={"example": example, "meaning": meaning, "read": read, "output": output})


@dataclass(frozen=True)
class Options:
    """What an author may say on a fence: the table of options."""

    title: str = option('title="..."', "a caption, passed on to the renderer")
    hl_lines: str = option('hl_lines="2 4-6"', "lines to highlight, passed on to the renderer", read=read_lines)
    file: str = option('file="snippets/x.py"', "the fence is empty, and the file is run as a program")
    part: str = option(
        'part="name"',
        "with `file`: the lines between `# region name` and `# endregion` are run as a block of the page",
    )
    args: str = option('args="--epochs 2"', "with `file`: the program's arguments", output=True)
    needs: str = option(
        'needs="cuda"',
        "the block runs only there; also `2 cuda`, `mps`, `cpu`, `torch>=2.15`, `cuda torch>=2.11,<2.14`",
        read=read_needs,
        output=True,
    )
    count: int = field(default=1, metadata={"output": True})
    """How many devices of the kind that it needs."""
    versions: str = field(default="", metadata={"output": True})
    """The versions of PyTorch that it needs: `>=2.15`, `<2.14` or `>=2.11,<2.14`; empty for all."""
    raises: tuple[tuple[str, str], ...] = option(
        'raises="ValueError"',
        "the block must raise this or a subclass; `cuda: RuntimeError` on that device alone",
        default=(),
        read=read_raises,
        output=True,
    )
    """Pairs of device ("" for every device) and name of the exception class that the block raises there."""
    numbers_vary: bool = option(
        'numbers="vary"',
        "numbers are shown, and only the text around them is compared",
        default=False,
        read=read_word("numbers", "numbers_vary", {"vary": True}, 'is unknown; write numbers="vary" or leave it out'),
        output=True,
    )
    alt: str = option(
        'alt="..."', "what the block's figure shows; with `console: true`, a block that draws must say it"
    )
    compare: str = option(
        'compare="cuda"',
        "that device's output is beside the CPU's",
        read=read_word("compare", "compare", {one: one for one in DEVICES[1:]}, BESIDE),
    )
    setup: bool = option(
        "setup",
        "imports and the device: the block runs first in every section of its page",
        default=False,
        read=read_word("setup", "setup", {"": True}, "is unknown; write the word setup alone"),
    )
    after: str = option('after="anchor"', "on a section's first block: that section's blocks run before it, silently")
    fold: str = option(
        'fold="Plotting code"', "the output comes first, and the code is in a closed box with this title below it"
    )
    run: str = option(
        'run="no"',
        "the block is shown and not run; it must say why. The word `run` alone has run what is left alone otherwise: "
        'fences with `fences: run`, what starts a server or a program, and what is below `if __name__ == "__main__":`',
        read=read_word("run", "run", {"": "yes", "no": "no"}, RUN_ADVICE),
    )
    simulated: str = option(
        'simulated="no"',
        'the block does not run on a simulated device; it must say why; "yes" with numbers="vary": it measures '
        "nothing, and what a simulated device prints is taken",
        read=read_word("simulated", "simulated", {"no": "no", "yes": "yes"}, SIMULATED_ADVICE),
    )
    reason: str = option('reason="..."', "why it is not run, or not simulated, which the page shows")
    skips_main: bool = field(default=False, metadata={"output": True})
    """Whether what is below `if __name__ == "__main__":` is not run."""
    foreign: tuple[tuple[str, str], ...] = ()
    """Options of other tools, passed on to the renderer."""

    @property
    def needed(self) -> str:
        """What the block needs, in words: `2 devices with CUDA and PyTorch 2.15 or newer`; empty if nothing."""
        label = LABELS[self.needs] if self.needs else ""
        device = f"{self.count} devices with {label}" if self.count > 1 else label
        words = {">=": "{}.{} or newer", "<": "older than {}.{}"}
        version = " and ".join(words[sign].format(*release) for sign, release in self.bounds)
        return " and ".join(filter(None, (device, version and f"PyTorch {version}")))

    def takes(self, torch: str) -> bool:
        """Whether the block runs with this version of PyTorch; an empty one means any. 2.15.0.dev1 counts as 2.15."""
        if not torch or not self.versions:
            return True
        found = RELEASE.match(torch)
        if found is None:
            return False
        release = (int(found["major"]), int(found["minor"]))
        return all((release >= bound) == (sign == ">=") for sign, bound in self.bounds)

    @cached_property
    def bounds(self) -> list[tuple[str, tuple[int, int]]]:
        """Signs and releases of `versions`: `>=2.11,<2.14` is `>=` (2, 11) and `<` (2, 14)."""
        parts = (VERSIONS.match(part) for part in self.versions.split(","))
        return [(part["sign"], (int(part["major"]), int(part["minor"]))) for part in parts if part]

    def raises_on(self, device: str) -> str:
        """Name of the exception class that the block must raise on `device`; empty if it must not raise."""
        return next((name for where, name in self.raises if where in ("", device)), "")


def read_info(fence: Fence, page: str, settings: Settings = DEFAULTS) -> tuple[str, dict[str, str]]:
    """Language and options of a fence's first line: `python title="x"`, `{.python title="x"}`."""
    info = fence.info
    if info.startswith("{") and info.endswith("}"):
        info = info[1:-1].strip()
    match = INFO.match(info)
    if match is None and not settings.console and not conventions.NAMED.match(info):
        return "text", {}  # it names no language: superfences shows it as text, with these options
    if match is None:
        raise PageError(page, fence.line, f'cannot read "{fence.info}"; write a language, then key="value" options')
    language, rest = match["language"] or "", match["rest"].strip()
    if not settings.console and not _is_ours(language, rest, settings):
        return "text", {}
    language = language if settings.console else language.lower()
    if rest.startswith("{") and rest.endswith("}"):
        rest = rest[1:-1].strip()
    meant = LOOKALIKES.get(language.lower(), language.lower())
    if settings.console and meant in (*PYTHON, "console") and language not in (*PYTHON, "console"):
        raise PageError(page, fence.line, f'"{language}" would not be run; write {meant} or text')
    if language == OURS:
        raise PageError(page, fence.line, f'a build writes the fences named "{OURS}"; choose another language')
    values, at = {}, 0
    words = [example for example in option_meanings() if "=" not in example] + [RUN]
    while at < len(rest):
        option = OPTION.match(rest, at)
        other = FOREIGN.match(rest, at)
        if other is not None and _passes(other["key"], settings):
            values[other["key"]] = (other["value"] or "").strip("\"'")
            at = other.end()
            continue
        if other is not None and other["value"] is None and other["key"] in words:
            values[other["key"]] = ""
            at = other.end()
            continue
        if option is None:
            raise PageError(
                page,
                fence.line,
                f'cannot read "{rest[at:].strip()}"; write options as key="value"{_foreign_hint(settings)}',
            )
        if option["key"] in values:
            raise PageError(page, fence.line, f"{option['key']}= is given twice; keep one of them")
        values[option["key"]] = option["value"]
        at = option.end()
    return language, values


def read_options(values: dict[str, str], page: str, line: int, settings: Settings = DEFAULTS) -> Options:
    """Check the options of a block and give them their types. Raises PageError or PageErrors for what is wrong."""
    complaints, found = Complaints(), dict[str, Any]()
    foreign = {key: values.pop(key) for key in list(values) if _passes(key, settings)}
    for complaint in _complaints(values, settings):
        complaints.add(PageError(page, line, complaint))
    for key, one in known_options().items():
        if key in values:
            try:
                found |= (one.metadata["read"] or partial(_plain, one))(values[key])
            except ValueError as error:
                complaints.add(PageError(page, line, str(error)))
    complaints.raise_all()
    if not settings.console:
        found.setdefault("alt", FIGURE)
    return Options(**found, foreign=tuple(foreign.items()))


def _plain(one: Field[Any], value: str) -> dict[str, Any]:
    """The value of an option that has no reader of its own."""
    if type(one.default) is not int:
        return {one.name: value}
    if not re.fullmatch(r"-?\d{1,9}", value):
        raise ValueError(f'{one.name}="{value}" is no whole number; write {one.metadata["example"]}')
    return {one.name: int(value)}


def known_options() -> dict[str, Field[Any]]:
    """The fields of `Options` that an author may write, by the name to write."""
    found = (one for one in fields(Options) if "example" in one.metadata)
    return {one.metadata["example"].partition("=")[0]: one for one in found}


def option_meanings() -> dict[str, str]:
    """What an author may write on a fence, as an example of each, and what it means."""
    return {one.metadata["example"]: one.metadata["meaning"] for one in known_options().values()}


def _is_ours(language: str, rest: str, settings: Settings) -> bool:
    """Whether a fence is one that the project wants run, or one that a build wrote."""
    if language == OURS:
        return True
    if language.lower() not in (*PYTHON, *TRANSCRIPTS) or language in settings.custom or conventions.why_left(rest):
        return False
    return settings.fences == "all" or conventions.words(rest).get(RUN) == ""


def _passes(key: str, settings: Settings) -> bool:
    """Whether an option is another tool's."""
    return key in settings.foreign or (not settings.console and conventions.passes(key))


def _foreign_hint(settings: Settings) -> str:
    """What to do about an option that another tool knows; a project that holds every fence to the rules has none."""
    return "" if settings.console else "; if another tool knows it, list it below foreign: in mkdocs.yml"


def _complaints(values: dict[str, str], settings: Settings) -> Iterator[str]:
    """What is wrong with the options of a block beside their values: unknown ones, and such as do not go together."""
    known = known_options()
    for key in values:
        if key not in known:
            yield f'unknown option {key}="{values[key]}"; known are {", ".join(known)}{_foreign_hint(settings)}'
    left_out = [f'{key}="no"' for key in ("run", "simulated") if values.get(key) == "no"]
    if len(left_out) != bool(values.get("reason", "").strip()) and values.get("run", "no") == "no":
        what = left_out[0] if len(left_out) == 1 else 'run="no"'
        yield f'a block that is not run, or not simulated, says why, and no other does; write {what} reason="..."'
    if values.get("simulated") == "yes" and "numbers" not in values:
        yield 'simulated="yes" goes with numbers="vary", since all other outputs are taken anyway; leave it out'
    if values.keys() & {"setup", "after"} and settings.namespace == "page":
        yield "setup and after= go with sections; set namespace: section of the plugin in mkdocs.yml"
    if ("part" in values or "args" in values) and "file" not in values:
        yield f'part= and args= say what to do with a file; add file="{PROGRAMS}/..."'
    if "part" in values and "args" in values:
        yield "a part is run as a block of the page and takes no args=; leave one of them out"
