"""What the tests of the adapters share."""

from __future__ import annotations

import pytest
from made_repository import Repository


@pytest.fixture
def repository(pytester: pytest.Pytester, one_server: object) -> Repository:
    """A repository with one page, whose pages share the one fork server."""
    return Repository(pytester)


@pytest.fixture
def recorded(repository: Repository) -> Repository:
    """That repository, its page recorded on the CPU."""
    repository.pytest("--record")
    assert repository.recording().exists()
    return repository
