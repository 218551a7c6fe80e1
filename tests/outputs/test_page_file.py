"""The file of a page: small changes are small in it, all that is in it is checked, and nothing in it is untrue."""

from __future__ import annotations

import difflib
import json
import random
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from made_histories import MACHINES, Draft, Machine, fence, section

from same_device_site.settings import parse_page
from samedevice.outputs import page_file
from samedevice.outputs.environments import Environment
from samedevice.outputs.output import Figure, Output, Raised, digest
from samedevice.outputs.page_file import PageFile, from_text, to_text
from samedevice.outputs.recordings import State, update
from samedevice.outputs.schema import FormatError, SchemaError
from samedevice.pages.page import Page

SAMPLES = Path(__file__).parents[1].joinpath("samples") / "recording"
CPU, NEWER, H100, _ = MACHINES
SVG = (SAMPLES / "page@9ba81cc0175d.svg").read_text(encoding="utf-8")

Write = Callable[..., Page]


def recorded(page: Page, *machines: Environment, into: PageFile | None = None, differ: bool = False) -> PageFile:
    """The page's file once these machines have run it; blocks print their numbers, and the machine if they `differ`."""
    file = into or PageFile()
    for about in machines:
        old = next((one for one in file.recordings() if one.environment.folder == about.folder), None)
        outputs = [Output(f"{block.index} {about.folder if differ else ''}") for block in page.blocks]
        new = update(old, page, about, outputs)
        file = file.updated(page, new) if new else file
    return file


def states(file: PageFile, page: Page) -> dict[str, list[State]]:
    """What each environment has to say of each block of a page."""
    return {
        one.environment.folder: [one.find(page, block.index).state for block in page.blocks]
        for one in file.recordings()
    }


def fresh(file: PageFile, page: Page, about: Environment) -> list[bool]:
    """Which blocks of a page an environment has run as they are."""
    return [state is State.FRESH for state in states(file, page)[about.folder]]


def changed_lines(one: PageFile, other: PageFile) -> list[str]:
    """The lines of a review: those that went, and those that came."""
    found = difflib.ndiff(to_text(one).splitlines(), to_text(other).splitlines())
    return [line for line in found if line[:1] in "+-"]


def merged(base: PageFile, one: PageFile, other: PageFile, folder: Path) -> PageFile | None:
    """What git makes of two branches; None where it leaves a conflict."""
    paths = [folder / name for name in ("one.json", "base.json", "other.json")]
    for path, file in zip(paths, (one, base, other), strict=True):
        path.write_text(to_text(file), encoding="utf-8")
    done = subprocess.run(["git", "merge-file", "-p", *paths], capture_output=True, text=True, check=False)
    return from_text(done.stdout, lambda _: "") if done.returncode == 0 else None


def test_a_recording_of_today_is_read_tomorrow(tmp_path: Path) -> None:
    """The format and the hashes are a promise: if this fails, every recording in the repository is worthless."""
    shutil.copytree(SAMPLES, tmp_path / "samples")
    page = parse_page(tmp_path / "samples/docs/page.md", tmp_path / "samples")
    text = (SAMPLES / "page.json").read_text(encoding="utf-8")
    file = from_text(text, {"9ba81cc0175d": SVG}.__getitem__)
    assert states(file, page) == {
        "cpu-2.15.0+cu132": [State.FRESH] * 4,
        "h200-2.13.0+cu130": [State.FRESH, State.FRESH, State.FRESH, State.UNUSED],
    }
    (recording, _) = file.recordings()
    assert recording.entries[1].output is not None
    assert recording.entries[1].output.raised == Raised("ZeroDivisionError", "division by zero")
    assert recording.entries[2].read == (("docs/line.csv", "0123456789abcdef"),)
    assert to_text(file) == text


def test_what_environments_printed_alike_is_there_once(write: Write) -> None:
    """Nine environments must not make the repository nine times as large."""
    page = write(fence("one") + "\n" + fence("two"))
    one, three = recorded(page, CPU), recorded(page, CPU, NEWER, H100)
    assert three.outputs == one.outputs
    assert set(recorded(page, CPU, H100, differ=True).outputs) > set(recorded(page, CPU, differ=True).outputs)


EIGHTY = [f"x{number} = {number}" for number in range(80)]


def of_eighty(write: Write, *edits: tuple[int, str]) -> Page:
    """A page with a section of 80 blocks, some edited."""
    codes = {**dict(enumerate(EIGHTY)), **dict(edits)}
    return write("# Page\n\n" + section("all", *(codes[number] for number in range(80))))


@pytest.mark.parametrize("machines", [(CPU,), (CPU, NEWER, H100)], ids=["one", "three"])
def test_an_edit_above_79_blocks_with_the_same_outputs_changes_three_lines_at_most(
    write: Write, machines: tuple[Environment, ...]
) -> None:
    """A review shows what an author did, and not 80 hashes that follow from it."""
    before = recorded(of_eighty(write), *machines)
    edited = of_eighty(write, (0, "x0 = 10"))
    after = recorded(edited, *machines, into=before)
    assert all(all(fresh(after, edited, one)) for one in machines)
    changed = changed_lines(before, after)
    assert sum(line.startswith("+") for line in changed) <= 3
    assert sum(line.startswith("-") for line in changed) <= 3


def test_an_edit_that_one_machine_recorded_leaves_the_others_what_they_ran(write: Write) -> None:
    """The laptop has run the new program, the H100 the old one, and both outputs say which."""
    page = of_eighty(write)
    edited = of_eighty(write, (40, "x40 = 400"))
    file = recorded(edited, CPU, into=recorded(page, CPU, H100))
    assert fresh(file, page, CPU) == [True] * 40 + [False] * 40
    assert fresh(file, edited, CPU) == [True] * 80
    assert fresh(file, page, H100) == [True] * 80
    assert fresh(file, edited, H100) == [True] * 40 + [False] * 40
    assert len(changed_lines(recorded(page, CPU, H100), file)) < 30


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x3 = 3", "x3 = 3  # three"),
        ("x3 = 3", "# Three:\n\nx3 = (\n    3\n)"),
        ("x3 = 3", "x3=3;"),
    ],
)
def test_a_comment_and_layout_change_no_line(write: Write, old: str, new: str) -> None:
    """Nobody can run an H100 again for a longer line; `line`, which is for people, is written at the next recording."""
    text = section("a", *EIGHTY[:6])
    before = recorded(write(text), CPU, H100)
    edited = write(text.replace(old, new))
    assert all(fresh(before, edited, one) == [True] * 6 for one in (CPU, H100))
    assert to_text(recorded(edited, CPU, H100, into=before)) == to_text(before)


def test_two_branches_that_edit_blocks_of_two_sections_merge(write: Write, tmp_path: Path) -> None:
    """Two people work on one page; the recordings of both are true of the merged page."""
    text = "# Page\n\n" + section("a", *EIGHTY[:8]) + "\n" + section("b", *EIGHTY[8:16])
    edits = ("x2 = 2", "x2 = 20"), ("x12 = 12", "x12 = 120")
    base = recorded(write(text), CPU, H100)
    one, other = (recorded(write(text.replace(*edit)), CPU, H100, into=base) for edit in edits)
    both = merged(base, one, other, tmp_path)
    assert both is not None
    page = write(text.replace(*edits[0]).replace(*edits[1]))
    assert states(both, page) == dict.fromkeys((CPU.folder, H100.folder), [State.FRESH] * 16)


def test_two_branches_of_which_one_adds_an_environment_merge(write: Write, tmp_path: Path) -> None:
    """An H100 records a page while an author edits it on a laptop."""
    text = "# Page\n\n" + section("a", *EIGHTY[:4]) + "\n" + section("b", *EIGHTY[4:8])
    page, edited = write(text), write(text.replace("x6 = 6", "x6 = 60"))
    base = recorded(page, CPU)
    both = merged(base, recorded(page, H100, into=base), recorded(edited, CPU, into=base), tmp_path)
    assert both is not None
    assert fresh(both, edited, CPU) == [True] * 8
    assert fresh(both, edited, H100)[:4] == [True] * 4
    assert not any(fresh(both, edited, H100)[6:])


def test_two_edits_of_one_section_never_merge_into_what_nobody_ran(write: Write, tmp_path: Path) -> None:
    """Each branch ran its own edit, and no machine both: an H100's output after it is true of neither program."""
    text = section("a", *EIGHTY[:8])
    edits = ("x2 = 2", "x2 = 20"), ("x5 = 5", "x5 = 50")
    base = recorded(write(text), CPU, H100)
    one, other = (recorded(write(text.replace(*edit)), CPU, H100, into=base) for edit in edits)
    both = merged(base, one, other, tmp_path)
    page = write(text.replace(*edits[0]).replace(*edits[1]))
    assert both is None or not any(fresh(both, page, H100)[5:])


def test_a_renamed_section_keeps_what_an_h100_printed(write: Write) -> None:
    """A better heading is no other program; nobody has that machine any more."""
    text = section("a", "one", "two") + "\n" + section("b", "three", after="a")
    file = recorded(write(text), CPU, H100)
    renamed = write(text.replace("#a }", "#better }").replace('after="a"', 'after="better"'))
    assert states(file, renamed) == dict.fromkeys((CPU.folder, H100.folder), [State.FRESH] * 3)
    again = recorded(renamed, CPU, into=file)
    assert states(again, renamed) == states(file, renamed)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (["## A { #a }", "one", "two", "## B { #b }", "three"], ["## B { #b }", "three", "## A { #a }", "one", "two"]),
        (["## A { #a }", "one", "## B { #b }", "two"], ["## B { #b }", "one", "## A { #a }", "two"]),
        (["## A { #a }", "one", "## B { #b }", "two"], ["## A { #a }", "two", "## B { #b }", "one"]),
    ],
    ids=["sections change places", "headings change places", "blocks change places"],
)
def test_what_moves_within_a_page_keeps_what_an_h100_printed(write: Write, before: list[str], after: list[str]) -> None:
    """Before and after a laptop records the page in its new order."""
    old, new = (
        write("\n\n".join(one if one.startswith("#") else fence(one) for one in found)) for found in (before, after)
    )
    file = recorded(old, CPU, H100)
    assert all(fresh(file, new, H100))
    assert all(fresh(recorded(new, CPU, into=file), new, H100))


def test_a_section_of_which_an_environment_runs_nothing_leads_to_others_all_the_same(write: Write) -> None:
    """An H100 skips the CPU's section, and runs the one that comes after it."""
    page = write(section("a", ("one", 'needs="cpu"')) + "\n" + section("b", "two", after="a"))
    assert fresh(recorded(page, H100), page, H100) == [False, True]
    assert fresh(recorded(page, CPU, H100), page, H100) == [False, True]
    assert fresh(recorded(page, H100, CPU), page, H100) == [False, True]


def test_two_sections_of_one_name_are_two(write: Write) -> None:
    """One machine ran `x` after `w`, another one an `x` of its own: what comes after `x` came after two programs."""
    page = write("\n".join([section("w", "a"), section("x", "p", after="w"), section("z", "b", after="x")]))
    file = recorded(write(section("x", "q")), NEWER, into=recorded(page, CPU))
    assert fresh(file, page, CPU) == [True] * 3
    assert not any(fresh(file, write(fence("b")), CPU))


def test_blocks_of_one_program_in_two_sections_have_outputs_of_their_own(write: Write) -> None:
    """Two measurements of one program are two; each is shown below its own block."""
    page = write("\n".join(section(one, ("measure()", 'numbers="vary"')) for one in "ab"))
    new = update(None, page, H100, [Output("took 1 s"), Output("took 2 s")])
    assert new is not None
    (found,) = PageFile().updated(page, new).recordings()
    assert [found.find(page, index).output for index in (0, 1)] == [Output("took 1 s"), Output("took 2 s")]


@pytest.mark.parametrize("seed", range(40))
def test_no_output_is_ever_shown_for_a_program_that_its_machine_did_not_run(seed: int, write: Write) -> None:
    """However blocks and sections were edited, moved and merged, whoever recorded which of them in between.

    What others printed for the page as it is stays, and what ran just now is there.
    """
    chance = random.Random(seed)
    draft, machines = Draft(chance), [Machine(about) for about in MACHINES]
    file, pages = PageFile(), list[Page]()
    for _ in range(20):
        for _ in range(chance.randint(1, 3)):
            draft.edit()
        page = write(draft.text)
        pages.append(page)
        machine = chance.choice(machines)
        whole = chance.random() < 0.7
        only = [block.index for block in page.blocks if whole or chance.random() < 0.5]
        before = [one.fresh(page, file) for one in machines]
        file = machine.run(page, file, only)
        assert from_text(to_text(file), lambda _: "") == file
        for one, old in zip(machines, before, strict=True):
            assert old.keys() <= one.fresh(page, file).keys(), f"lost of {one.about.folder}"
            for version in pages:
                untrue = one.fresh(version, file).items() - one.ran.items()
                assert not untrue, f"{one.about.folder} never ran this on\n{version.text}"
        ran = {machine.program(page, index) for index in only if machine.takes(page.blocks[index])}
        assert ran <= machine.fresh(page, file).keys()


def test_a_field_that_is_added_later_has_a_default_and_makes_nothing_invalid(monkeypatch: pytest.MonkeyPatch) -> None:
    """A seal over all fields made one more field of the environment break 3,774 recordings."""

    @dataclass(frozen=True)
    class Later(Environment):
        mood: str = ""
        """The field that is added later."""

    text = (SAMPLES / "page.json").read_text(encoding="utf-8")
    before = from_text(text, lambda _: SVG)
    monkeypatch.setattr(page_file, "Environment", Later)
    after = from_text(text, lambda _: SVG)
    assert isinstance(next(iter(after.environments.values())), Later)
    assert to_text(after) == text
    assert after.outputs == before.outputs


def test_a_file_says_nothing_of_what_is_as_by_default(write: Write) -> None:
    """So a file that was written before a field was there and one that was written after it are the same."""
    found = json.loads(to_text(recorded(write(fence("one")), replace(CPU, day=""))))
    assert sorted(found["environments"][CPU.folder]) == ["device", "name", "python", "torch"]
    assert [sorted(section) for section in found["sections"]] == [["anchor", "blocks"]]
    assert [sorted(block) for block in found["sections"][0]["blocks"]] == [["code", "line", "printed"]]


EXAMPLE: dict[str, Any] = json.loads((SAMPLES / "page.json").read_text(encoding="utf-8"))


def leaves(found: Any, *path: Any) -> Iterator[tuple[Any, ...]]:
    """The way to each value in a nest of lists and dictionaries."""
    if isinstance(found, (dict, list)):
        for key in found if isinstance(found, dict) else range(len(found)):
            yield from leaves(found[key], *path, key)
    else:
        yield path


OUTPUTS = [way for way in leaves(EXAMPLE) if way[0] == "outputs"]


@pytest.mark.parametrize("way", OUTPUTS, ids=lambda way: ".".join(map(str, way)))
def test_an_output_changed_by_hand_is_noticed(way: tuple[Any, ...]) -> None:
    """A recording is evidence: whoever edits one is found out, also on machines without that device."""
    with pytest.raises(SchemaError, match=rf"outputs\['{way[1]}'\]"):
        from_text(json.dumps(with_change(EXAMPLE, way)), lambda _: SVG)


def with_change(found: Any, way: Iterable[Any]) -> Any:
    """The same with another value in one place."""
    first, *rest = way
    copy = found.copy()
    copy[first] = with_change(found[first], rest) if rest else f"{found[first]}x"
    return copy


def test_an_environment_under_another_name_is_noticed() -> None:
    """A simulated device's outputs must not become a GPU's by one edit."""
    for about, change in (("h200-2.13.0+cu130", {"simulated": True}), ("cpu-2.15.0+cu132", {"torch": "2.14.0"})):
        found = EXAMPLE | {"environments": EXAMPLE["environments"] | {about: EXAMPLE["environments"][about] | change}}
        with pytest.raises(SchemaError, match=rf"environments\['{about.replace('+', '[+]')}'\] is .*, by its device"):
            from_text(json.dumps(found), lambda _: SVG)


def of_block(**changes: Any) -> dict[str, Any]:
    """A file whose second block is another one."""
    (only,) = EXAMPLE["sections"]
    blocks = [one | changes if number == 1 else one for number, one in enumerate(only["blocks"])]
    return EXAMPLE | {"sections": [only | {"blocks": blocks}]}


UNKNOWN = digest({"text": "other"})
WRONG = {
    "a text that was changed": (
        EXAMPLE | {"outputs": EXAMPLE["outputs"] | {UNKNOWN: {"text": "no\n"}}},
        rf"outputs\['{UNKNOWN}'\] was changed by hand, or by a merge: its name is no more the hash of what it says",
    ),
    "printed by an unknown environment": (
        of_block(printed={next(iter(EXAMPLE["outputs"])): ["h100-2.99.0"]}),
        r"sections\[0\].blocks\[1\] \(1 / 0\) names h100-2.99.0, which is no environment of the file that ran it",
    ),
    "printed where it did not run": (
        of_block(only=["cpu-2.15.0+cu132"]),
        r"blocks\[1\] \(1 / 0\) names h200-2.13.0\+cu130, which is no environment of the file that ran it",
    ),
    "unused by an unknown environment": (of_block(unused=["x"]), r"blocks\[1\] \(1 / 0\) names x, which is no"),
    "an output that is not there": (
        of_block(printed={UNKNOWN: ["cpu-2.15.0+cu132"]}),
        rf"blocks\[1\] \(1 / 0\) names the output {UNKNOWN}, which is not in the file",
    ),
    "two outputs of one environment": (
        of_block(printed={hash: ["cpu-2.15.0+cu132"] for hash in EXAMPLE["outputs"]}),
        r"blocks\[1\] \(1 / 0\) says two things of one environment",
    ),
    "an output that is unused": (of_block(unused=["cpu-2.15.0+cu132"]), "says two things of one environment"),
    "an unknown field": (of_block(mood="good"), r"sections\[0\].blocks\[1\] has a field 'mood' that is not known"),
    "an unknown field above": (EXAMPLE | {"mood": "good"}, "has a field 'mood' that is not known"),
    "a way out of the repository": (of_block(read={"../x.csv": "0" * 16}), r"blocks\[1\].read\['../x.csv'\] is no"),
}


@pytest.mark.parametrize(("found", "told"), WRONG.values(), ids=WRONG.keys())
def test_what_no_machine_wrote_is_an_error_that_names_the_block(found: dict[str, Any], told: str) -> None:
    """A conflict that was resolved by hand, a forgery, a slip."""
    with pytest.raises(SchemaError, match=told):
        from_text(json.dumps(found), lambda _: SVG)


@pytest.mark.parametrize(
    ("version", "told"),
    [
        (4, "format was written by a newer samedevice; update samedevice to read format 4"),
        (99, "format was written by a newer samedevice; update samedevice to read format 99"),
        (2, "format has format 2, which only samedevice before 0.1 reads; record the page again"),
    ],
)
def test_a_file_of_another_format_says_what_can_read_it(version: int, told: str) -> None:
    """Whatever else is in it."""
    with pytest.raises(FormatError) as caught:
        from_text(json.dumps({"format": version, "new": []}), lambda _: SVG)
    assert str(caught.value) == told


@pytest.mark.parametrize("inside", ['<g onload="alert(1)"/>', "<script>alert(1)</script>", "</svg><iframe/><svg>"])
def test_a_forged_figure_is_refused_although_its_name_is_right(inside: str) -> None:
    """Who can forge a figure can compute a hash; the figure would act on the page."""
    svg = f"<svg>{inside}</svg>"
    output = Output(figures=(Figure(svg, "A line."),))
    (old,) = (hash for hash, one in EXAMPLE["outputs"].items() if "figures" in one)
    forged = json.loads(json.dumps(EXAMPLE).replace(old, output.digest))
    forged["outputs"][output.digest] = output.recorded
    with pytest.raises(SchemaError, match="has a figure that no page may show"):
        from_text(json.dumps(forged), lambda _: svg)


def test_sections_that_come_after_one_another_in_a_circle_say_nothing() -> None:
    """A merge may make them so; a build must end."""
    (only,) = EXAMPLE["sections"]
    sections = [only | {"anchor": "a", "after": "b"}, only | {"anchor": "b", "after": "a"}]
    file = from_text(json.dumps(EXAMPLE | {"sections": sections}), lambda _: SVG)
    assert [one.entries for one in file.recordings()] == [(), ()]
