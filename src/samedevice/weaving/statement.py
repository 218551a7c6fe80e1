"""statement: the names that one statement binds and uses, in functions, classes and comprehensions too."""

# ruff: noqa: N802  # NodeVisitor asks for methods like visit_Name
from __future__ import annotations

import ast
import re

from samedevice.weaving.calls import Scope
from samedevice.weaving.changes import Changes

OPERATORS = re.compile(r"__(?!init__|new__|call__|enter__|exit__|name__|del__|slots__)\w+__")


class Statement(Changes):
    """Collects the names of one statement."""

    def __init__(self, scope: Scope, depth: int = 0) -> None:
        super().__init__(scope, depth)
        self.uncertain: set[str] = set()
        self.touchy: set[str] = set()

    def visit_Name(self, node: ast.Name) -> None:
        self._pseudonyms(node.id)
        if node.id not in self.binds:
            self._library(self.scope.path(node))
        if not isinstance(node.ctx, ast.Store):
            (self.own if node.id in self.settled else self.loads).add(node.id)
        if not isinstance(node.ctx, ast.Load):
            self._bind(node.id)

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            self._bind(name)
            self.scope.imports[name] = alias.name if alias.asname else name
            if "." in alias.name:
                self.binds.add(alias.name)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            if alias.name == "*":
                self.followed = False
                continue
            self._bind(alias.asname or alias.name)
            self.scope.imports[alias.asname or alias.name] = f"{node.module}.{alias.name}"
            self._pseudonyms(alias.asname or alias.name)

    def visit_Global(self, node: ast.Global) -> None:
        self.followed = False

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """A function's body uses the names of its module that it does not bind itself, when it is called."""
        arguments = node.args
        hints = [part.annotation for part in ast.walk(arguments) if isinstance(part, ast.arg)] + [node.returns]
        for part in (*node.decorator_list, *arguments.defaults, *filter(None, [*arguments.kw_defaults, *hints])):
            self.visit(part)
        defaults = all(self.scope.is_atomic(one) for one in (*arguments.defaults, *filter(None, arguments.kw_defaults)))
        for decorator in node.decorator_list:
            self.mutates |= self.scope.roots(decorator)
        self._bind(node.name)
        self.scope.methods.add(node.name)
        inner = self._body(node)
        shared = (inner.mutates | inner.given) - inner.binds - _arguments(node)
        if inner.followed and defaults and not node.decorator_list and not shared:
            self.scope.stateless.add(node.name)
            if not inner.mutates:
                self.scope.pure.add(node.name)
        self.given |= shared
        self.links.append({node.name, *shared})

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """A class's body is run at once, and its methods see the names of the module, not those of the class."""
        for part in (*node.bases, *node.keywords, *node.decorator_list):
            self.visit(part)
        self._bind(node.name)
        inner = Statement(self.scope.inside(set()), self.depth + 1)
        for part in node.body:
            inner.visit(part)
        self.loads |= inner.loads - inner.binds
        self.later |= inner.later
        self.mutates |= inner.mutates - inner.binds
        self.followed = self.followed and inner.followed
        values = [part.value for part in node.body if isinstance(part, ast.Assign)]
        roots = set().union(*map(self.scope.roots, [*node.bases, *values]), inner.mutates, inner.given)
        self.links.append({node.name, *roots - inner.binds})
        methods = [part for part in node.body if isinstance(part, ast.FunctionDef)]
        looks = [part for part in methods if OPERATORS.fullmatch(part.name) or part.decorator_list]
        if any(Statement(self.scope, 1)._body(part).mutates for part in looks):
            self.touchy.add(node.name)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        inner = self._body(node)
        self.given |= (inner.given | self.scope.inside(_arguments(node)).shared(node.body)) - _arguments(node)

    def _body(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> Statement:
        """Take in the body of a function, which is run later."""
        own = _arguments(node)
        inner = Statement(self.scope.inside(own), self.depth + 1)
        for part in node.body if isinstance(node.body, list) else [node.body]:
            inner.visit(part)
        own |= inner.binds
        self.later |= (inner.loads | inner.later) - own
        self.mutates |= inner.mutates - own
        self.followed = self.followed and inner.followed
        return inner

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> None:
        """What a comprehension binds is its own, but for `:=`; a generator is run later."""
        inner = Statement(self.scope.inside(set()), self.depth + 1)
        inner.settled = set() if isinstance(node, ast.GeneratorExp) else {*self.settled}
        for child in ast.iter_child_nodes(node):
            inner.visit(child)
        walrus = {part.target.id for part in ast.walk(node) if isinstance(part, ast.NamedExpr)}
        own = inner.binds - walrus
        self.loads |= inner.loads - own
        self.own |= inner.own - own
        self.later |= inner.later | (inner.loads - own if isinstance(node, ast.GeneratorExp) else set())
        self.mutates |= inner.mutates - own
        for name in walrus:
            self._uncertain(name)

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ListComp  # noqa: N815

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        self._assign([node.target], node.value)
        self._uncertain(node.target.id)

    def _uncertain(self, name: str) -> None:
        """A name that is bound inside an expression, of which a part may be skipped."""
        self._bind(name)
        self.settled.discard(name)
        self.uncertain.add(name)
        self.loads.add(name)

    def visit_MatchAs(self, node: ast.MatchAs | ast.MatchStar) -> None:
        if node.name:
            self._bind(node.name)
        self.generic_visit(node)

    visit_MatchStar = visit_MatchAs  # noqa: N815

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        if node.rest:
            self._bind(node.rest)
        self.generic_visit(node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        """Python deletes the exception's name at the end of the handler: a name of its own, unless the page has it."""
        name, links, settled = node.name or "", len(self.links), {*self.settled}
        if name in self.scope.seen:
            self._bind(name)
        self.generic_visit(node)
        self.settled &= settled
        if name not in self.scope.seen:
            for kind in (self.loads, self.later, self.mutates, self.given):
                kind.discard(name)
            self.links[links:] = [linked - {name} for linked in self.links[links:]]


def _arguments(node: ast.AST) -> set[str]:
    return {part.arg for part in ast.walk(node) if isinstance(part, ast.arg)}
