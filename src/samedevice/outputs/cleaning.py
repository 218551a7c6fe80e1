"""cleaning: what a block printed, without what differs from run to run, and with control characters made visible."""

from __future__ import annotations

import re

LIMIT = 20_000
"""Characters of text kept of one block; what goes beyond is cut, and the cut is stated."""
READ = 4 * LIMIT
"""Bytes or characters of an output that are looked at, before colours and the like are dropped from it."""
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
ADDRESS = re.compile(r"(?<=[ =(])0x[0-9a-fA-F]{6,16}\b")
REPR = re.compile(
    r"<(?=[a-zA-Z_])[^<>\n]*>"  # <object object at 0x7f3c2c5d9e30>
    r"|(?<=>)[\w.]* at 0x[0-9a-fA-F]+(?=[>,;:])"  # what follows a name in brackets: <function f.<locals>.g at 0x...>
    r"|^ *frame #\d.*|^(?:Current thread|Thread) 0x.*",  # a trace of C++, or of a process that crashed
    re.M,
)
"""What holds addresses of memory. A hexadecimal number elsewhere is a result, and stays."""
URL = r"(?<=\w)://[^\s'\"<>`]*"
"""An address of the web, from its colon on."""
BEFORE, AFTER = r"(?:(?<![^\s'\"`(\[{<>=,;|])|(?<=[^\w]:))", r"(?![\w~+@%-]|\.\w)"
"""What is before a path and after it, where it is not a part of a longer one."""
ROOT = re.compile(r"(?:[A-Za-z]:)?[/\\]*")
"""The root of a disk. Every path begins with it, so that it says nothing about this machine."""
TRIGGERED = re.compile(r" ?\(Triggered internally at [^()\n]*\)")
LOGGED = re.compile(r"(?<!\w)\[?([IWEF])\d{4} \d\d:\d\d:\d\d\.\d+ (?:\d+ )?([\w./]+):\d+\]")
"""How PyTorch's log begins a line: level, day, time, in Python the process, place in its source."""
GLOO = re.compile(
    r"(?:\[Gloo\] Rank | is connected to | peer ranks\. |Expected number of connected peer ranks is : |\d)*"
)
"""A line of what gloo prints in PyTorch 2.9, piece by piece, so that the lines of two processes may be mixed. Each
digit is a piece: were a number one, a long number could be read in very many ways, and all of them would be tried."""
PICTURES = {code: chr(0x2400 + code) for code in range(32) if chr(code) not in "\n\t"} | {127: "\u2421"}
UNSEEN = (*range(0x80, 0xA0), 0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
VISIBLE = PICTURES | {code: f"<U+{code:04X}>" for code in UNSEEN}


def clean(text: str, places: dict[str, str], more: int = 0) -> str:
    """Printed text as it is kept: without what differs from run to run, and with control characters made visible.

    Those of ASCII become their pictures (`␀`), those of Latin-1 and those that turn the direction of text their
    numbers (`<U+202E>`). Carriage returns do what they do on a terminal, colours are dropped, addresses in the reprs of
    objects become `0x...`, PyTorch's log keeps level and file of each line (`[W Context.cpp]`) and neither time nor
    process, what gloo says of its connections is dropped, each key of `places` (a path of this machine) becomes its
    value.
    `more` is how many bytes follow the text that were not read.
    """
    text, more = text[:READ], more + len(text[READ:])
    text = text.encode("utf-8", "backslashreplace").decode()
    text = COLOUR.sub("", text.replace("\r\n", "\n"))
    text = "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
    text = _without_places(text, places)
    text = _without_gloo(text)
    text = LOGGED.sub(r"[\1 \2]", REPR.sub(lambda found: ADDRESS.sub("0x...", found[0]), TRIGGERED.sub("", text)))
    return cut(text.translate(VISIBLE), more)


def _without_places(text: str, places: dict[str, str]) -> str:
    """The text with the names of these places. Only whole paths are replaced: no part of a longer one, or of a URL."""
    named = tuple(place for place in places if place in text and not ROOT.fullmatch(place))
    if not named:
        return text
    return _places(named).sub(lambda match: places[match["place"]] if match["place"] else match[0], text)


def _places(places: tuple[str, ...]) -> re.Pattern[str]:
    """Finds these paths, the longest first, and the URLs in which they are left as they are."""
    ends = {True: r"(?=[\w.<])", False: AFTER}
    each = "|".join(
        re.escape(place) + ends[place.endswith(("/", "\\"))] for place in sorted(places, key=len, reverse=True)
    )
    return re.compile(rf"{URL}|{BEFORE}(?P<place>{each})")


def _without_gloo(text: str) -> str:
    """The text without gloo's lines: as many as `[Gloo]` was printed, some of which may be empty or end in the next."""
    kept, open_lines = [], 0
    for line in text.split("\n"):
        begun = line.count("[Gloo] Rank ")
        if (begun or open_lines) and GLOO.fullmatch(line):
            open_lines += begun - 1
        else:
            kept.append(line)
            open_lines = 0
    return "\n".join(kept)


def cut(text: str, more: int = 0) -> str:
    """The text, or its first LIMIT characters and how many are missing (`more` of them already are)."""
    missing = max(0, len(text) - LIMIT) + more
    return f"{text[:LIMIT]}\n[{missing:,} more characters, not kept]" if missing else text
