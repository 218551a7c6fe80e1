"""errorindex: every error of every page, by its message, as Markdown."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from same_device_site.error_sections import VARIES, ErrorSection, Evidence, Proof, error_sections, evidence
from same_device_site.fits import fits
from same_device_site.site import Site, link
from samedevice import LABELS, Page, anchor, fence_mark, replace_links

PREFIX = re.compile(r"^\w*(?:Error|Warning|Exception): ")
WORDS = 4
"""Words that a message must have to be taken for a longer one that is cut short."""
STRONGEST = list(Proof)
"""What stands behind a message, the best first."""
ENDS = (".", ".)", "!", "?")
"""What ends a sentence at the end of a line."""
CITATION = re.compile(r"\s*\((?:[^()]*\[[^]]*\]\(https?:[^()\s]*\))+[^()]*\)")
"""A parenthesis with links to other sites, which are on the page that the entry leads to."""
UNSEEN = {
    Proof.SIMULATED: "Seen on a simulated device only.",
    Proof.WAITING: "Not recorded yet.",
    Proof.CITED: "Cited.",
    Proof.GONE: "No block raises it now.",
}
"""What an entry says if no real device gave its message."""


@dataclass(frozen=True)
class Entry:
    """One message of the index, or one failure without a message, with the sections that are about it."""

    text: str
    """The message; for a failure without a message what happens, as Markdown."""
    silent: bool
    """Whether there is no message."""
    found: tuple[tuple[ErrorSection, Evidence], ...]
    """The sections: the main one first, else the one with the best evidence. The text is that section's own."""

    @property
    def proof(self) -> Proof:
        """The best of what is behind it."""
        return min((seen.proof for _, seen in self.found), key=STRONGEST.index)

    @property
    def id(self) -> str:
        """Where the entry can be linked to: the id of its section, whose second message has an id of its own."""
        section, _ = self.found[0]
        first = self.silent or self.text == section.messages[0]
        return section.id if first and section.id else self.own_id

    @property
    def own_id(self) -> str:
        """An id that follows from the message alone."""
        return anchor(normal(self.text), "error")

    @property
    def shown(self) -> str:
        """Its text as Markdown."""
        return self.text if self.silent else _code(self.text)


def entries(site: Site) -> list[Entry]:
    """The index: one entry for each message, in the order of what a reader would paste, then those without one."""
    spoken: dict[str, list[tuple[str, ErrorSection, Evidence]]] = {}
    silent: list[Entry] = []
    for page in site.pages:
        recordings = site.recorded(page)
        for section in error_sections(page):
            for message in section.messages:
                seen = evidence(section, message, recordings)
                spoken.setdefault(normal(message), []).append((message, section, seen))
            if not section.messages:
                silent.append(Entry(section.title, True, ((section, Evidence(Proof.RAISED, "")),)))
    merged = [_entry(group) for group in _merged(spoken).values()]
    return sorted(merged, key=lambda entry: _order(entry.text)) + sorted(silent, key=lambda entry: _order(entry.text))


def normal(message: str) -> str:
    """A message without what differs from one occurrence to the next, and without its class."""
    text = VARIES.sub("#", " ".join(PREFIX.sub("", message).split()))
    return re.sub(r"[\"'`]|[.!]$", "", text).lower()


def _merged(
    spoken: Mapping[str, list[tuple[str, ErrorSection, Evidence]]],
) -> dict[str, list[tuple[str, ErrorSection, Evidence]]]:
    """The sections by messages, one entry for a message and its longer form: each follows those of the shorter."""
    found: dict[str, list[tuple[str, ErrorSection, Evidence]]] = {}
    shorter: list[str] = []
    for key in sorted(spoken):
        shorter = [other for other in shorter if key.startswith(other)]
        known = next((other for other in shorter if cut_short(other, key)), key)
        shorter.append(known)
        found.setdefault(known, []).extend(spoken[key])
    return found


def cut_short(short: str, long: str) -> bool:
    """Whether one message, `normal` as the other, is the other one cut short after a word.

    Of two dotted names that begin alike, such as `torch` and `torch._six`, none is the other one cut short.
    """
    goes_on = re.match(r"\.?\w", long[len(short) :])
    return long.startswith(short) and not goes_on and len(short.split()) >= WORDS


def _entry(group: Sequence[tuple[str, ErrorSection, Evidence]]) -> Entry:
    best = sorted(group, key=lambda one: (not one[1].main, STRONGEST.index(one[2].proof)))
    once = {(section.page.path, section.line): (section, seen) for _, section, seen in reversed(best)}
    return Entry(best[0][0], False, tuple(reversed(once.values())))


def _order(text: str) -> str:
    return re.sub(r"^\W+", "", PREFIX.sub("", text.strip("`"))).lower()


def error_index(page: Page, found: Sequence[Entry]) -> str:
    """The Markdown of the index, as it stands on `page`."""
    spoken, silent = [one for one in found if not one.silent], [one for one in found if one.silent]
    ids = entry_ids(found)
    parts: list[str] = []

    def item(entry: Entry) -> str:
        return _item(entry, page, ids[entry])

    for letter, group in groupby(spoken, key=lambda entry: _letter(entry.text)):
        parts += [f"## {letter} {{ #{_anchor(letter)} data-search-exclude }}", *map(item, group)]
    if silent:
        parts += ["## No message { #no-message data-search-exclude }", *map(item, silent)]
    if told := told_fits(found):
        text = json.dumps(told, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
        parts.append(f'<script type="application/json" id="sd-fits">{text}</script>')
    return "\n\n".join(parts)


def entry_ids(found: Sequence[Entry]) -> dict[Entry, str]:
    """The id of each entry on the page of the index, where no two are equal."""
    ids = Counter(entry.id for entry in found)
    return {entry: entry.id if ids[entry.id] == 1 else entry.own_id for entry in found}


def told_fits(found: Sequence[Entry]) -> dict[str, list[dict[str, Any]]]:
    """For each entry that some page tells more of: its sections, as addresses, with what says that one of them fits."""
    ids, told = entry_ids(found), {}
    for entry in found:
        sections = []
        for section, _ in entry.found:
            page, ids_there = section.page, [one.id for one in error_sections(section.page)]
            fit = fits(page, ids_there).get(section.id)
            at = page.name + ("" if section.main else f"#{section.id}")
            sections.append({"at": at, **(fit.to_json() if fit else {})})
        if any(len(one) > 1 for one in sections):
            told[ids[entry]] = sections
    return told


def _letter(text: str) -> str:
    first = _order(text)[:1].upper()
    return first if first.isalpha() else "0-9"


def _anchor(letter: str) -> str:
    return f"messages-{letter.lower()}" if letter.isalpha() else "messages-0-9"


def _item(entry: Entry, page: Page, id: str) -> str:
    """A term, which links to the page about it, and its definition. Its links and sources are on that page."""
    section, seen = entry.found[0]
    named = seen.name and not entry.silent and not entry.text.startswith(f"{seen.name}:")
    lines = [f"{seen.name}."] * bool(named)
    lines += _first_sentence(replace_links(CITATION.sub("", section.prose), lambda _: None)).split("\n")
    others = dict.fromkeys(link(page, one.page) for one, _ in entry.found[1:] if one.page is not section.page)
    lines += [" ".join(["" if entry.silent else _told(seen), f"Also: {', '.join(others)}" if others else ""]).strip()]
    term = link(page, section.page, "" if section.main else section.id, entry.shown)
    return f"{term} {{ #{id} }}\n:   " + "\n    ".join(line for line in lines if line)


def _code(text: str) -> str:
    """A message as a code span, whatever stands in it."""
    ticks = fence_mark(text, least=1)
    blank = " " if text[:1] == "`" or text[-1:] == "`" else ""
    return f"{ticks}{blank}{text}{blank}{ticks}"


def _told(seen: Evidence) -> str:
    """Where a message came, if only some versions gave it; what stands in place of that, if no real device did."""
    where = " and ".join(f"{LABELS[device]} with PyTorch {seen.versions(device)}" for device in seen.devices)
    return UNSEEN.get(seen.proof, "" if seen.everywhere else f"Seen on {where}.")


def _first_sentence(prose: str) -> str:
    """The first lines of a paragraph, to the end of its first sentence; nothing that introduces a block."""
    kept: list[str] = []
    for line in prose.split("\n"):
        kept.append(line)
        if line.endswith(ENDS):
            return "\n".join(kept)
    return kept[0]
