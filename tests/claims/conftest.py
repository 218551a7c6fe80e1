"""Claims: tests that stand behind sentences of the pages. `claims.claimlib` has what they need.

A test fails if its page does not say its sentence once. `--claims-record` writes which passed here. SAMEDEVICE_EXAMPLES=100 draws that many inputs, not a few.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import torch
from hypothesis import HealthCheck, Phase, settings

from claims.claimlib import on_cuda
from same_device_site.claims import Claim, ClaimError, claims_of, line_on_page
from same_device_site.passed import Passed, fingerprint, write
from samedevice import DEVICES, Environment
from samedevice.running.machine import environment

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
DOCS = ROOT / "docs"
EXAMPLES = int(os.environ.get("SAMEDEVICE_EXAMPLES", "6"))
"""How many inputs Hypothesis draws for each test, besides the explicit ones."""

settings.register_profile(
    "claims",
    max_examples=EXAMPLES,
    phases=[Phase.explicit, Phase.generate, *([Phase.shrink] if EXAMPLES > 10 else [])],  # shrinking takes minutes
    derandomize=True,
    deadline=None,
    database=None,
    print_blob=False,
    suppress_health_check=list(HealthCheck),
)
settings.load_profile("claims")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that records."""
    parser.addoption("--claims-record", action="store_true", help="write which claims passed here, by whole files")


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark of claims, and what records them."""
    if config.getoption("claims_record", False) and not hasattr(config, "workerinput"):
        some = config.option.keyword or config.option.markexpr or getattr(config.option, "lf", False)
        if some or any("::" in one for one in config.args):
            raise pytest.UsageError("--claims-record takes whole files: leave out -k, -m, --lf and names of tests")
        config.pluginmanager.register(Recorder(at_once=config.getoption("dist", "no") == "no"))


class Recorder:
    """Notes which tests passed, and writes it at the end. A test counts for the device that it computes on.

    If `at_once`, the tests of one file come after those of another, and what is known of a file is written at its end.
    """

    def __init__(self, at_once: bool) -> None:
        self.at_once = at_once
        self.file = ""
        """The file of the test that ran last."""
        self.outcomes: dict[tuple[str, str], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        """For each device and file, the outcomes of each of its tests."""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note an outcome."""
        place = (ROOT / report.nodeid.partition("::")[0]).resolve()
        device = dict(report.user_properties).get("device")
        if device in DEVICES and place.is_relative_to(HERE):
            file = place.relative_to(HERE).as_posix()
            if self.at_once and self.file not in ("", file):
                self._write(self.file)
            self.file = file
            test = report.nodeid.partition("::")[2].partition("[")[0]
            self.outcomes[str(device), file][test].add(report.outcome)

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """Write the record, unless the run was cut short."""
        if exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            self._write(*{file for _, file in self.outcomes})

    def _write(self, *files: str) -> None:
        """Write which tests of these files passed on each device; nothing of a file of which all tests were skipped."""
        ran = {
            place: tests
            for place, tests in self.outcomes.items()
            if place[1] in files and any("skipped" not in had for had in tests.values())
        }
        write(HERE, [_passed(folder_of(device), file, tests) for (device, file), tests in ran.items()])


def _passed(name: str, file: str, tests: dict[str, set[str]]) -> Passed:
    passed = sorted(test for test, outcomes in tests.items() if outcomes == {"passed"})
    return Passed(name, file, fingerprint((HERE / file).read_text(encoding="utf-8")), tuple(passed))


@cache
def folder_of(device: str) -> str:
    """The environment of a device of this machine, by the name of the folder of its recordings."""
    simulated = device == "cuda" and bool(os.environ.get("SIMULATED_GPU"))
    return Environment(device=device, **environment(device, simulated)).folder  # type: ignore[arg-type]


def device_of(item: pytest.Item) -> str:
    """The device that a test is about: what it takes, or CUDA if it needs that, or else the CPU."""
    given = item.callspec.params.get("device") if hasattr(item, "callspec") else None
    return given.type if given else "cuda" if on_cuda.mark in item.iter_markers() else "cpu"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that takes a `device` on each device of this machine, a simulated GPU included."""
    if "device" in metafunc.fixturenames:
        found = torch.accelerator.current_accelerator(check_available=True)
        names = ["cpu", *([found.type] if found else [])]
        metafunc.parametrize("device", [torch.device(name) for name in names], ids=names)


@cache
def _claims(path: Path) -> tuple[Claim, ...]:
    """The claims of a file."""
    return tuple(claims_of(path, HERE))


@cache
def _fault(path: Path, test: str) -> str:
    """What is wrong with the claims of a test: it checks nothing, or its page does not say them. Or nothing."""
    try:
        for claim in _claims(path):
            if claim.test == test:
                line_on_page(claim, DOCS)
    except ClaimError as error:
        return str(error)
    return ""


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Refuse a claim that checks nothing, or whose page does not say it. Say which device the test is about."""
    item.user_properties.append(("device", device_of(item)))
    if item.path.is_relative_to(HERE) and (fault := _fault(item.path, getattr(item, "originalname", item.name))):
        pytest.fail(fault, pytrace=False)


def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """Say at a failure which sentences do not hold."""
    if call.excinfo and call.when == "call":
        for mark in item.iter_markers("claim"):
            item.add_report_section("call", "claim", "\n".join(mark.args))


@pytest.fixture(autouse=True)
def only_one_core() -> Iterator[None]:
    """One compute thread; GPUs stay visible, other than in the other tests of this repository."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(autouse=True)
def same_start() -> None:
    """Seeds PyTorch, so that no test depends on those before it."""
    torch.manual_seed(0)
