"""attacks_on_runs: cases of `make attack` about cleaning, time, changed entries of recordings, and the fork server."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random

from attacks import ABOUT, HERE, PIECES, VALUES, page_in, printed, recording_of, save, unescaped, weave_plainly

from samedevice.devices import torch_build
from samedevice.errors import RecordingError
from samedevice.files import write_atomically
from samedevice.outputs import escaping
from samedevice.outputs.cleaning import READ, clean
from samedevice.outputs.comparison import same_text
from samedevice.outputs.environments import Environment
from samedevice.outputs.figures import figure_fault
from samedevice.outputs.output import Output
from samedevice.outputs.recording_files import Recordings, place
from samedevice.outputs.schema import RECORDING, SchemaError, read
from samedevice.project import RECORDINGS
from samedevice.running.section_runner import SectionRunner
from samedevice.weaving.panes import ShownOutput

PLACES = {"/srv/": "", "/srv": ".", "/": "", "/opt/a b/": "", "/opt/a b": "."}
LIGHT = HERE.parents[1] / "tests/samples/light"
NEWER = Environment("cpu", "EPYC 9B14", "2.15.0+cu132", "3.11.7", "", "2026-11-22", "2.4.6")

Pair = tuple[str, str]


def cleaned_pair(chance: Random) -> Pair:
    """A word as a block prints it, and as it is kept."""
    digits = "".join(chance.choices("0123456789abcdef", k=chance.randint(1, 40)))
    below = chance.choice(["x.py", "docs/page.md", "a-b", "srv/x", "..."])
    kinds: list[Pair] = [
        (f"0x{digits}", f"0x{digits}"),
        (f"<a.b object at 0x{digits[:12]:0>6}>", "<a.b object at 0x...>"),
        (f"https://example.org/srv/{below}", f"https://example.org/srv/{below}"),
        (f"file:///srv/{digits}", f"file:///srv/{digits}"),
        (f"/home/srv/{below}", f"/home/srv/{below}"),
        (f"/srv{digits}", f"/srv{digits}"),
        (f"/srv/{digits}.py", f"{digits}.py"),
        ("'/srv'", "'.'"),
        (f"/srvs/{below}", f"/srvs/{below}"),
        (str(int(digits, 16)), str(int(digits, 16))),
        (f"-{chance.random()}e-{chance.randint(1, 400)}", ""),
        (f"\x1b[{chance.randint(0, 99)}m{digits}\x1b[0m", digits),
        (f"gone\r{digits}", digits),
        ("\x00\x1b", "␀␛"),
        ("\u202e", "<U+202E>"),
        (f"a{digits}://srv/", f"a{digits}://srv/"),
    ]
    raw, kept = chance.choice(kinds)
    return raw, kept or raw


def cleaning(chance: Random, folder: Path) -> None:
    """Of what a block prints only places, addresses of objects, colours and returns are lost; results stay."""
    pairs = [cleaned_pair(chance) for _ in range(chance.randint(1, 40))]
    given, kept = ("\n".join(words) for words in zip(*pairs, strict=True))
    found = clean(given, PLACES)
    lines = zip(found.split("\n"), kept.split("\n"), strict=False)
    assert found == kept, next(pair for pair in lines if len({*pair}) > 1)
    assert clean(found, PLACES) == found


UNITS = [*"<>&;:/.,-+#@%'\"`()[]{}0123456789abcxef \n\t\r\x1b\x00", *"e- 0x <!-- :// url(".split(), " at ", "frame #"]
SECONDS = 2.0
"""Processor time for a text of the greatest length; what grows with its square takes minutes."""


def grown(chance: Random, size: int = READ) -> str:
    """A text of one size: some pieces again and again, between two others."""
    begin, end = (chance.choice(["", *UNITS, *PIECES])[:300] for _ in range(2))
    unit = "".join(chance.choice([*UNITS, *PIECES])[:300] for _ in range(chance.randint(1, 4)))
    return f"{(begin + unit * (size // len(unit) + 1))[: size - len(end)]}{end}"


def altered(chance: Random, text: str) -> str:
    """The text with each of some words replaced, at places that are the same distance apart, or anywhere."""
    parts = re.split(r"(\s+|\b)", text)
    step = chance.choice([2, 3, 7, 20, 100])
    anywhere = chance.choices(range(len(parts)), k=len(parts) // step)
    for at in anywhere if chance.random() < 0.5 else range(0, len(parts), step):
        parts[at] = chance.choice(["", "c", "c d", "\n"])
    return "".join(parts)


def within(work: Callable[[], object]) -> None:
    """Fail if the work takes much processor time."""
    start = time.process_time()
    work()
    taken = time.process_time() - start
    assert taken < SECONDS, f"{taken:.1f} s"


def times(chance: Random, folder: Path) -> None:
    """Whatever reads foreign text does it in a time that grows with its length and no faster."""
    text = grown(chance)
    within(lambda: clean(text, PLACES))
    within(lambda: same_text(text, f"{text} "))
    within(lambda: same_text(text, f" {text}", numbers_vary=True))
    kept = clean(text, PLACES)
    for name in ("html", "markdown", "python_comment", "terminal", "xml", "url"):
        within(partial(getattr(escaping, name), kept))
    for svg in ("{}", "<svg>{}</svg>", '<svg d="{}"/>', '<svg style="{}"/>', "<svg><style>{}</style></svg>"):
        within(partial(figure_fault.__wrapped__, svg.replace("{}", text)))
    page, other = page_in(folder), altered(chance, kept[:20_000])
    shown = ShownOutput("cpu", Output(kept[:20_000]), ABOUT)
    for newer in (kept[1:20_000], other):
        pair = [shown, ShownOutput("cpu", Output(newer), NEWER)]
        within(partial(weave_plainly, page, {0: pair, 1: []}))
    within(lambda: schema(chance, text))


def schema(chance: Random, text: str) -> None:
    """Read a recording with this text in one of its fields."""
    about: dict[str, object] = {"device": "cpu", "name": "a", "torch": "2.13.0", "python": "3.11.7"}
    block: dict[str, object] = {"code": "0" * 16, "line": "x", "read": {"x": "0" * 16}, "printed": {"0" * 16: ["cpu"]}}
    output: dict[str, object] = {"text": "y"}
    section: dict[str, object] = {"anchor": "a", "blocks": [block]}
    given: dict[str, object] = {"format": 3, "environments": {"cpu": about}, "setup": [], "sections": [section]}
    given["outputs"] = {"0" * 16: output}
    into = chance.choice([about, block, section, given, output])
    into[chance.choice([*into, text[:200]])] = chance.choice([text, *VALUES])
    with contextlib.suppress(SchemaError):
        read(json.dumps(given), RECORDING)


def edits(chance: Random, folder: Path) -> None:
    """A change of one character in a page's file is told: no output is another one, and none has another environment.

    What follows from other code, or from another file that was read, is stale; who changes that can hide an output.
    """
    page, same = page_in(folder), [printed(chance), printed(chance)]
    made = ([one if chance.random() < 0.7 else printed(chance) for one in same] for _ in range(2))
    files = save(folder, page, *(recording_of(page, *pair) for pair in zip(made, (ABOUT, NEWER), strict=True)))
    path = place(files.folder, page)
    before, _ = files.load(page)
    shown = {one.environment: [one.find(page, block.index).output for block in page.blocks] for one in before}
    assert all(one is not None for found in shown.values() for one in found)
    text = path.read_text(encoding="utf-8")
    at = chance.randrange(len(text))
    other = chance.choice("0123456789abcdefx<\n ")
    write_atomically(path, text[:at] + other + text[at + 1 :])
    with_errors, errors = Recordings(folder, RECORDINGS).load(page)
    by_name = {about.folder: found for about, found in shown.items()}
    for one in with_errors:
        for block in page.blocks:
            found = one.find(page, block.index).output
            kept = by_name[one.environment.folder][block.index]
            assert found in (None, kept), (one.environment.folder, at, text[at], other)
    assert (not with_errors) == bool(errors)
    assert all(isinstance(error, RecordingError) for error in errors)


DEATHS = unescaped(HERE / "deaths.txt")
"""Code that kills what it can reach."""
FINE = "```python\nprint(1)\n```\n"


@contextlib.contextmanager
def running(folder: Path) -> Iterator[SectionRunner]:
    """Runs pages with a stand-in for PyTorch, which takes no time to import."""
    light = folder / "light"
    (light / "torch").mkdir(parents=True)
    for file in (LIGHT / "torch").glob("*.py"):
        (light / "torch" / file.name).write_bytes(file.read_bytes())
    (light / "torch/version.py").write_text(f"__version__ = {torch_build().version!r}\n", encoding="utf-8")
    before = os.environ.get("PYTHONPATH", "")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(light), before]))
    try:
        with SectionRunner(folder, time_limit=5, workers=1) as runner:
            yield runner
    finally:
        os.environ["PYTHONPATH"] = before


def server(chance: Random, folder: Path) -> None:
    """A block that kills what it can reach is told, with its page, and the pages after it run."""
    fine = page_in(folder, "fine", FINE)
    with running(folder) as runner:
        for number in range(2):
            code = "import os, signal, sys, time\n" + "\n".join(chance.choices(DEATHS, k=chance.choice([1, 1, 2])))
            killer = page_in(folder, f"killer{number}", f"```python\n{code}\n```\n\n{FINE}")
            outputs = runner.run(killer, "cpu").outputs
            assert None not in outputs, code
            assert [one and one.shown for one in runner.run(fine, "cpu").outputs] == ["1"], code


REPLACED = """json.dumps json.dump json.JSONEncoder.encode json.JSONEncoder.iterencode json.JSONEncoder.default
os.write os.fstat os.ftruncate os.getpid os.dup2 re.sub re.compile ast.parse io.StringIO io.open traceback.format_exc
linecache.checkcache inspect.getsource shlex.split itertools.islice contextlib.suppress
functools.partial warnings.formatwarning""".split()
FORGED = '{"done": 0, "output": {"text": "forged"}}'


def forging(chance: Random, folder: Path) -> None:
    """A block that puts something else in the place of what the engine uses has its own output, or an error."""
    with running(folder) as runner:
        for number in range(4):
            names = chance.choices(REPLACED, k=chance.choice([1, 1, 3]))
            lines = [f"{name} = lambda *given, **more: {FORGED!r}" for name in names]
            modules = ", ".join(dict.fromkeys(name.partition(".")[0] for name in names))
            code = "\n".join([f"import {modules}", *lines, "print('real')"])
            page = page_in(folder, f"forger{number}", f"```python\n{code}\n```\n\n{FINE}")
            for text, output in zip(("real\n", "1\n"), runner.run(page, "cpu").outputs, strict=True):
                assert output is not None, code
                assert output.text == text or output.raised or output.died, code
                assert "forged" not in output.text, code


ON_RUNS: dict[str, Callable[[Random, Path], None]] = {
    one.__name__: one for one in (cleaning, times, edits, *((server, forging) if sys.platform == "linux" else ()))
}
