"""Calls something once a module was imported: what replaces a part of PyTorch must not import that part."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Callable, Sequence
from functools import partial
from types import ModuleType

Call = Callable[[], None]


def after(module: str, call: Call) -> None:
    """Call this right after the module is imported, or now if it is imported already."""
    waiting = next((f for f in sys.meta_path if isinstance(f, _Finder) and f.module == module), None)
    if waiting is not None:  # it may be at its import just now
        waiting.calls.append(call)
    elif module in sys.modules:
        call()
    else:
        sys.meta_path.insert(0, _Finder(module, call))


def after_both(one: str, other: str, call: Call) -> None:
    """Call this once both modules are imported, of which either may import the other."""
    missing = {one, other}

    def imported(module: str) -> None:
        missing.discard(module)
        if not missing:
            call()

    for module in one, other:
        after(module, partial(imported, module))


class _Finder(importlib.abc.MetaPathFinder):
    """Finds one module as the other finders do, once."""

    def __init__(self, module: str, call: Call) -> None:
        self.module, self.calls = module, [call]

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self.module:
            return None
        others = (finder for finder in sys.meta_path if finder is not self)
        specs = (finder.find_spec(fullname, path, target) for finder in others)
        spec = next((spec for spec in specs if spec is not None), None)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, self)
        return spec


class _Loader(importlib.abc.Loader):
    """Loads the module with its own loader, and calls then."""

    def __init__(self, loader: importlib.abc.Loader, finder: _Finder) -> None:
        self.loader, self.finder = loader, finder

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self.loader
        if module.__spec__ is not None:
            module.__spec__.loader = self.loader
        self.loader.exec_module(module)
        if self.finder in sys.meta_path:
            sys.meta_path.remove(self.finder)
            for call in self.finder.calls:
                call()
