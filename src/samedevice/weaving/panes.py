"""panes: the outputs of a block to `Pane`s: each output once, with the environments that printed it and their names."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from samedevice.outputs.comparison import difference
from samedevice.outputs.environments import Environment
from samedevice.outputs.labels import Label
from samedevice.outputs.output import Output
from samedevice.pages import comments
from samedevice.pages.page import Block


@dataclass(frozen=True)
class ShownOutput:
    """What is shown under a block for one environment."""

    device: str
    """cpu, cuda or mps."""
    output: Output | None
    """The output; None where none is shown."""
    environment: Environment | None
    """Where the output was made."""
    note: str = ""
    """Why there is no output, or what is wrong with it."""
    wrong: bool = False
    """Whether the note tells of a fault."""

    @property
    def content(self) -> tuple[str, tuple[str, ...], str]:
        """What a reader sees of it."""
        if self.output is None:
            return "", (), self.note
        return self.output.shown, tuple(figure.svg for figure in self.output.figures), self.note


Shown = dict[int, list[ShownOutput]]
"""What is shown under each block of a page, by the block's index."""


def is_simulated(one: ShownOutput) -> bool:
    """Whether it is the output of a simulated device."""
    return one.output is not None and one.environment is not None and one.environment.simulated


def unsaid(block: Block, shown: Sequence[ShownOutput]) -> list[ShownOutput]:
    """What is left to show of a block: all of it, or what the fence below it or its comments do not say."""
    if block.expected is None:
        return [*shown] if not _is_literal(block, shown) else []
    rest = ((one, _rest(block, one.output)) for one in shown if one.output)
    return [replace(one, output=output) for one, output in rest if output.shown or output.figures]


def _is_literal(block: Block, shown: Sequence[ShownOutput]) -> bool:
    """Whether all that is shown of a block is its code: `{"a": 1}` is shown already, as many pages write data."""
    values = {one.output.value for one in shown if one.output and one.output == Output(value=one.output.value)}
    if len(values) != 1 or not all(one.output for one in shown):
        return False
    try:
        body = ast.parse(block.code).body
    except SyntaxError:
        return False
    code = comments.loose(ast.unparse(body[0])) if len(body) == 1 and isinstance(body[0], ast.Expr) else ""
    return any(mark in code for mark in "{[(") and comments.loose(values.pop()) == code


def _rest(block: Block, output: Output) -> Output:
    if not block.says_itself:
        return Output(figures=output.figures)
    says = comments.whole(block.code)
    printed = Counter(line.rstrip() for line in output.text.rstrip("\n").split("\n"))
    lines = Counter(line.strip() for line in says.split("\n"))
    same = comments.loose(says) == comments.loose(output.text)
    known = same or all(lines[line.strip()] >= count for line, count in printed.items())
    return replace(output, text="") if known else output


@dataclass(frozen=True)
class Name:
    """How an environment is called under one block."""

    text: str
    """The version of PyTorch, as short as it tells the block's outputs apart: 2.13, 2.13.0+cu130, H200 2.13.0+cu130."""
    marks: tuple[str, ...]
    """What a reader's choice of a version finds it by: 2.13, cpu-2.13.0+cu130."""


@dataclass(frozen=True)
class Pane:
    """One output with all the environments that printed it."""

    shown: tuple[ShownOutput, ...]
    """The environments; the first one's output is the one to show."""
    first: tuple[str, ...]
    """The devices whose newest PyTorch printed it: what a reader sees who chose no version."""
    names: Mapping[Environment, Name]
    """How the block's environments are called, oldest PyTorch first."""
    numbers_vary: bool = False
    """Whether the environments need not have printed the same numbers."""

    @property
    def printed_this(self) -> tuple[ShownOutput, ...]:
        """The environments that printed what is shown, number for number where numbers vary."""
        return tuple(one for one in self.shown if not self.numbers_vary or one.content == self.shown[0].content)

    @property
    def printed_other_numbers(self) -> tuple[ShownOutput, ...]:
        """The environments that printed it with other numbers."""
        return tuple(one for one in self.shown if one not in self.printed_this)

    @property
    def environments(self) -> list[Environment]:
        """Where the output was made."""
        return [one.environment for one in self.shown if one.environment]

    def marks(self, device: str) -> list[str]:
        """What a choice of a version finds it by, for one device."""
        return [mark for one in self.environments if one.device == device for mark in self.names[one].marks]

    @property
    def tokens(self) -> list[str]:
        """The marks of all devices, each with its device in front: `cpu-2.13`."""
        devices = dict.fromkeys(one.device for one in self.environments)
        return [f"{device}-{mark}" for device in devices for mark in self.marks(device)]

    @property
    def simulated(self) -> bool:
        """Whether only simulated devices printed it."""
        return bool(self.environments) and all(one.simulated for one in self.environments)

    @property
    def label(self) -> str:
        """The devices with the versions of PyTorch that printed what is shown: `CPU and CUDA (H100) · PyTorch 2.11`.

        Simulated ones are named if there are no others.
        """
        return ", ".join(map(str, self._labels(self.simulated)))

    @property
    def also(self) -> str:
        """The simulated devices that printed what others printed too: `CUDA, simulated`; empty if there are none.

        Their versions are named if the others' differ.
        """
        versions = {one.versions for one in self._labels(simulated=False)}
        found = [] if self.simulated else self._labels(simulated=True)
        return ", ".join(one.names if one.versions in versions else str(one) for one in found)

    def _labels(self, simulated: bool) -> list[Label]:
        """The devices that printed what is shown, real or simulated: a label for each set of versions."""
        found: dict[str, dict[str, None]] = {}
        for one in self.printed_this:
            if bool(one.environment and one.environment.simulated) == simulated:
                found.setdefault(self._versions(one.device, self.printed_this), {})[one.device] = None
        labels = []
        for versions, devices in found.items():  # a real accelerator has its name, unless there are two kinds
            real = [] if simulated else [device for device in devices if device != "cpu"]
            gpus = self.gpus(real[0]) if len(real) == 1 else ""
            labels.append(Label(tuple(devices), self.maker, versions, simulated, gpus))
        return labels

    def gpus(self, device: str) -> str:
        """The real accelerators of a kind that printed what is shown, in short: `H100`; empty if none did."""
        made = (one.environment for one in self.printed_this if one.device == device != "cpu")
        return ", ".join(sorted({one.short_name.upper() for one in made if one and not one.simulated}))

    @property
    def maker(self) -> str:
        """What its versions are versions of: PyTorch, or Python."""
        return next((one.maker for one in self.environments), "")

    def versions(self, device: str) -> str:
        """The versions of PyTorch that printed it on a device: `2.9, 2.15`; empty if none did."""
        return self._versions(device, self.shown)

    def _versions(self, device: str, shown: Sequence[ShownOutput]) -> str:
        environments = (one.environment for one in shown)
        own = {self.names[one].text for one in environments if one and one.device == device}
        return listed(own, [name.text for one, name in self.names.items() if one.device == device])


def panes_of(block: Block, shown: Sequence[ShownOutput]) -> list[Pane]:
    """The outputs of a block, each once.

    `shown` has, for each device in turn, its environments, those first that are to be seen first. Two versions on one
    device printed the same where pytest would take one output for the other; two devices, where not a letter differs.
    What was measured is named by the environments that printed these very numbers.
    """
    groups: list[list[ShownOutput]] = []
    for one in shown:
        group = next((group for group in groups if any(_same(block, other, one) for other in group)), None)
        groups.append([one]) if group is None else group.append(one)
    first = {id(one) for one in {one.device: one for one in reversed(shown)}.values()}
    names = _names(groups)
    return [
        Pane(
            tuple(group),
            tuple(one.device for one in group if id(one) in first),
            names,
            any(_numbers_vary(block, one) for one in group),
        )
        for group in groups
    ]


def differ_by_version(panes: Sequence[Pane]) -> bool:
    """Whether the devices printed the same with each version of PyTorch that several of them ran.

    Their newest outputs then differ because the versions do. Without such a version nobody knows.
    """
    printed: dict[str, set[tuple[str, int]]] = {}
    for number, pane in enumerate(panes):
        for one in pane.environments:
            printed.setdefault(one.release, set()).add((one.device, number))
    shared = [found for found in printed.values() if len({device for device, _ in found}) > 1]
    return bool(shared) and all(len({number for _, number in found}) == 1 for found in shared)


def _numbers_vary(block: Block, one: ShownOutput) -> bool:
    return block.numbers_vary(is_simulated(one))


def _same(block: Block, one: ShownOutput, other: ShownOutput) -> bool:
    if one.device != other.device or not (one.output and other.output):
        return one.content == other.content
    vary = _numbers_vary(block, one) or _numbers_vary(block, other)
    return one.note == other.note and not difference(one.output, other.output, vary)


def _names(groups: Sequence[Sequence[ShownOutput]]) -> dict[Environment, Name]:
    """How to call the environments of a block, oldest PyTorch first."""
    at = {one.environment: number for number, group in enumerate(groups) for one in group if one.environment}
    found: dict[Environment, Name] = {}
    seen: set[tuple[str, str]] = set()
    for one in sorted(at, key=lambda one: one.order, reverse=True):
        releases = {at[other] for other in at if (other.device, other.release) == (one.device, one.release)}
        builds = {at[other] for other in at if (other.device, other.torch) == (one.device, one.torch)}
        newest = (one.device, one.release) not in seen
        seen.add((one.device, one.release))
        if len(releases) == 1:
            found[one] = Name(one.release, (one.release,) * newest)
        else:
            text = one.version if len(builds) == 1 else f"{one.short_name.upper()} {one.version}"
            found[one] = Name(text, (one.folder, *[one.release] * newest))
    return dict(reversed(found.items()))


def listed(own: set[str], names: Sequence[str]) -> str:
    """Some of `names`, in their order: `2.9, 2.11, 2.15`. A version between them that did not run is not named."""
    return ", ".join(name for name in dict.fromkeys(names) if name in own)
