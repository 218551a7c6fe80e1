"""Pages that are edited at random, and machines that remember what they truly ran."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from samedevice.outputs.environments import Environment
from samedevice.outputs.output import Output
from samedevice.outputs.page_file import PageFile
from samedevice.outputs.recordings import Recording, State, update
from samedevice.pages.page import Block, Page

MACHINES = (
    Environment("cpu", "EPYC", "2.13.0+cpu", "3.11.7", "", "2026-11-21"),
    Environment("cpu", "EPYC", "2.15.0+cu132", "3.11.7", "", "2026-11-21"),
    Environment("cuda", "NVIDIA H100", "2.11.0+cu130", "3.11.7", "580", "2026-11-21"),
    Environment("cuda", "simulated", "2.15.0+cu132", "3.11.7", "", "2026-11-21", simulated=True),
)
CODES = [*(f"x{number} = {number}" for number in range(6)), "import traceback; traceback.print_exc()"]
"""Few, so that blocks are often the same."""
INFOS = ["", "", "", "", 'needs="cuda"', 'needs="cpu"', 'needs="2 cuda"', 'needs="torch>=2.15"', 'numbers="vary"']
Code = tuple[str, str]
"""A block: its code, and what its fence says."""


@dataclass
class Draft:
    """A page that is edited at random."""

    chance: random.Random
    setup: list[Code] = field(default_factory=list)
    sections: list[tuple[str, str, list[Code]]] = field(default_factory=list)
    """Of each the anchor, the one that it comes after, and the blocks."""

    def edit(self) -> None:
        """Edit the page once."""
        edits = [self.add, self.drop, self.change, self.swap, self.split, self.join, self.rename, self.follow]
        self.chance.choice([*edits, self.move, self.add, self.prepare] if self.sections else [self.add])()

    def add(self) -> None:
        """Add a section, or a block."""
        if len(self.sections) < 4 and (not self.sections or self.chance.random() < 0.3):
            self.sections.insert(self.chance.randint(0, len(self.sections)), (self._free(), "", [self._code()]))
        else:
            blocks = self.chance.choice(self.sections)[2]
            blocks.insert(self.chance.randint(0, len(blocks)), self._code())

    def drop(self) -> None:
        """Remove a block, or a whole section."""
        section = self.chance.choice(self.sections)
        del section[2][self.chance.randrange(len(section[2]))]
        if not section[2] or self.chance.random() < 0.2:
            self.sections.remove(section)

    def change(self) -> None:
        """Write other code into a block."""
        blocks = self.chance.choice(self.sections)[2]
        blocks[self.chance.randrange(len(blocks))] = self._code()

    def swap(self) -> None:
        """Let two blocks change places, also those of two sections."""
        one, other = (self.chance.choice(self.sections)[2] for _ in "12")
        first, second = self.chance.randrange(len(one)), self.chance.randrange(len(other))
        one[first], other[second] = other[second], one[first]

    def split(self) -> None:
        """Begin a new section in the middle of one."""
        at = self.chance.randrange(len(self.sections))
        anchor, after, blocks = self.sections[at]
        if len(blocks) > 1 and len(self.sections) < 5:
            cut = self.chance.randint(1, len(blocks) - 1)
            own = self.chance.choice(["", anchor])
            self.sections[at : at + 1] = [(anchor, after, blocks[:cut]), (self._free(), own, blocks[cut:])]

    def join(self) -> None:
        """Remove the heading between two sections."""
        at = self.chance.randrange(len(self.sections))
        if at:
            (anchor, after, blocks), (other, _, more) = self.sections[at - 1 : at + 1]
            self.sections[at - 1 : at + 1] = [(self.chance.choice([anchor, other]), after, blocks + more)]

    def rename(self) -> None:
        """Give a section another heading; perhaps that of one that was there before."""
        old, new = self.chance.choice(self.sections)[0], self._free()
        names = {anchor: anchor for anchor, _, _ in self.sections} | {old: new, "": ""}
        self.sections = [(names[anchor], names.get(after, after), blocks) for anchor, after, blocks in self.sections]

    def follow(self) -> None:
        """Have a section come after another one, or after none."""
        at = self.chance.randrange(len(self.sections))
        anchor, _, blocks = self.sections[at]
        self.sections[at] = (anchor, self.chance.choice(["", *(name for name, _, _ in self.sections[:at])]), blocks)

    def move(self) -> None:
        """Move a section within the page."""
        section = self.sections.pop(self.chance.randrange(len(self.sections)))
        self.sections.insert(self.chance.randint(0, len(self.sections)), section)

    def prepare(self) -> None:
        """Edit the setup."""
        self.setup = [(self.chance.choice(CODES), "") for _ in range(self.chance.randint(0, 2))]

    def _code(self) -> Code:
        return self.chance.choice(CODES), self.chance.choice(INFOS)

    def _free(self) -> str:
        """An anchor that no section has."""
        return self.chance.choice([one for one in "abcdefgh" if one not in [anchor for anchor, _, _ in self.sections]])

    @property
    def text(self) -> str:
        """The page as Markdown, in which a section comes after one above it, or after none."""
        found, above = [fence(code, info, "setup") for code, info in self.setup], list[str]()
        for anchor, after, blocks in self.sections:
            found.append(section(anchor, *blocks, after=after if after in above else ""))
            above.append(anchor)
        return "# Page\n\n" + "\n".join(found)


def fence(code: str, *infos: str) -> str:
    """A block as Markdown."""
    return f"```python {' '.join(filter(None, infos))}\n{code}\n```\n"


def section(anchor: str, *blocks: Code | str, after: str = "") -> str:
    """A section as Markdown."""
    pairs = [(one, "") if isinstance(one, str) else one for one in blocks]
    own = [f'after="{after}"' if after and not number else "" for number in range(len(pairs))]
    fences = [fence(code, info, more) for (code, info), more in zip(pairs, own, strict=True)]
    return "\n".join([f"## A title {{ #{anchor} }}\n", *fences])


@dataclass
class Machine:
    """An environment, and what it truly ran: by the program, as its texts, what that printed."""

    about: Environment
    ran: dict[tuple[str, ...], str] = field(default_factory=dict)

    def program(self, page: Page, index: int) -> tuple[str, ...]:
        """What ran before a block and the block, as a person would write it down: none of the engine's hashes."""
        block = page.blocks[index]
        led = [one for one in page.program(block) if self._runs(one) and one.options.count == 1]
        return tuple(f"{one.code} {one.options.numbers_vary} {one.options.needs}" for one in (*led, block))

    def _runs(self, block: Block) -> bool:
        return block.runs_on(self.about.device, self.about.torch)

    def takes(self, block: Block) -> bool:
        """Whether what a block prints here is recorded."""
        return self._runs(block) and not (self.about.simulated and block.not_simulated)

    def recording(self, file: PageFile) -> Recording | None:
        """What the file says that this machine printed."""
        return next((one for one in file.recordings() if one.environment.folder == self.about.folder), None)

    def run(self, page: Page, file: PageFile, only: Sequence[int]) -> PageFile:
        """Run some blocks of a page, and record them as pytest does; two in three print what they print elsewhere."""
        outputs: list[Output | None] = [None] * len(page.blocks)
        for index in only:
            if self._runs(page.blocks[index]):
                program = self.program(page, index)
                alone = self.about.folder if len("".join(program)) % 3 == 0 else ""
                self.ran[program] = " | ".join([alone, *program])
                outputs[index] = Output(self.ran[program])
        new = update(self.recording(file), page, self.about, outputs)
        return file if new is None else file.updated(page, new)

    def fresh(self, page: Page, file: PageFile) -> dict[tuple[str, ...], str]:
        """What the file says that this machine printed for the blocks of a page as they are, by their true programs."""
        found = self.recording(file)
        shown = ((one.index, found.find(page, one.index)) for one in page.blocks) if found else ()
        fresh = ((index, one.output) for index, one in shown if one.state is State.FRESH)
        return {self.program(page, index): output.text for index, output in fresh if output}
