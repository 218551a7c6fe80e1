"""SectionRunner: pages run in processes of their own, and the others go on, whatever one of them does."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from samedevice.devices import available_cores
from samedevice.nvidia import HIDDEN
from samedevice.outputs.checks import fault
from samedevice.outputs.output import Output
from samedevice.pages.page import Page
from samedevice.running.section_runner import SectionRunner

Write = Callable[..., Page]
Faults = Callable[..., list[str]]

NOT_RUN = "docs/page.md:{} on cpu was not run, because docs/page.md:5 ended its process"


def three_blocks(code: str) -> str:
    """A page with blocks on lines 1, 5 and 9, of which the second is this line of code."""
    return f"```python\nx = 1\n```\n\n```python\n{code}\n```\n\n```python\nx = 2\n```\n"


@pytest.mark.skipif(os.name != "posix", reason="Windows has no signals that end a process")
@pytest.mark.parametrize(
    ("code", "how"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "with signal SIGSEGV"),
        ("import ctypes; ctypes.string_at(8)", "with signal SIGSEGV"),
        ("import os; os.abort()", "with signal SIGABRT"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "with signal SIGKILL"),
        ("import os; os._exit(3)", "with exit status 3"),
        ("import os; os._exit(0)", "with exit status 0"),
    ],
)
def test_a_block_that_ends_its_process_is_named_with_the_way_it_ended(faults: Faults, code: str, how: str) -> None:
    """A crash of the interpreter says nothing by itself, and must take nothing down with it."""
    assert faults(three_blocks(code)) == ["", f"docs/page.md:5 on cpu ended its process {how}", NOT_RUN.format(9)]


@pytest.mark.parametrize("end", ["import os\nos._exit(3)", "while True: pass"], ids=["ends", "hangs"])
def test_a_block_that_ends_its_process_shows_what_it_had_printed(faults: Faults, end: str) -> None:
    """It is often the only sign of what the block was doing."""
    _, found, _ = faults(three_blocks(f"print(__file__, 'begun')\n{end}"), time_limit=2)
    assert found.endswith("\n\nIt had printed:\ndocs/page.md begun")


def test_blocks_that_never_end_are_killed_and_named_and_other_pages_go_on(
    one_server: object, root: Path, write: Write
) -> None:
    """Waiting, computing in Python and computing in C each need another way to be stopped."""
    codes = {
        "waits": "import time; time.sleep(600)",
        "loops": "while True: pass",
        "loops_in_c": "sum(range(10 ** 15))",
        "ignores": "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)",
        "waits_for_child": "import subprocess; subprocess.run(['sleep', '600'])",
    }
    pages = [write(three_blocks(code), f"docs/{name}.md") for name, code in codes.items()]
    with SectionRunner(root, time_limit=2, workers=8) as sessions:
        runs = [sessions.submit(page, "cpu") for page in pages]
        good = sessions.submit(write(three_blocks("print(x)")), "cpu").result()
        found = [run.result() for run in runs]
    assert [output and output.text for output in good.outputs] == ["", "1\n", ""]
    for page, run in zip(pages, found, strict=True):
        told = [fault(block, "cpu", output) for block, output in zip(page.blocks, run.outputs, strict=True) if output]
        assert told == [
            "",
            f"{page.path}:5 on cpu did not end within 2 s and was killed; make it shorter, or see what it waits for",
            f"{page.path}:9 on cpu was not run, because {page.path}:5 ended its process",
        ]


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="waits for a process by its descriptor, as Linux can")
def test_what_a_killed_block_started_is_killed_with_it(
    one_server: object, root: Path, write: Write, gone: Callable[[int], bool]
) -> None:
    """A child that lives on would hold a core, or the GPU's memory, until the machine is restarted."""
    os.mkfifo(root / "pipe")
    page = write("```console\n$ echo $$ > pipe; sleep 600\n```\n")
    with SectionRunner(root, time_limit=1, workers=1) as sessions:
        run = sessions.submit(page, "cpu")
        child = int((root / "pipe").read_text())
        assert run.result().outputs[0] != Output()
    assert gone(child)


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="waits for a process by its descriptor, as Linux can")
def test_what_a_page_leaves_running_ends_with_it(
    run: Callable[..., tuple[Output, ...]], root: Path, gone: Callable[[int], bool]
) -> None:
    """A server that a page starts in the background must not outlive it."""
    assert run("```console\n$ sleep 600 & echo $! > child\n```\n") == (Output(),)
    assert gone(int((root / "child").read_text()))


def test_pages_have_namespaces_of_their_own(one_server: object, root: Path, write: Write) -> None:
    """A page that leans on another works in one order of the tests only."""
    pages = [write("```python\nx = 1\nimport math\nmath.pi = 3\n```\n", "docs/a.md")]
    pages += [write("```python\nimport math\n'x' in globals(), math.pi == 3\n```\n", f"docs/b{n}.md") for n in range(2)]
    with SectionRunner(root, workers=1) as sessions:
        outputs = [run.result().outputs[0] for run in [sessions.submit(page, "cpu") for page in pages]]
    assert [output and output.value for output in outputs] == ["", "(False, False)", "(False, False)"]


def test_cpu_pages_run_side_by_side(one_server: object, root: Path, write: Write) -> None:
    """Each of these two pages ends only when the other runs too."""
    for name in ("a", "b"):
        os.mkfifo(root / name)
    write_a, read_b = f"open({str(root / 'a')!r}, 'w').write('a')", f"open({str(root / 'b')!r}).read()"
    read_a, write_b = f"open({str(root / 'a')!r}).read()", f"open({str(root / 'b')!r}, 'w').write('b')"
    one = write(f"```python\n{write_a}\n{read_b}\n```\n", "docs/one.md")
    two = write(f"```python\n{read_a}; {write_b}\n```\n", "docs/two.md")
    with SectionRunner(root, time_limit=20, workers=2) as sessions:
        runs = [sessions.submit(page, "cpu") for page in (one, two)]
        outputs = [run.result().outputs[0] for run in runs]
    assert [output and output.value for output in outputs] == ["'b'", "1"]


@pytest.mark.skipif(not hasattr(os, "nice"), reason="Windows has no such number")
def test_what_is_run_for_later_yields_to_other_processes(one_server: object, root: Path, write: Write) -> None:
    """A reader of a served site must not feel that pages are run."""
    page = write("```python\nimport os\nos.nice(0)\n```\n")
    with SectionRunner(root) as sessions:
        runs = [sessions.submit(page, "cpu", later=later).result() for later in (False, True)]
    now, later = (int(run.outputs[0].value) for run in runs if run.outputs[0])
    assert now == os.nice(0) < later


def test_only_the_blocks_asked_for_are_run(one_server: object, root: Path, write: Write) -> None:
    """Selecting one block of a page must not cost the blocks after it."""
    page = write("```python\nx = 1\n```\n\n```python\nx\n```\n\n```python\nimport time\ntime.sleep(600)\n```\n")
    with SectionRunner(root, time_limit=20) as sessions:
        run = sessions.run(page, "cpu", {0, 1})
    assert run.outputs == (Output(), Output(value="1"), None)


def test_a_block_that_needs_another_device_is_left_out(one_server: object, root: Path, write: Write) -> None:
    """What a machine lacks it cannot run; the rest of the page it can."""
    page = write('```python\nx = 1\n```\n\n```python needs="cuda"\nx = 2\n```\n\n```python\nx\n```\n')
    with SectionRunner(root) as sessions:
        run = sessions.run(page, "cpu")
    assert run.outputs == (Output(), None, Output(value="1"))


def test_a_block_that_needs_more_devices_than_there_are_is_left_out(
    one_server: object, root: Path, write: Write
) -> None:
    """A machine with one GPU runs all blocks but those for two."""
    page = write('```python\nx = 1\n```\n\n```python needs="2 cpu"\nx = 2\n```\n\n```python\nx\n```\n')
    with SectionRunner(root) as sessions:
        run = sessions.run(page, "cpu")
    assert (run.count, run.outputs) == (1, (Output(), None, Output(value="1")))


def test_a_page_without_blocks_for_the_device_runs_to_its_end(one_server: object, root: Path, write: Write) -> None:
    """There is nothing to show, and nothing wrong."""
    with SectionRunner(root) as sessions:
        assert sessions.run(write("# Title\n"), "cpu").outputs == ()
        assert sessions.run(write('```python needs="cuda"\n1\n```\n'), "cpu").outputs == (None,)


def test_a_device_that_is_not_there_runs_nothing(one_server: object, root: Path, write: Write) -> None:
    """A driver may be installed where no GPU is."""
    from samedevice.devices import present_devices

    absent = next(device for device in ("mps", "cuda") if device not in present_devices())
    with SectionRunner(root) as sessions:
        run = sessions.run(write("```python\nopen('never', 'w')\n```\n"), absent)
    assert (run.outputs, run.environment, run.count) == ((None,), None, 0)


def test_a_cpu_page_sees_neither_gpus_nor_their_toolkit(
    run: Callable[..., tuple[Output | None, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A build of torch with CUDA would add a warning, with a path of the machine, to every benchmark."""
    names = ("CUDA_VISIBLE_DEVICES", "CUDA_HOME", "CUDA_PATH")
    for name in names:
        monkeypatch.setenv(name, "0")
    (output,) = run(f"```python\nimport os\n[os.environ[name] for name in {names}]\n```\n")
    assert output is not None
    assert output.value == repr([HIDDEN[name] for name in names])


def test_the_temporary_folders_are_gone_after_the_page_and_after_the_session(
    one_server: object, root: Path, write: Write
) -> None:
    """Each build would leave one behind."""
    with SectionRunner(root) as sessions:
        sessions.run(write("```python\nopen('x', 'w').write('x')\n```\n"), "cpu")
        assert list((sessions.folder / "pages").iterdir()) == []
    assert not sessions.folder.exists()


def test_there_is_a_core_to_run_on() -> None:
    """At most one page runs on each."""
    assert available_cores() >= 1


def test_a_page_finds_torch_imported(one_server: object, root: Path, write: Write) -> None:
    """The import takes seconds, the fork of a process that has it milliseconds."""
    page = write('```python\nimport sys\n"torch" in sys.modules\n```\n')
    with SectionRunner(root) as sessions:
        assert sessions.run(page, "cpu").outputs == (Output(value="True"),)


def test_each_section_has_names_and_a_folder_of_its_own(faults: Callable[..., list[str]]) -> None:
    """A section that used another one's names would not run by itself; the error says what to write."""
    found = faults(
        "```python setup\nshared = [1]\n```\n\n"
        "## One\n\n```python\nshared.append(2)\none = 1\nopen('one', 'w').close()\n```\n\n"
        "## Two\n\n```python\nimport os\nassert shared == [1] and not os.listdir()\n```\n\n"
        "```python\none\n```\n"
    )
    assert found[:3] == [""] * 3
    hint = "the section at docs/page.md:5 defines one, and each section has names of its own"
    assert f'{hint}; define it here, or write after="one" at docs/page.md:15' in found[3]


def test_a_section_runs_after_another_without_its_output(run: Callable[..., tuple[Output | None, ...]]) -> None:
    """What runs before is a part of the program, and none of the block's output."""
    outputs = run(
        "```python setup\nx = [1]\n```\n\n## One\n\n```python\nx.append(2)\nprint('one')\n```\n\n"
        "## Two\n\n```python after='one'\nx\n```\n"
    )
    assert outputs == (Output(), Output("one\n"), Output(value="[1, 2]"))


def test_a_section_that_ends_its_process_leaves_the_others_as_they_are(faults: Callable[..., list[str]]) -> None:
    """One bad block costs its section, and those that come after it."""
    found = faults(
        "## One\n\n```python\nimport os\nos.abort()\n```\n\n## Two\n\n```python\n2\n```\n\n"
        "## Three\n\n```python after='one'\n3\n```\n"
    )
    assert "with signal SIGABRT" in found[0]
    assert found[1] == ""
    assert found[2].endswith("was not run, because docs/page.md:3 ended its process")


def test_setup_shows_nothing(faults: Callable[..., list[str]]) -> None:
    """It runs before every section, and its output would be none of theirs."""
    (found,) = faults("```python setup\nprint('here')\n```\n")
    assert "a setup block runs before every section and shows nothing" in found
