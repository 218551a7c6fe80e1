"""Claims: tests that quote the sentence that they check are found without running them, and bad ones are refused."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from same_device_site.claims import Claim, ClaimError, claims_in, line_on_page

ROOT = Path(__file__).parents[2]
PAGE = "# A page\n\n`reshape` copies if it must.\nIt is quick.\n\n- It is quick.\n"
TEST = '''
@claim("`reshape` copies if it must.")
@given(1)
def test_copies(x):
    """Why."""
    assert x == 1
'''
Read = Callable[..., list[Claim]]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Writes a file of claims, and reads all of them."""

    def read(text: str, name: str = "tensors/test_my_page.py") -> list[Claim]:
        path = tmp_path / "claims" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return claims_in(tmp_path / "claims")

    return read


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A folder with one page."""
    page = tmp_path / "docs/tensors/my-page.md"
    page.parent.mkdir(parents=True)
    page.write_text(PAGE, encoding="utf-8")
    return tmp_path / "docs"


def test_a_claim_knows_its_page_its_test_and_both_lines(read: Read, docs: Path) -> None:
    """The mark behind the sentence needs them."""
    (claim,) = read(TEST)
    assert (claim.page, claim.test, claim.line, claim.end) == ("tensors/my-page.md", "test_copies", 2, 6)
    assert claim.sentence == "`reshape` copies if it must."
    assert line_on_page(claim, docs) == 3


@pytest.mark.parametrize(
    ("test", "fault"),
    [
        (TEST.replace("assert x == 1", "print(x)"), "asserts nothing"),
        (TEST.replace("assert x == 1", "assert True"), "asserts nothing"),
        (TEST.replace('"`reshape` copies if it must."', "SENTENCE"), "literal strings"),
        (TEST.replace('@claim("`reshape` copies if it must.")\n', ""), "quotes no sentence"),
    ],
)
def test_a_claim_that_cannot_be_read_or_cannot_fail_is_refused(test: str, fault: str, read: Read) -> None:
    """What asserts nothing passes whatever PyTorch does."""
    with pytest.raises(ClaimError, match=fault):
        read(test)


@pytest.mark.parametrize("check", ["raises('x', f)", "mine(x)", "torch.testing.assert_close(x, x)", "same(x, x)"])
def test_helpers_that_fail_a_test_count(check: str, read: Read) -> None:
    """Most claims compare by a helper."""
    assert len(read(TEST.replace("assert x == 1", check) + "\ndef mine(x):\n    assert x\n")) == 1


@pytest.mark.parametrize(
    ("sentence", "name", "fault"),
    [
        ("It is slow.", "tensors/test_my_page.py", "does not say"),
        ("It is quick.", "tensors/test_my_page.py", "lines 4 and 6"),
        ("It is quick.", "tensors/test_gone.py", "is gone"),
    ],
)
def test_a_page_must_say_it_once(sentence: str, name: str, fault: str, read: Read, docs: Path) -> None:
    """Who changes a sentence looks at its test, and moves it with the sentence."""
    (claim,) = read(TEST.replace("`reshape` copies if it must.", sentence), name)
    with pytest.raises(ClaimError, match=fault):
        line_on_page(claim, docs)


def test_pytest_fails_a_claim_whose_page_says_something_else(pytester: pytest.Pytester) -> None:
    """The quote is checked with the test, and the failure of a test shows the sentence."""
    head = "from claims.claimlib import claim\n"
    good = '@claim("`reshape` copies if it must.")\ndef test_good():\n    assert 1 + 1 == 2\n'
    wrong = '@claim("`reshape` always copies.")\ndef test_wrong():\n    assert 1 + 1 == 2\n'
    false = '@claim("`reshape` copies if it must.")\ndef test_false():\n    assert 1 + 1 == 3\n'
    claims = pytester.path / "tests/claims"
    shutil.copytree(ROOT / "tests/claims", claims, ignore=shutil.ignore_patterns("test_*.py", "__pycache__"))
    (claims / "tensors/test_my_page.py").write_text(head + good + wrong + false, encoding="utf-8")
    (pytester.mkdir("docs") / "tensors").mkdir()
    (pytester.path / "docs/tensors/my-page.md").write_text(PAGE, encoding="utf-8")
    done = pytester.runpytest_subprocess("tests/claims", "-p", "no:samedevice")
    done.assert_outcomes(passed=1, failed=1, errors=1)
    done.stdout.fnmatch_lines(["*does not say, as whole sentences or cells of a row: `reshape` always copies.*"])
    done.stdout.fnmatch_lines(["*Captured claim*", "`reshape` copies if it must."])


def test_every_claim_of_this_site_is_said_by_its_page() -> None:
    """Without running them, so that a changed sentence is told at once."""
    for claim in claims_in(ROOT / "tests/claims"):
        assert line_on_page(claim, ROOT / "docs")


def test_the_list_to_work_through_leaves_out_what_has_a_claim_or_a_source(tmp_path: Path, read: Read) -> None:
    """It holds what nobody has checked."""
    from unclaimed import unclaimed

    page = tmp_path / "docs/tensors/my-page.md"
    page.parent.mkdir(parents=True)
    page.write_text(
        "# All\n\nEach copies.\nIt is quick.\nIt never waits ([source](https://example.org)).\n"
        "`reshape` copies if it must.\n\n| call | always copies |\n\n## Exercises\n\nPrint all of them.\n",
        encoding="utf-8",
    )
    assert unclaimed(page, read(TEST)) == [(3, "Each copies."), (8, "call | always copies")]
