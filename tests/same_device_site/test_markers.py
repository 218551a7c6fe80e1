"""The parts of pages that are made from all pages: how they are filled in, and what those of this site promise."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from same_device_site.api_names import names
from same_device_site.api_table import Catalogue, catalogue, misused
from same_device_site.error_index import Entry, entries
from same_device_site.error_sections import ErrorSection, Evidence, Proof, error_sections, pattern
from same_device_site.markers import Reference, fill
from same_device_site.settings import parse_page
from same_device_site.site import Site, link
from same_device_site.status import status
from same_device_site.tested import Claimed
from samedevice.devices import DEVICES
from samedevice.errors import PageError
from samedevice.integration.summary import elsewhere
from samedevice.outputs.recording_files import Recordings
from samedevice.outputs.recordings import block_statuses, count_blocks
from samedevice.pages.page import Page
from samedevice.project import NOTEBOOK, RECORDINGS
from samedevice.weaving.prose import title

Write = Callable[..., Page]
ROOT = Path(__file__).parents[2]
SAMPLES = Path(__file__).parents[1].joinpath("samples") / "reference"
MESSAGES = json.loads((SAMPLES / "messages.json").read_text(encoding="utf-8"))
NUMBERS = sorted({one["number"] for one in MESSAGES})
RESOLVE = """
import importlib, inspect, re, sys, warnings
warnings.simplefilter("ignore")
import torch
for name in sys.stdin.read().split():
    found, parts = torch, name.split(".")[1:]
    try:
        for number, part in enumerate(parts, start=1):
            if not hasattr(found, part):
                importlib.import_module(".".join(["torch", *parts[:number]]))
            found = getattr(found, part)
    except (AttributeError, ImportError):
        print("absent", name)
        continue
    text = inspect.getdoc(found) or "" if callable(found) else ""
    if re.search(r"\\bis deprecated\\b", text[:600]):
        print("deprecated", name)
    if not inspect.isclass(found) and not inspect.isroutine(found):
        print("constant", name)
"""
WARNED = re.compile(r"Warning: (?P<names>`?torch\.[^\n]*?) (?:is|are) (?:now )?deprecated")
"""A warning that begins with the names that it is about."""
OLDEST = "2.9.1"
"""The oldest PyTorch that is recorded."""


@pytest.fixture(scope="module")
def site() -> Site:
    """The site's own pages with their recordings."""
    paths = sorted(path for path in (ROOT / "docs").rglob("*") if path.suffix in (".md", NOTEBOOK))
    pages = tuple(parse_page(path, ROOT) for path in paths)
    files = Recordings(ROOT, RECORDINGS)  # one: it reads all files to look for the outputs of a block that was moved
    recordings = {page.path: files.load(page)[0] for page in pages}
    return Site(pages, recordings, {page.path: names(page) for page in pages})


@pytest.fixture(scope="module")
def index(site: Site) -> list[Entry]:
    """The index of errors."""
    return entries(site)


def seen(index: list[Entry]) -> Iterator[tuple[ErrorSection, Evidence]]:
    """Each section of each message of the index with its evidence."""
    return (one for entry in index if not entry.silent for one in entry.found)


def about(index: list[Entry], message: str) -> list[Entry]:
    """The entries for a message, which may be cut short in the index or as it is given."""
    wanted = pattern(message)
    return [one for one in index if not one.silent and (wanted.search(one.text) or pattern(one.text).search(message))]


def address(section: ErrorSection) -> str:
    """Where a section is, below the site's address, as the search has it."""
    return f"{section.page.name}/" + ("" if section.main else f"#{section.id}")


def test_every_section_about_an_error_has_an_id_of_its_own(site: Site) -> None:
    """The index has it, and old addresses lead there."""
    ids = [(page.path, section.id) for page in site.pages for section in error_sections(page)]
    assert [one for one in ids if not one[1].startswith("err-")] == []
    assert [one for one, number in Counter(ids).items() if number > 1] == []


def test_every_message_is_given_by_a_block_of_its_section(index: list[Entry]) -> None:
    """If this fails, PyTorch says something else now, or the heading is not what the block gives: mend the heading.

    A message that no machine of ours can raise needs a link to a source in its section.
    """
    assert [f"{section}: {section.title}" for section, found in seen(index) if found.proof is Proof.GONE] == []


def test_every_message_without_a_block_is_listed(index: list[Entry]) -> None:
    """A block that no longer warns must not turn its message into one that is only cited.

    If it is really so, list the section in tests/samples/reference/cited.txt.
    """
    cited = {f"{s.page.name}#{s.id}" for s, found in seen(index) if found.proof is Proof.CITED}
    assert cited == set((SAMPLES / "cited.txt").read_text(encoding="utf-8").split())


@pytest.mark.parametrize("number", NUMBERS)
def test_each_message_that_was_asked_for_is_on_the_index(number: int, index: list[Entry]) -> None:
    """The checklist that the site was written from has 51 messages; a failure without one is named by its section."""
    ids = {address(section) for entry in index for section, _ in entry.found}
    missing = [
        one["text"]
        for one in MESSAGES
        if one["number"] == number
        and not (one["sections"][0] in ids if "sections" in one else about(index, one["text"]))
    ]
    assert missing == []


def test_the_checklist_is_whole() -> None:
    """A message that is taken out of it would not be missed."""
    assert list(range(1, 52)) == NUMBERS


def test_deprecated_names_are_used_only_to_show_that_they_are(site: Site) -> None:
    """A reader copies code from everywhere else. The block has to show the warning, or the error."""
    known = catalogue(ROOT)
    assert [f"{block}: {name}" for page in site.pages for block, name in misused(page, site, known)] == []


@pytest.fixture(scope="module")
def looked_up(site: Site) -> list[tuple[str, str]]:
    """What the installed PyTorch says of each name that pages use: absent, deprecated or constant."""
    used = {name for found in site.names.values() for name in found}
    code = [sys.executable, "-c", RESOLVE]
    done = subprocess.run(code, input="\n".join(sorted(used)), capture_output=True, text=True, check=True)
    return [(kind, name) for kind, name in map(str.split, done.stdout.splitlines())]


def test_every_name_is_in_pytorch_and_none_is_deprecated_without_our_knowing(looked_up: list[tuple[str, str]]) -> None:
    """A name that is not there was found wrongly; PyTorch's own descriptions say what is deprecated.

    Names that a CPU build lacks are left out.
    """
    known = catalogue(ROOT)
    wrong = [(kind, name) for kind, name in looked_up if kind != "constant" and "._C." not in name]
    assert [(kind, name) for kind, name in wrong if not known.version(name).deprecated] == []


def test_no_constant_has_a_page_of_its_own(looked_up: list[tuple[str, str]]) -> None:
    """PyTorch's documentation generates pages of functions and classes alone, so the link would be dead."""
    known = catalogue(ROOT)
    constants = [name for kind, name in looked_up if kind == "constant"]
    assert {"torch.pi", "torch.float32"} <= set(constants)
    assert [name for name in constants if "/generated/" in known.page(name)] == []


def test_no_name_that_pytorch_warned_about_is_called_stable(site: Site) -> None:
    """In any recorded version and device. "indexing with dtype torch.uint8 is deprecated" is not about the dtype."""
    known = catalogue(ROOT)
    outputs = [
        status.output.shown
        for page in site.pages
        for block in page.blocks
        for device in DEVICES
        for simulated in (False, True)
        for status in block_statuses(page, block.index, device, site.recordings[page.path], simulated)
        if status.output
    ]
    warned = {
        name
        for text in outputs
        for one in WARNED.finditer(text)
        for name in re.findall(r"torch(?:\.\w+)+", one["names"])
    }
    assert {"torch.jit.trace", "torch.quint8", "torch.range"} <= warned
    used = {name for found in site.names.values() for name in found}
    assert [name for name in sorted(warned & used) if not known.version(name).deprecated] == []


def test_a_name_that_only_newer_versions_have_says_since_when(site: Site) -> None:
    """A block that the oldest recorded version runs would fail there, so a newer name is in blocks that need more."""
    known = catalogue(ROOT)
    old, every = set(), set()
    for page in site.pages:
        for name, blocks in site.names[page.path].items():
            every.add(name)
            old |= {name for index in blocks if page.blocks[index].options.takes(OLDEST)}
    assert "torch.cpu.get_capabilities" in every - old
    assert [name for name in sorted(every - old) if not known.version(name).since] == []


def test_the_status_has_the_numbers_of_the_summary_of_pytest(site: Site) -> None:
    """On the site's own pages: what pytest says on a machine with a CPU alone."""
    markdown = status(Page("docs/about/status.md", "", ()), site, [])
    recorded = [(page, site.recordings[page.path]) for page in site.pages]
    lines = (line.partition(": ") for line in elsewhere(recorded, ("cpu",)))
    told = {device: rest for device, _, rest in lines}
    for device in ("cuda", "mps"):
        lacking = []
        for page in site.pages:
            counted = count_blocks(page, device, site.recordings[page.path])
            if counted.stale or counted.missing:
                lacking.append(counted)
                row = rf"\| {re.escape(link(Page('docs/about/x.md', '', ()), page))} \| {counted.blocks} \|"
                assert re.search(row, markdown.split(f"{{ #{device} ")[1].split("\n## ")[0])
        numbers = {kind: sum(getattr(one, kind) for one in lacking) for kind in ("stale", "missing")}
        states = ", ".join(f"{number} {kind}" for kind, number in numbers.items() if number)
        assert told[device].startswith(f"{states} of {sum(one.blocks for one in lacking)} blocks, on ")


def filled(page: Page) -> str:
    """The text of a page with its markers filled, on a site that has this page alone."""
    return fill(page, page.text, Reference(Site((page,), {}, {page.path: names(page)}), Catalogue({}, {}), Claimed()))


def test_a_marker_is_replaced_by_what_it_asks_for(write: Write) -> None:
    """The page stands around it as the author wrote it; blocks may stand before it."""
    page = write("# Names\n\n```python\nimport torch\ntorch.add\n```\n\n<!-- samedevice: apis -->\n\nAfter.\n")
    table = (
        "| Name | Status | Used on |\n| --- | --- | --- |\n| `torch.add` | stable, not documented | [page](page.md) |"
    )
    assert filled(page) == page.text.replace("<!-- samedevice: apis -->", table)


def test_a_marker_that_a_fence_shows_is_text(write: Write) -> None:
    """A page on writing pages shows one, unknown ones too."""
    shown = "```text\n<!-- samedevice: status -->\n<!-- samedevice: any -->\n```\n"
    assert filled(write(shown)) == shown
    made = filled(write(f"{shown}\n<!-- samedevice: apis -->\n\n{shown}"))
    assert made.count(shown) == 2
    assert "<!-- samedevice: apis -->" not in made


def test_an_unknown_marker_is_an_error(write: Write) -> None:
    """The author reads page, line and what to do."""
    reference = Reference(Site((), {}, {}), Catalogue({}, {}), Claimed())
    page = write("# A\n\n<!-- samedevice: error -->\n")
    known = "errors, apis, claims, figures, options, proof, settings, status, versions"
    with pytest.raises(PageError, match=rf'^docs/page\.md:3: "error" is unknown; write {known}$'):
        fill(page, page.text, reference)


def test_a_page_is_called_by_its_heading() -> None:
    """With its code and without its id; a notebook's heading is a comment."""
    assert title(Page("docs/x.md", "---\na: b\n---\n# The `x` { #y }\n", ())) == "The `x`"
    assert title(Page("docs/x.py", "# %% [markdown]\n# # Notebook\n", ())) == "Notebook"
    assert title(Page("docs/a/x.md", "No heading\n", ())) == "a/x"
