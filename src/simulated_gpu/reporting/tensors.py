"""Which addresses hold parameters, gradients and optimizer state: PyTorch's hooks and Python's objects say it."""

from __future__ import annotations

import gc
import time
import weakref
from collections.abc import Iterable
from typing import Any, NamedTuple

PARAMETERS, GRADIENTS, STATE = "parameters", "gradients", "optimizer state"
ACTIVATIONS, TEMPORARY, WORKSPACE, BEFORE = "activations", "temporary", "workspaces", "allocated before"
REST = "rest of blocks"


class Note(NamedTuple):
    """What an address held at a time."""

    time: int
    """In microseconds."""
    category: str
    element: int
    """The bytes of a number."""


class Tags:
    """Notes at each call of a module and each step of an optimizer what their tensors' addresses hold."""

    def __init__(self) -> None:
        self.noted: dict[tuple[int, int], list[Note]] = {}
        """By GPU and address: what was there, and when."""
        self._newest: dict[tuple[int, int], weakref.ref[Any]] = {}
        """By GPU and address: the tensor that was noted last."""
        self._handles: list[Any] = []

    def start(self) -> None:
        """Install the hooks."""
        from torch.nn.modules.module import register_module_forward_pre_hook
        from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

        self._handles = [
            register_module_forward_pre_hook(self._of_module),
            register_optimizer_step_pre_hook(self._of_optimizer),
            register_optimizer_step_post_hook(self._of_optimizer),
        ]

    def stop(self) -> None:
        """Note what the program still holds, and remove the hooks."""
        self._of_objects()
        for handle in self._handles:
            handle.remove()

    def _of_objects(self) -> None:
        """Find what no hook saw: a program may run out of memory before its model is called."""
        import torch

        for thing in gc.get_objects():
            kind = type(thing)  # not isinstance: it asks the object, which may be a proxy that does something
            if issubclass(kind, torch.nn.Parameter):
                self._note([thing], PARAMETERS)
                self._note([thing.grad], GRADIENTS)
            elif issubclass(kind, torch.optim.Optimizer):
                self._of_optimizer(thing)

    def _of_module(self, module: Any, _: Any) -> None:
        parameters = [parameter for parameter in module._parameters.values() if parameter is not None]
        self._note([*parameters, *module._buffers.values()], PARAMETERS, again=False)
        self._note((parameter.grad for parameter in parameters), GRADIENTS)

    def _of_optimizer(self, optimizer: Any, *_: Any) -> None:
        parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
        self._note(parameters, PARAMETERS)
        self._note((parameter.grad for parameter in parameters), GRADIENTS)
        self._note((value for state in list(optimizer.state.values()) for value in _values(state)), STATE)

    def _note(self, tensors: Iterable[Any], category: str, again: bool = True) -> None:
        now = time.time_ns() // 1000
        for tensor in tensors:
            key = _place(tensor)
            if key is not None and (again or self._is_new(key, tensor)):
                self.noted.setdefault(key, []).append(Note(now, category, tensor.element_size()))
                self._newest[key] = weakref.ref(tensor)

    def _is_new(self, key: tuple[int, int], tensor: Any) -> bool:
        """Return whether another tensor was noted there, or none: a second model may get the memory of the first."""
        newest = self._newest.get(key)
        return newest is None or newest() is not tensor


def _values(state: Any) -> Iterable[Any]:
    return state.values() if isinstance(state, dict) else ()


def _place(tensor: Any) -> tuple[int, int] | None:
    local = getattr(tensor, "_local_tensor", tensor)  # of a DTensor
    if not getattr(local, "is_cuda", False):
        return None
    try:
        return local.device.index, local.untyped_storage().data_ptr()
    except (RuntimeError, NotImplementedError):  # a tensor without memory of its own
        return None
