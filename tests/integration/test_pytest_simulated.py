"""The pytest plugin on simulated devices: what is asked for, run, left out, recorded and compared."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from made_repository import CPU_FOLDER, Repository

from samedevice.devices import SIMULATED_GPU, TorchBuild, torch_build
from samedevice.outputs.output import Output

FOLDER = f"cuda-simulated-{torch_build().version}"
COMMAND = "pytest docs/page.md --device cuda --simulated --record"
ASKED = ("--device", "cuda", "--simulated")
SURE = "# Page\n\n```python\nprint('one')\n```\n\n```python needs=\"2 cuda\"\nprint('two')\n```\n"
POISSON = (
    "import os\nwith open(os.environ['SIMULATED_GPU_UNSURE'], 'a') as file:\n    print('aten::poisson', file=file)\n"
)
"""What a simulator does when it draws numbers by another algorithm."""
LEFT_OUT = [
    ('```python numbers="vary"\nprint(3)\n```\n', "it measures, and a simulated device measures nothing"),
    ('```python simulated="no" reason="needs a driver"\n1 / 0\n```\n', "needs a driver"),
    (f"```python\n{POISSON}```\n", "the simulator does not vouch for aten::poisson"),
    ("```python\nprint('NotSimulated: fft')\n```\n", "the simulator refused it: NotSimulated: fft"),
]


@pytest.fixture
def simulated(pytester: pytest.Pytester, light_torch: None, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A repository where the stand-in for PyTorch has simulated GPUs, with a fork server of its own."""
    monkeypatch.setattr("samedevice.integration.pytest.why_not_simulated", lambda device: "")
    repository = Repository(pytester)
    repository.page("page", SURE)
    return repository


def test_one_device_that_a_simulator_has_must_be_named(repository: Repository) -> None:
    """What runs must not depend on what this machine has."""
    for options in (["--simulated"], [*ASKED, "--device", "cpu"]):
        output, outcomes = repository.pytest(*options)
        assert "--simulated: name one device, --device cuda" in output
        assert outcomes == {}
    output, _ = repository.pytest("--device", "mps", "--simulated")
    assert "--device mps --simulated: no simulator has it; name cuda" in output


@pytest.mark.parametrize(
    ("build", "told"),
    [
        (TorchBuild("2.13.0+cpu", False), "install the build with CUDA, which needs none of NVIDIA's packages: pip "),
        (TorchBuild("2.13.0+cu130", True), "the package simulated_gpu is not installed for "),
    ],
)
def test_what_is_missing_is_told(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, build: TorchBuild, told: str
) -> None:
    """A person who has the wrong build of PyTorch reads which to install."""
    monkeypatch.setattr("samedevice.devices.torch_build", lambda: build)
    monkeypatch.setattr("samedevice.devices.SIMULATED_GPU", replace(SIMULATED_GPU, module="no_such_module"))
    output, outcomes = repository.pytest(*ASKED)
    assert told in output
    assert outcomes == {}


NOTING = """import os, sys
if "SIMULATED_GPU" in os.environ:
    with open(os.environ["NOTED"], "a") as file:
        print(sys.orig_argv[1:], file=file)
"""


def test_it_is_compiled_before_a_page_waits_for_it(
    simulated: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A page's process may take some minutes to start, and no more; a compiler on a busy machine took longer."""
    noted, torch = tmp_path / "noted", Path(os.environ["PYTHONPATH"].split(os.pathsep)[0], "torch/__init__.py")
    monkeypatch.setenv("NOTED", str(noted))
    torch.write_text(NOTING + torch.read_text(encoding="utf-8"), encoding="utf-8")
    assert simulated.pytest(*ASKED, "--record")[1] == {"passed": 2}
    first, *later = noted.read_text(encoding="utf-8").splitlines()
    assert first == "['-c', 'import torch']"
    assert later
    torch.write_text("raise ImportError('no compiler')\n", encoding="utf-8")
    output, outcomes = simulated.pytest(*ASKED)
    assert "--device cuda --simulated: PyTorch cannot be imported with simulated_gpu; see what it said" in output
    assert outcomes == {}


def test_what_it_prints_is_recorded_apart(simulated: Repository) -> None:
    """It must never stand for what a GPU printed: its name says so. Two GPUs are there."""
    output, outcomes = simulated.pytest(*ASKED, "--record")
    assert outcomes == {"passed": 2}
    assert "same device: cuda, simulated, PyTorch " in output
    assert f"recorded docs/page.md on {FOLDER}: 2 blocks" in output
    path = simulated.recording()
    found = json.loads(path.read_text(encoding="utf-8"))
    about = found["environments"][FOLDER]
    assert about["simulated"] is True
    assert about["name"] == "Simulated GPU"
    assert simulated.pytest(*ASKED)[1] == {"passed": 3}
    del about["simulated"]
    path.write_text(json.dumps(found), encoding="utf-8")
    output, outcomes = simulated.pytest(*ASKED)
    assert outcomes == {"failed": 3}
    told = f"environments['{FOLDER}'] is simulated-gpu-{torch_build().version}, by its device and its version"
    assert told in output


def test_a_block_that_uses_no_device_has_the_output_of_the_cpu(
    simulated: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is written once; that another one was printed is told all the same."""
    simulated.page("page", "```python\nimport os\nprint(os.environ.get('SAID', 'one'))\n```\n")
    assert simulated.pytest("--record")[1] == {"passed": 1}
    assert simulated.pytest(*ASKED, "--record")[1] == {"passed": 1}
    ((block,),) = (one["blocks"] for one in json.loads(simulated.recording().read_text())["sections"])
    assert block["unused"] == [FOLDER]
    assert list(block["printed"].values()) == [[CPU_FOLDER]]
    assert simulated.pytest(*ASKED)[1] == {"passed": 2}
    monkeypatch.setenv("SAID", "two")
    output, outcomes = simulated.pytest(*ASKED)
    assert outcomes == {"failed": 1, "passed": 1}
    told = "docs/page.md:1 did not use CUDA, simulated when it was recorded, or printed what a CPU prints, and now"
    assert f"{told} that is different; run {COMMAND}" in output


def test_it_is_not_compared_with_a_real_device(simulated: Repository) -> None:
    """Nor does its own recording count for one."""
    simulated.record_cuda(Output("one\n"), Output("two\n"))
    output, outcomes = simulated.pytest(*ASKED)
    assert outcomes == {"failed": 2, "passed": 1}  # the recording of the GPU is whole
    assert f"has no recording for CUDA, simulated; run {COMMAND}" in output


@pytest.mark.parametrize(("block", "why"), LEFT_OUT)
def test_what_a_real_device_may_print_otherwise_is_left_out(simulated: Repository, block: str, why: str) -> None:
    """A reader takes what a page shows for PyTorch's word."""
    simulated.page("page", f"{SURE}\n{block}")
    output, outcomes = simulated.pytest(*ASKED, "--record", "-rs")
    assert outcomes == {"passed": 2, "skipped": 1}
    assert f"not simulated: {why}" in output
    assert f"recorded docs/page.md on {FOLDER}: 2 blocks, 1 left out" in output
    assert simulated.pytest(*ASKED)[1] == {"passed": 3, "skipped": 1}


def test_nothing_below_a_doubt_is_taken(simulated: Repository) -> None:
    """A number that no GPU draws may be in every value after it. Another section has values of its own."""
    below = "```python\n'below'\n```\n\n## More\n\n```python\n'more'\n```\n"
    simulated.page("page", f"{SURE}\n```python\n{POISSON}```\n\n{below}")
    output, outcomes = simulated.pytest(*ASKED, "--record", "-rs")
    assert outcomes == {"passed": 3, "skipped": 2}
    assert "it comes after docs/page.md:11: the simulator does not vouch for aten::poisson" in output


def test_a_recording_of_what_is_left_out_now_is_an_error(
    simulated: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The simulator learned that it does not know: the page must not go on showing it."""
    simulated.page("page", "```python\nimport os\nprint(os.environ.get('SAID', 'one'))\n```\n")
    simulated.pytest(*ASKED, "--record")
    monkeypatch.setenv("SAID", "NotSimulated")
    output, outcomes = simulated.pytest(*ASKED)
    assert outcomes == {"failed": 1, "passed": 1}
    why = "the simulator refused it: NotSimulated"
    assert f"its output is recorded on cuda, simulated, but {why}; run {COMMAND}" in output
