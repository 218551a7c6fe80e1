"""unnamed: what code uses that has no name on the page: random numbers, files, memory, PyTorch's process group."""

from __future__ import annotations

import ast
import re

from samedevice.weaving.calls import DRAWS, DRAWS_LATER, MEASURES, SEEDS, Scope, called

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
FILE = re.compile(r"[\w./-]+\.(?:pt|pth|npy|npz|json|csv|txt|pickle|pkl|bin|safetensors|log|py)")
OPENS = frozenset("open save load Path mkdir savez savetxt loadtxt memmap fromfile tofile".split())


class Unnamed(ast.NodeVisitor):
    """Notes it for one statement, by names that no page can have."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.loads: set[str] = set()
        self.later: set[str] = set()
        self.binds: set[str] = set()
        self.drawn = False

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

    def _opens(self, node: ast.Call) -> None:
        if called(node) in OPENS:
            for argument in node.args:
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    self._file(argument.value)
                elif isinstance(argument, ast.JoinedStr):
                    self.loads.add(EVERYTHING)
                    self.binds.add(FILES)
