"""changes: the objects that a statement may change, and those that it may tie together."""

# ruff: noqa: N802  # NodeVisitor asks for methods like visit_Name
from __future__ import annotations

import ast
from collections.abc import Sequence

from samedevice.weaving.calls import Scope, called
from samedevice.weaving.unnamed import Unnamed

NOT_FOLLOWED = frozenset("exec eval globals locals __import__ setattr delattr".split())
"""Built-in functions that can bind names without writing them; the last two only on a module."""


class Changes(Unnamed):
    """Follows objects through the assignments, loops and calls of one statement.

    `settled` are the names that are surely bound at the place that it has come to, `own` those that were used there.
    """

    def __init__(self, scope: Scope, depth: int = 0) -> None:
        super().__init__(scope)
        self.depth = depth
        self.mutates: set[str] = set()
        self.links: list[set[str]] = []
        self.given: set[str] = set()
        self.own: set[str] = set()
        self.settled: set[str] = set()
        self.followed = True

    def _bind(self, name: str, value: ast.expr | None = None) -> None:
        """Note that a name gets a value; what is known of the value counts where nothing can come between."""
        self.binds.add(name)
        self.settled.add(name)
        new = name not in self.scope.seen or not self.depth
        atomic = value is not None and self.scope.is_atomic(value) and (new or name in self.scope.atoms)
        solid = value is not None and self.scope.is_solid(value) and (new or name in self.scope.solid)
        self.scope.forget(name)
        self.scope.atoms |= {name} if atomic else set()
        self.scope.solid |= {name} if solid else set()

    def visit_comprehension(self, node: ast.comprehension) -> None:
        self.visit(node.target)
        self._each(node.target, node.iter)
        for part in (node.iter, *node.ifs):
            self.visit(part)

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        self._assign(node.targets, node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """An annotation alone binds nothing."""
        self.visit(node.annotation)
        if node.value is not None:
            self.visit(node.value)
            self._assign([node.target], node.value)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        changed = _names(node.target)
        self.loads |= changed - self.settled
        self.own |= changed & self.settled
        self.mutates |= changed - {*self.scope.imports} - self.scope.atoms
        self.links.append(self.scope.roots(node.target) | self.scope.shared(node.value))
        self.generic_visit(node)

    def visit_For(self, node: ast.For) -> None:
        self.depth += 1
        self.visit(node.iter)
        settled = {*self.settled}
        self.visit(node.target)
        self._each(node.target, node.iter)
        for body in (node.body, node.orelse):
            self._branch(body)
        self.settled &= settled
        self.depth -= 1

    def _branch(self, body: Sequence[ast.AST]) -> None:
        """Visit statements that may not be run: later ones can not rely on the names that they bind."""
        settled = {*self.settled}
        for part in body:
            self.visit(part)
        self.settled &= settled

    def _each(self, target: ast.expr, value: ast.expr) -> None:
        """A loop's name gets each part of a value; an iterator is used up."""
        self.mutates |= self.scope.used_up(value)
        self.mutates |= self.scope.roots(target) if isinstance(target, ast.Attribute | ast.Subscript) else set()
        if isinstance(target, ast.Name) and self.scope.is_atomic(value) and isinstance(value, ast.Tuple):
            self.scope.atoms.add(target.id)
        if isinstance(target, ast.Name) and isinstance(value, ast.Call) and called(value) == "range":
            self.scope.atoms.add(target.id)
        self.links.append(self.scope.roots(target) | self.scope.shared(value))

    def visit_If(self, node: ast.If | ast.While | ast.Try | ast.Match) -> None:
        self.depth += 1
        for _, part in ast.iter_fields(node):
            if isinstance(part, ast.AST):
                self.visit(part)
            elif isinstance(part, list):
                self._branch(part)
        self.depth -= 1

    def visit_match_case(self, node: ast.match_case) -> None:
        self._branch([*ast.iter_child_nodes(node)])

    visit_While = visit_Try = visit_Match = visit_If  # noqa: N815

    def visit_With(self, node: ast.With) -> None:
        for item in node.items:
            if isinstance(item.context_expr, ast.Name):
                self.mutates |= self.scope.roots(item.context_expr)
            if item.optional_vars is not None:
                self.visit(item.context_expr)
                self._assign([item.optional_vars], item.context_expr)
        self.visit_If(node)  # type: ignore[arg-type]

    def visit_Return(self, node: ast.Return | ast.Yield | ast.YieldFrom) -> None:
        """What a function returns may be an object of the module."""
        self.given |= self.scope.shared(node.value) if node.value else set()
        self.generic_visit(node)

    visit_Yield = visit_YieldFrom = visit_Return  # noqa: N815

    def visit_Delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if not isinstance(target, ast.Name):
                self.mutates |= self.scope.roots(target)
        self.generic_visit(node)

    def visit_Starred(self, node: ast.Starred) -> None:
        if isinstance(node.ctx, ast.Load):
            self.mutates |= self.scope.used_up(node.value)
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        """`in` uses up an iterator."""
        for operator, value in zip(node.ops, node.comparators, strict=True):
            self.mutates |= self.scope.used_up(value) if isinstance(operator, ast.In | ast.NotIn) else set()
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        self._opens(node)
        if isinstance(node.func, ast.Name) and node.func.id in NOT_FOLLOWED - self.scope.seen:
            self.followed = node.func.id in ("setattr", "delattr") and self.followed
        arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
        for argument in arguments if not self._of_library(node) else ():
            self.mutates |= self.scope.used_up(argument)
        self.mutates |= self.scope.changed(node)
        if self.scope.may_change(node):
            given = set().union(*map(self.scope.roots, arguments))
            self.links.append(given | (self.scope.roots(node.func) - self.scope.stateless))
        self.generic_visit(node)

    def _of_library(self, node: ast.Call) -> bool:
        """Whether a call is known not to use up an iterator: a library's, or one that only looks."""
        looks = ("print", "len", "type", "isinstance", "id", "repr", "str", "hasattr", "getattr", "callable", "hash")
        return bool(self.scope.path(node.func)) or (called(node) in looks and isinstance(node.func, ast.Name))

    def _assign(self, targets: list[ast.expr], value: ast.expr) -> None:
        unpacked = any(isinstance(target, ast.Tuple | ast.List) for target in targets)
        self.mutates |= self.scope.used_up(value) if unpacked else set()
        linked = self.scope.shared(value)
        for target in targets:
            if isinstance(target, ast.Name):
                self._bind(target.id, value)
                continue
            if isinstance(target, ast.Attribute | ast.Subscript):
                self.mutates |= self.scope.roots(target)
            self.visit(target)
        bound = set().union(*map(self.scope.roots, targets))
        self.links.append(bound | linked)


def _names(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
