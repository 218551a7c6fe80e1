"""Knows what a tensor is for: a parameter, a gradient, an optimizer's state, or something else."""

from __future__ import annotations

import gc
import time
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

PARAMETERS, GRADIENTS, STATE, OTHER = OWNERS = ("parameters", "gradients", "optimizer state", "other")


class Owners:
    """The addresses at which parameters, gradients and optimizers' states were seen, and when."""

    def __init__(self) -> None:
        self.seen: defaultdict[tuple[int, int], list[tuple[float, str]]] = defaultdict(list)
        self.hooks: list[Any] = []

    def watch(self) -> None:
        """Look at each optimizer's tensors before and after its steps."""
        from torch.optim import optimizer

        self.seen.clear()
        self.hooks = [
            optimizer.register_optimizer_step_pre_hook(self._before_step),
            optimizer.register_optimizer_step_post_hook(self._after_step),
        ]

    def stop(self) -> None:
        """Look no more."""
        for hook in self.hooks:
            hook.remove()
        self.hooks.clear()

    def look(self) -> None:
        """Look at all parameters and optimizers that the program holds now."""
        import torch

        for thing in gc.get_objects():
            if issubclass(type(thing), torch.nn.Parameter):
                self._see_parameter(thing)
            elif issubclass(type(thing), torch.optim.Optimizer):
                self._after_step(thing)

    def of(self, gpu: int, address: int, size: int, begin: float, end: float, frames: Iterable[Any]) -> str:
        """Return what a block was for, which lived from a time to another and was allocated by these frames."""
        for when, owner in self.seen.get((gpu, address), ()):
            if begin <= when <= end:
                return owner
        for frame in frames:
            file, name = frame["filename"], frame["name"]
            if file.endswith("/torch/nn/modules/module.py") and name == "_apply":
                return PARAMETERS
            if "/torch/optim/" in file and name == "_init_group":
                return STATE
        return OTHER

    def _before_step(self, optimizer: Any, *_: object) -> None:
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                self._see_parameter(parameter)

    def _after_step(self, optimizer: Any, *_: object) -> None:
        for state in optimizer.state.values():
            for value in state.values() if isinstance(state, dict) else ():
                self._see(value, STATE)

    def _see_parameter(self, parameter: Any) -> None:
        self._see(parameter, PARAMETERS)
        self._see(parameter.grad, GRADIENTS)

    def _see(self, tensor: Any, owner: str) -> None:
        import torch

        if not isinstance(tensor, torch.Tensor) or tensor.device.type != "cuda":
            return
        try:
            address = tensor.untyped_storage().data_ptr()
        except (RuntimeError, NotImplementedError):  # a subclass without memory of its own
            return
        self.seen[tensor.device.index, address].append((time.time_ns() / 1000, owner))
