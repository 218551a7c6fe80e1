"""The mutants: that they are real changes, that pytest tells them on real pages, and that an untold one is seen."""

from __future__ import annotations

import ast
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import mutants
import pytest
from made_conftest import CONFTEST
from mutants import FORGED, KINDS, LITERAL, RAISES_FORGED, Case, Tally, by_hand, cases, examine
from mutations import code_mutant, literals, output_mutants, raises_mutants, with_code, with_raises
from repository import ROOT
from silence import silent, use_in_text

from same_device_site.settings import parse_page
from samedevice.devices import torch_build
from samedevice.outputs.checks import Verdict
from samedevice.outputs.comparison import difference
from samedevice.outputs.output import Figure, Output, Raised
from samedevice.outputs.page_file import to_text
from samedevice.outputs.recording_files import Recordings, figure_files, load_all, place, read_file
from samedevice.outputs.recordings import Count, RecordedBlock, Recording, count_blocks, update
from samedevice.pages.page import Block, Page
from samedevice.project import RECORDINGS
from samedevice.running.section_runner import SectionRunner

SAMPLE = ("docs/tensors/indexing.md", "docs/devices/mps.md")
"""Real pages that run within a second: one with many exceptions, one with numbers that vary."""
PAGE = """# Page

```python
import sys
x = 20
```

```python
print("one", x)
```

> ```python raises="ValueError"
> raise ValueError(f"no {x}")
> ```

```python numbers="vary"
print(x, "ms")
```

```console
$ python -c "print(open('docs/three.txt').read())"
```

```python raises="cuda: RuntimeError"
assert x == 20
```

```python
y = 1
```
"""
CPU_HERE = f"cpu-{torch_build().version}"
"""The environment of this interpreter's CPU."""

Write = Callable[..., Page]


class Sample:
    """A real page with its recording, alone in a repository in which pytest is run."""

    def __init__(self, pytester: pytest.Pytester, name: str) -> None:
        self.pytester = pytester
        self.root = pytester.path
        self.path = self.root / name
        pytester.makeini("[pytest]\ntestpaths = docs\n")
        pytester.makeconftest(CONFTEST)
        self.path.parent.mkdir(parents=True)
        shutil.copyfile(ROOT / name, self.path)
        shutil.copytree(ROOT / "snippets", self.root / "snippets")
        self.page = parse_page(self.path, self.root)
        self.blocks = [block for block in self.page.blocks if block.runs_on("cpu")]
        self.recorded = place(self.root / RECORDINGS, self.page)
        self.recorded.parent.mkdir(parents=True)
        own = place(ROOT / RECORDINGS, self.page)
        for path in (own, *figure_files(own)):
            shutil.copyfile(path, self.recorded.with_name(path.name))

    def pytest(self, *options: str) -> tuple[str, dict[str, int]]:
        """Run pytest: what it prints, and how many items passed and failed."""
        result = self.pytester.runpytest_inprocess("-rN", "--rootdir", str(self.root), *options)
        return result.stdout.str(), result.parseoutcomes()

    def change_outputs(self) -> None:
        """Change a character in each recorded output of this interpreter, one that counts, as a forger would."""
        files = Recordings(self.root, RECORDINGS)
        recording = next(one for one in files.load(self.page)[0] if one.environment.folder == CPU_HERE)
        entries = []
        for block in self.blocks:
            entry = recording.find(self.page, block.index).entry
            assert entry is not None
            assert entry.output is not None
            mutants = output_mutants(entry.output, block.options.numbers_vary)
            entries.append(replace(entry, output=next(output for output, free in mutants if not free)))
        files.save(self.page, replace(recording, entries=tuple(entries)))

    def change_by_hand(self) -> None:
        """Change a character in a recorded output, and no name."""
        file = read_file(self.recorded)
        hash, output = next((hash, one) for hash, one in file.outputs.items() if one.text)
        changed = replace(output, text=f"x{output.text}")
        self.recorded.write_text(to_text(replace(file, outputs={**file.outputs, hash: changed})), encoding="utf-8")


@pytest.fixture(params=SAMPLE)
def sample(request: pytest.FixtureRequest, pytester: pytest.Pytester, one_server: object) -> Sample:
    """One of those pages."""
    return Sample(pytester, request.param)


def test_pytest_tells_a_changed_character_in_every_recorded_output(sample: Sample) -> None:
    """Whoever edits a recording is found out, by the output's name or, if that was renewed, by the run."""
    assert sample.pytest()[1] == {"passed": len(sample.blocks) + 1}
    before = sample.recorded.read_bytes()
    sample.change_by_hand()
    output, outcomes = sample.pytest()
    assert outcomes == {"failed": len(sample.blocks) + 1}
    assert "was changed by hand, or by a merge: its name is no more the hash of what it says" in output
    sample.recorded.write_bytes(before)
    sample.change_outputs()
    output, outcomes = sample.pytest()
    assert outcomes == {"failed": len(sample.blocks), "passed": 1}
    assert output.count(" on cpu: not what was recorded (") == len(sample.blocks)


def test_pytest_tells_a_changed_literal_at_all_blocks_that_it_leads_to(sample: Sample) -> None:
    """What is recorded was printed by other code; pytest says so, and so does the status page."""
    block = sample.blocks[len(sample.blocks) // 2]
    led = [one for one in sample.blocks if one is block or block in sample.page.program(one)]
    fresh = len(sample.blocks) - len(led)
    sample.path.write_text(with_code(sample.page.text, block, code_mutant(block)), encoding="utf-8")
    output, outcomes = sample.pytest()
    assert outcomes == {"passed": fresh + 1, "failed": len(led)}
    assert f"\n{block} was recorded on cpu for other code than it has now; run pytest {sample.page.path} " in output
    counted = count_blocks(
        parse_page(sample.path, sample.root), "cpu", load_all(sample.root, RECORDINGS, sample.page)[0]
    )
    assert counted == Count(fresh=fresh, stale=len(led))


def test_a_changed_raises_cannot_even_be_recorded(sample: Sample) -> None:
    """The run itself tells it; a renewed hash is no help."""
    text, before = sample.page.text, sample.recorded.read_bytes()
    changed = [block for block in sample.blocks if not block.options.setup]  # a setup announces no exception
    for block in changed:
        text = with_raises(text, block, next(value for value in raises_mutants(block, "cpu") if _counts(block, value)))
    sample.path.write_text(text, encoding="utf-8")
    output, outcomes = sample.pytest("--record")
    assert outcomes == {"failed": len(changed), "passed": len(sample.blocks) - len(changed)}
    assert f"not recorded: {sample.page.path} on {CPU_HERE}, because {len(changed)} of its blocks failed" in output
    assert sample.recorded.read_bytes() == before


def _counts(block: Block, value: str) -> bool:
    """Whether this `raises=` says something else than the block's on the CPU."""
    return ":" not in value if block.options.raises_on("cpu") else "cpu:" in value


@pytest.fixture
def recorded(root: Path, write: Write, one_server: object) -> list[Case]:
    """The blocks of a page of all kinds, recorded."""
    page = write(PAGE)
    (root / "docs/three.txt").write_text("three", encoding="utf-8")
    with SectionRunner(root, 30, workers=1) as sessions:
        run = sessions.run(page, "cpu")
    assert run.environment is not None
    recording = update(None, page, run.environment, run.outputs)
    assert recording is not None
    Recordings(root, RECORDINGS).save(page, recording)
    return list(cases(root, page, "cpu", run))


def examined(found: list[Case]) -> dict[str, Tally]:
    """What became of all mutants."""
    tallies = {kind: Tally() for kind in KINDS}
    for case in found:
        examine(case, tallies)
    return tallies


def test_every_mutant_of_every_block_is_told(recorded: list[Case], root: Path) -> None:
    """Blocks that print, raise, vary, assert and say nothing; the page is then as it was."""
    tallies = examined(recorded)
    assert {kind: one.survivors for kind, one in tallies.items()} == {kind: [] for kind in KINDS}
    assert [len(one.blocks) for one in tallies.values()] == [7, 7, 7, 1, 7, 7, 7]
    assert tallies[FORGED].free == 2
    assert tallies[FORGED].partly == {"docs/page.md:16"}
    assert tallies[RAISES_FORGED].free == 2
    assert (root / "docs/page.md").read_text(encoding="utf-8") == PAGE


def test_a_harness_that_is_blind_is_found_out(recorded: list[Case], monkeypatch: pytest.MonkeyPatch) -> None:
    """A count of 100 % that could not be less would prove nothing."""
    monkeypatch.setattr(mutants, "fault", lambda *_: "")
    monkeypatch.setattr(mutants, "compare", lambda *_: Verdict())
    monkeypatch.setattr(mutants, "by_hand", lambda *_: "")
    tallies = examined(recorded)
    assert all(one.survivors and not one.told for one in tallies.values())
    assert tallies[LITERAL].survivors[1] == "docs/page.md:8 on cpu: print('onx', x)\n"


def test_each_character_of_an_output_is_changed_once() -> None:
    """All that a reader sees: text, value, exception and picture."""
    output = Output("a1\n", "x", Raised("E", "9"), (Figure("<svg/>", "A"),))
    assert [(found.shown, found.figures) for found, _ in output_mutants(output, False)] == [
        ("x1\nx\nE: 9", output.figures),
        ("a2\nx\nE: 9", output.figures),
        ("a1x\nx\nE: 9", output.figures),
        ("a1\ny\nE: 9", output.figures),
        ("a1\nx\nx: 9", output.figures),
        ("a1\nx\nE: 0", output.figures),
        (output.shown, (Figure("<svx/>", "A"),)),
    ]
    assert [found.text for found, _ in output_mutants(Output(), False)] == ["x"]


def test_where_numbers_vary_their_digits_alone_do_not_count() -> None:
    """All else of such a block is compared, and must be told."""
    output = Output("float32: 1.5 s")
    assert [found.text for found, free in output_mutants(output, True) if free] == ["float32: 2.5 s", "float32: 1.6 s"]
    for found, free in output_mutants(output, True):
        assert bool(difference(output, found, True)) is not free


def test_each_literal_becomes_another_and_the_rest_of_the_code_stays() -> None:
    """A change of more than one literal would prove less."""
    code = '"""Text."""\nx = "é", 3, 0.5, True, b"x", f"{x!r:>5} y", None, 0, 2j\n'
    found = []
    for (start, end), other in literals(code):
        changed = (code.encode()[:start] + other.encode() + code.encode()[end:]).decode()
        ast.parse(changed)
        found.append(changed.split("\n")[1])
    assert sorted(found) == sorted(
        code.split("\n")[1].replace(old, new, 1)
        for old, new in (
            ('"é"', "'x'"),
            ("3", "2"),
            ("0.5", "0.25"),
            ("True", "False"),
            ('b"x"', "b'y'"),
            ("None, 0", "None, 1"),
            ("2j", "1j"),
        )
    )


def test_a_block_without_a_literal_has_a_letter_changed(write: Write) -> None:
    """Every block has a mutant."""
    python, console = write("```python\nprint(x)\n```\n\n```console\n$ echo 1\n```\n").blocks
    assert code_mutant(python) == "xrint(x)\n"
    assert code_mutant(console) == "$ xcho 1\n"


def test_a_silent_block_is_listed_with_what_uses_it(recorded: list[Case], root: Path) -> None:
    """One that nothing uses shows a reader nothing and proves nothing."""
    assert [(str(block), use) for block, use in silent(root)] == [
        ("docs/page.md:3", "needed by docs/page.md:8"),
        ("docs/page.md:28", ""),
    ]


def test_the_code_that_an_exercise_begins_with_has_a_use(tmp_path: Path) -> None:
    """The reader completes it; a block below the solution is none."""
    text = '**1.** Do.\n\n```python\na = ...\n```\n\n??? success "Solution"\n\n    ```python\n    a = 1\n    ```\n\n'
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/page.md").write_text(f"{text}## Next\n\n{text}", encoding="utf-8")
    page = parse_page(tmp_path / "docs/page.md", tmp_path)
    assert [use_in_text(page, block) for block in page.blocks] == ["begins an exercise", "", "begins an exercise", ""]


def test_a_part_of_a_program_that_the_page_runs_has_a_use(tmp_path: Path) -> None:
    """It shows what prints the output elsewhere on the page."""
    for folder in ("docs", "snippets"):
        (tmp_path / folder).mkdir()
    (tmp_path / "snippets/a.py").write_text("# region one\nx = 1\n# endregion\n", encoding="utf-8")
    part, run = '```python file="snippets/a.py" part="one"\n```\n', "```console\n$ python snippets/a.py\n```\n"
    for text, expected in ((part, ""), (f"{part}\n{run}", "a part of the program that docs/page.md:4 runs")):
        (tmp_path / "docs/page.md").write_text(text, encoding="utf-8")
        page = parse_page(tmp_path / "docs/page.md", tmp_path)
        assert use_in_text(page, page.blocks[0]) == expected


def test_a_recording_with_another_entry_is_the_same_otherwise(recorded: list[Case]) -> None:
    """A mutant differs in one place only."""
    case = recorded[1]
    entry = RecordedBlock("0" * 16, "code", Output("other"))
    changed = case.recorded_as(entry)
    assert isinstance(changed, Recording)
    assert [one for one in changed.entries if one not in case.recording.entries] == [entry]


def test_a_changed_picture_is_told_by_its_name(recorded: list[Case]) -> None:
    """It is a file of its own, and one byte of it is as good as another."""
    old, new = (Output(figures=(Figure(f"<svg>{what}</svg>", "A line."),)) for what in ("a", "b"))
    assert by_hand(old, old) == ""
    assert by_hand(old, new)
