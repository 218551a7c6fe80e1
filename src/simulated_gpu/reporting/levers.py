"""What changes of a program would save where it ran out of memory: arithmetic of what was held then."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .facts import Lever
from .lines import FORWARD
from .tensors import ACTIVATIONS, GRADIENTS, PARAMETERS, STATE


@dataclass(frozen=True)
class AtFailure:
    """What is known of the moment at which an allocation failed."""

    phase: str
    held: Mapping[str, int]
    """Bytes by category."""
    float32: int
    """The bytes of parameters, gradients and optimizer state that are in float32."""
    largest_gradient: int
    has_trained: bool
    """Whether there was a backward pass before."""


def levers(then: AtFailure) -> tuple[Lever, ...]:
    """Return what each change would have saved, the most first, without those that save nothing."""
    found = (Lever(change, size, at_most, because) for change, size, at_most, because in _all(then) if size > 0)
    return tuple(sorted(found, key=lambda lever: -lever.bytes))


def _all(then: AtFailure) -> Iterator[tuple[str, int, bool, str]]:
    parameters, gradients = then.held.get(PARAMETERS, 0), then.held.get(GRADIENTS, 0)
    state, activations = then.held.get(STATE, 0), then.held.get(ACTIVATIONS, 0)
    if then.phase == FORWARD:
        yield "zero_grad() before the forward", gradients, False, "all gradients"
    else:
        rest = gradients - then.largest_gradient
        yield "the optimizer's step inside backward", rest, True, "all gradients but the largest"
    if not then.has_trained:
        yield "inference_mode(), for an evaluation", activations, True, "all activations"
    yield "checkpointing", activations, True, "all activations; the inputs of its parts stay"
    yield "accumulation over two half batches", activations // 2, True, "half of the activations"
    yield "SGD without momentum", state, False, "all of the optimizer's state"
    yield "parameters in bfloat16", then.float32 // 2, False, "half of what parameters bring with them in float32"
    yield "fewer trained parameters", gradients + state, True, "gradients and optimizer state"
    yield "FSDP2 on two GPUs", (parameters + gradients + state) // 2, True, "half of parameters, gradients and state"
