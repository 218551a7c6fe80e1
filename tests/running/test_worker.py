"""What the process of a page does with its blocks: how they are run, what of them is caught, how figures are drawn."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from samedevice.outputs.cleaning import LIMIT
from samedevice.outputs.output import Output
from samedevice.pages.page import Page
from samedevice.running.processes import Launcher
from samedevice.running.section_runner import SectionRunner
from samedevice.running.worker import INK

Run = Callable[..., tuple[Output, ...]]
Write = Callable[..., Page]
Faults = Callable[..., list[str]]


def python(*blocks: str) -> str:
    """A page of these blocks."""
    return "\n".join(f"```python\n{block}\n```\n" for block in blocks)


def test_the_last_expression_is_shown_as_in_a_notebook(run: Run) -> None:
    """It is how readers expect code on a page to behave."""
    outputs = run(python("x = 2", "print('p')\nx + 1", "None", "'text'", "x; y = 1"))
    assert [output.shown for output in outputs] == ["", "p\n3", "", "'text'", ""]


def test_blocks_share_one_namespace_that_is_a_real_module(run: Run) -> None:
    """Classes of a page pickle only if their module can be found."""
    code = "import pickle\nfrom dataclasses import dataclass\n\n@dataclass\nclass Point:\n    x: int"
    outputs = run(python(code, "pickle.loads(pickle.dumps(Point(3)))", "Point.__module__", "__name__"))
    assert [output.value for output in outputs[1:]] == ["Point(x=3)", "'__main__'", "'__main__'"]


@pytest.mark.parametrize("fork", [True, False], ids=["fork", "spawn"])
def test_modules_are_looked_for_in_no_folder_of_ours(light_torch: None, root: Path, write: Write, fork: bool) -> None:
    """Its name is another one each time; griffe prints `sys.path` where it finds no module."""
    page = write(python("import sys\n[path for path in sys.path if 'samedevice-run-' in path]"))
    with SectionRunner(root) as sessions:
        sessions.launcher = Launcher(sessions.folder, fork=fork)
        (output,) = sessions.run(page, "cpu").outputs
    assert output == Output(value="[]")


def test_blocks_are_compiled_as_plain_python(run: Run) -> None:
    """A reader who copies the code must get the same: no future feature of ours leaks into it."""
    (output,) = run(python("def f(x: int) -> str: ...\n\nf.__annotations__"))
    assert output.value == "{'x': <class 'int'>, 'return': <class 'str'>}"


def test_an_exception_shows_the_page_and_its_line(faults: Faults) -> None:
    """The traceback must point at the line that an author has to change, and at nothing of ours."""
    text = "# Title\n\n" + python("def f(x):\n    return 1 / x", "x = 0\nf(x)")
    marks = re.compile(r"^ +[~^]+\n", re.M)  # which lines are marked differs from one version of Python to the next
    assert [marks.sub("", found) for found in faults(text)] == [
        "",
        "docs/page.md:8 on cpu raised ZeroDivisionError: division by zero\n\n"
        "Traceback (most recent call last):\n"
        '  File "docs/page.md", line 10, in <module>\n'
        "    f(x)\n"
        '  File "docs/page.md", line 5, in f\n'
        "    return 1 / x\n"
        "ZeroDivisionError: division by zero",
    ]


def test_a_syntax_error_shows_the_page_and_its_line(faults: Faults) -> None:
    """Line 2 of a block is not line 2 of the page."""
    (found,) = faults("# Title\n\nText.\n\n" + python("x = 1\nif x\n    y = 2"))
    assert found.startswith("docs/page.md:5 on cpu raised SyntaxError: expected ':' (page.md, line 7)\n")
    assert 'File "docs/page.md", line 7\n    if x\n' in found
    assert "ast.py" not in found


def test_a_statement_out_of_place_shows_the_page_and_its_line(faults: Faults) -> None:
    """Such errors come from the compiler, not from the parser."""
    (found,) = faults("# Title\n\n" + python("x = 1\nreturn x"))
    assert found.startswith("docs/page.md:3 on cpu raised SyntaxError: 'return' outside function (page.md, line 5)\n")
    assert 'File "docs/page.md", line 5\n    return x\n' in found


def test_a_part_of_a_snippet_runs_in_the_page_and_shows_its_own_lines(faults: Faults, root: Path) -> None:
    """The line to change is in the snippet."""
    (root / "snippets").mkdir()
    (root / "snippets/part.py").write_text("a = 1\n# region one\nb = a + x\nraise KeyError(b)\n# endregion\n")
    text = python("a, x = 1, 2") + '\n```python file="snippets/part.py" part="one"\n```\n'
    (_, found) = faults(text)
    assert found.startswith("docs/page.md:5 on cpu raised KeyError: 3\n")
    assert 'File "snippets/part.py", line 4, in <module>\n    raise KeyError(b)\n' in found


def test_blocks_after_an_exception_run(faults: Faults) -> None:
    """All that is wrong with a page is told at once; `sys.exit` ends a program, not a page."""
    found = faults(python("import sys\nsys.exit(3)", "raise KeyboardInterrupt", "x = 1"))
    assert found[0].startswith("docs/page.md:1 on cpu raised SystemExit: 3")
    assert found[1].startswith("docs/page.md:6 on cpu raised KeyboardInterrupt")
    assert found[2] == ""


def test_an_exception_that_cannot_say_what_it_is_is_still_told(faults: Faults) -> None:
    """A broken __str__ in a page must not pass for a broken machine."""
    code = "class Bad(Exception):\n    def __str__(self):\n        raise RuntimeError('no')\n\nraise Bad"
    found = faults(python(code, "1"))
    assert found[0].startswith("docs/page.md:1 on cpu raised Bad")
    assert found[1] == ""


def test_an_announced_exception_keeps_its_message_and_no_trace(run: Run) -> None:
    """The message is content; a trace would hold line numbers that shift with the prose."""
    (output,) = run('```python raises="ZeroDivisionError"\nprint("before")\n1 / 0\n```\n')
    assert output.shown == "before\nZeroDivisionError: division by zero"
    assert output.raised is not None
    assert output.raised.trace == ""


def test_another_exception_than_the_announced_one_shows_where_it_was_raised(faults: Faults) -> None:
    """It is an error like any other."""
    (found,) = faults('```python raises="ValueError"\nx = 1\n1 / 0\n```\n')
    assert found.startswith("docs/page.md:1 on cpu raised ZeroDivisionError instead of ValueError: division by zero\n")
    assert 'File "docs/page.md", line 3, in <module>' in found


@pytest.mark.parametrize("name", ["worker.py", "subprocess.py", "ast.py"])
def test_a_traceback_shows_a_file_that_is_named_as_one_of_ours(faults: Faults, root: Path, name: str) -> None:
    """Programs often have a worker.py; the line at fault is there."""
    (root / name).write_text("def work():\n    raise KeyError('there')\n")
    path = str(root / name)
    code = f"import importlib.util as u\ns = u.spec_from_file_location('own', {path!r})\n"
    (found,) = faults(python(f"{code}m = u.module_from_spec(s)\ns.loader.exec_module(m)\nm.work()"))
    assert f'File "{name}", line 2, in work' in found


def test_a_warning_is_shown_by_its_category_and_message(run: Run) -> None:
    """Where it was raised is the block above; a path of this machine says nothing to a reader."""
    (output,) = run(python("import warnings\nwarnings.warn('mind the gap')\nwarnings.warn('old', FutureWarning)"))
    assert output.text == "UserWarning: mind the gap\nFutureWarning: old\n"


def test_everything_written_is_caught_in_order(run: Run) -> None:
    """PyTorch warns from C++, torchrun starts processes; both belong to the output."""
    lines = ["import os, subprocess, sys", "print('print')", "os.write(1, b'descriptor 1\\n')"]
    lines += ["sys.stderr.write('stderr\\n')", "os.write(2, b'descriptor 2\\n')", "os.system('echo shell')"]
    lines += ["subprocess.run([sys.executable, '-c', 'print(\"child\")'])", "print('last')"]
    (output,) = run(python("\n".join(lines)))
    assert output.text.split() == "print descriptor 1 stderr descriptor 2 shell child last".split()


@pytest.mark.parametrize("stream", ["None", "3"])
def test_a_block_may_put_anything_in_the_place_of_standard_output(run: Run, stream: str) -> None:
    """Its other outputs are caught all the same."""
    outputs = run(python(f"import os, sys\nsys.stdout = {stream}\nos.write(1, b'one')\n4", "5"))
    assert [output.shown for output in outputs] == ["one\n4", "5"]


def test_what_c_keeps_in_its_buffer_is_caught_in_the_block_that_wrote_it(run: Run) -> None:
    """It would appear under a later block, or nowhere."""
    first, second = run(python("import ctypes\nctypes.CDLL(None).puts(b'from C')\nNone", "print('second')"))
    assert (first.text, second.text) == ("from C\n", "second\n")


def test_standard_input_is_at_its_end(faults: Faults) -> None:
    """A page that waits for a person would wait for ever."""
    found = faults(python("import sys\nassert sys.stdin.read() == ''", "name = input('Your name: ')"))
    assert found[0] == ""
    assert found[1].startswith("docs/page.md:6 on cpu raised EOFError: EOF when reading a line")
    assert 'File "docs/page.md", line 7, in <module>' in found[1]


def test_standard_input_of_a_command_is_at_its_end(run: Run) -> None:
    """The same for what a page starts."""
    (output,) = run("```console\n$ cat; echo end\n```\n")
    assert output.text == "end\n"


def test_a_block_that_prints_100_mb_is_cut_and_says_how_much_is_missing(run: Run) -> None:
    """Neither the page nor the recording nor this process may take the flood."""
    flood, after = run(python("print('x' * 100_000_000)", "print('after')"))
    assert flood.text.startswith("x" * LIMIT + "\n[")
    assert len(flood.text) < LIMIT + 100
    assert flood.text.endswith("\n[99,980,001 more characters, not kept]")
    assert after.text == "after\n"


def test_a_value_and_a_message_of_100_mb_are_cut_in_time(run: Run) -> None:
    """Looking through all of them for colours and addresses would take minutes."""
    outputs = run(
        python("'x' * 100_000_000") + '\n```python raises="ValueError"\nraise ValueError("x" * 10 ** 8)\n```\n'
    )
    missing = "x\n[99,980,002 more characters, not kept]", "x\n[99,980,000 more characters, not kept]"
    assert [output.shown.endswith(end) for output, end in zip(outputs, missing, strict=True)] == [True, True]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_block_that_forks_is_one_block(run: Run) -> None:
    """Its child comes out of the block too, and must not go on to run the rest of the page a second time."""
    outputs = run(
        python(
            "import os\nprint('once', flush=True)\nchild = os.fork()\nif child: os.waitpid(child, 0)", "print('after')"
        )
    )
    assert [output.text for output in outputs] == ["once\n", "after\n"]


def test_the_name_of_an_exception_hides_nothing(faults: Faults) -> None:
    """It is printed text as any other."""
    (told,) = faults(python("raise type('a\\x1b[31m\\a\\u202eb', (Exception,), {})"))
    assert told.startswith("docs/page.md:1 on cpu raised a␇<U+202E>b")


def test_binary_bytes_are_replaced_and_shown(run: Run) -> None:
    """Bytes that are no text must break neither the file of JSON nor the page."""
    code = "import sys\nsys.stdout.buffer.write(b'a\\xff\\xfe\\x00\\x1b[2Jb\\x80c\\n')\nNone"
    (output,) = run(python(code))
    assert output.text == "a\ufffd\ufffd␀␛[2Jb\ufffdc\n"


def test_text_that_utf_8_cannot_hold_is_shown(run: Run) -> None:
    """File names of another encoding come as lone surrogates, which no file and no page can hold."""
    outputs = run(
        python("print('a\\udcffb')") + '\n```python raises="ValueError"\nraise ValueError("a\\udcffb")\n```\n'
    )
    for output in outputs:
        assert "a\\udcffb" in output.shown
        output.shown.encode("utf-8")


def test_a_page_runs_in_a_folder_of_its_own_that_is_gone_afterwards(run: Run, root: Path) -> None:
    """Pages write files; they must neither see each other's nor leave them in the repository."""
    place = root / "place"
    code = f"import os\nopen('mine.txt', 'w').write('x')\nopen({str(place)!r}, 'w').write(os.getcwd())\nos.listdir()"
    outputs = run(python(code))
    assert outputs[0].value == "['mine.txt']"
    folder = Path(place.read_text())
    assert folder.name
    assert not folder.exists()
    assert sorted(path.name for path in root.iterdir()) == ["docs", "place"]


def test_the_place_of_the_folder_is_the_same_in_every_run(run: Run) -> None:
    """A path with a random part would differ from the recording on each run."""
    code = "import os\nprint(os.getcwd())\nprint(os.path.abspath('model.pt'))"
    assert run(python(code)) == run(python(code))


def test_a_file_in_the_folder_is_shown_by_its_name(run: Run) -> None:
    """Absolute paths of this machine say nothing to a reader."""
    (output,) = run(python("import os\nprint(os.path.abspath('model.pt'))"))
    assert output.text == "model.pt\n"


def test_a_page_on_the_cpu_sees_no_accelerator(run: Run) -> None:
    """Code that picks the device must pick the CPU there, on every machine."""
    os_code = "import os\nos.environ['CUDA_VISIBLE_DEVICES']"
    torch_code = "import torch\ntorch.accelerator.current_accelerator(check_available=True), torch.cuda.is_available()"
    outputs = run(python(os_code, torch_code))
    assert [output.value for output in outputs] == ["''", "(None, False)"]


def test_the_gpu_of_a_mac_is_hidden_from_the_compiler_too() -> None:
    """PyTorch 2.15's looks through the cache that it expects around the function."""
    code = (
        "import torch\nfrom samedevice.running.worker import hide_mps\nhide_mps(torch)\nimport torch._dynamo\n"
        "print(torch.mps.is_available(), torch.backends.mps.is_available.__wrapped__())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "False False\n", done.stderr


def test_a_page_computes_with_one_thread(run: Run) -> None:
    """Sums depend on the number of threads, and pages share the cores."""
    (output,) = run(python("import torch\ntorch.get_num_threads()"))
    assert output.value == "1"


def test_workers_of_a_dataloader_see_the_pages_classes(run: Run) -> None:
    """It is the most common program that starts processes of its own."""
    code = (
        "import torch\n\nclass Squares(torch.utils.data.Dataset):\n    def __len__(self):\n        return 4\n\n"
        "    def __getitem__(self, index):\n        return index, torch.utils.data.get_worker_info().num_workers\n"
    )
    use = "for batch in torch.utils.data.DataLoader(Squares(), batch_size=2, num_workers=2):\n    print(batch)"
    _, output = run(python(code, use))
    assert output.shown == "[tensor([0, 1]), tensor([2, 2])]\n[tensor([2, 3]), tensor([2, 2])]"


def test_a_command_runs_in_the_repository_with_this_python(run: Run, root: Path) -> None:
    """Commands on pages start snippets by their path, and must find the PyTorch that the page is about."""
    (root / "marker.txt").write_text("found\n")
    (output,) = run("```console\n$ cat marker.txt\n$ python -c 'import sys; print(sys.prefix)'\n```\n")
    assert output.text == f"$ cat marker.txt\nfound\n$ python -c 'import sys; print(sys.prefix)'\n{sys.prefix}\n"


def test_the_place_of_the_repository_is_not_shown(run: Run, root: Path) -> None:
    """It differs from machine to machine."""
    (output,) = run("```console\n$ pwd\n```\n")
    assert str(root) not in output.text


def test_a_command_over_several_lines_is_one_command(run: Run) -> None:
    """Long commands are broken so that they can be read."""
    (output,) = run("```console\n$ echo one \\\n  two\n```\n")
    assert output.text == "one two\n"


def test_a_command_that_fails_is_a_failure_with_its_status(faults: Faults) -> None:
    """The commands after it would work on what it did not do."""
    (found,) = faults("```console\n$ echo before\n$ false\n$ echo after\n```\n")
    assert found.startswith("docs/page.md:1 on cpu raised SystemExit: 1")


def test_a_program_that_ends_itself_well_has_not_failed(run: Run) -> None:
    """`sys.exit(main())` is how many end; with `raises=` the page wants it to be shown."""
    code = "print('shown')\nraise SystemExit({})"
    (one, other, bad) = run(python(*(code.format(status) for status in ("0", "", "2"))))
    assert one == other == Output(text="shown\n")
    assert bad.raised is not None
    (announced,) = run(f'```python raises="SystemExit"\n{code.format("0")}\n```\n')
    assert announced.raised is not None


def test_a_command_that_fails_shows_what_was_printed(faults: Faults) -> None:
    """A status alone says nothing about the cause."""
    (found,) = faults("```console\n$ echo no free port >&2; exit 1\n```\n")
    assert "SystemExit: 1" in found
    assert found.endswith("\n\nIt had printed:\nno free port")


def test_a_snippet_runs_as_a_program_with_its_arguments(run: Run, root: Path) -> None:
    """A program has its own process and its own command line."""
    (root / "snippets").mkdir()
    (root / "snippets/p.py").write_text(
        "import sys\nif __name__ == '__main__':\n    print(sys.argv[1:], 'x' in globals())\n"
    )
    text = python("x = 1") + '\n```python file="snippets/p.py" args="--name \'a b\' 3"\n```\n'
    assert run(text)[1].text == "['--name', 'a b', '3'] False\n"


def test_what_one_block_prints_stays_with_it(run: Run) -> None:
    """Outputs stand under the block that made them."""
    outputs = run(python("print('one')", "print('two', end='')", "print('three')"))
    assert [output.text for output in outputs] == ["one\n", "two", "three\n"]


PLOT = "import matplotlib.pyplot as plt\n\nplt.plot([1, 2, 3], [1.0, 4.0, 9.0])\nplt.title('loss 0.12345 at step 3')"
FIGURE = f'```python alt="A rising line."\n{PLOT}\nNone\n```\n\n```python\nprint("no figure")\n```\n'


def test_a_figure_is_kept_with_the_block_that_drew_it(run: Run) -> None:
    """It would otherwise appear again under every later block."""
    first, second = run(FIGURE)
    (figure,) = first.figures
    assert figure.alt == "A rising line."
    assert second.figures == ()
    assert ElementTree.fromstring(figure.svg).tag == "{http://www.w3.org/2000/svg}svg"


def test_a_figure_of_very_many_shapes_is_one_picture(run: Run) -> None:
    """As shapes it would make its page slow and its recording large; its text stays text."""
    code = PLOT.replace("plt.plot([1, 2, 3], [1.0, 4.0, 9.0])", "plt.scatter(range(11_000), range(11_000))")
    (output,) = run(f'```python alt="Dots."\n{code}\nNone\n```\n')
    svg = output.figures[0].svg
    assert len(svg) < 100_000
    assert "data:image/png;base64," in svg
    assert "loss 0.12345 at step 3" in svg


def test_a_figure_draws_with_the_ink_of_the_page(run: Run) -> None:
    """It must be readable on a light and on a dark page."""
    svg = run(FIGURE)[0].figures[0].svg
    assert "currentColor" in svg
    assert INK not in svg
    assert not re.search(r"fill: ?(#fff|#ffffff|white)\b", svg)


def test_a_figure_holds_nothing_of_the_day_or_the_version(run: Run) -> None:
    """The same picture has the same bytes, tomorrow and with the next Matplotlib."""
    svg = run(FIGURE)[0].figures[0].svg
    assert "<metadata" not in svg
    assert "<!--" not in svg
    assert "matplotlib" not in svg.lower()


def test_numbers_in_the_text_of_a_figure_stay_as_they_are(run: Run) -> None:
    """Coordinates are rounded; a number that the page claims is not."""
    assert "loss 0.12345 at step 3" in run(FIGURE)[0].figures[0].svg


def test_a_figure_without_a_text_alternative_is_a_failure(faults: Faults) -> None:
    """Not everyone sees it."""
    found = faults("# Title\n\n" + FIGURE.replace(' alt="A rising line."', ""))
    message = 'docs/page.md:3 draws a figure; add alt="..." to its fence, a sentence that says what it shows'
    assert found == [message, ""]


def test_a_figure_that_cannot_be_drawn_is_a_failure_of_its_block(faults: Faults) -> None:
    """Matplotlib finds some errors only when it draws; the page and the line are still at fault."""
    code = "import matplotlib.pyplot as plt\nplt.title(r'$\\frac{$')\nNone"
    found = faults(f'# Title\n\n```python alt="A title."\n{code}\n```\n\n```python\nx = 1\n```\n')
    assert found[0].startswith("docs/page.md:3 on cpu raised ValueError")
    assert found[1] == ""


def test_a_figure_with_a_link_is_a_failure_of_its_block(faults: Faults) -> None:
    """Matplotlib writes url= into the figure as it is, javascript: included."""
    code = "import matplotlib.pyplot as plt\nplt.plot([1, 2], url='javascript:alert(1)')\nNone"
    (found,) = faults(f'# Title\n\n```python alt="A line."\n{code}\n```\n')
    assert found.startswith("docs/page.md:3 on cpu raised FigureError: its figure holds <a>; ")
    assert "leave out url=" in found


def test_a_block_may_wait_outside_of_a_function(run: Run) -> None:
    """Pages about asyncio show what a notebook and `python -m asyncio` take; all blocks share a loop."""
    outputs = run(python("import asyncio\nlock = asyncio.Lock()\nawait lock.acquire()", "await asyncio.sleep(0, 3)"))
    assert [output.shown for output in outputs] == ["True", "3"]


def test_what_a_block_takes_from_the_future_holds_below_it(run: Run) -> None:
    """As if the page were one file."""
    outputs = run(python("from __future__ import annotations", "def f(x: int): ...\nf.__annotations__"))
    assert outputs[1].value == "{'x': 'int'}"


def test_modules_are_found_where_the_interpreter_finds_them(
    root: Path, write: Callable[..., Page], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An editable install of a package that is beside its `pyproject.toml` puts that folder on the path."""
    (root / "beside.py").write_text("x = 1\n", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(root), prepend=os.pathsep)
    with SectionRunner(root, workers=1) as sessions:
        (output,) = sessions.run(write(python("import beside; beside.x")), "cpu").outputs
    assert output is not None
    assert output.value == "1"


@pytest.mark.parametrize(
    "replaced",
    ["json.dumps", "json.JSONEncoder.encode", "json.JSONEncoder.iterencode", "json.encoder.JSONEncoder.default"],
)
def test_a_block_that_replaces_what_writes_json_does_not_write_its_own_output(run: Run, replaced: str) -> None:
    """Libraries that are faster do so; one that answers with another text put that below the block."""
    forged = '\'{"done": 0, "output": {"text": "forged"}}\''
    outputs = run(python(f"import json\n{replaced} = lambda *given, **more: {forged}\nprint('real')", "print('more')"))
    assert outputs == (Output("real\n"), Output("more\n"))


def test_faulthandler_shows_the_frames_of_the_page_alone(run: Run) -> None:
    """Those of the engine name folders of this machine, and lines that change with each version of it."""
    code = "import faulthandler, sys\n\ndef called():\n    faulthandler.dump_traceback(sys.stdout)\n\ncalled()"
    (output,) = run(python(code))
    assert 'File "docs/page.md", line 5 in called' in output.text
    assert 'File "docs/page.md", line 7 in <module>' in output.text
    assert "samedevice" not in output.text
