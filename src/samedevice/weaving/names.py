"""names: what a piece of code does with the names of its module: binds, uses, may change, may tie together."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from samedevice.weaving.calls import BUILTINS, Scope
from samedevice.weaving.statement import Statement
from samedevice.weaving.unnamed import EVERYTHING, RANDOM, SEED

CONDITIONAL = ast.If | ast.Try | ast.While | ast.For | ast.Match


@dataclass
class Names:
    """What a piece of code does with names of its module."""

    binds: set[str] = field(default_factory=set)
    """Names that get a value, or lose it."""
    loads: set[str] = field(default_factory=set)
    """Names whose value from before is used."""
    uses: set[str] = field(default_factory=set)
    """All names that are used at once, those that the code binds itself included."""
    maybe: set[str] = field(default_factory=set)
    """Names that get a value only if a condition holds, so that the old one may stay."""
    mutates: set[str] = field(default_factory=set)
    """Names whose object may be changed."""
    inner: dict[str, set[str]] = field(default_factory=dict)
    """For names that are bound or changed, the names that functions in their objects use when they are called."""
    links: list[set[str]] = field(default_factory=list)
    """Sets of names that may stand for parts of one object."""
    touchy: set[str] = field(default_factory=set)
    """Classes whose objects may change when they are only looked at."""
    followed: bool = True
    """False where the code can bind names in ways that are not seen here."""


def analyse(code: str, scope: Scope | None = None) -> Names:
    """What a block does with the names of its module; `scope` is what is known before it. Raises SyntaxError.

    What is known after the block is left in `scope`.
    """
    names, scope, seeded = Names(), scope or Scope(), False
    for statement in ast.parse(code).body:
        found = Statement(scope)
        found.visit(statement)
        names.uses |= found.loads | found.own
        uncertain = found.uncertain | (found.binds if _conditional(statement, scope) else set())
        known = names.binds - names.maybe
        later = found.later - {EVERYTHING, RANDOM, SEED}
        names.loads |= {name for name in found.loads | later if name not in known and _of_module(name, scope)}
        if {SEED, RANDOM} <= names.loads:
            names.loads -= {RANDOM if seeded else SEED}
        seeded = SEED in names.loads
        names.binds |= found.binds
        names.maybe |= uncertain - known
        names.mutates |= {name for name in found.mutates if _of_module(name, scope)}
        for name in found.binds | found.mutates if found.later else ():
            names.inner[name] = names.inner.get(name, set()) | found.later
        names.links += found.links
        names.touchy |= found.touchy
        names.followed = names.followed and found.followed
    return names


def _of_module(name: str, scope: Scope) -> bool:
    return name not in BUILTINS or name in scope.seen


def _conditional(statement: ast.stmt, scope: Scope) -> bool:
    """Whether what a statement holds may not be run, or not to its end."""
    if isinstance(statement, ast.With):
        calls = [item.context_expr for item in statement.items]
        return not all(isinstance(one, ast.Call) and scope.path(one.func).startswith("torch.") for one in calls)
    return isinstance(statement, CONDITIONAL)
