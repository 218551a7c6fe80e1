"""What a block read: observed while it ran, so that a change of it makes the block's output stale."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from samedevice.devices import torch_build
from samedevice.outputs.environments import Run
from samedevice.outputs.record import OutputCache
from samedevice.outputs.recording_files import Recordings, file_hash, place
from samedevice.outputs.recordings import State
from samedevice.page_runs import PageRuns
from samedevice.pages.page import Page
from samedevice.running.section_runner import SectionRunner

Write = Callable[..., Page]
HERE = "from pathlib import Path\nhere = Path(__file__).parent"


def python(*blocks: str) -> str:
    """A page of these blocks of Python."""
    return "\n".join(f"```python\n{code}\n```\n" for code in blocks)


def console(*commands: str) -> str:
    """A page with these commands."""
    return "".join(f"```console\n$ {command}\n```\n\n" for command in commands)


@dataclass(frozen=True)
class Case:
    """A page, the files that it leads to, and one of them that is edited."""

    text: str
    edited: str
    """The file that is edited after the page was recorded."""
    files: dict[str, str | bytes]
    after: str | bytes = "x = 42\n"
    """What is in it then."""
    fresh: int = 0
    """How many blocks stay fresh."""


PACKAGE: dict[str, str | bytes] = {"snippets/pkg/__init__.py": "", "snippets/pkg/m.py": "x = 41\n"}
HELPER: dict[str, str | bytes] = {"snippets/h.py": "x = 41\n"}


def beside(program: str, files: dict[str, str | bytes] = HELPER) -> Case:
    """A program that imports what is beside it."""
    text = '```python file="snippets/main.py"\n```\n'
    return Case(text, list(files)[-1], {**files, "snippets/main.py": f"{program}\nprint('ran')\n"})


def data(name: str, text: str, content: str | bytes = "41", after: str | bytes = "42") -> Case:
    """A page that reads a file."""
    return Case(text, name, {name: content}, after)


CASES = {
    "binary data": data(
        "docs/x.bin",
        python(f"{HERE}\nprint(len((here / 'x.bin').read_bytes()))"),
        b"\xff\xfe\x00",
        b"\xfe\xff\x00",
    ),
    "a name with +": data("docs/a+b.csv", python(f"{HERE}\nprint((here / 'a+b.csv').read_text())")),
    "a name with @": data("docs/a@b.csv", python(f"{HERE}\nprint((here / 'a@b.csv').read_text())")),
    "a name with =": data("docs/a=b.csv", python(f"{HERE}\nprint((here / 'a=b.csv').read_text())")),
    "a name with a space": data("docs/a b.csv", python(f"{HERE}\nprint((here / 'a b.csv').read_text())")),
    "a name of another language": data("docs/é ü.csv", python(f"{HERE}\nprint((here / 'é ü.csv').read_text())")),
    "a name made by an f-string": data(
        "docs/x1.csv", python(f"{HERE}\nnumber = 1\nprint(open(f'{{here}}/x{{number}}.csv').read())")
    ),
    "Path(__file__).with_name": data(
        "docs/x.csv", python("from pathlib import Path\nprint(Path(__file__).with_name('x.csv').read_text())")
    ),
    "a file opened by its descriptor": data(
        "docs/x.csv", python(f"{HERE}\nimport os\nprint(os.read(os.open(here / 'x.csv', os.O_RDONLY), 9))")
    ),
    "a file that NumPy maps": data(
        "docs/x.npy", python(f"{HERE}\nimport numpy\nprint(numpy.fromfile(here / 'x.npy', dtype='u1'))"), b"12", b"13"
    ),
    "a command in another folder": data("docs/x.txt", console("cd docs && cat x.txt")),
    "a command": data("docs/x.txt", console("cat docs/x.txt")),
    "a pattern": data("docs/x1.txt", console("cat docs/*.txt")),
    "a Python command": data("docs/x.txt", console("python -c \"print(open('docs/x.txt').read())\"")),
    "a child of a child": data(
        "docs/x.txt",
        python(
            f'{HERE}\nimport subprocess, sys\ncode = \'import subprocess, sys; subprocess.run([sys.executable, "-c",'
            " sys.argv[1]], check=True)'\nchild = f'print(open({str(here / \"x.txt\")!r}).read())'\n"
            "print(subprocess.run([sys.executable, '-c', code, child], check=True).returncode)"
        ),
    ),
    "a module": Case(console("python -m snippets.h"), "snippets/h.py", {"snippets/h.py": "print(41)\n"}),
    "an import over two lines": beside("from pkg import (\n    m,\n)", PACKAGE),
    "an import before a semicolon": beside("import h; print(h.x)"),
    "an import after a backslash": beside("import os, \\\n    h"),
    "an import below an if": beside("if True: import h"),
    "importlib": beside("import importlib\nprint(importlib.import_module('h').x)"),
    "runpy": beside("import runpy\nprint(runpy.run_path(__file__.replace('main', 'h'))['x'])"),
    "exec": beside("exec(open(__file__.replace('main', 'h')).read())"),
    "an import of an import": beside("import g", {"snippets/g.py": "import h\n", **HELPER}),
    "a program's process": beside(
        "import subprocess, sys\nsubprocess.run([sys.executable, __file__.replace('main', 'h')], check=True)"
    ),
    "a process that multiprocessing starts": beside(
        "import multiprocessing\nimport runpy\n\n\ndef work(path):\n    return runpy.run_path(path)['x']\n\n\n"
        "if __name__ == '__main__':\n    with multiprocessing.get_context('spawn').Pool(1) as pool:\n"
        "        print(pool.map(work, [__file__.replace('main', 'h')]))"
    ),
    "a block that imports": Case(
        python(f"{HERE}\nimport sys\nsys.path.insert(0, str(here.parent / 'snippets'))", "import h\nprint(h.x)"),
        "snippets/h.py",
        HELPER,
        fresh=1,
    ),
    "the project's own package": Case(
        python(
            f"{HERE}\nimport sys\nsys.path.insert(0, str(here.parent / 'src'))", "import mylib; print(mylib.answer())"
        ),
        "src/mylib/__init__.py",
        {"src/mylib/__init__.py": "def answer(): return 41\n"},
        "def answer(): return 42\n",
        fresh=1,
    ),
    "a later block of a program that read": Case(
        python("1", f"{HERE}\nx = (here / 'x.csv').read_text()", "print(x)"),
        "docs/x.csv",
        {"docs/x.csv": "41"},
        "42",
        fresh=1,
    ),
}


@dataclass
class Project:
    """A repository in which a page is run, recorded and looked at again."""

    root: Path
    page: Page

    def run(self) -> Run:
        """Run the page on the CPU."""
        with SectionRunner(self.root, 60, workers=1) as sessions:
            return sessions.run(self.page, "cpu")

    def record(self, run: Run) -> None:
        """Record what it printed."""
        PageRuns(self.root).write(self.page, "cpu", run)

    def states(self) -> list[State]:
        """What is recorded of the page's blocks, to somebody who reads the file now."""
        ((recording,), _) = Recordings(self.root, self.page.settings.recordings).load(self.page)
        return [recording.find(self.page, block.index).state for block in self.page.blocks]


@pytest.fixture
def project(one_server: object, root: Path, write: Write) -> Callable[..., Project]:
    """Writes a page and files beside it."""

    def project(text: str, files: dict[str, str | bytes]) -> Project:
        for name, content in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return Project(root, write(text))

    return project


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_a_changed_file_makes_stale_what_read_it(case: Case, project: Callable[..., Project]) -> None:
    """In the recordings and in the cache: else a strict build shows the old output without a word."""
    found = project(case.text, case.files)
    run = found.run()
    assert all(output and not output.raised and not output.died for output in run.outputs), run.outputs
    assert case.edited in dict(run.outputs[case.fresh].read)  # type: ignore[union-attr]
    found.record(run)
    OutputCache(found.root).keep(found.page, "cpu", run)
    blocks = len(found.page.blocks)
    assert found.states() == [State.FRESH] * blocks
    assert OutputCache(found.root).missing(found.page, "cpu") == set()
    content = case.after if isinstance(case.after, bytes) else case.after.encode()
    (found.root / case.edited).write_bytes(content)
    assert found.states() == [State.FRESH] * case.fresh + [State.STALE] * (blocks - case.fresh)
    assert OutputCache(found.root).missing(found.page, "cpu") != set()


def test_a_file_that_moves_makes_stale_what_read_it(project: Callable[..., Project]) -> None:
    """The same bytes in another folder are not what the program opens."""
    code = f"{HERE}\nprint([path.read_text() for path in sorted(here.rglob('*.csv'))])"
    found = project(python(code), {"docs/a/x.csv": "41"})
    found.record(found.run())
    assert found.states() == [State.FRESH]
    (found.root / "docs/a").rename(found.root / "docs/b")
    assert found.states() == [State.STALE]


def test_a_file_that_nothing_read_makes_nothing_stale(project: Callable[..., Project]) -> None:
    """A run on every device is dear: a file that is only named, or lies beside one that was read, is no part of it."""
    code = f"{HERE}\nname = 'docs/other.csv'\nprint((here / 'x.csv').read_text())"
    found = project(python(code), {"docs/x.csv": "41", "docs/other.csv": "1"})
    found.record(found.run())
    for name in ("docs/other.csv", "docs/new.csv", "docs/y.md"):
        (found.root / name).write_text("2", encoding="utf-8")
    assert found.states() == [State.FRESH]


NOT_READ = {
    "what it wrote": f"{HERE}\np = here / 'made.txt'\np.write_text('1')\nprint(p.read_text())\np.unlink()",
    "its own page": "print(len(open(__file__).read()))",
    "a folder": f"{HERE}\nprint(len(list(here.iterdir())))",
    "a file that is not there": f"{HERE}\nprint((here / 'none.txt').exists())",
    "a file of another folder": "print(len(open('/etc/hostname').read()) > 0)",
    "the recordings": f"{HERE}\nprint((here.parent / 'tests/recordings/x.json').read_text())",
    "a hidden file": f"{HERE}\nprint((here.parent / '.env').read_text())",
    "an installed package": "import json.tool, colorsys\nprint(colorsys.rgb_to_hsv(1, 1, 1))",
}


@pytest.mark.parametrize("code", NOT_READ.values(), ids=NOT_READ.keys())
def test_what_is_no_file_of_the_project_is_not_noted(code: str, project: Callable[..., Project]) -> None:
    """A recording names what a reviewer can look at, and nothing that changes with each run."""
    found = project(python(code), {"tests/recordings/x.json": "{}", ".env": "x"})
    (output,) = found.run().outputs
    assert output is not None
    assert not output.raised, output.raised
    assert output.read == ()


def test_a_file_of_a_site_packages_folder_below_the_repository_is_installed(project: Callable[..., Project]) -> None:
    """It is a part of the environment, and no file of the project."""
    code = (
        f"{HERE}\nimport sys\nsys.path.insert(0, str(here.parent / 'venv/lib/site-packages'))\nimport lib\nprint(lib.x)"
    )
    found = project(python(code), {"venv/lib/site-packages/lib.py": "x = 1\n"})
    (output,) = found.run().outputs
    assert output is not None
    assert output.read == ()


def test_a_file_is_noted_with_the_hash_of_its_bytes(project: Callable[..., Project]) -> None:
    """Two files that decode to the same text are two; each block has its own."""
    found = project(
        python(f"{HERE}\n(here / 'a.bin').read_bytes()", "(here / 'b.bin').read_bytes()", "1"),
        {"docs/a.bin": b"\xff", "docs/b.bin": b"\xfe"},
    )
    reads = [output.read for output in found.run().outputs if output]
    assert reads == [
        (("docs/a.bin", file_hash(found.root / "docs/a.bin")),),
        (("docs/b.bin", file_hash(found.root / "docs/b.bin")),),
        (),
    ]
    assert len({hash for one in reads for _, hash in one}) == 2


def test_a_module_that_was_compiled_before_is_noted_by_its_source(project: Callable[..., Project]) -> None:
    """Python opens the compiled file alone; the source is what an author edits."""
    found = project(
        '```python file="snippets/main.py"\n```\n', {**HELPER, "snippets/main.py": "import h\nprint(h.x)\n"}
    )
    for _ in range(2):
        (output,) = found.run().outputs
        assert output is not None
        assert [name for name, _ in output.read] == ["snippets/h.py"]


def test_a_file_that_was_read_before_it_was_written_was_read(project: Callable[..., Project]) -> None:
    """What the block wrote is its own, and what was there before it decided what it printed."""
    code = f"{HERE}\npath = here / 'x.csv'\nprint(path.read_text())\npath.write_text('42')"
    found = project(python(code), {"docs/x.csv": "41"})
    (output,) = found.run().outputs
    assert output is not None
    assert output.died or "docs/x.csv" in dict(output.read)


@pytest.mark.skipif(os.name != "posix", reason="on Windows a program can set the time that tells it")
def test_a_file_that_changes_while_a_block_runs_is_a_fault(project: Callable[..., Project]) -> None:
    """Nobody knows which text it ran; the output must not be kept as that of the new one."""
    code = f"{HERE}\npath = here / 'x.csv'\nprint(path.read_text())\nimport os\nos.rename(here / 'y.csv', path)"
    found = project(python(code), {"docs/x.csv": "41", "docs/y.csv": "42"})
    (output,) = found.run().outputs
    assert output is not None
    assert output.died == "is not kept, because a file that it runs or reads changed while it ran; run it again"


def test_what_interpreters_start_with_stays_theirs(project: Callable[..., Project]) -> None:
    """A program of the page sees no module of ours, and the `sitecustomize` of its own that is on its path runs."""
    own = {"own/sitecustomize.py": "import builtins\nbuiltins.began = 'own'\n"}
    code = (
        f"{HERE}\nimport os, subprocess, sys\nenviron = dict(os.environ)\n"
        "environ['PYTHONPATH'] = os.pathsep.join([environ.get('PYTHONPATH', ''), str(here.parent / 'own')])\n"
        "said = \"import sys; print(began, [p for p in sys.path if 'observing' in p], 'samedevice' in sys.modules)\"\n"
        "subprocess.run([sys.executable, '-c', said], env=environ, check=True)"
    )
    found = project(python(code), own)
    (output,) = found.run().outputs
    assert output is not None
    assert output.text == "own [] False\n"


def test_the_line_of_a_log_record_in_a_later_block_is_stale_once_the_block_moves(
    project: Callable[..., Project],
) -> None:
    """The setup of a logger says `%(lineno)d`; the block below it prints the line that it is on."""
    setup = "import logging, sys\nlogging.basicConfig(stream=sys.stdout, format='%(lineno)d', force=True)"
    text = python(setup, "logging.warning('x')")
    found = project(text, {})
    run = found.run()
    assert [output.text for output in run.outputs if output] == ["", "7\n"]
    found.record(run)
    moved = project(text.replace("```python\nlogging", "A sentence.\n\n```python\nlogging"), {})
    assert moved.states() == [State.FRESH, State.STALE]
    assert OutputCache(moved.root).missing(moved.page, "cpu") != set()


def test_a_recording_names_what_a_block_read(project: Callable[..., Project]) -> None:
    """A reviewer sees it in the file."""
    found = project(python(f"{HERE}\nprint((here / 'x.csv').read_text())"), {"docs/x.csv": "41"})
    found.record(found.run())
    file = Recordings(found.root, "tests/recordings").read(place(found.root / "tests/recordings", found.page))
    assert [one.read for one in file.blocks] == [(("docs/x.csv", file_hash(found.root / "docs/x.csv")),)]
    assert list(file.environments) == [f"cpu-{torch_build().version}"]
