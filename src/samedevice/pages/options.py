"""Options: what an author may say on a fence, read from its first line and checked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from samedevice.devices import DEVICES, LABELS
from samedevice.errors import Complaints, PageError
from samedevice.pages.fences import Fence
from samedevice.project import HOME, PROGRAMS, Settings

PYTHON = ("python", "py", "python3", "py3")
LOOKALIKES = {
    "pycon": "python",
    "ipython": "python",
    "ipython3": "python",
    "bash": "console",
    "sh": "console",
    "shell": "console",
    "zsh": "console",
    "shell-session": "console",
}
OURS = "samedevice"
"""The language of the fences that a build writes into pages."""
OPTIONS = {
    'title="..."': "a caption, passed on to the renderer",
    'hl_lines="2 4-6"': "lines to highlight, passed on to the renderer",
    'file="snippets/x.py"': "the fence is empty, and the file is run as a program",
    'part="name"': "with `file`: the lines between `# region name` and `# endregion` are run as a block of the page",
    'args="--epochs 2"': "with `file`: the program's arguments",
    'needs="cuda"': "the block runs only there; also `2 cuda`, `mps`, `cpu`, `torch>=2.15`, `cuda torch>=2.11,<2.14`",
    'raises="ValueError"': "the block must raise this or a subclass; `cuda: RuntimeError` on that device alone",
    'numbers="vary"': "numbers are shown, and only the text around them is compared",
    'alt="..."': "what the block's figure shows; a block that draws must say it",
    'compare="cuda"': "that device's output is beside the CPU's",
    "setup": "imports and the device: the block runs first in every section of its page",
    'after="anchor"': "on a section's first block: that section's blocks run before it, silently",
    'fold="Plotting code"': "the output comes first, and the code is in a closed box with this title below it",
    'run="no"': "the block is shown and not run; it must say why",
    'reason="..."': "why it is not run, which the page shows",
}
"""What an author may write on a fence, as an example of each, and what it means."""
OPTION = re.compile(r"\s*(?P<key>[A-Za-z_][\w-]*)=(?P<quote>[\"'])(?P<value>.*?)(?P=quote)(?=\s|$)")
FOREIGN = re.compile(r"\s*(?P<key>[.#]?[\w:-]+)(?:=(?P<value>\"[^\"]*\"|'[^']*'|[^\s\"']+))?(?=\s|$)")
"""An option of another tool: `linenums="1"`, `exec`, `.annotate`."""
INFO = re.compile(r"\.?(?P<language>[\w#.+-]+)?(?=\s|\{|$)\s*(?P<rest>.*)$")
NEEDS = re.compile(r"(?:(?:(?P<count>\d+)\s+)?(?P<device>(?!torch\b)\w+))?\s*(?:torch\s*(?P<versions>\S.*))?$")
NEEDS_ADVICE = 'use cuda, mps or cpu, "2 cuda" for two, "torch>=2.15" for a version, or "cuda torch>=2.15"'
VERSIONS = re.compile(r"\s*(?P<sign>>=|<)\s*(?P<major>\d+)\.(?P<minor>\d+)\s*$")
RELEASE = re.compile(r"(?P<major>\d+)\.(?P<minor>\d+)")
VERSIONS_ADVICE = 'write torch>=2.15, torch<2.14, or both, as in "torch>=2.11,<2.14"'
LINES = re.compile(r"\d+(?:-\d+)?(?: +\d+(?:-\d+)?)*$")


KNOWN = tuple(example.partition("=")[0] for example in OPTIONS)
"""The names of the options."""
WORDS = tuple(example for example in OPTIONS if "=" not in example)
"""Those that are a bare word."""


@dataclass(frozen=True)
class Options:
    """What an author may say on a fence."""

    title: str = ""
    """A caption, passed on to the renderer."""
    hl_lines: str = ""
    """Lines to highlight, passed on to the renderer."""
    file: str = ""
    """The block's code is this file under the repository root."""
    part: str = ""
    """Only this region of `file`, run in the page's own process."""
    args: str = ""
    """Command line of the program that `file` is."""
    needs: str = ""
    """The only device that the block runs on: cpu, cuda or mps; empty for all."""
    count: int = 1
    """How many devices of that kind the block needs."""
    versions: str = ""
    """The versions of PyTorch that the block needs: `>=2.15`, `<2.14` or `>=2.11,<2.14`; empty for all."""
    raises: tuple[tuple[str, str], ...] = ()
    """Pairs of device ("" for every device) and name of the exception class that the block raises there."""
    numbers_vary: bool = False
    """Numbers differ from run to run, so that only the text around them is compared."""
    alt: str = ""
    """What the block's figure shows, for those who cannot see it."""
    compare: str = ""
    """A device whose output stands beside the CPU's; where it has not run the block, that is said."""
    setup: bool = False
    """The block runs first in every section."""
    after: str = ""
    """The anchor of the section whose blocks run before this section."""
    fold: str = ""
    """Title of the closed box that the code is shown in, below its output; empty where the code comes first."""
    reason: str = ""
    """Why the block is never run, which its page says; empty where it is run."""
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


def read_info(fence: Fence, page: str, settings: Settings = HOME) -> tuple[str, dict[str, str]]:
    """Language and options of a fence's first line: `python title="x"`, `{.python title="x"}`."""
    info = fence.info
    if info.startswith("{") and info.endswith("}"):
        info = info[1:-1].strip()
    match = INFO.match(info)
    if match is None:
        raise PageError(page, fence.line, f'cannot read "{fence.info}"; write a language, then key="value" options')
    language, rest = match["language"] or "", match["rest"].strip()
    if rest.startswith("{") and rest.endswith("}"):
        rest = rest[1:-1].strip()
    if not settings.console and language not in (*PYTHON, OURS):
        return "text", {}
    meant = LOOKALIKES.get(language.lower(), language.lower())
    if meant in (*PYTHON, "console") and language not in (*PYTHON, "console"):
        raise PageError(page, fence.line, f'"{language}" would not be run; write {meant} or text')
    if language == OURS:
        raise PageError(page, fence.line, f'a build writes the fences named "{OURS}"; choose another language')
    values, at, hint = {}, 0, _foreign_hint(settings)
    while at < len(rest):
        option = OPTION.match(rest, at)
        other = FOREIGN.match(rest, at)
        if other is not None and other["key"] in settings.foreign:
            values[other["key"]] = (other["value"] or "").strip("\"'")
            at = other.end()
            continue
        if other is not None and other["value"] is None and other["key"] in WORDS:
            values[other["key"]] = other["key"]
            at = other.end()
            continue
        if option is None:
            raise PageError(page, fence.line, f'cannot read "{rest[at:].strip()}"; write options as key="value"{hint}')
        if option["key"] in values:
            raise PageError(page, fence.line, f"{option['key']}= is given twice; keep one of them")
        values[option["key"]] = option["value"]
        at = option.end()
    return language, values


def read_options(values: dict[str, str], page: str, line: int, settings: Settings = HOME) -> Options:
    """Check the options of a block and give them their types. Raises PageError or PageErrors for what is wrong."""
    complaints = Complaints()
    foreign = {key: values.pop(key) for key in list(values) if key in settings.foreign}
    for complaint in _complaints(values, settings):
        complaints.add(PageError(page, line, complaint))
    needs, count, versions, raises = "", 1, "", tuple[tuple[str, str], ...]()
    with complaints.collecting():
        needs, count, versions = _needs(values.get("needs", ""), page, line)
    with complaints.collecting():
        raises = _raises(values.get("raises", ""), page, line)
    complaints.settle()
    passed = ("title", "hl_lines", "file", "part", "args", "alt", "compare", "after", "fold", "reason")
    plain = {key: values[key] for key in passed if key in values}
    vary = "numbers" in values
    others = tuple(foreign.items())
    return Options(
        **plain,
        needs=needs,
        count=count,
        versions=versions,
        raises=raises,
        numbers_vary=vary,
        setup="setup" in values,
        foreign=others,
    )


def _foreign_hint(settings: Settings) -> str:
    """What to do about an option that another tool knows; this site has none."""
    return "" if settings == HOME else "; if another tool knows it, list it below foreign: in mkdocs.yml"


def _complaints(values: dict[str, str], settings: Settings) -> Iterator[str]:
    """What is wrong with the options of a block, but for needs= and raises=."""
    for key in values:
        if key not in KNOWN:
            yield f'unknown option {key}="{values[key]}"; known are {", ".join(KNOWN)}{_foreign_hint(settings)}'
    if values.get("run", "no") != "no":
        yield f'run="{values["run"]}" is unknown; write run="no" reason="..." or leave it out'
    if ("run" in values) != bool(values.get("reason", "").strip()):
        yield 'a block that is not run says why, and no other does; write run="no" reason="..."'
    if values.get("setup", "setup") != "setup":
        yield f'setup="{values["setup"]}" is unknown; write the word setup alone'
    if values.keys() & {"setup", "after"} and settings.namespace == "page":
        yield "setup and after= go with sections; set namespace: section of the plugin in mkdocs.yml"
    if values.get("numbers", "vary") != "vary":
        yield f'numbers="{values["numbers"]}" is unknown; write numbers="vary" or leave it out'
    if ("part" in values or "args" in values) and "file" not in values:
        yield f'part= and args= say what to do with a file; add file="{PROGRAMS}/..."'
    if "part" in values and "args" in values:
        yield "a part is run as a block of the page and takes no args=; leave one of them out"
    if "compare" in values and values["compare"] not in DEVICES[1:]:
        yield f'compare="{values["compare"]}" names no device beside the CPU; use cuda or mps'
    if "hl_lines" in values and not LINES.match(values["hl_lines"]):
        yield f'hl_lines="{values["hl_lines"]}" names no lines; write hl_lines="2" or hl_lines="1-3 5"'


def _needs(value: str, page: str, line: int) -> tuple[str, int, str]:
    """The device, how many of it, and the versions of PyTorch that a block needs."""
    match = NEEDS.match(value)
    device = match["device"] or "" if match else ""
    if match is None or device not in ("", *DEVICES) or match["count"] == "0":
        raise PageError(page, line, f'needs="{value}" names no device; {NEEDS_ADVICE}')
    versions = (match["versions"] or "").strip()
    if not all(VERSIONS.match(part) for part in versions.split(",") if versions):
        raise PageError(page, line, f'needs="{value}" names no version of PyTorch; {VERSIONS_ADVICE}')
    return device, int(match["count"] or 1), versions


def _raises(value: str, page: str, line: int) -> tuple[tuple[str, str], ...]:
    pairs: list[tuple[str, str]] = []
    for part in filter(None, (part.strip() for part in value.split(","))):
        device, _, name = part.rpartition(":")
        device, name = device.strip(), name.strip()
        if device and device not in DEVICES:
            raise PageError(page, line, f'raises="{value}": {device} names no device; use cuda, mps or cpu')
        if not name.isidentifier():
            raise PageError(page, line, f'raises="{value}" names no exception; write raises="RuntimeError"')
        if any(device == where or not (device and where) for where, _ in pairs):
            raise PageError(page, line, f'raises="{value}" names two exceptions for one device; keep one of them')
        pairs.append((device, name))
    return tuple(pairs)
