"""The tests mirror the engine: each module has a test module of its name, or another one that is named here."""

from __future__ import annotations

from pathlib import Path

from samedevice.project import PACKAGE

TESTS = Path(__file__).parent
ELSEWHERE = {
    "__main__.py": "integration/test_cli.py",
    "integration/check.py": "integration/test_cli.py",
    "integration/extension.py": "integration/test_mkdocs_plugin.py",
    "integration/items.py": "integration/test_pytest_plugin.py",
    "integration/mkdocs/build.py": "integration/test_mkdocs_plugin.py",
    "integration/mkdocs/plugin.py": "integration/test_mkdocs_plugin.py",
    "integration/page_weaver.py": "integration/test_made_pages.py",
    "integration/pytest.py": "integration/test_pytest_plugin.py",
    "integration/pytest_options.py": "integration/test_pytest_entry.py",
    "integration/summary.py": "integration/test_pytest_summary.py",
    "integration/project_file.py": "integration/test_zensical.py",
    "nvidia.py": "test_devices.py",
    "pages/options.py": "pages/test_page.py",
    "pages/percent.py": "integration/test_notebooks.py",
    "project.py": "test_settings.py",
    "running/observing/sitecustomize.py": "running/test_results.py",
    "weaving/between.py": "weaving/test_expected.py",
    "weaving/copies.py": "test_copies.py",
    "exporting/notebook_export.py": "exporting/test_exports.py",
    "weaving/output_html.py": "weaving/test_panes.py",
    "weaving/prose.py": "exporting/test_export_prose.py",
    "weaving/shown.py": "test_builds_with_recordings.py",
}
"""The modules that are tested by way of what uses them, with the tests that would fail first."""


def test_each_module_of_the_engine_has_a_test_module_of_its_name_or_one_that_is_named_here() -> None:
    """Who changes a module finds its tests."""
    modules = {path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py") if path.name != "__init__.py"}
    own = {one for one in modules if (TESTS / _test_module(one)).is_file()}
    assert sorted(modules - own) == sorted(ELSEWHERE)
    assert [one for one in ELSEWHERE.values() if not (TESTS / one).is_file()] == []


def _test_module(module: str) -> Path:
    """The path of its test module: in the folder of its room, or beside this file."""
    room = Path(module).parts[0] if "/" in module else ""
    return Path(room, f"test_{Path(module).name}")
