"""unused_styles: a site's stylesheets without the rules that no page of the site can use.

The theme has styles for blogs, tabs, tags, versions and languages that run from right to left: more than a third of
what a reader's first page loads. The engine's style has rules for other themes. A rule stays if each class and
attribute in its selector is in a tag of a page or is a word of a script, because scripts add classes too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import tinycss2  # type: ignore[import-untyped]

from samedevice import memo

STYLES = "assets/stylesheets"
"""The theme's folder of stylesheets, below the site."""
APART = ("search_index.js", "/lunr/", "/workers/")
"""Scripts that cannot change a page: data, and what runs in a worker."""
DIRECTIONS = {"ltr", "rtl"}
"""Words of scripts that are not taken: the direction of text is in a page's tags, and scripts only ask for it."""
TAG = re.compile(r"<[a-z][^>]*>")
WORD = re.compile(r"[\w-]+")
CAPITAL = re.compile(r"(?<=[a-z])[A-Z]")
"""In a script, what `-` and the small letter are in an attribute's name: `ariaPressed` is `aria-pressed`."""
NOT = re.compile(r":not\((?:[^()]|\([^()]*\))*\)")
ASKED = re.compile(r"\.((?:[\w-]|\\.)+)|\[([\w-]+)(?:=[\"']?([\w-]+)[\"']?)?\]")
"""A class, or an attribute with its value, that a selector asks for."""
COMMA = re.compile(r",(?![^(\[]*[)\]])")
PROPERTY = re.compile(r"(?<=[{;])(--[\w-]+):((?:\"[^\"]*\"|[^;}\"])*);?")
"""The declaration of a custom property."""
READ = re.compile(r"var\((--[\w-]+)")


def drop_unused_styles(site: Path, own: Iterable[Path], kept: Path) -> None:
    """Take the rules that no page uses out of the theme's stylesheets, and out of `own`. Raises OSError.

    The file `kept` holds them until the stylesheets, or the words of the site, change.
    """
    files = sorted([*(site / STYLES).glob("*.css"), *own])
    if not files:
        return
    scripts = (path for path in site.rglob("*.js") if not any(part in path.as_posix() for part in APART))
    words = words_of(map(_text, site.rglob("*.html")), map(_text, scripts))
    others = [_text(path) for path in site.rglob("*.css") if path not in files]
    sheets = {path.relative_to(site).as_posix(): _text(path) for path in files}
    key = memo.key(tinycss2.__version__, repr(sheets), repr(sorted(words)), repr(others))
    used: dict[str, str] = memo.find_or_make(kept, key, lambda: used_rules(sheets, words, others))
    for name, text in used.items():
        (site / name).write_text(text, encoding="utf-8")


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def words_of(pages: Iterable[str], scripts: Iterable[str]) -> set[str]:
    """The words in the tags of pages, and all words of scripts: every name that a selector can find."""
    tags = {tag for page in pages for tag in TAG.findall(page)}
    said = {word for text in scripts for word in WORD.findall(text)} - DIRECTIONS
    attributes = {CAPITAL.sub(lambda letter: f"-{letter[0].lower()}", word) for word in said}
    return said | attributes | set(WORD.findall(" ".join(tags)))


def used_rules(sheets: Mapping[str, str], words: set[str], others: Iterable[str] = ()) -> dict[str, str]:
    """The stylesheets with only those rules and custom properties that are used; `others` are read as they are."""
    found = {path: "".join(_rules(tinycss2.parse_stylesheet(text), words)) for path, text in sheets.items()}
    rest = "".join(others)
    while True:
        read = words.union(READ.findall("".join([rest, *found.values()])))
        less = {path: _declared(text, read) for path, text in found.items()}
        if less == found:
            return found
        found = less


def _rules(rules: Iterable[tinycss2.ast.Node], words: set[str]) -> Iterator[str]:
    for rule in rules:
        if rule.type == "qualified-rule":
            selectors = COMMA.split(tinycss2.serialize(rule.prelude))
            kept = ",".join(one for one in selectors if _used(one, words))
            yield kept and f"{kept}{{{tinycss2.serialize(rule.content)}}}"
        elif rule.type == "at-rule" and rule.lower_at_keyword in ("media", "supports"):
            inside = "".join(_rules(tinycss2.parse_rule_list(rule.content), words))
            yield inside and f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude)}{{{inside}}}"
        else:
            yield rule.serialize()


def _used(selector: str, words: set[str]) -> bool:
    """Whether all that a selector asks for is there; what it excludes need not be."""
    asked = (name.replace("\\", "") for found in ASKED.findall(NOT.sub("", selector)) for name in found if name)
    return all(name in words for name in asked)


def _declared(text: str, read: set[str]) -> str:
    """A stylesheet without the custom properties that nothing reads."""
    return PROPERTY.sub(lambda found: found[0] if found[1] in read else "", text)
