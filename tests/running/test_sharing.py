"""Sections that share a process print what each prints in a process of its own; one that leaves something ends it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from samedevice.outputs.output import Output
from samedevice.pages.page import Page
from samedevice.running.section_runner import SectionRunner

pytestmark = pytest.mark.skipif(
    "not hasattr(__import__('os'), 'fork')", reason="a process that is spawned is not shared"
)

Ran = Callable[..., list[Output | None]]
PROCESS = "import os, random, sys, torch\nprint(os.getpid())\n"


@pytest.fixture
def ran(one_server: object, root: Path, write: Callable[..., Page]) -> Iterator[Ran]:
    """Runs blocks, each in a section of its own, one after the other, so that they may share a process."""
    with SectionRunner(root, 60, workers=1) as runner:

        def ran(*codes: str) -> list[Output | None]:
            sections = (f"## {number}\n\n```python\n{code}\n```\n\n" for number, code in enumerate(codes))
            page = write("# Page\n\n" + "".join(sections))
            return [*runner.submit(page, "cpu", shares=True).result(120).outputs]

        yield ran


def lines(outputs: list[Output | None]) -> list[list[str]]:
    """What each block printed."""
    assert all(output and not output.raised and not output.died for output in outputs), outputs
    return [output.text.split("\n") for output in outputs if output]


def test_sections_that_leave_nothing_share_a_process(ran: Ran) -> None:
    """PyTorch and the device are started once; names, random numbers and the folder are new all the same."""
    code = (
        f"{PROCESS}print('mine' in globals(), os.listdir('.'))\n"
        "mine = torch.rand(1).item(), random.random()\nprint(mine)\nopen('file', 'w').close()"
    )
    first, second, third = lines(ran(code, code, code))
    assert first == second == third
    assert first[1] == "False []"


@pytest.mark.parametrize(
    ("left", "word"),
    [
        ("torch.set_default_dtype(torch.float64)", "default_dtype"),
        ("torch.set_default_device('meta')", "default_device"),
        ("torch.set_printoptions(precision=2)", "PRINT_OPTS"),
        ("torch.use_deterministic_algorithms(True)", "deterministic"),
        ("torch.set_float32_matmul_precision('medium')", "precision"),
        ("torch.set_grad_enabled(False)", "grad"),
        ("torch.backends.cudnn.benchmark = True", "cudnn"),
        ("os.environ['PYTORCH_CUDA_ALLOC_CONF'] = ''", "environ"),
        ("sys.path.append('/nowhere')", "sys.path"),
        ("torch.nn.functional.relu = torch.nn.functional.gelu", "functions"),
        ("torch.Tensor.double_it = lambda self: 2 * self", "functions"),
        ("torch.nn.modules.module.register_module_forward_hook(lambda *_: None)", "_global"),
        ("import threading, time; threading.Thread(target=time.sleep, args=(60,), daemon=True).start()", "threads"),
        ("import warnings; warnings.simplefilter('ignore')", "filters"),
        ("print('UserWarning: once')", "warned"),
        ("import helper", "modules"),
    ],
)
def test_a_section_that_leaves_something_ends_the_process(ran: Ran, root: Path, left: str, word: str) -> None:
    """The next one finds all as it is in a fresh process."""
    (root / "helper.py").write_text("")
    first, second, third = lines(
        ran(
            PROCESS,
            f"{PROCESS}sys.path.insert(0, {str(root)!r}); sys.path.pop(0)\n"
            + (
                f"sys.path.insert(0, {str(root)!r}); import helper; sys.path.pop(0)"
                if left == "import helper"
                else left
            ),
            PROCESS,
        )
    )
    assert first[0] == second[0], "the second section shares the process"
    assert third[0] != second[0], word


def test_a_section_that_ends_its_process_takes_no_other_with_it(ran: Ran) -> None:
    """The next one gets another process."""
    outputs = ran(PROCESS, "import os; os._exit(3)", PROCESS)
    assert outputs[1] is not None
    assert "exit status 3" in outputs[1].died
    assert outputs[2] is not None
    assert outputs[2].text


def test_an_error_leaves_nothing(ran: Ran) -> None:
    """A page shows many of them."""
    outputs = ran(PROCESS, "raise ValueError('no')", PROCESS)
    assert outputs[0] is not None
    assert outputs[2] is not None
    assert outputs[0].text == outputs[2].text


def test_a_process_can_be_made_ready_and_ended_before_it_runs_anything(
    one_server: object, root: Path, write: Callable[..., Page]
) -> None:
    """What is alone finds the device started, and no other process on it."""
    page = write(f"# Page\n\n```python\n{PROCESS}```\n")
    with SectionRunner(root, 60, workers=2) as runner:
        for ready in [runner.submit(page, "cpu", (), shares=True) for _ in range(2)]:
            assert ready.result(120).outputs == (None,)
        made = {process.group for process in runner.idle["cpu"]}
        found = {runner.submit(page, "cpu", shares=True).result(120).outputs[0] for _ in made}
        assert {int(one.text) for one in found if one} == made, "each runs one, the one that has waited longest"
        assert runner.end_shared() == len(made)
        last = runner.submit(page, "cpu", shares=True).result(120).outputs[0]
        assert last
        assert int(last.text) not in made
