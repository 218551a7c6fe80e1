"""Calls of `__init__` that do nothing."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from torch import nn

from claims.claimlib import claim, raises


class NoCall(nn.Module):
    def __init__(self) -> None:
        super().__init__  # noqa: B018
        self.layer = nn.ReLU()


class SuperAlone(nn.Module):
    def __init__(self) -> None:
        super(SuperAlone).__init__()
        self.layer = nn.ReLU()


class Skips(nn.Module):
    def __init__(self) -> None:
        super(nn.Module, self).__init__()
        self.layer = nn.ReLU()


class Mixin:
    def __init__(self) -> None:
        self.mixed = True


class MixinFirst(Mixin, nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.ReLU()


class MixinLast(nn.Module, Mixin):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.ReLU()


@dataclass(eq=False)
class Data(nn.Module):
    layer: nn.Module


@claim(
    "`super().__init__` | no parentheses, no call | `super().__init__()`",
    "`super(Net).__init__()` | it initializes the `super` object alone | `super().__init__()`",
    "`super(nn.Module, self).__init__()` | it skips `nn.Module` | `super().__init__()`",
    "`@dataclass` | it writes an `__init__` that assigns the fields at once | write `__init__` yourself",
)
@pytest.mark.parametrize("make", [NoCall, SuperAlone, Skips, lambda: Data(nn.ReLU())])
def test_calls(make: type) -> None:
    raises("before Module.__init__() call", make)


@claim(
    "`class Net(Mixin, nn.Module)` | `Mixin.__init__` does not call `super().__init__()` | call it there; with `nn.Module` first, `Mixin.__init__` is not called at all"
)
def test_mixins() -> None:
    raises("before Module.__init__() call", MixinFirst)
    assert not hasattr(MixinLast(), "mixed")


class Empty(nn.Module):
    def __init__(self) -> None:
        pass


@claim(
    "Calling it gives `has no attribute '_backward_hooks'`, and `parameters()` gives `has no attribute '_parameters'`."
)
def test_empty() -> None:
    raises("has no attribute '_backward_hooks'", Empty(), 1)
    raises("has no attribute '_parameters'", lambda: list(Empty().parameters()))
