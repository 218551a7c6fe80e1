"""Calls after an import: once, in order, and from several places."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from simulated_gpu.imports import after, after_both


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two modules to import, of which one imports the other."""
    (tmp_path / "planted_one.py").write_text("import planted_two\n")
    (tmp_path / "planted_two.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in "planted_one", "planted_two":
        monkeypatch.delitem(sys.modules, name, raising=False)


@pytest.mark.usefixtures("modules")
def test_two_may_wait_for_one_module() -> None:
    """Each asked the other for it, until Python gave up."""
    calls: list[str] = []
    after("planted_two", lambda: calls.append("first"))
    after_both("planted_one", "planted_two", lambda: calls.append("both"))
    after("planted_two", lambda: calls.append("second"))
    import planted_two  # type: ignore[import-not-found] # noqa: F401

    assert calls == ["first", "second"]
    import planted_one  # type: ignore[import-not-found] # noqa: F401

    assert calls == ["first", "second", "both"]
    after("planted_one", lambda: calls.append("now"))
    assert calls[-1] == "now"
