"""closure: the least earlier code that a block needs to run by itself, found by names and by possible mutation.

Works on whole blocks. An earlier block is needed if it binds a name that is used later, if it may change an object that
a needed name stands for, or if it names a file that a needed block names. In doubt a block is needed: a call changes
what it is called on and what it is given, unless it is known not to. Global state is no matter: a block that changes
it restores it. The tests run every such program and compare its output with the block's own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from samedevice.pages.page import Block, Page
from samedevice.weaving.names import analyse

Value = tuple[str, int]
"""A name, and the index of the block that gave it its value."""


@dataclass
class Flow:
    """What a block does with values: its names, each with the block that bound it."""

    loads: set[Value]
    binds: set[Value]
    mutates: set[Value]
    links: list[set[Value]]


def closures(page: Page) -> dict[int, tuple[int, ...]]:
    """For each block that is run in the page's process, by index, the indices of the earlier blocks that it needs."""
    found: dict[int, tuple[int, ...]] = {}
    blocks = [block for block in page.blocks if block.kind == "python"]
    for needs in {(block.options.needs, block.options.count) for block in blocks}:
        world = [block for block in blocks if _belongs(block, *needs)]
        for index, needed in _closures(world):
            if (page.blocks[index].options.needs, page.blocks[index].options.count) == needs:
                found[index] = needed
    return found


def closure(page: Page, block: Block) -> tuple[Block, ...]:
    """The earlier blocks that `block` needs, in order; empty for one that is not run in the page's process."""
    return tuple(page.blocks[index] for index in closures(page).get(block.index, ()))


def _belongs(block: Block, needs: str, count: int) -> bool:
    """Whether a block runs where one with these needs does, and leaves something to later blocks."""
    options = block.options
    return options.needs in ("", needs) and options.count in (1, count)


def _closures(blocks: list[Block]) -> Iterator[tuple[int, tuple[int, ...]]]:
    """The closure of each of some blocks that are run one after the other."""
    groups: dict[Value, set[Value]] = {}
    flows: list[tuple[int, Flow]] = []
    for block, flow in _flows(blocks):
        _merge(groups, flow.links)
        yield block.index, _needed(flow, flows, groups)
        flows.append((block.index, flow))


def _needed(last: Flow, earlier: list[tuple[int, Flow]], groups: dict[Value, set[Value]]) -> tuple[int, ...]:
    needed = set(last.loads)
    reach = needed.union(*(groups[value] for value in needed if value in groups))
    chosen: list[int] = []
    for index, flow in reversed(earlier):
        if not (flow.binds.isdisjoint(needed) and flow.mutates.isdisjoint(reach)):
            chosen.append(index)
            needed |= flow.loads
            reach.update(flow.loads, *(groups[value] for value in flow.loads if value in groups))
    return tuple(reversed(chosen))


def _flows(blocks: list[Block]) -> Iterator[tuple[Block, Flow]]:
    """Follow names from block to block, so that a name that is bound again is another value."""
    bound: dict[str, Value] = {}
    bodies: dict[Value, set[str]] = {}
    for block in blocks:
        names = analyse(block.code)
        maybe = names.binds if block.options.raises else names.maybe
        before = {name: bound[name] for name in names.loads | maybe if name in bound}
        after = {name: (name, block.index) for name in names.binds}

        def values(of: set[str], before: dict[str, Value] = before, after: dict[str, Value] = after) -> set[Value]:
            return {side[name] for name in of for side in (before, after) if name in side}

        links = [values(linked) for linked in names.links]
        loads = _with_bodies(set(before.values()), bodies, bound)
        yield block, Flow(loads, set(after.values()), values(names.mutates), links)
        bodies |= {after[name]: body for name, body in names.inner.items() if name in after}
        bound |= after


def _with_bodies(loads: set[Value], bodies: dict[Value, set[str]], bound: dict[str, Value]) -> set[Value]:
    """Values that are used, with those that the bodies of used functions take at the time of the call."""
    found: set[Value] = set()
    waiting = set(loads)
    while waiting:
        value = waiting.pop()
        found.add(value)
        waiting |= {bound[name] for name in bodies.get(value, ()) if name in bound} - found
    return found


def _merge(groups: dict[Value, set[Value]], links: list[set[Value]]) -> None:
    """Put sets of values together that have one in common."""
    for linked in links:
        merged = set(linked).union(*(groups[value] for value in linked if value in groups))
        for value in merged:
            groups[value] = merged


def standalone(page: Page, block: Block) -> str:
    """A program that gives the block's own output last: the earlier code that it needs, then the block."""
    parts = [_tolerant(one) for one in closure(page, block)]
    return "\n\n".join([*parts, block.code.rstrip("\n")]) + "\n"


def _tolerant(block: Block) -> str:
    """The block's code, going on after the exception that it announces."""
    code = block.code.rstrip("\n")
    if not block.options.raises:
        return code
    names = ", ".join(dict.fromkeys(name for _, name in block.options.raises))
    caught = f"({names})" if "," in names else names
    body = "\n".join(f"    {line}" if line else line for line in code.split("\n"))
    return f"try:\n{body}\nexcept {caught}:\n    pass"
