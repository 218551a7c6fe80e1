"""calls: what is known of functions by their names: which change nothing, share nothing, draw random numbers.

All of it errs on one side: a call that is not listed may change what it is called on and what it is given.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

BUILTINS = frozenset(dir(builtins))
PURE_BUILTINS = frozenset(
    """
    print len range str repr type isinstance issubclass hasattr getattr sorted zip enumerate int float bool list tuple
    dict set frozenset sum min max any all abs round id format divmod map filter reversed vars dir callable hash slice
    """.split()
)
"""Built-in functions that change nothing, but for iterators, which some of them use up."""
CALLING = frozenset("map filter sorted min max".split())
"""Built-in functions that may call a function that they are given."""
PURE_METHODS = frozenset(
    """
    item tolist numel size dim stride mean std var sum prod argmax argmin sqrt exp log square abs max min all any round
    clone detach numpy data_ptr storage_offset is_contiguous element_size nelement untyped_storage parameters buffers
    named_parameters named_buffers named_modules modules children state_dict items keys values get join split strip
    splitlines startswith endswith replace upper lower count index equal allclose reshape view flatten permute format
    transpose squeeze unsqueeze expand matmul mm get_device median nanmedian quantile nanquantile kthvalue topk argsort
    unique cumsum cumprod norm amin amax aminmax is_pinned
    """.split()
)
"""Methods that change neither what they are called on nor what they are given, unless the page defines them itself."""
RECEIVING = frozenset(
    """
    append add insert extend update setdefault plot scatter bar barh hist imshow step errorbar fill_between axhline
    axvline text annotate legend semilogx semilogy loglog matshow pcolormesh set set_title set_xlabel set_ylabel
    set_xticks set_yticks set_xscale set_yscale set_xlim set_ylim tick_params
    """.split()
)
"""Methods that change what they are called on, and nothing that they are given."""
PURE_PATHS = re.compile(
    r"(?:torch(?:\.(?:nn|nn\.functional|optim|linalg|fft|special|testing|cuda|mps|backends|accelerator|amp|cpu|random"
    r"|utils\.data))?|numpy(?:\.\w+)?|math|time|operator|platform|textwrap|statistics)\.\w+"
)
"""Functions of libraries that change nothing that they are given, but for those in `IMPURE`."""
IMPURE = frozenset(
    """
    put place copyto putmask fill_diagonal shuffle at save savez savez_compressed savetxt put_along_axis compile
    batch_norm instance_norm embedding embedding_bag iadd isub imul setitem delitem ior iand
    """.split()
)
"""Functions that change what they are given although `PURE_PATHS` matches them."""
FRESH = frozenset("zeros ones full empty rand randn randint randperm arange linspace eye tensor device".split())
"""Functions of torch whose result shares nothing with what they are given."""
ATOMIC = frozenset("int float str len round bool repr ord chr hash id".split())
"""Built-in functions whose result cannot be changed."""
ATOMIC_PATHS = re.compile(
    r"torch\.(?:device|accelerator\.\w+|manual_seed|cuda\.(?:is_available|device_count))|time\.\w+"
)
"""Functions of libraries whose result cannot be changed."""
ATTRIBUTES = ("shape", "dtype", "device", "ndim")
"""Attributes whose value cannot be changed."""
SEEDS = frozenset("manual_seed manual_seed_all seed set_rng_state".split())
"""Functions that set the state of a random number generator."""
DRAWS = frozenset(
    """
    rand randn randint randperm rand_like randn_like randint_like normal bernoulli multinomial poisson dropout shuffle
    normal_ uniform_ bernoulli_ exponential_ random_ log_normal_ cauchy_ geometric_ trunc_normal_ xavier_uniform_
    xavier_normal_ kaiming_uniform_ kaiming_normal_ orthogonal_ sparse_ reset_parameters random_split choice
    permutation get_rng_state fork_rng initial_seed sample gauss uniform Linear Bilinear Conv1d Conv2d Conv3d
    ConvTranspose1d ConvTranspose2d ConvTranspose3d Embedding EmbeddingBag RNN LSTM GRU RNNCell LSTMCell GRUCell
    """.split()
)
"""Functions, methods and layers that draw random numbers at once."""
DRAWS_LATER = frozenset(
    """
    DataLoader RandomSampler WeightedRandomSampler SubsetRandomSampler Dropout Dropout1d Dropout2d Dropout3d
    AlphaDropout MultiheadAttention Transformer TransformerEncoderLayer TransformerDecoderLayer RReLU
    """.split()
)
"""What draws random numbers when it is used."""
MEASURES = frozenset(
    """
    memory_allocated max_memory_allocated memory_reserved max_memory_reserved memory_stats memory_summary mem_get_info
    memory_snapshot _snapshot getrusage tracemalloc get_traced_memory listdir scandir walk iterdir glob rglob
    get_objects get_memory_info process_memory driver_allocated_memory current_allocated_memory
    """.split()
)
"""What looks at all that the page has done: memory that is in use, files that are there."""


@dataclass
class Scope:
    """What is known, at one place of a page, of the names that are bound there."""

    imports: dict[str, str] = field(default_factory=dict)
    """Names of modules, and of what was imported from them, with their full names: `F` is `torch.nn.functional`."""
    atoms: set[str] = field(default_factory=set)
    """Names of values that cannot be changed: numbers, texts, devices."""
    solid: set[str] = field(default_factory=set)
    """Names of values that are no iterators."""
    pure: set[str] = field(default_factory=set)
    """Names of the page's own functions that change nothing."""
    stateless: set[str] = field(default_factory=set)
    """Names of the page's own functions that may change what they are given, and nothing else."""
    methods: set[str] = field(default_factory=set)
    """Names of all functions and methods that the page defines."""
    seen: set[str] = field(default_factory=set)
    """Names that were ever bound."""

    def inside(self, own: set[str]) -> Scope:
        """What is known inside a function whose own names are these."""
        imports = {name: path for name, path in self.imports.items() if name not in own}
        atoms, solid, pure, stateless = (known - own for known in (self.atoms, self.solid, self.pure, self.stateless))
        return Scope(imports, atoms, solid, pure, stateless, self.methods, self.seen - own)

    def forget(self, name: str) -> None:
        """Note that a name is bound anew."""
        self.imports.pop(name, None)
        for known in (self.atoms, self.solid, self.pure, self.stateless):
            known.discard(name)
        self.seen.add(name)

    def path(self, node: ast.expr) -> str:
        """The full name of what an expression takes from a library, as `torch.nn.functional.relu`; else empty."""
        if isinstance(node, ast.Name):
            return self.imports.get(node.id, "")
        if isinstance(node, ast.Attribute):
            base = self.path(node.value)
            return f"{base}.{node.attr}" if base else ""
        return ""

    def roots(self, node: ast.AST) -> set[str]:
        """The names from which an expression takes objects that can be changed."""
        return (
            {name for name in _walk(node) if name not in BUILTINS or name in self.seen} - self.atoms - {*self.imports}
        )

    def shared(self, value: ast.expr) -> set[str]:
        """The names with which the value of an expression may share memory."""
        if isinstance(value, ast.Compare | ast.JoinedStr | ast.Constant):
            return set()
        if isinstance(value, ast.Call) and called(value) in FRESH and self.path(value.func).startswith("torch."):
            return set()
        return self.roots(value)

    def may_change(self, node: ast.Call) -> bool:
        """Whether a call may change what it is called on or given."""
        name, path = called(node), self.path(node.func)
        if any(keyword.arg in ("out", "generator") or _in_place(keyword) for keyword in node.keywords):
            return True
        if name in IMPURE or name == "backward" or name.endswith("_"):
            return True
        if path:
            flags = any(isinstance(one, ast.Constant) and one.value is True for one in node.args)
            return not PURE_PATHS.fullmatch(path) or (flags and path.startswith("torch.nn.functional."))
        if isinstance(node.func, ast.Name):
            return not self._pure_function(node, name)
        return name not in PURE_METHODS - self.methods or not isinstance(node.func, ast.Attribute)

    def _pure_function(self, node: ast.Call, name: str) -> bool:
        if name in self.pure:
            return True
        if name in self.seen or name not in PURE_BUILTINS:
            return False
        given = [*node.args[:1]] if name in ("map", "filter") else []
        given += [keyword.value for keyword in node.keywords if keyword.arg == "key"]
        return name not in CALLING or not any(self.roots(one) or isinstance(one, ast.Lambda) for one in given)

    def changed(self, node: ast.Call) -> set[str]:
        """The names whose object a call may change, of those that it is called on and given."""
        if not self.may_change(node):
            return set()
        touched = self.roots(node.func) - self.stateless
        takes = isinstance(node.func, ast.Attribute) and called(node) in RECEIVING - self.methods
        if takes and not self.path(node.func):
            return touched
        return touched.union(*map(self.roots, [*node.args, *(keyword.value for keyword in node.keywords)]))

    def used_up(self, node: ast.AST) -> set[str]:
        """The names of iterators that are, or may be, used up when an expression is gone through."""
        while isinstance(node, ast.Attribute | ast.Subscript | ast.Starred):
            node = node.value
        if not isinstance(node, ast.Name) or node.id in BUILTINS - self.seen:
            return set()
        return {node.id} - self.solid - self.atoms - {*self.imports}

    def is_atomic(self, node: ast.AST) -> bool:
        """Whether the value of an expression surely cannot be changed."""
        if isinstance(node, ast.Constant | ast.JoinedStr | ast.Compare):
            return True
        if isinstance(node, ast.Name):
            return node.id in self.atoms
        if isinstance(node, ast.Attribute):
            return node.attr in ATTRIBUTES or self.path(node).startswith(("torch.", "math.", "numpy."))
        if isinstance(node, ast.Call):
            plain = isinstance(node.func, ast.Name) and node.func.id in ATOMIC - self.seen
            return plain or called(node) == "item" or bool(ATOMIC_PATHS.fullmatch(self.path(node.func)))
        if isinstance(node, ast.Tuple | ast.BinOp | ast.UnaryOp | ast.BoolOp | ast.IfExp):
            return all(self.is_atomic(part) for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr))
        return False

    def is_solid(self, node: ast.AST) -> bool:
        """Whether the value of an expression surely is no iterator, nor holds one."""
        if self.is_atomic(node):
            return True
        if isinstance(node, ast.Name):
            return node.id in self.solid
        if isinstance(node, ast.Call):
            path = self.path(node.func)
            return bool(PURE_PATHS.fullmatch(path)) and "utils" not in path and "optim" not in path
        if isinstance(node, ast.List | ast.Tuple | ast.Set | ast.BinOp | ast.UnaryOp):
            return all(self.is_solid(part) for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr))
        return isinstance(node, ast.ListComp) and self.is_solid(node.elt)


def called(node: ast.Call) -> str:
    """The last part of the name of what is called."""
    function = node.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _in_place(keyword: ast.keyword) -> bool:
    off = isinstance(keyword.value, ast.Constant) and keyword.value.value is False
    return keyword.arg == "inplace" and not off


def _walk(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield node.id
    if isinstance(node, ast.Attribute) and node.attr in ATTRIBUTES:
        return
    for child in ast.iter_child_nodes(node):
        yield from _walk(child)
