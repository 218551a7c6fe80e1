"""names: what a piece of code does with the names of its module: binds, uses, may change, may tie together."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

BUILTINS = frozenset(dir(builtins))
PURE = frozenset(
    """
    print len range str repr type isinstance issubclass hasattr getattr sorted zip enumerate int float bool list tuple
    dict set sum min max any all abs round id format divmod map filter reversed vars dir callable hash
    item tolist numel size dim stride mean std var prod argmax argmin sqrt exp log square
    clone detach numpy data_ptr storage_offset is_contiguous element_size nelement untyped_storage parameters buffers
    named_parameters named_buffers named_modules modules children state_dict items keys values get join split strip
    splitlines startswith endswith replace upper lower count index equal allclose reshape view flatten permute
    transpose squeeze unsqueeze expand matmul mm double half bfloat16 long type_as get_device
    is_available is_built device_count current_accelerator get_device_name
    """.split()
)
"""Functions and methods known to change neither what they are called on nor what they are given."""
FRESH = frozenset("zeros ones full empty rand randn randint arange linspace eye tensor device manual_seed".split(" "))
"""Functions of torch whose result shares nothing with what they are given."""
MODULES = frozenset("torch nn F np pd plt os sys io time math device warnings optim".split(" "))
"""Names that stand for modules, and for devices, which nothing changes."""
PROCESS_GROUP = frozenset(
    """
    dist dcp distributed DDP DistributedDataParallel SyncBatchNorm fully_shard init_device_mesh
    distribute_tensor DTensor
    """.split()
)
"""Names whose work depends on PyTorch's process group, which is no name of the page."""
FILE = re.compile(r"[\w./-]+\.(?:pt|pth|npy|npz|json|csv|txt|pickle|bin|safetensors)")


@dataclass
class Names:
    """What a piece of code does with names of its module."""

    binds: set[str] = field(default_factory=set)
    """Names that get a value."""
    loads: set[str] = field(default_factory=set)
    """Names whose value from before is used."""
    maybe: set[str] = field(default_factory=set)
    """Names that get a value only if a condition holds, so that the old one may stay."""
    mutates: set[str] = field(default_factory=set)
    """Names whose object may be changed."""
    inner: dict[str, set[str]] = field(default_factory=dict)
    """For each function or class that is bound, the names of the module that its body uses when it is called."""
    links: list[set[str]] = field(default_factory=list)
    """Sets of names that may stand for parts of one object."""


def analyse(code: str) -> Names:
    """What a block does with the names of its module. Raises SyntaxError."""
    names = Names()
    for statement in ast.parse(code).body:
        found = _Statement()
        found.visit(statement)
        names.loads |= found.loads - names.binds - BUILTINS
        names.binds |= found.binds
        names.maybe |= found.binds if isinstance(statement, ast.If | ast.Try | ast.While) else set()
        names.mutates |= found.mutates - BUILTINS
        names.inner |= found.inner
        names.links += found.links
    return names


class _Statement(ast.NodeVisitor):
    """Collects the names of one statement."""

    def __init__(self) -> None:
        self.loads: set[str] = set()
        self.binds: set[str] = set()
        self.mutates: set[str] = set()
        self.inner: dict[str, set[str]] = {}
        self.links: list[set[str]] = []

    def visit_Name(self, node: ast.Name) -> None:
        self._shared_state(node.id)
        if isinstance(node.ctx, ast.Load):
            self.loads.add(node.id)
        else:
            self.binds.add(node.id)

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        self.binds.update((alias.asname or alias.name).partition(".")[0] for alias in node.names)

    visit_ImportFrom = visit_Import  # noqa: N815

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        """A function's body uses the names of its module that it does not bind itself; a call may change them."""
        self.binds.add(node.name)
        self.inner[node.name] = self._inner(node) - BUILTINS
        self.links.append({node.name, *self.inner[node.name]} - MODULES)

    visit_AsyncFunctionDef = visit_ClassDef = visit_FunctionDef  # noqa: N815

    def visit_Lambda(self, node: ast.Lambda | ast.expr) -> None:
        """A lambda, or a comprehension: what it binds is its own."""
        self._inner(node)

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_Lambda  # noqa: N815

    def _inner(self, node: ast.AST) -> set[str]:
        inner = _Statement()
        for child in ast.iter_child_nodes(node):
            inner.visit(child)
        own = inner.binds | {part.arg for part in ast.walk(node) if isinstance(part, ast.arg)}
        self.loads |= inner.loads - own
        self.mutates |= inner.mutates - own
        return inner.loads - own

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self._shared_state(node.attr)
        self.generic_visit(node)

    def _shared_state(self, name: str) -> None:
        """What works in a process group depends on who made it and who ended it."""
        if name in PROCESS_GROUP or "process_group" in name:
            self.loads.add("a process group")
            self.binds.add("a process group")

    def visit_Constant(self, node: ast.Constant) -> None:
        """A file stands for a name: who names it may write it and read it."""
        if isinstance(node.value, str) and FILE.fullmatch(node.value):
            self.loads.add(node.value)
            self.binds.add(node.value)

    def visit_Assign(self, node: ast.Assign) -> None:
        self._assign(node.targets, node.value)
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.loads |= _roots(node.target)
        self.mutates |= _roots(node.target)
        self.generic_visit(node)

    def visit_For(self, node: ast.For) -> None:
        self._assign([node.target], node.iter)
        self.generic_visit(node)

    def visit_With(self, node: ast.With) -> None:
        for item in node.items:
            if item.optional_vars is not None:
                self._assign([item.optional_vars], item.context_expr)
        self.generic_visit(node)

    def visit_Delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            self.mutates |= _roots(target)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        if _may_change(node):
            touched = _roots(node.func)
            for argument in [*node.args, *(keyword.value for keyword in node.keywords)]:
                touched |= _roots(argument)
            self.mutates |= touched
            if len(touched) > 1:
                self.links.append(touched)
        self.generic_visit(node)

    def _assign(self, targets: list[ast.expr], value: ast.expr) -> None:
        for target in targets:
            if isinstance(target, ast.Attribute | ast.Subscript):
                self.mutates |= _roots(target)
            linked = _roots(target) | _shared(value)
            if len(linked) > 1:
                self.links.append(linked)


def _may_change(node: ast.Call) -> bool:
    """Whether a call may change what it is called on or given. PyTorch's functions that do end with an underscore."""
    name = _called(node)
    if name.endswith("_") or name == "backward":
        return True
    of_torch = isinstance(node.func, ast.Attribute) and next(_walk(node.func), "") in ("torch", "nn", "F", "np")
    return not of_torch and name not in PURE | FRESH


def _called(node: ast.Call) -> str:
    """The last part of the name of what is called."""
    function = node.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _roots(node: ast.expr) -> set[str]:
    """The names from which an expression takes objects that can be changed."""
    return set(_walk(node)) - MODULES - BUILTINS


def _shared(value: ast.expr) -> set[str]:
    """The names with which the value of an expression may share memory."""
    if isinstance(value, ast.Call) and _called(value) in FRESH:
        return set()
    if isinstance(value, ast.Compare | ast.JoinedStr | ast.Constant):
        return set()
    return _roots(value)


def _walk(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield node.id
    if isinstance(node, ast.Attribute) and node.attr in ("shape", "dtype", "device", "ndim"):
        return
    for child in ast.iter_child_nodes(node):
        yield from _walk(child)
