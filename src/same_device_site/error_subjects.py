"""error_subjects: under which subject a message is: that of the first page of a topic that lists it.

The index of errors is closed, subject by subject, since 400 messages one below the other are 68,000 pixels high; and
each page about a message ends with its neighbors in that list.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from same_device_site.site import Site, box, link
from samedevice import Page, find_links, title

TOPICS = ("tensors", "devices", "training", "amp", "parallel", "memory")
"""The folders of the pages that list messages, in the order of the subjects."""
ERRORS = "docs/errors/"
"""What the path of a page about a message begins with."""
NEIGHBORS = 2
"""How many messages before and after a page's own it names."""
HEADING = '<p class="sd-what" role="heading" aria-level="2">{}</p>\n'
"""A heading that is no section of its own: for the search, and for the address of a section, the page stays one."""
SILENT = "## No message "
"""Begins the heading of the failures that have no message."""


Lists = Mapping[str, Sequence[str]]


def listed(site: Site) -> Lists:
    """For each page of a topic, by its path, the paths of the pages about messages that it is the first to list."""
    found: dict[str, list[str]] = {}
    seen: set[str] = set()
    for topic in sorted(site.pages, key=_order):
        if _folder(topic) not in TOPICS or posixpath.basename(topic.path) == "index.md":
            continue
        for one in find_links(topic.text):
            path = posixpath.normpath(posixpath.join(posixpath.dirname(topic.path), one.url.partition("#")[0]))
            if path.startswith(ERRORS) and path not in seen:
                seen.add(path)
                found.setdefault(topic.path, []).append(path)
    return found


def _folder(page: Page) -> str:
    return page.path.removeprefix("docs/").partition("/")[0]


def _order(page: Page) -> tuple[int, str]:
    """Folder by folder; what is in none of them comes last, and is left out."""
    folder = _folder(page)
    return TOPICS.index(folder) if folder in TOPICS else len(TOPICS), page.path


def by_subject(index: str, page: Page, site: Site, lists: Lists) -> str:
    """The index of errors, as `error_index` writes it for `page`, with its items in closed boxes, subject by subject.

    `lists` is what `listed` found. The failures without a message come after those with one, and then whatever is
    neither an item nor a heading.
    """
    spoken, mark, silent = index.partition(SILENT)
    items, rest = _items(spoken, page)
    heading, _, after = silent.partition("\n\n")
    quiet, more = _items(after, page)
    parts = list(_subjects(items, page, site, lists))
    if mark:
        parts += [mark + heading, *_folders(quiet, site, lists)]
    return "\n\n".join([*parts, *rest, *more])


def _items(text: str, page: Page) -> tuple[Lists, list[str]]:
    """The items of the index by the path of the page that each leads to, and what is neither an item nor a heading."""
    items: dict[str, list[str]] = {}
    rest: list[str] = []
    for part in text.strip().split("\n\n"):
        leads = next((one.url for one in find_links(part)), "")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page.path), leads.partition("#")[0]))
        if leads and not part.startswith("#"):
            items.setdefault(path, []).append(part)
        elif part and not part.startswith("#"):
            rest.append(part)
    return items, rest


def _subjects(items: Lists, page: Page, site: Site, lists: Lists) -> Iterator[str]:
    """A heading for each folder of topics, and below it a box for each page of a topic with its items."""
    pages = {one.path: one for one in site.pages}
    own = {topic: [part for path in paths for part in items.get(path, ())] for topic, paths in lists.items()}
    known = {path for paths in lists.values() for path in paths}
    left = [part for path, parts in items.items() if path not in known for part in parts]
    for folder, topics in groupby(own, key=lambda path: _folder(pages[path])):
        yield f"## {_subject(folder, pages)} {{ #messages-{folder} data-search-exclude }}"
        for topic in topics:
            if own[topic]:
                yield _box(
                    title(pages[topic]), [f"All about it: {link(page, pages[topic])}", *own[topic]], len(own[topic])
                )
    if left:
        yield "## Others { #messages-others data-search-exclude }"
        yield _box("Others", left, len(left))


def _folders(items: Lists, site: Site, lists: Lists) -> Iterator[str]:
    """A box for each folder of topics with its items."""
    pages = {one.path: one for one in site.pages}
    of = {path: _folder(pages[topic]) for topic, paths in lists.items() for path in paths}
    for folder in (*TOPICS, ""):
        own = [part for path, parts in items.items() if of.get(path, "") == folder for part in parts]
        if own:
            yield _box(_subject(folder, pages) if folder else "Others", own, len(own), "failure")


def _subject(folder: str, pages: Mapping[str, Page]) -> str:
    index = pages.get(f"docs/{folder}/index.md")
    return title(index) if index else folder.title()


def _box(name: str, parts: Sequence[str], count: int, what: str = "message") -> str:
    return box(f"{name}: {count} {what}{'' if count == 1 else 's'}", parts)


def related(page: Page, site: Site, lists: Lists) -> str:
    """The end of a page about a message, as Markdown: the messages listed beside it, and first the page of its topic.

    That one is left out where the page links it anyway, mostly right above.
    """
    pages = {one.path: one for one in site.pages}
    for topic, paths in lists.items():
        if page.path in paths:
            at = paths.index(page.path)
            near = [
                path
                for path in paths[max(0, at - NEIGHBORS) : at + NEIGHBORS + 1]
                if path != page.path and path in pages
            ]
            folder = posixpath.dirname(page.path)
            linked = {posixpath.normpath(posixpath.join(folder, one.url)) for one in find_links(page.text)}
            lines = [f"- {link(page, pages[path])}" for path in [topic, *near] if path not in linked - set(near)]
            return "\n".join([HEADING.format("Related"), "", *lines]) if lines else ""
    return ""
