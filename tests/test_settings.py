"""Settings: what a project says about itself in its mkdocs.yml, and what follows from it."""

from __future__ import annotations

from pathlib import Path

import pytest
from mkdocs.config import load_config
from mkdocs.config.base import LegacyConfig
from mkdocs.exceptions import PluginError

from same_device_site.settings import SETTINGS as HOME
from same_device_site.settings import parse_page
from samedevice.errors import PageError
from samedevice.integration.mkdocs.plugin import SCHEME, settings_of
from samedevice.integration.project_file import ProjectError
from samedevice.integration.project_file import settings_of as read_settings
from samedevice.outputs.environments import Environment
from samedevice.outputs.recording_files import orphans
from samedevice.pages.page import Page
from samedevice.project import CHOICES, DEFAULTS, KINDS, SETTINGS, Settings

ROOT = Path(__file__).parents[1]
OTHER = Settings("documentation/en", "examples", "golden", ("changelog.md", "api/*"), ("linenums", ".annotate"), False)
HERE = Environment("cpu", "CPU", "2.13.0+cpu", "3.11.7")


def read(root: Path, text: str, settings: Settings = OTHER) -> Page:
    """A page of another project."""
    path = root / settings.docs / "page.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return parse_page(path, root, settings=settings)


def test_the_defaults_are_those_of_this_site() -> None:
    """pytest must work from a plain checkout, where nothing can read mkdocs.yml."""
    config = load_config(str(ROOT / "mkdocs.yml"))
    assert settings_of(config, config.plugins["samedevice"].config, ROOT) == HOME


def test_mkdocs_and_the_other_readers_take_each_setting(tmp_path: Path) -> None:
    """All of them read the one table: an author who moves to another builder changes nothing."""
    for name, default in ((name, getattr(DEFAULTS, name)) for name in SETTINGS):
        word = CHOICES.get(name, ["x" if KINDS[name] is list else default])[-1]
        value = {list: [word], dict: {"X": "x"}}.get(KINDS[name], word)
        own = LegacyConfig(SCHEME)
        own.load_dict({name: value})
        assert own.validate() == ([], [])
        settings = Settings.of({name: own[name]}, tmp_path, "", "docs")
        assert settings == read_settings({"plugins": [{"samedevice": {name: value}}]}, tmp_path)
        assert getattr(settings, name) == {list: (word,), dict: (("X", "x"),)}.get(KINDS[name], value)
        with pytest.raises(ProjectError, match=f"samedevice: {name}"):
            read_settings({"plugins": [{"samedevice": {name: [["no value"]]}}]}, tmp_path)


def test_pages_are_not_taken_from_outside_of_the_project(tmp_path: Path) -> None:
    """Recordings and pages are named from the folder of mkdocs.yml."""
    (tmp_path / "site").mkdir()
    (tmp_path / "pages").mkdir()
    (tmp_path / "site/mkdocs.yml").write_text("site_name: S\ndocs_dir: ../pages\n", encoding="utf-8")
    config = load_config(str(tmp_path / "site/mkdocs.yml"))
    own = LegacyConfig(SCHEME)
    own.load_dict({})
    assert own.validate() == ([], [])
    with pytest.raises(PluginError, match=r"docs_dir: .*/pages is not below .*/site"):
        settings_of(config, own, tmp_path / "site")


def test_a_page_is_named_from_the_folder_of_pages(tmp_path: Path) -> None:
    """Its recordings are below that name."""
    assert read(tmp_path, "# Page\n").name == "page"
    assert OTHER.is_page("documentation/en/topic/page.md")
    assert not OTHER.is_page("docs/page.md")


def test_pages_can_be_left_alone() -> None:
    """A changelog's code is of versions that nobody has."""
    assert OTHER.leaves("documentation/en/changelog.md")
    assert OTHER.leaves("documentation/en/api/deep/page.md")
    assert not OTHER.is_page("documentation/en/api/page.md")
    assert not OTHER.leaves("documentation/en/page.md")


def test_recordings_without_a_page_are_named_where_they_are(tmp_path: Path) -> None:
    """An advice must name a path that exists."""
    path = tmp_path / "golden" / "topic" / "gone.json"
    path.parent.mkdir(parents=True)
    path.write_text("{}", encoding="utf-8")
    (told,) = orphans(tmp_path, OTHER)
    assert told.startswith("golden/topic/gone.json: there is no page documentation/en/topic/gone; if it has another")


def test_a_program_is_the_projects_own(tmp_path: Path) -> None:
    """Its change makes the outputs of a page stale that names it."""
    (tmp_path / "examples").mkdir()
    program = tmp_path / "examples/train.py"
    program.write_text("print(1)\n", encoding="utf-8")
    text = '```python file="examples/train.py"\n```\n\n```python\nopen("examples/train.py")\n```\n'
    before = read(tmp_path, text)
    program.write_text("print(2)\n", encoding="utf-8")
    assert [one != two for one, two in zip(before.hashes("cpu"), read(tmp_path, text).hashes("cpu"), strict=True)] == [
        True,
        True,
    ]


@pytest.mark.parametrize(
    "info", ["bash", "console", "pycon", "sh title=x", "yaml { .annotate linenums=1 }", "{ .toml }"]
)
def test_shells_and_transcripts_are_shown_and_not_run(tmp_path: Path, info: str) -> None:
    """`mkdocs build` runs nothing that the author did not mark as code to run; a project has other tools' fences."""
    assert read(tmp_path, f"```{info}\n$ pip install x\n```\n").blocks == ()


@pytest.mark.parametrize("info", ["bash", "console\nno command\n", "sh title=x"])
def test_at_home_each_of_them_is_held_to_the_rules(tmp_path: Path, info: str) -> None:
    """This site has none that is not run."""
    with pytest.raises(PageError):
        read(tmp_path, f"```{info}\nls\n```\n", HOME)


def test_options_of_other_tools_are_passed_on(tmp_path: Path) -> None:
    """In each way that fences have them."""
    for info in ('python linenums="1"', "python linenums=1", "{ .python .annotate linenums='1' }"):
        (block,) = read(tmp_path, f"```{info}\n1\n```\n").blocks
        assert dict(block.options.foreign)["linenums"] == "1"
    assert block.options.foreign == ((".annotate", ""), ("linenums", "1"))
    for info, told in {"twice": 'cannot read "twice"', 'tset="skip"': 'unknown option tset="skip"'}.items():
        with pytest.raises(PageError, match=rf"{told}; .*; if another tool knows it, list it below foreign: in mkdocs"):
            read(tmp_path, f"```python {info}\n1\n```\n")
        with pytest.raises(PageError, match=f"{told}; (?!.*foreign)"):
            read(tmp_path, f"```python {info}\n1\n```\n", HOME)


@pytest.mark.parametrize("settings", [OTHER, HOME], ids=["other", "home"])
@pytest.mark.parametrize("info", ["python", 'python run="no" reason="x"'])
def test_an_include_in_code_is_an_error_that_names_the_way_out(tmp_path: Path, settings: Settings, info: str) -> None:
    """Python reads it as a sum, and raises a TypeError that says nothing of an include."""
    with pytest.raises(PageError, match=r'page\.md:3: an include is not followed .*; write file="PATH"'):
        read(tmp_path, f'# Page\n\n```{info}\n--8<-- "examples/train.py"\n```\n', settings)
    text = 'x = """\n--8<-- \'train.py\'\n"""\n--8\n'
    assert read(tmp_path, f"```python\n{text}```\n", settings).blocks[0].code == text


def test_options_of_other_tools_change_no_output(tmp_path: Path) -> None:
    """A recording stays fresh when a number of lines is shown."""
    plain, numbered = (read(tmp_path, f"```python{info}\n1\n```\n") for info in ("", ' linenums="1"'))
    assert plain.hashes("cpu") == numbered.hashes("cpu")


def test_a_block_that_is_not_run_says_why(tmp_path: Path) -> None:
    """It runs nowhere, and no later block depends on it."""
    page = read(tmp_path, '```python run="no" reason="needs an account"\nlogin(...)\n```\n\n```python\n1\n```\n')
    first, second = page.blocks
    assert (first.kind, first.options.reason) == ("shown", "needs an account")
    assert page.hashes("cpu")[0] is None
    assert second.runs_on("cpu")
    alone = read(tmp_path, "```python\n1\n```\n")
    assert page.hashes("cpu")[1] == alone.hashes("cpu")[0]


@pytest.mark.parametrize(
    ("info", "told"),
    [
        ('run="no"', "a block that is not run"),
        ('run="no" reason=" "', "a block that is not run"),
        ('reason="x"', "a block that is not run"),
        ('simulated="no"', 'write simulated="no" reason='),
        ('simulated="maybe" reason="x"', 'simulated="maybe" is unknown'),
        ('numbers="vary" simulated="yes" reason="x"', "says why, and no other does"),
        ('run="later" reason="x"', 'run="later" is unknown'),
    ],
)
def test_a_reason_is_required(tmp_path: Path, info: str, told: str) -> None:
    """A block that nobody runs is a block that nobody tests."""
    with pytest.raises(PageError, match=told):
        read(tmp_path, f"```python {info}\n1\n```\n")


def test_this_site_runs_every_block() -> None:
    """Its promise."""
    for path in HOME.page_paths(ROOT):
        assert all(block.kind != "shown" for block in parse_page(path, ROOT).blocks)
