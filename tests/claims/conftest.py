"""Claims: tests that stand behind sentences of the pages. `claims.claimlib` has what they need.

A test fails if its page does not say its sentence once. SAMEDEVICE_EXAMPLES=100 draws that many inputs, not a few.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import torch
from hypothesis import HealthCheck, Phase, settings

from same_device_site.claims import Claim, ClaimError, claims_of, line_on_page

HERE = Path(__file__).parent
DOCS = HERE.parents[1] / "docs"
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


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark of claims."""
    config.addinivalue_line("markers", "claim(*sentences): sentences of the page that this test checks")


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
    """Refuse a claim that checks nothing, or whose page does not say it."""
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
