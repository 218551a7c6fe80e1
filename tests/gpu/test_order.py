"""The order in which a machine runs sections: what only it can show first, and nothing that is known already."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from order import Piece, in_order, pieces

from samedevice.outputs.environments import Environment
from samedevice.outputs.output import Output
from samedevice.outputs.recordings import Recording, update
from samedevice.pages.page import Page

H100 = Environment("cuda", "NVIDIA H100 80GB HBM3", "2.13.0+cu130", "3.11.7", "580", "2026-11-24")
SIMULATED = replace(H100, name="Simulated GPU", driver="", simulated=True)
CPU = Environment("cpu", "AMD EPYC", "2.13.0+cu130", "3.11.7", day="2026-11-24")
USED, UNUSED = Output("cuda:0"), Output("3", used=False)

Write = Callable[..., Page]


def recording(page: Page, about: Environment, *outputs: Output | None, known: Sequence[Recording] = ()) -> Recording:
    """What an environment printed for a page."""
    found = update(None, page, about, outputs, (), known)
    assert found is not None
    return found


def left(page: Page, about: Environment = H100, count: int = 1, known: Sequence[Recording] = ()) -> list[Piece]:
    """What is left to run of a page."""
    return list(pieces(page, about, count, known, Path("/nowhere")))


def section(title: str, code: str, options: str = "") -> str:
    """A section of a page."""
    return f"## {title}\n\n```python {options}\n{code}\n```\n\n"


@pytest.fixture
def page(write: Write) -> Page:
    """A page of three sections, of which the second uses no device."""
    parts = [section("One", "one()"), section("Two", "two()"), section("Three", "three()")]
    return write("# Page\n\n" + "".join(parts))


def test_what_does_not_use_the_device_is_not_run_there(page: Page) -> None:
    """Most blocks of a page need no GPU, and the time of one is short."""
    cpu = recording(page, CPU, UNUSED, UNUSED, UNUSED)
    known = [cpu, recording(page, SIMULATED, USED, UNUSED, USED, known=[cpu])]
    assert [one.wanted for one in left(page, known=known)] == [(0,), (2,)]
    assert [one.wanted for one in left(page)] == [(0,), (1,), (2,)]  # nobody knows


def test_what_the_device_has_shown_with_this_pytorch_is_not_run_again(page: Page) -> None:
    """It is fresh; another version's is not its own."""
    own, older = (
        recording(page, H100, USED, None, None),
        recording(page, replace(H100, torch="2.11.0+cu130"), USED, None, None),
    )
    assert [one.wanted for one in left(page, known=[own])] == [(1,), (2,)]
    found = left(page, known=[older])
    assert [one.shown for one in found] == [True, False, False]
    assert [one.wanted for one in in_order(found)] == [(1,), (2,), (0,)]
    assert left(page, replace(H100, name="NVIDIA H200"), known=[own])[0].shown


def test_what_no_simulated_device_shows_comes_first_and_messages_last(page: Page, write: Write) -> None:
    """What nothing else can show is worth most."""
    message = write("# Message\n\n" + section("One", "message()"), "docs/errors/message.md")
    known = [recording(page, SIMULATED, USED, None, USED)]
    found = in_order([*left(message), *left(page, known=known)])
    assert [(one.page.name, one.wanted, one.simulated) for one in found] == [
        ("page", (1,), False),
        ("page", (0,), True),
        ("page", (2,), True),
        ("errors/message", (0,), False),
    ]
    assert found[0].kind == "subjects on CUDA, not simulated, side by side"
    assert str(found[0]) == "docs/page.md:11 on cuda"


@pytest.mark.parametrize(
    ("code", "alone"),
    [
        ("torch.cuda.memory_allocated()", False),
        ("from torch.utils.benchmark import Timer", False),
        ("Timer('x').timeit()", True),
        ("time.perf_counter()", True),
        ("start.elapsed_time(end)", True),
        ("torch.cuda.mem_get_info()", True),
        ("subprocess.run(['nvidia-smi'])", True),
        ("try: x()\nexcept torch.OutOfMemoryError: pass", True),
    ],
)
def test_what_reads_a_clock_or_what_all_share_is_alone(write: Write, code: str, alone: bool) -> None:
    """A count of bytes of its own process is not changed by what runs beside it; the GPU's free memory is."""
    page = write("# Page\n\n" + section("One", code, 'numbers="vary"') + section("Two", "two()"))
    found = left(page)
    assert [one.alone for one in found] == [alone, False]
    assert [one.wanted for one in in_order(found)] == ([(1,), (0,)] if alone else [(0,), (1,)])
    assert not any(one.alone for one in left(page, CPU))


def test_a_file_that_a_section_read_counts_as_its_code(write: Write, root: Path) -> None:
    """A program of the repository measures where its page does not say so."""
    page = write("# Page\n\n" + section("One", "import helper"))
    (root / "helper.py").write_text("import time\nstart = time.perf_counter()\n")
    known = recording(page, SIMULATED, replace(USED, read=(("helper.py", "0" * 16),)))
    (found,) = pieces(page, H100, 1, [known], root)
    assert found.alone


def test_blocks_for_several_gpus_run_where_there_are_several(write: Write) -> None:
    """The same command records them on a machine that has them."""
    page = write("# Page\n\n" + section("One", "one()", 'needs="2 cuda"'))
    assert left(page, count=1) == []
    assert [one.wanted for one in left(page, count=2)] == [(0,)]


def test_a_device_that_nobody_simulates_runs_all_what_uses_cuda_first(page: Page) -> None:
    """On a Mac a block may use MPS that does not use CUDA."""
    cpu = recording(page, CPU, UNUSED, UNUSED, UNUSED)
    known = [cpu, recording(page, SIMULATED, UNUSED, UNUSED, USED, known=[cpu])]
    found = in_order(left(page, Environment("mps", "Apple M4", "2.13.0", "3.11.7"), known=known))
    assert [(one.wanted, one.doubtful) for one in found] == [((2,), False), ((0,), True), ((1,), True)]


@pytest.mark.parametrize(
    ("code", "shares"),
    [
        ("x = torch.ones(3, device='cuda')", True),
        ("class Net(torch.nn.Module):\n    def f(self):\n        self.x = 1", True),
        ("import warnings\nwarnings.simplefilter('ignore')", False),
        ("step = torch.compile(step)", False),
        ("import torch\ntorch.backends.cudnn.benchmark = True", False),
        ("import torch.nn.functional as F\nF.relu = None", False),
        ("torch.cuda.memory_stats()", False),
        ("DataLoader(data, num_workers=2)", False),
        ("torch.cuda.CUDAGraph()", False),
        ("time.perf_counter()", False),
        ("this is no Python", False),
    ],
)
def test_what_may_leave_what_nobody_sees_runs_in_a_process_of_its_own(write: Write, code: str, shares: bool) -> None:
    """The next section would print something else than in a fresh process."""
    page = write("# Page\n\n" + section("One", code) + section("Two", "two()"))
    found = left(page)
    assert [one.shares for one in found] == [shares, True]
    assert not any(one.shares for one in left(page, CPU))


def test_what_warns_runs_in_a_process_of_its_own(write: Write) -> None:
    """PyTorch gives many warnings once a process: those before it might have taken this one away."""
    page = write("# Page\n\n" + section("One", "one()") + section("Two", "two()"))
    known = recording(page, replace(SIMULATED, torch="2.9.1+cu128"), Output("UserWarning: one"), Output("two"))
    assert [one.shares for one in left(page, known=[known])] == [False, True]
    assert [one.wanted for one in in_order(left(page))] == [(0,), (1,)]


def test_what_measures_comes_after_all_that_runs_side_by_side(write: Write) -> None:
    """A minute of what runs side by side shows more blocks than five of what runs alone."""
    page = write("# Page\n\n" + section("One", "time.perf_counter()") + section("Two", "two()"))
    known = [recording(page, SIMULATED, None, USED)]
    assert [one.wanted for one in in_order(left(page, known=known))] == [(1,), (0,)]
