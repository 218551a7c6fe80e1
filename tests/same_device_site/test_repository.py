"""Repository: the addresses that a build knows once it is told of the repository."""

from __future__ import annotations

import pytest
from mkdocs.exceptions import PluginError

from same_device_site.repository import Repository


def test_without_a_repository_there_are_no_addresses() -> None:
    """A link to nowhere is worse than none."""
    assert Repository.named("") is None


def test_the_site_of_a_repository_stands_below_its_name() -> None:
    """As GitHub Pages has it, with the owner's name in lower case."""
    found = Repository.named("Some-One/same.device")
    assert found is not None
    assert found.site == "https://some-one.github.io/same.device/"


def test_the_site_of_an_owner_stands_at_the_root() -> None:
    """The one repository that is named as the host."""
    found = Repository.named("Someone/someone.github.io")
    assert found is not None
    assert found.site == "https://someone.github.io/"


def test_a_notebook_opens_from_the_branch_that_holds_the_site() -> None:
    """The outputs are not in the sources."""
    found = Repository.named("a/b")
    assert found is not None
    assert (
        found.colab("devices/cuda") == "https://colab.research.google.com/github/a/b/blob/gh-pages/devices/cuda.ipynb"
    )


@pytest.mark.parametrize("text", ["same-device", "https://github.com/a/b", "a/b/c", "a /b"])
def test_what_names_no_repository_is_refused(text: str) -> None:
    """The mistake would be a dead link on each page."""
    with pytest.raises(PluginError, match="write owner/name, or unset it"):
        Repository.named(text)
