"""names: what a piece of code does with the names of its module: binds, uses, may change, may tie together."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field

from samedevice.weaving.calls import BUILTINS, DRAWS, DRAWS_LATER, MEASURES, SEEDS, Scope, called

EVERYTHING = "<everything>"
"""Stands for all that the page has done: used by what looks at memory, or at a folder."""
RANDOM = "<random numbers>"
"""Stands for the state of the random number generators."""
SEED = "<seed>"
"""Used by code that sets this state before it draws."""
FILES = "<files>"
"""Stands for the files whose names are put together while the code runs."""
PROCESS_GROUP = "<process group>"
"""Stands for PyTorch's process group."""
DISTRIBUTED = frozenset(
    """
    dist dcp distributed DDP DistributedDataParallel SyncBatchNorm fully_shard init_device_mesh
    distribute_tensor DTensor
    """.split()
)
"""Names whose work depends on PyTorch's process group, which is no name of the page."""
NOT_FOLLOWED = frozenset("exec eval globals locals __import__ setattr delattr".split())
"""Built-in functions that can bind names without writing them; the last two only on a module."""
FILE = re.compile(r"[\w./-]+\.(?:pt|pth|npy|npz|json|csv|txt|pickle|pkl|bin|safetensors|log|py)")
OPENS = frozenset("open save load Path mkdir savez savetxt loadtxt memmap fromfile tofile".split())
CONDITIONAL = ast.If | ast.Try | ast.While | ast.For | ast.Match
OPERATORS = re.compile(r"__(?!init__|new__|call__|enter__|exit__|name__|del__|slots__)\w+__")


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
        found = _Statement(scope)
        found.visit(statement)
        names.uses |= found.loads
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


class _Statement(ast.NodeVisitor):
    """Collects the names of one statement."""

    def __init__(self, scope: Scope, depth: int = 0) -> None:
        self.scope = scope
        self.depth = depth
        self.loads: set[str] = set()
        self.later: set[str] = set()
        self.binds: set[str] = set()
        self.uncertain: set[str] = set()
        self.mutates: set[str] = set()
        self.links: list[set[str]] = []
        self.touchy: set[str] = set()
        self.given: set[str] = set()
        self.followed = True
        self.drawn = False

    def visit_Name(self, node: ast.Name) -> None:
        self._pseudonyms(node.id)
        if node.id not in self.binds:
            self._library(self.scope.path(node))
        if not isinstance(node.ctx, ast.Store):
            self.loads.add(node.id)
        if not isinstance(node.ctx, ast.Load):
            self._bind(node.id)

    def _bind(self, name: str, value: ast.expr | None = None) -> None:
        """Note that a name gets a value; what is known of the value counts where nothing can come between."""
        self.binds.add(name)
        new = name not in self.scope.seen or not self.depth
        atomic = value is not None and self.scope.is_atomic(value) and (new or name in self.scope.atoms)
        solid = value is not None and self.scope.is_solid(value) and (new or name in self.scope.solid)
        self.scope.forget(name)
        self.scope.atoms |= {name} if atomic else set()
        self.scope.solid |= {name} if solid else set()

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
        inner = _Statement(self.scope.inside(set()), self.depth + 1)
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
        if any(_Statement(self.scope, 1)._body(part).mutates for part in looks):
            self.touchy.add(node.name)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        inner = self._body(node)
        self.given |= (inner.given | self.scope.inside(_arguments(node)).shared(node.body)) - _arguments(node)

    def _body(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> _Statement:
        """Take in the body of a function, which is run later."""
        own = _arguments(node)
        inner = _Statement(self.scope.inside(own), self.depth + 1)
        for part in node.body if isinstance(node.body, list) else [node.body]:
            inner.visit(part)
        own |= inner.binds
        self.later |= (inner.loads | inner.later) - own
        self.mutates |= inner.mutates - own
        self.followed = self.followed and inner.followed
        return inner

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> None:
        """What a comprehension binds is its own, but for `:=`; a generator is run later."""
        inner = _Statement(self.scope.inside(set()), self.depth + 1)
        for child in ast.iter_child_nodes(node):
            inner.visit(child)
        walrus = {part.target.id for part in ast.walk(node) if isinstance(part, ast.NamedExpr)}
        own = inner.binds - walrus
        self.loads |= inner.loads - own
        self.later |= inner.later | (inner.loads - own if isinstance(node, ast.GeneratorExp) else set())
        self.mutates |= inner.mutates - own
        for name in walrus:
            self._uncertain(name)

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ListComp  # noqa: N815

    def visit_comprehension(self, node: ast.comprehension) -> None:
        self.visit(node.target)
        self._each(node.target, node.iter)
        for part in (node.iter, *node.ifs):
            self.visit(part)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        self._assign([node.target], node.value)
        self._uncertain(node.target.id)

    def _uncertain(self, name: str) -> None:
        """A name that is bound inside an expression, of which a part may be skipped."""
        self._bind(name)
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
        name, links = node.name or "", len(self.links)
        if name in self.scope.seen:
            self._bind(name)
        self.generic_visit(node)
        if name not in self.scope.seen:
            for kind in (self.loads, self.later, self.mutates, self.given):
                kind.discard(name)
            self.links[links:] = [linked - {name} for linked in self.links[links:]]

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self._pseudonyms(node.attr)
        self._library(self.scope.path(node))
        self.generic_visit(node)

    def _library(self, path: str) -> None:
        """Note what is taken from a library: a module that is imported elsewhere, the start of random numbers."""
        self.loads |= {path} - {""}
        if path == "torch.manual_seed" and not self.drawn:
            self.loads.add(SEED)
        elif path.rpartition(".")[2] in SEEDS:
            self.loads.add(RANDOM)
            self.binds.add(RANDOM)

    def _pseudonyms(self, name: str) -> None:
        """Note what a name uses that has no name on the page."""
        if name in DISTRIBUTED or "process_group" in name:
            self.loads.add(PROCESS_GROUP)
            self.binds.add(PROCESS_GROUP)
        if name in MEASURES:
            self.loads.add(EVERYTHING)
        if name in DRAWS | DRAWS_LATER and SEED not in self.loads:
            self.loads.add(RANDOM)
            self.drawn = True
        if name in DRAWS_LATER:
            self.later.add(RANDOM)

    def visit_Constant(self, node: ast.Constant) -> None:
        """A file is a name: code that names it may write it and read it."""
        if isinstance(node.value, str) and FILE.fullmatch(node.value):
            self._file(node.value)

    def _file(self, name: str) -> None:
        self.loads |= {f"<{name}>", FILES}
        self.binds.add(f"<{name}>")

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
        self.loads |= changed
        self.mutates |= changed - {*self.scope.imports} - self.scope.atoms
        self.links.append(self.scope.roots(node.target) | self.scope.shared(node.value))
        self.generic_visit(node)

    def visit_For(self, node: ast.For) -> None:
        self.depth += 1
        self.visit(node.iter)
        self.visit(node.target)
        self._each(node.target, node.iter)
        for part in (*node.body, *node.orelse):
            self.visit(part)
        self.depth -= 1

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
        self.generic_visit(node)
        self.depth -= 1

    visit_While = visit_Try = visit_Match = visit_If  # noqa: N815

    def visit_With(self, node: ast.With) -> None:
        for item in node.items:
            if isinstance(item.context_expr, ast.Name):
                self.mutates |= self.scope.roots(item.context_expr)
            if item.optional_vars is not None:
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

    def _opens(self, node: ast.Call) -> None:
        if called(node) in OPENS:
            for argument in node.args:
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    self._file(argument.value)
                elif isinstance(argument, ast.JoinedStr):
                    self.loads.add(EVERYTHING)
                    self.binds.add(FILES)

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


def _arguments(node: ast.AST) -> set[str]:
    return {part.arg for part in ast.walk(node) if isinstance(part, ast.arg)}


def _names(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
