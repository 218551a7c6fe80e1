"""What a project may say of where and how its blocks run: a setup of its own, a folder, environment variables."""

from __future__ import annotations

import base64
import shutil
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from samedevice.errors import PageError, SessionError
from samedevice.integration.project_file import ProjectError, checked, settings_of
from samedevice.outputs.environments import Environment
from samedevice.outputs.output import Output
from samedevice.pages.page import Page
from samedevice.pages.parsing import parse_page
from samedevice.project import Settings
from samedevice.running.processes import Launcher
from samedevice.running.section_runner import SectionRunner
from samedevice.weaving.copies import copies
from samedevice.weaving.panes import ShownOutput
from samedevice.weaving.weave import FENCE, weave

TEXT = "# Page\n\n```python\nprint(area(3))\n```\n"
SETUP = "def area(side):\n    return side**2\n"


def page(root: Path, text: str, **said: Any) -> Page:
    """A page of a project with these settings."""
    path = root / "docs/page.md"
    path.write_text(text, encoding="utf-8")
    project: Mapping[str, Any] = {"plugins": [{"samedevice": said}]}
    return parse_page(path, root, settings=settings_of(project, root))


def outputs(root: Path, page: Page) -> list[Output | None]:
    """What its blocks printed."""
    with SectionRunner(root, workers=1) as sessions:
        return list(sessions.run(page, "cpu").outputs)


@pytest.mark.parametrize("namespace", ["page", "section"])
def test_blocks_know_the_names_of_the_projects_setup(root: Path, one_server: Launcher, namespace: str) -> None:
    """The page shows nothing of it, and a block that needs it has no button that copies a program."""
    (root / "docs/setup.py").write_text(SETUP, encoding="utf-8")
    made = page(
        root, f"{TEXT}\n## More\n\n```python\nprint(area(4))\n```\n", setup="docs/setup.py", namespace=namespace
    )
    assert outputs(root, made) == [Output(), Output(text="9\n"), Output(text="16\n")]
    assert len(FENCE.findall(weave(made, {}, {}))) == 2
    assert copies(made, {}) == {}


def test_an_edit_of_the_setup_changes_what_comes_after_it(root: Path) -> None:
    """A comment in it does not."""
    found = []
    for code in (SETUP, f"# comment\n{SETUP}", SETUP.replace("2", "3")):
        (root / "docs/setup.py").write_text(code, encoding="utf-8")
        found.append(page(root, TEXT, setup="docs/setup.py").hashes("cpu")[1])
    assert found[0] == found[1] != found[2]


def test_a_setup_that_is_not_there_is_an_error_of_each_page_with_code(root: Path) -> None:
    """A page of prose alone needs none."""
    with pytest.raises(PageError, match=r"setup: none\.py cannot be read"):
        page(root, TEXT, setup="none.py")
    assert page(root, "# Prose\n", setup="none.py").blocks == ()


def test_blocks_run_in_the_folder_that_the_project_names(root: Path, one_server: Launcher) -> None:
    """They import from it, too; commands of consoles run there as well."""
    (root / "data").mkdir()
    (root / "data/helper.py").write_text("name = open('x.txt').read()\n", encoding="utf-8")
    (root / "data/x.txt").write_text("here", encoding="utf-8")
    made = page(root, "```python\nimport helper\n\nhelper.name\n```\n", cwd="data")
    assert outputs(root, made) == [Output(value="'here'")]
    console = page(root, "```console\n$ cat x.txt\n```\n", cwd="data", console=True)
    assert outputs(root, console) == [Output(text="here")]
    with pytest.raises(SessionError, match="cwd: none is no folder"):
        outputs(root, page(root, TEXT, cwd="none"))


def test_blocks_have_the_environment_variables_of_the_project(root: Path, one_server: Launcher) -> None:
    """As text, whatever YAML reads."""
    made = page(
        root,
        "```python\nimport os\n\nos.environ['MY_KEY'], os.environ['PORT']\n```\n",
        env={"MY_KEY": "xxx", "PORT": 80},
    )
    assert outputs(root, made) == [Output(value="('xxx', '80')")]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"nope": 1}, "the plugin samedevice has no setting nope; it has programs, recordings"),
        (["a"], "['a'] is no table of settings"),
        ({"time_limit": -1}, "write seconds, more than 0"),
        ({"time_limit": float("inf")}, "write seconds, more than 0"),
        ({"time_limit": True}, "True is no float"),
        ({"console": 1}, "1 is no bool"),
        ({"env": {"A": None}}, "write each value as a text, in quotes"),
        ({"cwd": "../other"}, "is not below the folder of mkdocs.yml"),
        ({"setup": "/etc/x.py"}, "is not below the folder of mkdocs.yml"),
    ],
)
def test_a_setting_that_cannot_be_used_is_an_error_that_says_so(said: Any, told: str) -> None:
    """It names the file and the setting; nothing runs with half of the settings."""
    with pytest.raises(ProjectError) as raised:
        checked(said)
    assert told in str(raised.value)


def test_what_the_settings_are_by_default() -> None:
    """Each page in a temporary folder, with the environment as it is."""
    assert (Settings().setup, Settings().cwd, Settings().env) == ("", "", ())


@pytest.mark.parametrize(
    ("code", "how"), [("import time\ntime.sleep(99)", "within 1 s"), ("import os\nos._exit(3)", "3")]
)
def test_what_is_below_a_block_that_ends_its_process_runs_without_it(
    root: Path, one_server: Launcher, code: str, how: str
) -> None:
    """A page of another project is one section: else one block that hangs hides all that come after it."""
    text = f"```python\nx = 1\n```\n\n```python\n{code}\n```\n\n```python\nx\n```\n"
    with SectionRunner(root, time_limit=1, workers=1) as sessions:
        first, bad, last = sessions.run(page(root, text), "cpu").outputs
        assert (first, last) == (Output(), Output(value="1"))
        assert bad is not None
        assert how in bad.died
        assert sessions.submit(page(root, text), "cpu", ended=[1]).result().outputs == (
            Output(),
            None,
            Output(value="1"),
        )


@pytest.mark.parametrize(
    ("show", "held"),
    [
        (["copy", "origin", "details", "counts"], ["sd-ran", "<details", "sd-label", "data-about"]),
        (["origin"], ["sd-label"]),
        ([], []),
    ],
)
def test_what_is_beside_an_output_is_a_setting(root: Path, show: list[str], held: list[str]) -> None:
    """A project may want the outputs alone, or less than this site."""
    made = page(root, "# Page\n\n```python\nx = 1\n```\n\n```python\nx\n```\n", show=show)
    about = Environment("cpu", "", "", "3.11.7", day="2026-11-28", library="mylib", library_version="2.1")
    shown = {1: [ShownOutput("cpu", Output(value="1"), about)]}
    woven = weave(made, shown, copies(made, shown))
    html = "".join(base64.b64decode(found["body"]).decode() for found in FENCE.finditer(woven))
    parts = ["sd-ran", "<details", "sd-label", "data-about"]
    assert [part for part in parts if part in html] == held
    assert ('<span class="sd-label">mylib 2.1</span>' in html) == ("origin" in show)
    assert "CPU" not in html


def test_the_version_of_the_library_is_on_outputs_and_nothing_of_the_machine(root: Path, one_server: Launcher) -> None:
    """Its next release takes the place of this one in the recordings."""
    with SectionRunner(root, workers=1) as sessions:
        about = sessions.run(page(root, "```python\n1\n```\n", library="pytest"), "cpu").environment
    assert about is not None
    assert (about.folder, about.maker, about.version) == ("pytest", "pytest", version("pytest"))
    assert {*about.to_json()} == {"device", "name", "torch", "python", "day", "library", "library_version"}
    assert (about.name, about.torch) == ("", "")


def test_a_folder_that_is_gone_before_its_section_begins_is_made_again(
    root: Path, one_server: Launcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three times; then it is said that something removes it."""
    made = page(root, "```python\n7\n```\n")
    left = [2]

    def launch(self: Launcher, job: dict[str, Any]) -> object:
        if left[0]:
            left[0] -= 1
            shutil.rmtree(job["folder"])
        return real(self, job)

    real = Launcher.launch
    monkeypatch.setattr(Launcher, "launch", launch)
    with SectionRunner(root, workers=1) as sessions:
        assert sessions.run(made, "cpu").outputs == (Output(value="7"),)
        left[0] = 3
        with pytest.raises(SessionError, match="something removed the folder"):
            sessions.run(made, "cpu")
