"""attacks: what `make attack` does. Each gets a source of chance and an empty folder, and fails if something hurts."""

from __future__ import annotations

import ast
import contextlib
import gzip
import io
import json
import re
import sys
import tarfile
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import date
from html.parser import HTMLParser
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "gpu"))

from markdown_it import MarkdownIt
from unpacking import LARGEST, ArchiveError, unpack

from samedevice.exporting.check_export import PublishedError, check_export, published
from samedevice.exporting.exports import exports
from samedevice.integration.check import CheckError, plan
from samedevice.outputs import escaping
from samedevice.outputs.cleaning import LIMIT, clean
from samedevice.outputs.comparison import difference, same_text
from samedevice.outputs.environments import Environment
from samedevice.outputs.figures import ELEMENTS, SHAPES, figure_fault
from samedevice.outputs.output import Figure, Output, Raised, digest
from samedevice.outputs.recording_files import Recordings, place
from samedevice.outputs.recordings import Recording, update
from samedevice.pages.page import Page
from samedevice.pages.parsing import parse_page
from samedevice.project import RECORDINGS
from samedevice.weaving.panes import ShownOutput
from samedevice.weaving.weave import weave, woven_outputs

ABOUT = Environment("cpu", "EPYC 9B14", "2.13.0+cpu", "3.11.7", "", "2026-11-21", "2.4.6")
TEXT = '# Page\n\n```python\nx = 1\nx\n```\n\nText.\n\n```python alt="A line."\ndraw(x)\n```\n'
HERE = Path(__file__).parent
SVG = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">{}</svg>'


def unescaped(path: Path) -> list[str]:
    """The lines of a file, each with its escapes replaced."""
    return [line.encode().decode("unicode_escape") for line in path.read_text(encoding="ascii").splitlines()]


PIECES = unescaped(HERE.parents[1] / "tests/samples/injection/pieces.txt") + unescaped(HERE / "pieces.txt")
PIECES += ["x" * 3_000, "1" * 500, " " * 500]
VALUES: list[Any] = [None, True, -1, 10**30, 1.5, "", [], {}, [[]], {"a": 1}, "cpu", "0" * 20, "2.13.0+cpu"]
CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def words(chance: Random, most: int = 8) -> str:
    """Text that means harm."""
    found = (chance.choice(PIECES) * chance.choice([1, 1, 1, 2, 50]) for _ in range(chance.randint(0, most)))
    return "".join(found)[:90_000]


def printed(chance: Random) -> Output:
    """An output as a block may make it."""
    texts = [clean(words(chance), {"/INJECTED": ""}) for _ in range(3)]
    raised = Raised("E", texts[2]) if chance.random() < 0.5 else None
    return Output(texts[0], texts[1] if chance.random() < 0.5 else "", raised)


def page_in(folder: Path, name: str = "page", text: str = TEXT) -> Page:
    """A page with this text: two blocks unless it is given."""
    path = folder / f"docs/{name}.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return parse_page(path, folder)


def recording_of(page: Page, outputs: Sequence[Output], about: Environment = ABOUT) -> Recording:
    """What an environment printed for the page."""
    found = update(None, page, about, outputs)
    assert found is not None
    return found


def save(folder: Path, page: Page, *made: Recording) -> Recordings:
    """Write the page's file of an empty repository."""
    files = Recordings(folder, RECORDINGS)
    for one in made:
        files.save(page, one)
    return files


def spoilt(chance: Random, found: Any) -> Any:
    """Data of JSON with some of its values replaced, removed, repeated or moved."""
    if chance.random() < 0.03:
        return chance.choice([*VALUES, words(chance), words(chance)])
    if isinstance(found, dict):
        kept = {key: spoilt(chance, value) for key, value in found.items() if chance.random() > 0.01}
        return kept | ({words(chance, 2): chance.choice(VALUES)} if chance.random() < 0.02 else {})
    if isinstance(found, list):
        kept_items = [spoilt(chance, one) for one in found if chance.random() > 0.01]
        return kept_items * chance.choice([1] * 60 + [2, 300])
    return found


def bytes_of(chance: Random, found: Any) -> bytes:
    """Data as a file, with a few of its bytes changed now and then."""
    data = bytearray(json.dumps(found, ensure_ascii=chance.random() < 0.5).encode("utf-8", "surrogatepass"))
    for _ in range(chance.choice([0, 0, 0, 1, 5])):
        data[chance.randrange(len(data))] = chance.randrange(256)
    return bytes(data[: chance.choice([len(data)] * 9 + [chance.randrange(len(data))])])


class Seen(HTMLParser):
    """The names of the elements of a page, and of their attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note them."""
        self.names |= {tag, *(f"{tag} {name}" for name, _ in attrs)}


def names_in(code: str) -> set[str]:
    """All names that code uses, imports and strings included."""
    found = {part.name for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Import) for part in node.names}
    return found | {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}


def check_downloads(page: Page, shown: dict[int, list[ShownOutput]]) -> None:
    """Hold that outputs and environments are text in each form of the page."""
    made = exports(page, shown)
    assert names_in(made["py"]) <= {"x", "draw", "print", "repr", "sys", "torch"}
    html = MarkdownIt().parse(made["md"])
    parts = (part for one in html for part in [one, *(one.children or ())])
    assert not any(part.type in ("html_block", "html_inline", "image") for part in parts)
    json.loads(made["ipynb"])
    plain = Output("a", "b", Raised("E", "c"), (Figure(SVG.format("<g/>"), ""),))
    benign = {index: [ShownOutput("cpu", plain, ABOUT)] for index in shown}
    seen = Seen(weave_plainly(page, shown)).names - Seen(weave_plainly(page, benign)).names
    assert seen <= {"mark", "span", "span class", "p", "p class", "p data-search-exclude", "pre data-wrap"}, seen


def weave_plainly(page: Page, shown: dict[int, list[ShownOutput]]) -> str:
    """The outputs of a page as HTML."""
    return "".join(woven_outputs(weave(page, shown, {})))


def outputs(chance: Random, folder: Path) -> None:
    """Outputs are cleaned, recorded, read again, compared, escaped and downloaded as they are."""
    page, found = page_in(folder), [printed(chance), printed(chance)]
    recording = recording_of(page, found)
    assert save(folder, page, recording).load(page) == ((recording,), [])
    for one in found:
        assert len(one.text) <= LIMIT + 100
        assert not CONTROLS.search(one.shown)
        assert not difference(one, one)
        difference(one, found[0], chance.random() < 0.5)
        assert same_text(one.text, found[0].text) == same_text(found[0].text, one.text)
    check_downloads(page, {index: [ShownOutput("cpu", one, ABOUT)] for index, one in enumerate(found)})


def recordings(chance: Random, folder: Path) -> None:
    """A file that somebody changed, with names that match, is refused or does no harm."""
    page = page_in(folder)
    figure = Output(figures=(Figure(SVG.format("<g/>"), "A line."),))
    files = save(folder, page, recording_of(page, [printed(chance), figure]))
    path = place(files.folder, page)
    found = spoilt(chance, json.loads(path.read_text(encoding="utf-8")))
    with contextlib.suppress(TypeError, KeyError, AttributeError, ValueError):
        if chance.random() < 0.8:
            forge(chance, found)
    path.write_bytes(bytes_of(chance, found))
    recordings, errors = files.load(page)
    assert recordings == () or not errors
    for one in recordings:
        date.fromisoformat(one.environment.day or "2026-11-28")
        known = [one.find(page, block.index).output for block in page.blocks]
        check_downloads(page, {at: [ShownOutput("cpu", each, one.environment)] for at, each in enumerate(known)})


def forge(chance: Random, found: Any) -> None:
    """Change what a file says of an environment or of an output, with the name that follows from it everywhere."""
    old, about = next(iter(found["environments"].items()))
    day = "20{}{}-{}{}-{}{}".format(*chance.choices("0123", k=6))
    said = {chance.choice(list(asdict(ABOUT))): words(chance)} if chance.random() < 0.7 else {"day": day}
    changed = Environment(**about | said)
    names = {old: changed.folder} if chance.random() < 0.5 else {}
    hash, output = chance.choice(list(found["outputs"].items()))
    output[chance.choice(["text", "value", "died"])] = words(chance)
    names[hash] = digest(output)
    text = json.dumps(found | {"environments": {old: changed.to_json() if old in names else about}})
    for name, other in names.items():
        text = text.replace(json.dumps(name), json.dumps(other))
    found.clear()
    found.update(json.loads(text))


def pages(chance: Random, folder: Path) -> None:
    """A published page that somebody changed is refused, or its files stay below their folder, and its list is text."""
    page = page_in(folder)
    made = recording_of(page, [printed(chance), printed(chance)])
    text = check_export(page, "Title", {"snippets/x.py": "1"}, [made])
    data = bytes_of(chance, spoilt(chance, json.loads(text)))
    try:
        found = published(data.decode(errors="replace"))
        said = "\n".join(plan(found, "cpu"))
        found.page.hashes("cpu")
    except (PublishedError, CheckError) as error:
        said, found = str(error), None
    assert not CONTROLS.search(escaping.terminal(said))
    for name in (*found.files, *(block.path for block in found.page.blocks)) if found else ():
        assert (folder / name).resolve().is_relative_to(folder.resolve()), name


KINDS = [tarfile.REGTYPE] * 6
KINDS += [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.CHRTYPE, tarfile.GNUTYPE_SPARSE]
PARTS = [*"tests recordings tests/recordings .. . a cpu-2.13.0+cpu x.json é \\ C:".split(), "", "d" * 200]


def archives(chance: Random, folder: Path) -> None:
    """An archive writes regular files below its folder, or is refused."""
    with tarfile.open(folder / "x.tar.gz", "w:gz", compresslevel=1) as packed:
        for _ in range(chance.randint(0, 8)):
            good = f"{RECORDINGS.as_posix()}/{chance.choice('abc')}/{chance.choice('abc')}.json"
            name = good if chance.random() < 0.7 else "/".join(chance.choices(PARTS, k=chance.randint(1, 30)))
            member = tarfile.TarInfo(name)
            member.type = chance.choice(KINDS)
            member.linkname = "/".join(chance.choices(PARTS, k=chance.randint(1, 6)))
            member.size = chance.choice([0, 5, 5, 600, LARGEST + 1]) if member.isreg() else 0
            packed.addfile(member, io.BytesIO(bytes(member.size)))
    if chance.random() < 0.3:
        data = bytearray(gzip.decompress((folder / "x.tar.gz").read_bytes()))
        for _ in range(chance.randint(1, 20)):
            data[chance.randrange(min(len(data), 5_000))] = chance.randrange(256)
        (folder / "x.tar.gz").write_bytes(gzip.compress(bytes(data), 1))
    (folder / "in").mkdir()
    with contextlib.suppress(ArchiveError):
        unpack(folder / "x.tar.gz", folder / "in/out")
    assert {path.name for path in folder.iterdir()} == {"x.tar.gz", "in"}
    assert {path.name for path in (folder / "in").iterdir()} <= {"out"}
    for path in (folder / "in").rglob("*"):
        assert not path.is_symlink()
        assert path.is_dir() or path.suffix in (".json", ".svg", ".log"), path


TAGS = [*ELEMENTS - {"svg"}, "script", "a", "foreignObject", "animate", "set", "iframe", "svg", "S", "style"]
ATTRIBUTES = "id fill style clip-path href xlink:href onload d transform width class filter".split()
REFERRED = ["#{}", "url(#{})", "fill: url(#{})", "//example.org/#{}", "1", "{}", "a() b()", "data:,{}"]
REFERRED += ["javascript:alert(1)"]


def drawn(chance: Random, depth: int = 0) -> str:
    """A made-up part of a figure."""
    tag = chance.choice(TAGS if chance.random() < 0.05 else ["g", "use", "path", "defs", "pattern", "clipPath", "text"])
    about = ""
    if chance.random() < 0.5:
        name = chance.choice(ATTRIBUTES if chance.random() < 0.1 else ["fill", "href", "clip-path"])
        value = chance.choice(REFERRED if chance.random() < 0.1 else REFERRED[:2])
        about = f' {name}="{value.format(chance.choice("abcdefgh"))}"'
    about += f' id="{chance.choice("abcdefgh")}"' if chance.random() < 0.5 else ""
    inside = "".join(drawn(chance, depth + 1) for _ in range(chance.randint(0, 4))) if depth < 6 else ""
    inside += words(chance, 1) if chance.random() < 0.01 else ""
    return f"<{tag}{about}>{inside}</{tag}>"


def nested(chance: Random) -> str:
    """Parts of a figure of which each refers several times to the one before, in one of the ways there are."""
    inner = ['<use href="#n{}"/>', '<path fill="url(#n{})"/>', '<g style="clip-path: url(#n{})"/>']
    kinds = chance.choices(inner, k=chance.randint(1, 9))
    parts = (f'<g id="n{at + 1}">{kind.format(f"{at}") * chance.randint(1, 12)}</g>' for at, kind in enumerate(kinds))
    return '<g id="n0"><path/></g>' + "".join(parts)


def expanded(svg: str) -> int:
    """How many elements a figure makes, counted one by one; at most twice the limit."""
    from xml.etree import ElementTree as ET

    root = ET.fromstring(svg)
    by_id = {element.get("id"): element for element in reversed(list(root.iter())) if element.get("id")}
    waiting, count = [root], 0
    while waiting and count < 2 * SHAPES:
        element = waiting.pop()
        count += 1
        referred = (found for value in element.attrib.values() for found in re.findall(r"#([\w.-]+)", value))
        waiting += [*element, *(by_id[name] for name in referred if name in by_id)]
    return count


def figures(chance: Random, folder: Path) -> None:
    """A figure that may be on a page has no element that acts, and makes a browser draw a limited number of shapes."""
    made = (nested(chance) if chance.random() < 0.2 else drawn(chance) for _ in range(chance.randint(1, 3)))
    svg = SVG.format("".join(made))
    if figure_fault(svg):
        return
    assert expanded(svg) <= SHAPES
    names = Seen(svg).names
    assert {name.partition(" ")[0] for name in names} <= {element.lower() for element in ELEMENTS}
    assert not any(" on" in name for name in names)
    assert not re.search(r"javascript:|//example|data:(?!image/png)", svg)


ATTACKS: dict[str, Callable[[Random, Path], None]] = {
    one.__name__: one for one in (outputs, recordings, pages, archives, figures)
}
