"""A pytest plugin for `flaky`: pages get two compute threads instead of the one that the engine gives them.

While one waits for the other, it sleeps: by default it would spin, and under load keep the other from a core.
"""

from __future__ import annotations

from pathlib import Path


def pytest_configure() -> None:
    """Change what every page's process finds in its environment."""
    from samedevice.running import processes as process

    engine = process.page_environ

    def page_environ(folder: Path) -> dict[str, str]:
        return engine(folder) | {"OMP_NUM_THREADS": "2", "MKL_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive"}

    process.page_environ = page_environ
