"""The pytest plugin: what a person sees who runs pytest, on a repository made for the test."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from samedevice.devices import torch_build, why_absent
from samedevice.integration.pytest import pytest_xdist_make_scheduler
from samedevice.outputs.environments import Environment
from samedevice.outputs.output import Output
from samedevice.outputs.recording_files import place, save
from samedevice.outputs.recordings import update
from samedevice.pages.parsing import parse_page
from samedevice.running.sessions import Sessions

CUDA = Environment("cuda", "NVIDIA H200", "2.13.0+cu130", "3.11.7", "580.95.05", "2026-11-20")
TWO = "# Page\n\n```python\nx = 1\nprint('one', x)\n```\n\n```python\nprint('two', x + 1)\n```\n"
CPU_FOLDER = f"cpu-{torch_build().version}"
"""The folder of the recordings of this interpreter."""
COMMAND = "pytest docs/page.md --device cpu --record"


class Repository:
    """A repository with pages, in which pytest is run."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester
        self.root = pytester.path
        pytester.makeini("[pytest]\ntestpaths = docs\n")
        pytester.makeconftest('pytest_plugins = ("samedevice.integration.pytest",)\n')
        self.page("page", TWO)

    def page(self, name: str, text: str) -> Path:
        """Write a page."""
        path = self.root / f"docs/{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def pytest(self, *options: str) -> tuple[str, dict[str, int]]:
        """Run pytest in this process: what it prints, and how many items passed, failed and so on."""
        result = self.pytester.runpytest_inprocess("--rootdir", str(self.root), *options)
        outcomes = {} if result.ret == pytest.ExitCode.USAGE_ERROR else result.parseoutcomes()
        return result.stdout.str() + result.stderr.str(), outcomes

    def recording(self, name: str = "page", folder: str = CPU_FOLDER) -> Path:
        """Where the recording of a page is."""
        return self.root / f"tests/recordings/{folder}/{name}.json"

    def record_cuda(self, *outputs: Output | None, name: str = "page") -> Path:
        """Make up a recording from a GPU."""
        page = parse_page(self.root / f"docs/{name}.md", self.root)
        found = update(None, page, CUDA, outputs)
        assert found is not None
        path = place(self.root / "tests/recordings", CUDA.folder, page)
        save(path, found)
        return path


@pytest.fixture
def repository(pytester: pytest.Pytester, one_server: object) -> Repository:
    """A repository with one page, whose pages share the one fork server."""
    return Repository(pytester)


@pytest.fixture
def recorded(repository: Repository) -> Repository:
    """That repository, its page recorded on the CPU."""
    repository.pytest("--record")
    assert repository.recording().exists()
    return repository


def test_every_block_is_an_item_named_by_page_device_block_and_line(repository: Repository) -> None:
    """Whoever reads a list of failures finds the place at once."""
    repository.page("topic/other", '```python needs="cuda"\nx\n```\n\n```console\n$ true\n```\n')
    output, _ = repository.pytest("--collect-only", "-q")
    items = [line for line in output.splitlines() if "::" in line]
    assert items == [
        "docs/page.md::cpu-01-line-3",
        "docs/page.md::cpu-02-line-8",
        "docs/topic/other.md::cpu-02-line-5",
    ]


def test_the_header_names_the_devices(repository: Repository) -> None:
    """A run without a GPU must not look like one with it."""
    assert (
        f"same device: cpu, PyTorch {torch_build().version}\n"
        in repository.pytest("--device", "cpu", "--collect-only")[0]
    )


def test_a_page_without_a_recording_fails_until_it_is_recorded(repository: Repository) -> None:
    """Someone has to look at its outputs, and commit them."""
    output, outcomes = repository.pytest()
    assert outcomes == {"failed": 2}
    assert f"docs/page.md:3 has no recording for cpu; run {COMMAND}" in output
    assert f"docs/page.md:8 has no recording for cpu; run {COMMAND}" in output
    output, outcomes = repository.pytest("docs/page.md", "--device", "cpu", "--record")
    assert outcomes == {"passed": 2}
    assert "= recordings =" in output
    assert f"\nrecorded docs/page.md on {CPU_FOLDER}: 2 blocks\n" in output
    assert repository.pytest()[1] == {"passed": 2}


def test_one_character_changed_in_a_recorded_output_fails_at_its_page_and_line(recorded: Repository) -> None:
    """A recording is evidence."""
    path = recorded.recording()
    path.write_text(path.read_text(encoding="utf-8").replace("two 2", "two 3"), encoding="utf-8")
    output, outcomes = recorded.pytest()
    assert outcomes == {"failed": 1, "passed": 1}
    message = (
        f"docs/page.md:8: its recording for {CPU_FOLDER} was changed, by hand or by a merge; "
        "bring tests/recordings/*/page.json back with"
    )
    assert f"\n{message} git checkout, or run {COMMAND}\n" in output
    assert "FAILED docs/page.md::cpu-02-line-8" in output


def test_one_number_changed_in_a_block_fails_at_its_page_and_line(recorded: Repository) -> None:
    """What was recorded was printed by other code; the blocks before it are as they were."""
    recorded.page("page", TWO.replace("x + 1", "x + 2"))
    output, outcomes = recorded.pytest()
    assert outcomes == {"failed": 1, "passed": 1}
    assert f"\ndocs/page.md:8 was recorded on cpu for other code than it has now; run {COMMAND}\n" in output
    recorded.page("page", TWO.replace("x = 1", "x = 2"))
    assert recorded.pytest()[1] == {"failed": 2}


def test_another_output_fails_with_the_code_and_what_differs(repository: Repository) -> None:
    """A new version of PyTorch may print something else; nothing but that is shown."""
    said = repository.root / "said.txt"
    repository.page("page", f"# Page\n\n```python\nprint('first')\nprint(open({str(said)!r}).read())\n```\n")
    said.write_text("one 1.25")
    repository.pytest("--record")
    said.write_text("one 1.5")
    output, outcomes = repository.pytest()
    assert outcomes == {"failed": 1}
    assert "docs/page.md:3 on cpu: not what was recorded (" in output
    assert "\nprint('first')\nprint(open(" in output
    assert "\n--- recorded\n+++ now\n@@ -1,2 +1,2 @@\n first\n-one 1.25\n+one 1.5\n" in output
    assert f"If the new output is right, run {COMMAND}" in output
    assert "pytest_plugin.py" not in output
    assert "Traceback" not in output


BAD_BLOCKS = {
    "raises": ("1 / 0", "docs/page.md:3 on cpu raised ZeroDivisionError: division by zero"),
    "syntax error": ("x = (", "docs/page.md:3 on cpu raised SyntaxError: '(' was never closed (page.md, line 4)"),
    "input": ("input()", "docs/page.md:3 on cpu raised EOFError: EOF when reading a line"),
    "exit": ("import os; os._exit(3)", "docs/page.md:3 on cpu ended its process with exit status 3"),
}


if os.name == "posix":
    BAD_BLOCKS["signal"] = ("import os; os.abort()", "docs/page.md:3 on cpu ended its process with signal SIGABRT")


@pytest.mark.parametrize(("code", "message"), BAD_BLOCKS.values(), ids=BAD_BLOCKS.keys())
def test_a_bad_block_fails_at_its_page_and_line_and_other_pages_go_on(
    recorded: Repository, code: str, message: str
) -> None:
    """One page cannot keep the others from being tested."""
    recorded.page("page", f"# Page\n\n```python\n{code}\n```\n")
    recorded.page("good", TWO)
    recorded.pytest("docs/good.md", "--record")
    output, outcomes = recorded.pytest()
    assert outcomes == {"failed": 1, "passed": 2}
    assert message in output
    assert "pytest_plugin.py" not in output


def test_a_block_that_should_raise_and_does_not_fails(repository: Repository) -> None:
    """An error that PyTorch no longer makes is news for the page."""
    repository.page(
        "page", '# Page\n\n```python raises="ValueError"\nx = 1\n```\n\n```python raises="ValueError"\n1/0\n```\n'
    )
    output, outcomes = repository.pytest("--record")
    assert outcomes == {"failed": 2}
    assert (
        "docs/page.md:3 on cpu did not raise ValueError, although it says so; mend the block or its raises=" in output
    )
    assert "docs/page.md:7 on cpu raised ZeroDivisionError instead of ValueError: division by zero" in output
    assert not repository.recording().exists()


def test_a_block_that_never_ends_fails_and_the_later_ones_say_why_they_were_not_run(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page must not hang the tests."""
    monkeypatch.setattr("samedevice.runs.Sessions", lambda root: Sessions(root, time_limit=1))
    repository.page("page", "```python\nwhile True: pass\n```\n\n```python\nx = 1\n```\n")
    output, outcomes = repository.pytest("--record")
    assert outcomes == {"failed": 2}
    assert "docs/page.md:1 on cpu did not end within 1 s and was killed; make it shorter, or see what" in output
    assert "docs/page.md:5 on cpu was not run, because docs/page.md:1 ended its process" in output
    because = "because 2 of its blocks failed, first docs/page.md:1 on cpu did not end within 1 s"
    assert f"not recorded: docs/page.md on {CPU_FOLDER}, {because}" in output


BAD_PAGES = {
    "option": ('```python skip="1"\n```\n', 'docs/bad.md:1: unknown option skip="1"; known are title,'),
    "device": ('x\n\n```python needs="cud"\n```\n', 'docs/bad.md:3: needs="cud" names no device; use cuda, mps or cpu'),
    "two": ("```bash\nx\n```\n\n```sh\nx\n```\n", 'docs/bad.md:5: "sh" would not be run; write console or text'),
    "fence": ("x\n\n```python\nx\n", "docs/bad.md:3: this fence is never closed; end it with ```"),
    "file": ('```python file="none.py"\n```\n', 'docs/bad.md:1: file="none.py" does not exist; paths start at'),
    "outside": ('```python file="../x"\n```\n', 'docs/bad.md:1: file="../x" leaves the repository; name a file'),
    "output": ("```console\n$ ls\na\n```\n", 'docs/bad.md:3: a console block holds "$ command" lines only'),
}


@pytest.mark.parametrize(("text", "message"), BAD_PAGES.values(), ids=BAD_PAGES.keys())
def test_a_page_that_cannot_be_read_is_an_error_at_its_line(recorded: Repository, text: str, message: str) -> None:
    """Nothing of it is run, and that must not pass for a success."""
    recorded.page("bad", text)
    output, outcomes = recorded.pytest("--continue-on-collection-errors")
    assert outcomes == {"errors": 1, "passed": 2}
    assert f"\n{message}" in output
    assert "Traceback" not in output


def test_a_page_that_is_not_utf_8_is_an_error_at_its_line(recorded: Repository) -> None:
    """The file is named, not the decoder."""
    recorded.page("bad", "").write_bytes(b"# Title\n\ncaf\xe9\n")
    output, outcomes = recorded.pytest("--continue-on-collection-errors")
    assert outcomes == {"errors": 1, "passed": 2}
    assert "\ndocs/bad.md:3: this line is not UTF-8; save the page as UTF-8\n" in output


def test_a_page_without_blocks_has_no_items(recorded: Repository) -> None:
    """Prose needs no test."""
    recorded.page("prose", "# Prose\n")
    assert recorded.pytest()[1] == {"passed": 2}


def test_markdown_outside_the_documentation_is_left_alone(recorded: Repository) -> None:
    """The README's commands are not for pytest to run."""
    (recorded.root / "README.md").write_text("```python\n1 / 0\n```\n")
    assert recorded.pytest(".")[1] == {"passed": 2}


def test_one_selected_block_is_run_after_what_it_needs_and_not_what_follows(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever works on one block does not want to wait for the page's end."""
    monkeypatch.setattr("samedevice.runs.Sessions", lambda root: Sessions(root, time_limit=30))
    ran = repository.root / "ran.txt"
    tell = f"open({str(ran)!r}, 'a').write"
    repository.page("page", "\n".join(f"```python\n{tell}('{n}')\nx = {n}\n```\n" for n in range(1, 4)))
    output, outcomes = repository.pytest("docs/page.md::cpu-02-line-6")
    assert outcomes == {"failed": 1}
    assert "docs/page.md:6 has no recording" in output
    assert ran.read_text() == "12"


def test_recording_one_block_keeps_what_is_recorded_of_the_others(recorded: Repository) -> None:
    """They have not been run, and nothing is known against them."""
    before = recorded.recording().read_bytes()
    assert recorded.pytest("docs/page.md::cpu-01-line-3", "--record")[1] == {"passed": 1}
    assert recorded.recording().read_bytes() == before
    assert recorded.pytest()[1] == {"passed": 2}


def test_recording_writes_only_what_changed(recorded: Repository) -> None:
    """A commit shows what is new and nothing else."""
    recorded.page("other", TWO)
    recorded.pytest("--record")
    kept, changed = recorded.recording(), recorded.recording("other")
    recorded.page("other", TWO.replace("two", "2"))
    before = {path: path.stat().st_mtime_ns for path in (kept, changed)}
    output, outcomes = recorded.pytest("--record")
    assert outcomes == {"passed": 4}
    assert kept.stat().st_mtime_ns == before[kept]
    assert changed.stat().st_mtime_ns > before[changed]
    assert f"recorded docs/other.md on {CPU_FOLDER}: 2 blocks" in output
    assert "recorded docs/page.md" not in output
    assert "\nunchanged: 1 recordings say already what was printed\n" in output


def test_a_page_with_a_failing_block_is_not_recorded(recorded: Repository) -> None:
    """Half a page of the new outputs and half of the old would fit no code."""
    before = recorded.recording().read_bytes()
    recorded.page("page", TWO.replace("x + 1", "1 / 0"))
    output, outcomes = recorded.pytest("--record")
    assert outcomes == {"failed": 1, "passed": 1}
    because = "1 of its blocks failed, first docs/page.md:8 on cpu raised ZeroDivisionError: division by zero"
    assert f"\nnot recorded: docs/page.md on {CPU_FOLDER}, because {because}\n" in output
    assert recorded.recording().read_bytes() == before


@pytest.mark.parametrize("content", [b'{"format": 1,\n "environ', b"\xff\xfe\x00"], ids=["truncated", "binary"])
@pytest.mark.parametrize("folder", [CPU_FOLDER, CUDA.folder])
def test_a_recording_that_cannot_be_read_fails_and_names_the_file(
    recorded: Repository, folder: str, content: bytes
) -> None:
    """Of a device that this machine lacks, too: whoever damaged it must hear of it."""
    path = recorded.recording(folder=folder)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    output, outcomes = recorded.pytest()
    assert outcomes == ({"failed": 2} if folder == CPU_FOLDER else {"failed": 1, "passed": 2})
    assert f"tests/recordings/{folder}/page.json: is damaged (" in output
    assert "bring it back with git checkout, or delete it and record again" in output
    assert "pytest_plugin.py" not in output
    if folder != CPU_FOLDER:
        assert f"FAILED docs/page.md::{folder}-recording" in output


def test_a_recording_of_a_missing_device_changed_by_hand_fails_at_its_page_and_line(recorded: Repository) -> None:
    """Nobody without that device could find out otherwise."""
    path = recorded.record_cuda(Output("one 1\n"), Output("two 2\n"))
    assert recorded.pytest()[1] == {"passed": 3}
    path.write_text(path.read_text().replace("two 2", "two 3"))
    output, outcomes = recorded.pytest()
    assert outcomes == {"failed": 1, "passed": 2}
    assert (
        f"docs/page.md:8: its recording for {CUDA.folder} was changed, by hand or by a merge; "
        "bring tests/recordings/*/page.json back" in output
    )


def test_a_damaged_recording_can_be_recorded_again(recorded: Repository) -> None:
    """It is one of the two ways out that the error names."""
    recorded.recording().write_text("{")
    assert recorded.pytest("--record")[1] == {"passed": 2}
    assert recorded.pytest()[1] == {"passed": 2}


def test_the_summary_tells_which_recordings_of_other_devices_are_missing_or_stale(recorded: Repository) -> None:
    """A run without a GPU passes, and says what a run with one still has to do."""
    recorded.record_cuda(Output("one 1\n"), Output("two 2\n"))
    text = '```python needs="cuda"\nx\n```\n\n```python\nx = 1\n```\n'
    recorded.page("gpu", text)
    recorded.page("page", TWO.replace("two", "2") + "\n```python\nx\n```\n")
    recorded.pytest("--record")
    output, outcomes = recorded.pytest()
    assert outcomes == {"passed": 5}
    assert "\ndocs/gpu.md on cuda: 1 missing of 1 blocks\n" in output
    assert "\ndocs/page.md on cuda: 1 stale, 1 missing of 3 blocks\n" in output


def test_a_summary_of_fresh_recordings_is_silent(recorded: Repository) -> None:
    """What is as it should be needs no line."""
    recorded.record_cuda(Output("one 1\n"), Output("two 2\n"))
    assert "= recordings =" not in recorded.pytest()[0]


def test_a_device_that_is_not_here_cannot_be_asked_for(repository: Repository) -> None:
    """No test would run, and that must not pass for a success; what is wrong with the machine is told."""
    device = "mps" if sys.platform != "darwin" else "cuda"
    output, outcomes = repository.pytest("--device", device, "--record")
    assert outcomes == {}
    assert f"--device {device}: {why_absent(device)} (this machine has " in output
    assert "nothing was run or recorded" in output
    output, _ = repository.pytest("--device", "cud")
    assert "invalid choice: 'cud'" in output


def test_a_device_that_only_seems_to_be_here_fails(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """A driver too old for this PyTorch would else skip everything, and pass."""
    monkeypatch.setattr("samedevice.integration.pytest.present_devices", lambda: ("cpu", "cuda"))
    output, outcomes = repository.pytest("--device", "cuda")
    assert outcomes == {"failed": 2}
    assert "docs/page.md:3 was not run: --device cuda, but torch sees no such device; is its driver too old?" in output
    assert repository.pytest("--record")[1] == {"passed": 2, "skipped": 2}


def test_a_page_that_cannot_be_read_does_not_keep_the_others_from_being_recorded(repository: Repository) -> None:
    """Time on a GPU is dear."""
    repository.page("bad", "```python\n")
    output, outcomes = repository.pytest("--record")
    assert outcomes == {"passed": 2, "errors": 1}
    assert "docs/bad.md:1: this fence is never closed" in output
    assert f"\nrecorded docs/page.md on {CPU_FOLDER}: 2 blocks\n" in output


def test_a_program_stands_for_the_pages_that_run_it(recorded: Repository) -> None:
    """Its tests are their blocks; none is run twice."""
    (recorded.root / "snippets").mkdir()
    (recorded.root / "snippets/one.py").write_text("print(1)\n")
    (recorded.root / "snippets/two.py").write_text("print(2)\n")
    recorded.page("one", '```python file="snippets/one.py"\n```\n')
    recorded.page("two", "```console\n$ python snippets/two.py\n```\n")
    assert recorded.pytest("snippets", "--record")[1] == {"passed": 2}
    assert recorded.recording("one").exists()
    assert recorded.recording("two").exists()
    assert recorded.pytest("docs", "snippets")[1] == {"passed": 4}
    assert recorded.pytest("snippets/two.py")[1] == {"passed": 1}


def test_a_program_that_no_page_runs_is_an_error(recorded: Repository) -> None:
    """Pytest would import it, or run nothing."""
    (recorded.root / "snippets").mkdir()
    (recorded.root / "snippets/lost.py").write_text("1 / 0\n")
    output, outcomes = recorded.pytest("snippets/lost.py")
    assert outcomes == {}
    assert "snippets/lost.py: no page runs it; name a page, or add the program to one by file=" in output


def test_a_block_for_two_devices_is_skipped_where_there_is_one(repository: Repository) -> None:
    """The reason is told; nothing fails that this machine cannot run."""
    repository.page("page", '```python\nx = 1\n```\n\n```python needs="2 cpu"\nx = 2\n```\n')
    repository.pytest("--record")
    output, outcomes = repository.pytest("-rs")
    assert outcomes == {"passed": 1, "skipped": 1}
    assert "needs 2 cpu, this machine has 1" in output


def test_pages_are_shared_among_processes(
    pytester: pytest.Pytester, light_torch: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`-n` runs each page in one process only, and the summary is whole."""
    repository = Repository(pytester)
    ran = repository.root / "ran.txt"
    for name in "abc":
        code = f"open({str(ran)!r}, 'a').write('{name}')\nprint('{name}')"
        repository.page(name, f"```python\n{code}\n```\n\n```python\nx = 1\n```\n")
    result = pytester.runpytest_subprocess("-n", "2", "--record")
    assert result.parseoutcomes() == {"passed": 8}
    assert sorted(ran.read_text()) == ["a", "b", "c"]
    lines = [line for line in result.stdout.lines if line.startswith("recorded")]
    assert sorted(lines) == [f"recorded docs/{name}.md on {CPU_FOLDER}: 2 blocks" for name in ("a", "b", "c", "page")]


def test_pages_on_an_accelerator_are_run_by_one_process() -> None:
    """A GPU that runs two pages at once has less memory for each, and other times."""
    pytest.importorskip("xdist")
    config = SimpleNamespace(getvalue=lambda name: ["2*popen"])
    split = pytest_xdist_make_scheduler(config, None)._split_scope  # type: ignore[arg-type]
    names = ["cpu-01-line-3", "cpu-02-line-9", "cuda-01-line-3"]
    scopes = {split(f"docs/{page}.md::{name}") for page in "ab" for name in names}
    assert scopes == {"docs/a.md::cpu", "docs/b.md::cpu", "cuda"}
    assert split("tests/test_x.py::test_cuda-x") == "tests/test_x.py::test_cuda-x"


IMPORT = """
import sys
import samedevice.integration.pytest
print({"torch", "numpy", "matplotlib", "mkdocs"} & set(sys.modules))
"""


def test_the_plugin_is_imported_without_torch() -> None:
    """Whoever tests something else in this repository waits for the import too."""
    assert subprocess.check_output([sys.executable, "-c", IMPORT], text=True).strip() == "set()"


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="waits for a process by its descriptor, as Linux can")
def test_ctrl_c_while_recording_keeps_the_old_recording_and_leaves_no_process(
    pytester: pytest.Pytester,
    light_torch: None,
    interrupt: Callable[..., tuple[str, list[int]]],
    gone: Callable[[int], bool],
) -> None:
    """Whoever presses it has changed his mind."""
    repository = Repository(pytester)
    pytester.runpytest_subprocess("--record")
    before = repository.recording().read_bytes()
    repository.page("page", TWO.replace("two", "2") + "\n```console\n$ echo $PPID $$ > pipe; exec sleep 600\n```\n")
    output, processes = interrupt(repository.root / "pipe", sys.executable, "-m", "pytest", "--record")
    assert "KeyboardInterrupt" in output
    assert repository.recording().read_bytes() == before
    assert [path.name for path in repository.recording().parent.iterdir()] == ["page.json"]
    assert [gone(process) for process in processes] == [True, True]


OTHER = Environment("cpu", "EPYC", "2.1.0", "3.11.7", "", "2026-11-21")


def as_another_version_printed(repository: Repository, *outputs: Output) -> None:
    """Make up a recording of the page from another PyTorch on a CPU."""
    page = parse_page(repository.root / "docs/page.md", repository.root)
    found = update(None, page, OTHER, outputs)
    assert found is not None
    save(place(repository.root / "tests/recordings", OTHER.folder, page), found)


def test_what_a_version_that_is_not_recorded_prints_is_compared_with_all_that_are(repository: Repository) -> None:
    """It passes where it prints what another one printed, and the summary counts that; the rest is told."""
    as_another_version_printed(repository, Output("one 1\n"), Output("deux 2\n"))
    output, outcomes = repository.pytest()
    assert outcomes == {"failed": 1, "passed": 2}
    assert f"outputs with PyTorch {torch_build().version}: 1 as cpu-2.1.0 printed\n" in output
    assert "docs/page.md:8 on cpu: not what was recorded (EPYC, PyTorch 2.1.0, 2026-11-21), nor what any" in output
    assert f"If this is what {CPU_FOLDER} prints, run {COMMAND}" in output
    repository.pytest("--record")
    output, outcomes = repository.pytest()
    assert outcomes == {"passed": 3}
    assert "outputs with PyTorch" not in output


def test_recordings_of_other_versions_that_are_stale_are_counted(recorded: Repository) -> None:
    """They are recorded with those versions, when the pages are done."""
    as_another_version_printed(recorded, Output("one 1\n"), Output("two 2\n"))
    recorded.page("page", TWO.replace("two", "2"))
    recorded.pytest("--record")
    output, outcomes = recorded.pytest()
    assert outcomes == {"passed": 3}
    assert "\ncpu-2.1.0: 1 blocks are not recorded as they now are; record them with that PyTorch\n" in output


def test_a_block_for_another_version_is_skipped_and_says_why(repository: Repository) -> None:
    """The blocks after it run as ever."""
    repository.page("page", '```python needs="torch>=99.0"\n1 / 0\n```\n\n```python\nprint(2)\n```\n')
    assert repository.pytest("--record")[1] == {"passed": 1, "skipped": 1}
    output, outcomes = repository.pytest("-rs")
    assert outcomes == {"passed": 1, "skipped": 1}
    assert f"needs PyTorch 99.0 or newer, this is {torch_build().version}" in output


def test_an_announced_exception_may_be_a_subclass(repository: Repository) -> None:
    """As with pytest.raises; the class that came is recorded."""
    repository.page("page", '```python raises="ArithmeticError"\n1 / 0\n```\n')
    assert repository.pytest("--record")[1] == {"passed": 1}
    assert '"type": "ZeroDivisionError"' in repository.recording().read_text()
    assert repository.pytest()[1] == {"passed": 1}
