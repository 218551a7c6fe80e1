"""Which tool builds a project: mkdocstrings installs MkDocs beside Zensical, so what is installed says little."""

from __future__ import annotations

from pathlib import Path

import pytest

from samedevice.integration.builders import builders


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({}, {"mkdocs": "what is installed"}),
        ({"pyproject.toml": '[dependency-groups]\ndocs = ["zensical>=0.0.3", "mkdocstrings-python"]\n'}, "zensical"),
        ({"pyproject.toml": '[dependency-groups]\ndocs = ["mkdocs-material"]\n'}, "mkdocs"),
        (
            {"requirements.txt": "mkdocs==1.6\n", ".github/workflows/docs.yml": "run: uv run zensical build\n"},
            "zensical",
        ),
        ({"noxfile.py": 'session.run("properdocs", "build", "--strict")\n'}, "properdocs"),
        ({"pyproject.toml": 'keywords = ["mkdocs-plugin"]\n[tool.mypy]\n'}, {"mkdocs": "what is installed"}),
    ],
)
def test_what_builds_is_what_the_projects_own_files_say(
    tmp_path: Path, files: dict[str, str], found: str | dict[str, str]
) -> None:
    """A command counts for more than a package; of what is there, what is run."""
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    expected = {found: [*files][-1]} if isinstance(found, str) else found
    assert builders(tmp_path, {}) == expected


def test_both_build_where_both_are_run(tmp_path: Path) -> None:
    """A project that moves from one to the other; an extension of Zensical decides."""
    (tmp_path / "Makefile").write_text("docs:\n\tmkdocs build\n\tzensical build\n", encoding="utf-8")
    assert builders(tmp_path, {}) == {"mkdocs": "Makefile", "zensical": "Makefile"}
    assert list(builders(tmp_path, {"markdown_extensions": ["zensical.extensions.macros"]})) == ["zensical"]
