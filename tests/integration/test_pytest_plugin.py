"""The pytest plugin: what a person sees who runs pytest, on a repository made for the test."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from made_conftest import CONFTEST
from made_repository import COMMAND, CPU_FOLDER, TWO, Repository

from samedevice.devices import available_cores, torch_build
from samedevice.running.section_runner import SectionRunner


def test_every_block_is_an_item_named_by_page_device_block_and_line(repository: Repository) -> None:
    """Whoever reads a list of failures finds the place at once."""
    repository.page("topic/other", '```python needs="cuda"\nx\n```\n\n```console\n$ true\n```\n')
    output, _ = repository.pytest("--collect-only", "-q")
    items = [line for line in output.splitlines() if "::" in line]
    assert items == [
        "docs/topic/other.md::cpu-02-line-5",  # it starts a program, so it runs first
        "docs/page.md::cpu-01-line-3",
        "docs/page.md::cpu-02-line-8",
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
    assert repository.pytest()[1] == {"passed": 3}


def test_one_character_changed_in_a_recorded_output_fails_with_the_name_of_the_file(recorded: Repository) -> None:
    """A recording is evidence."""
    path = recorded.recording()
    path.write_text(path.read_text(encoding="utf-8").replace("two 2", "two 3"), encoding="utf-8")
    output, outcomes = recorded.pytest()
    assert outcomes == {"failed": 3}
    assert "tests/recordings/page.json: cannot be read: outputs['" in output
    told = "was changed by hand, or by a merge: its name is no more the hash of what it says; "
    assert f"{told}bring it back with git checkout, or delete it and record again\n" in output
    assert "FAILED docs/page.md::recordings" in output


def test_one_number_changed_in_a_block_fails_at_its_page_and_line(recorded: Repository) -> None:
    """What was recorded was printed by other code; the blocks before it are as they were."""
    recorded.page("page", TWO.replace("x + 1", "x + 2"))
    output, outcomes = recorded.pytest()
    assert outcomes == {"failed": 1, "passed": 2}  # one of them: the file can be read
    assert f"\ndocs/page.md:8 was recorded on cpu for other code than it has now; run {COMMAND}\n" in output
    recorded.page("page", TWO.replace("x = 1", "x = 2"))
    assert recorded.pytest()[1] == {"failed": 2, "passed": 1}


def test_another_output_fails_with_the_code_and_what_differs(repository: Repository, tmp_path: Path) -> None:
    """A new version of PyTorch may print something else; nothing but that is shown."""
    said = tmp_path / "said.txt"
    repository.page("page", f"# Page\n\n```python\nprint('first')\nprint(open({str(said)!r}).read())\n```\n")
    said.write_text("one 1.25")
    repository.pytest("--record")
    said.write_text("one 1.5")
    output, outcomes = repository.pytest()
    assert outcomes == {"failed": 1, "passed": 1}
    assert "docs/page.md:3 on cpu: not what was recorded (" in output
    assert "\nprint('first')\nprint(open(" in output
    assert "\n--- recorded\n+++ now\n@@ -1,2 +1,2 @@\n first\n-one 1.25\n+one 1.5\n" in output
    assert f"If the new output is right, run {COMMAND}" in output
    assert "pytest_plugin.py" not in output
    assert "Traceback" not in output


def test_what_another_plugin_raises_while_a_block_is_judged_is_shown_whole(recorded: Repository) -> None:
    """Its traceback holds nothing of Sybil, and that of its cause may have one line: no reason to end pytest."""
    hook = """
import pytest

@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    yield
    try:
        raise ValueError("the cause")
    except ValueError as error:
        raise RuntimeError("another plugin") from error
"""
    recorded.pytester.makeconftest(CONFTEST + hook)
    output, outcomes = recorded.pytest()
    assert outcomes == {"failed": 3}, output
    assert "ValueError: the cause" in output
    assert "RuntimeError: another plugin" in output


@pytest.mark.parametrize("processes", [(), ("-n", "1")])
def test_a_block_that_pytest_rerunfailures_runs_once_more_has_its_page_run_anew(
    recorded: Repository, light_torch: None, tmp_path: Path, processes: tuple[str, ...]
) -> None:
    """What a page printed once is kept for all its items; an item that runs again wants to see it printed again."""
    count = tmp_path / "count.txt"
    run = f"with open({str(count)!r}, 'a+') as file:\n    print(file.write('x'), file.tell() != 2)\n"
    recorded.page("page", f"# Page\n\n```python\n{run}```\n\n```python\nprint('second')\n```\n")
    recorded.pytest("--record")
    assert recorded.pytest(*processes)[1] == {"failed": 1, "passed": 2}
    count.write_text("x", encoding="utf-8")
    output, outcomes = recorded.pytest("--reruns", "1", *processes)
    assert outcomes == {"passed": 3, "rerun": 1}, output


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
    assert outcomes == {"failed": 1, "passed": 4}
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
    monkeypatch.setattr("samedevice.page_runs.SectionRunner", lambda root, limit, **how: SectionRunner(root, 1, **how))
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
    """Nothing of it is run, and that must not pass for a success. Nor must it keep other tests from being run."""
    recorded.page("bad", text)
    output, outcomes = recorded.pytest()
    assert outcomes == {"failed": 1, "passed": 3}
    assert f"\n{message}" in output
    assert "Traceback" not in output


def test_a_page_that_is_not_utf_8_is_an_error_at_its_line(recorded: Repository) -> None:
    """The file is named, not the decoder."""
    recorded.page("bad", "").write_bytes(b"# Title\n\ncaf\xe9\n")
    output, outcomes = recorded.pytest()
    assert outcomes == {"failed": 1, "passed": 3}
    assert "\ndocs/bad.md:3: this line is not UTF-8; save the page as UTF-8\n" in output


def test_a_page_without_blocks_has_no_items(recorded: Repository) -> None:
    """Prose needs no test."""
    recorded.page("prose", "# Prose\n")
    assert recorded.pytest()[1] == {"passed": 3}


def test_markdown_outside_the_documentation_is_left_alone(recorded: Repository) -> None:
    """The README's commands are not for pytest to run."""
    (recorded.root / "README.md").write_text("```python\n1 / 0\n```\n")
    assert recorded.pytest(".")[1] == {"passed": 3}


def test_one_selected_block_is_run_after_what_it_needs_and_not_what_follows(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever works on one block does not want to wait for the page's end."""
    monkeypatch.setattr("samedevice.page_runs.SectionRunner", lambda root, limit, **how: SectionRunner(root, 30, **how))
    ran = repository.root / "ran.txt"
    tell = f"open({str(ran)!r}, 'a').write"
    repository.page("page", "\n".join(f"```python\n{tell}('{n}')\nx = {n}\n```\n" for n in range(1, 4)))
    output, outcomes = repository.pytest("docs/page.md::cpu-02-line-6")
    assert outcomes == {"failed": 1}
    assert "docs/page.md:6 has no recording" in output
    assert ran.read_text() == "12"


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
    assert recorded.pytest("docs", "snippets")[1] == {"passed": 4 + 3}
    assert recorded.pytest("snippets/two.py")[1] == {"passed": 1 + 1}


def test_what_runs_first_is_judged_first(recorded: Repository) -> None:
    """Thousands of blocks that had run waited for one whose page came first by its name, and ran last."""
    recorded.page("one", "```python\nprint(1)\n```\n")
    recorded.page("two", "```console\n$ echo 2\n```\n")
    output, outcomes = recorded.pytest("docs/one.md", "docs/two.md", "--record", "-v")
    assert outcomes == {"passed": 2}
    assert output.index("docs/two.md::cpu") < output.index("docs/one.md::cpu")


def test_one_section_more_runs_than_there_are_cores(recorded: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some wait. What is recorded may be a time: there each has a core."""
    used = list[int | None]()

    def runner(root: Path, limit: float, workers: int | None, **how: Any) -> SectionRunner:
        used.append(workers)
        return SectionRunner(root, limit, workers, **how)

    monkeypatch.setattr("samedevice.page_runs.SectionRunner", runner)
    assert recorded.pytest()[1] == {"passed": 3}
    assert recorded.pytest("--record")[1] == {"passed": 2}
    assert used == [available_cores() + 1, None]


def test_a_program_that_no_page_runs_is_an_error(recorded: Repository) -> None:
    """Pytest would import it, or run nothing."""
    (recorded.root / "snippets").mkdir()
    (recorded.root / "snippets/lost.py").write_text("1 / 0\n")
    output, outcomes = recorded.pytest("snippets/lost.py")
    assert outcomes == {}
    assert "snippets/lost.py: no page runs it; name a page, or add the program to one by file=" in output


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


IMPORT = """
import sys
from pathlib import Path
from typing import Any
import samedevice.integration.pytest
print({"torch", "numpy", "matplotlib", "mkdocs"} & set(sys.modules))
"""


def test_the_plugin_is_imported_without_torch() -> None:
    """Whoever tests something else in this repository waits for the import too."""
    assert subprocess.check_output([sys.executable, "-c", IMPORT], text=True).strip() == "set()"


def test_an_announced_exception_may_be_a_subclass(repository: Repository) -> None:
    """As with pytest.raises; the class that came is recorded."""
    repository.page("page", '```python raises="ArithmeticError"\n1 / 0\n```\n')
    assert repository.pytest("--record")[1] == {"passed": 1}
    assert '"type": "ZeroDivisionError"' in repository.recording().read_text()
    assert repository.pytest()[1] == {"passed": 2}
