"""closures: the least earlier code that a block needs to run by itself, found by names and by possible mutation.

This works on whole blocks. A block needs an earlier one that binds a name that it uses, that may change an object which
it uses, that draws random numbers before it from the same seed, or that names the same file. Where it needs of a block
only names that this imports, the imports suffice. In doubt the whole block is needed: a call changes what it is
called on and what it is given, unless it is known not to. All earlier blocks are needed where code binds names unseen
(`global`, `exec`, `import *`) or looks at all that was done (memory in use, files in a folder). Settings of a whole
process are not followed: a block that changes one restores it. The tests run every copy.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

from samedevice.pages.options import Options
from samedevice.pages.page import Block, Page
from samedevice.weaving.calls import Scope
from samedevice.weaving.imports import imported, joined
from samedevice.weaving.names import analyse
from samedevice.weaving.unnamed import EVERYTHING, RANDOM, SEED

Value = tuple[str, int]
"""A name, and the index of the block that gave it its value."""
Values = dict[str, set[Value]]
"""Names with the values that they may have."""


class Closure(NamedTuple):
    """What a block needs of the blocks before it."""

    blocks: tuple[int, ...]
    """Indices of the blocks that it needs whole, in order."""
    imports: tuple[str, ...] = ()
    """Import statements that it needs of other blocks."""


@dataclass
class Flow:
    """What a block does with values: its names, each with the block that bound it."""

    index: int
    """The block's position on the page."""
    loads: set[Value]
    """Values that it uses."""
    binds: set[Value]
    """Values that it makes."""
    mutates: set[Value]
    """Values that it may change."""
    whole: bool
    """Whether it needs all that was run before it."""
    imports: dict[str, str]
    """Names that it only imports, with the import statements."""


def closures(page: Page, steady: Collection[int] = ()) -> dict[int, Closure]:
    """What each block that is run in the page's process needs, by its index.

    `steady` are the blocks of which it is known that random numbers do not change what they print. Raises SyntaxError.
    """
    found: dict[int, Closure] = {}
    blocks = [block for block in page.blocks if block.kind == "python"]
    for needs in {_needs(block) for block in blocks}:
        world = [block for block in blocks if _belongs(block, *needs)]
        for index, needed in _closures(world, steady):
            if _needs(page.blocks[index]) == needs:
                found[index] = needed
    return found


def closure(page: Page, block: Block) -> tuple[Block, ...]:
    """The earlier blocks that `block` needs, in order, after one with imports; none if it runs in another process."""
    blocks, imports = closures(page).get(block.index, Closure(()))
    first = [replace(block, code="\n".join(imports) + "\n", options=Options())] if imports else []
    return (*first, *(page.blocks[index] for index in blocks))


def _needs(block: Block) -> tuple[str, int, str]:
    """What a block needs of the machine."""
    return block.options.needs, block.options.count, block.options.versions


def _belongs(block: Block, needs: str, count: int, versions: str) -> bool:
    """Whether a block runs where one with these needs does, and leaves something to later blocks."""
    options = block.options
    return options.needs in ("", needs) and options.count in (1, count) and options.versions in ("", versions)


def _closures(blocks: list[Block], steady: Collection[int]) -> Iterator[tuple[int, Closure]]:
    """The closure of each of some blocks that are run one after the other."""
    state = State()
    flows: list[Flow] = []
    indices: list[int] = []
    for block in blocks:
        flow = state.follow(block)
        needed = _needed(flow, flows, state.groups, random=block.index not in steady)
        yield block.index, Closure(tuple(indices)) if flow.whole else needed
        flows.append(flow)
        indices += [block.index] if ast.parse(block.code).body else []


def _needed(last: Flow, earlier: list[Flow], groups: dict[Value, set[Value]], random: bool) -> Closure:
    """What a block needs of earlier ones; `random` is whether those count that only draw random numbers."""

    def followed(values: set[Value]) -> set[Value]:
        return {value for value in values if random or value[0] != RANDOM}

    needed = followed(last.loads)
    reach = needed.union(*(groups[value] for value in needed if value in groups))
    chosen: list[int] = []
    imports: list[str] = []
    for flow in reversed(earlier):
        bound, mutates = flow.binds & needed, not flow.mutates.isdisjoint(reach)
        if not mutates and {name for name, _ in bound} <= flow.imports.keys():
            imports += [flow.imports[name] for name, _ in sorted(bound, reverse=True)]
            needed -= bound
        elif bound or mutates:
            if flow.whole:
                chosen += [one.index for one in reversed(earlier) if one.index <= flow.index]
                break
            chosen.append(flow.index)
            needed |= followed(flow.loads)
            reach.update(flow.loads, *(groups[value] for value in flow.loads if value in groups))
    return Closure(tuple(reversed(chosen)), joined(reversed(imports)))


@dataclass
class State:
    """What is known at one place of a page, of all the blocks before it."""

    scope: Scope = field(default_factory=Scope)
    """What is known of the names that are bound."""
    bound: Values = field(default_factory=dict)
    """The value that each name has; more than one where a block binds it only if a condition holds."""
    bodies: dict[Value, set[str]] = field(default_factory=dict)
    """For a value that holds functions, the names that they use when they are called."""
    groups: dict[Value, set[Value]] = field(default_factory=dict)
    """For a value, all that it may share memory with, itself included."""
    touchy: set[Value] = field(default_factory=set)
    """Classes whose objects may change when they are only looked at."""
    followed: bool = True
    """Whether all that was bound was seen."""

    def follow(self, block: Block) -> Flow:
        """Take in a block."""
        names = analyse(block.code, self.scope)
        maybe = names.binds if block.options.raises else names.maybe
        before = {name: self.bound[name] for name in names.loads if name in self.bound}
        after = {name: {(name, block.index)} for name in names.binds}
        values = partial(_values, before=before, after=after, bound=self.bound)
        self.touchy |= values(names.touchy)
        for linked in names.links:
            self._link(values(linked))
        for name, body in names.inner.items():
            for value in values({name}):
                self.bodies[value] = self.bodies.get(value, set()) | body
        loads, used = self._with_bodies(set().union(*before.values()))
        used = used.union(*(body for name, body in names.inner.items() if name in names.uses))
        mutates = values(names.mutates) | self._looked_at(loads)
        self._random(names.loads | used, names.binds, block.index, loads, after)
        self.followed = self.followed and names.followed
        for name, new in after.items():
            self.bound[name] = new | self.bound.get(name, set()) if name in maybe else new
        whole = not self.followed or EVERYTHING in names.loads | used
        imports = {} if block.options.raises else imported(block.code)
        return Flow(block.index, loads, set().union(*after.values()), mutates, whole, imports)

    def _with_bodies(self, loads: set[Value]) -> tuple[set[Value], set[str]]:
        """Values that are used, with those that functions in them use when they are called now; and all these names."""
        found: set[Value] = set()
        names: set[str] = set()
        waiting = set(loads)
        while waiting:
            value = waiting.pop()
            found.add(value)
            for near in self.groups.get(value, {value}):
                body = self.bodies.get(near, set())
                names |= body
                waiting |= set().union(*(self.bound.get(name, ()) for name in body)) - found
        return found, names

    def _looked_at(self, loads: set[Value]) -> set[Value]:
        """The values that change when they are used, however they are used."""
        return {value for value in loads if not self.touchy.isdisjoint(self.groups.get(value, ()))}

    def _random(self, names: set[str], binds: set[str], index: int, loads: set[Value], after: Values) -> None:
        """Follow the state of the random number generators from the block that sets it."""
        if RANDOM in names and RANDOM in self.bound:
            loads |= self.bound[RANDOM]
        if SEED in names or (RANDOM in names and (RANDOM in self.bound or RANDOM in binds)):
            after[RANDOM] = {(RANDOM, index)}

    def _link(self, linked: set[Value]) -> None:
        """Note that values may share memory: put together the groups that they are in."""
        merged = set(linked).union(*(self.groups[value] for value in linked if value in self.groups))
        for value in merged:
            self.groups[value] = merged


def _values(of: set[str], before: Values, after: Values, bound: Values) -> set[Value]:
    """The values that names may have in a block: the one that it makes, and those from before."""
    given = before | {name: bound[name] for name in of if name in bound and name not in after}
    return {value for name in of for side in (given, after) for value in side.get(name, ())}
