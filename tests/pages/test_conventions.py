"""What authors write on fences for other tools: a sample page for each convention, and the blocks that it has."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from samedevice.errors import PageError
from samedevice.integration.project_file import read, settings_of
from samedevice.outputs.output import Output
from samedevice.pages.conventions import what_it_starts
from samedevice.pages.page import Page
from samedevice.pages.parsing import parse_page
from samedevice.project import Settings
from samedevice.running.processes import Launcher
from samedevice.running.section_runner import SectionRunner

SAMPLES = Path(__file__).parents[1] / "samples/conventions"


def page(root: Path, name: str, settings: Settings | None = None) -> Page:
    """A sample as a page of a project that says nothing, or this."""
    path = root / f"docs/{name}.md"
    shutil.copy(SAMPLES / path.name, path)
    return parse_page(path, root, settings=settings or Settings())


@pytest.mark.parametrize(
    ("name", "blocks"),
    [
        ("transcripts", ["transcript:3", "transcript:9"]),
        ("left", []),
        ("hidden", ["python:3", "python:7", "python:11"]),
        ("passed", ["python:3", "python:7", "python:11", "python:15", "python:19"]),
    ],
)
def test_each_convention_is_read(root: Path, name: str, blocks: list[str]) -> None:
    """A project should not have to change its pages for us."""
    assert [f"{block.kind}:{block.line}" for block in page(root, name).blocks] == blocks


def test_a_comment_hides_code_that_runs(root: Path, one_server: Launcher) -> None:
    """Sybil has setups and checks that readers need not see. A project that shows all that it runs has none."""
    hidden = page(root, "hidden")
    with SectionRunner(root, workers=1) as sessions:
        _, value, check = sessions.run(hidden, "cpu").outputs
    assert value == Output(value="3.14")
    assert check == Output(text="nobody sees this\n")
    assert [(block.hidden, block.code_line) for block in hidden.blocks] == [(True, 4), (False, 8), (True, 12)]
    assert [block.line for block in page(root, "hidden", Settings(console=True)).blocks] == [7]


def test_a_text_below_hidden_code_is_not_what_it_prints(root: Path) -> None:
    """Nobody sees the code; so nobody would know what printed the text."""
    text = "<!-- invisible-code-block: python\nprint(1)\n-->\n\n```text\nOther.\n```\n"
    (root / "docs/said.md").write_text(text, encoding="utf-8")
    (block,) = parse_page(root / "docs/said.md", root, settings=Settings(expect="following")).blocks
    assert block.expected is None


def test_a_transcript_is_compared_with_itself(root: Path, one_server: Launcher) -> None:
    """As doctest does; its names are those of the page."""
    right = page(root, "transcripts")
    (root / "docs/wrong.md").write_text("```pycon\n>>> 1 + 1\n3\n```\n", encoding="utf-8")
    wrong = parse_page(root / "docs/wrong.md", root)
    with SectionRunner(root, workers=1) as sessions:
        assert sessions.run(right, "cpu").outputs == (Output(), Output())
        (output,) = sessions.run(wrong, "cpu").outputs
    assert output is not None
    assert output.raised is not None
    assert output.raised.type == "TranscriptError"
    assert "Expected:\n    3\nGot:\n    2" in output.raised.message


def test_a_failing_transcript_says_at_once_why(root: Path, one_server: Launcher) -> None:
    """The first line of its message is all that a list of failures shows."""
    (root / "docs/wrong.md").write_text("```pycon\n>>> open('missing')\n3\n```\n", encoding="utf-8")
    with SectionRunner(root, workers=1) as sessions:
        (output,) = sessions.run(parse_page(root / "docs/wrong.md", root), "cpu").outputs
    assert output is not None
    assert output.raised is not None
    first = "FileNotFoundError: [Errno 2] No such file or directory: 'missing'"
    assert output.raised.message.splitlines()[0] == first


def test_a_figure_may_go_without_a_description(root: Path) -> None:
    """Only a project that holds its fences to the rules has one on each; readers hear of a figure anyway."""
    (root / "docs/plot.md").write_text("```python\n1\n```\n", encoding="utf-8")
    found = [parse_page(root / "docs/plot.md", root, settings=Settings(console=strict)) for strict in (False, True)]
    assert [page.blocks[0].options.alt for page in found] == ["A figure", ""]
    assert found[0].hashes("cpu") == found[1].hashes("cpu")


@pytest.mark.parametrize("language", ["pycon", "pycon3", "Pycon", "python"])
def test_a_transcript_is_one_in_any_of_its_languages(root: Path, language: str) -> None:
    """soupsieve writes pycon3 on all of its own."""
    (root / "docs/said.md").write_text(f"```{language}\n>>> 1\n1\n```\n", encoding="utf-8")
    assert [block.kind for block in parse_page(root / "docs/said.md", root).blocks] == ["transcript"]


def test_a_custom_fence_is_the_projects_own(root: Path) -> None:
    """coloraide has superfences run its fences of Python, and show what they give."""
    (root / "docs/own.md").write_text("```py play\n1\n```\n\n```python\n1\n```\n", encoding="utf-8")
    fences = {"custom_fences": [{"name": "py", "class": "play", "format": None}, {"name": "mermaid"}]}
    project = {"markdown_extensions": [{"pymdownx.superfences": fences}]}
    page = parse_page(root / "docs/own.md", root, settings=settings_of(project, root))
    assert [block.line for block in page.blocks] == [5]


@pytest.mark.parametrize("validator", ["!!python/name:markdown_exec.validator", "!!python/name:other.validator"])
def test_markdown_exec_takes_only_the_fences_with_exec(root: Path, validator: str) -> None:
    """narwhals lists its fence by hand."""
    (root / "docs/own.md").write_text('```python exec="1"\n1\n```\n\n```python\n1\n```\n', encoding="utf-8")
    listed = f"custom_fences: [{{name: python, class: python, validator: {validator} }}]"
    text = f"site_name: x\nmarkdown_extensions:\n  - pymdownx.superfences: {{{listed}}}\n"
    (root / "mkdocs.yml").write_text(text, encoding="utf-8")
    page = parse_page(root / "docs/own.md", root, settings=settings_of(read(root), root))
    assert [block.line for block in page.blocks] == [5] * ("markdown_exec" in validator)


def test_lines_to_highlight_may_be_missing(root: Path) -> None:
    """pydantic names line 10 of 8 lines, which the renderer takes; of what is no number at all it makes no code."""
    (root / "docs/lines.md").write_text('```python hl_lines="9-10"\n1\n```\n', encoding="utf-8")
    (block,) = parse_page(root / "docs/lines.md", root).blocks
    assert block.options.hl_lines == "9-10"
    (root / "docs/lines.md").write_text('```python hl_lines="2,3"\n1\n```\n', encoding="utf-8")
    with pytest.raises(PageError, match="names no lines"):
        parse_page(root / "docs/lines.md", root)


@pytest.mark.parametrize("code", ["v = '{{ version }}'\n", "x = {% raw %}1{% endraw %}\n"])
def test_what_macros_write_is_theirs(root: Path, code: str) -> None:
    """The page shows another code than its file has. Without that plugin, braces are Python's."""
    (root / "docs/macros.md").write_text(f"```python\n{code}```\n", encoding="utf-8")
    assert [
        len(parse_page(root / "docs/macros.md", root, settings=Settings(macros=m)).blocks) for m in (True, False)
    ] == [
        0,
        1,
    ]


def test_a_project_may_have_only_the_fences_run_that_say_so(root: Path) -> None:
    """Then everything else is as it was before."""
    found = page(root, "marked", Settings(fences="run")).blocks
    assert [block.line for block in found] == [7, 11]
    assert [block.line for block in page(root, "marked").blocks] == [3, 7, 11, 15]


def test_a_project_may_name_the_only_pages_to_read() -> None:
    """And leave some of them alone."""
    settings = Settings(pages=("guide/*",), leave=("guide/old.md",))
    assert [settings.is_page(f"docs/{name}.md") for name in ("index", "guide/a", "guide/old")] == [False, True, False]


def test_an_include_is_run_as_it_is_shown(root: Path) -> None:
    """By pymdownx.snippets, with the project's own settings."""
    part = "# --8<-- [start:middle]\ny = 2\n# --8<-- [end:middle]\n"
    (root / "docs/part.py").write_text(part, encoding="utf-8")
    settings = Settings(snippets=json.dumps({"base_path": ["."]}))
    (block,) = page(root, "included", settings).blocks
    assert block.code == "x = 1\ny = 2\n"
    (root / "docs/part.py").unlink()
    with pytest.raises(PageError, match=r"included\.md:3: Snippet at path 'docs/part\.py' could not be found"):
        page(root, "included", settings)


MAIN = 'def f():\n    return 1\n\nif __name__ == "__main__":\n    print("main")\nprint(f())\n'


@pytest.mark.parametrize(
    ("code", "what"),
    [
        ("import uvicorn\nuvicorn.run(app)\n", "a server"),
        ("import asyncio\nasyncio.run(server.serve())\n", "a server"),
        ("with make_server('', 80, app) as httpd:\n    httpd.serve_forever()\n", "a server"),
        ("import subprocess\nsubprocess.run(['make', 'build'])\n", "another program"),
        ("import os\nx = os.system('ls')\n", "another program"),
        ("def main():\n    uvicorn.run(app)\n", ""),
        ("if __name__ == '__main__':\n    uvicorn.run(app)\n", ""),
        ("import subprocess\nraise subprocess.CalledProcessError(1, 'x')\n", ""),
        ("model.run(x)\nprint('os.system')\n", ""),
        ("subprocess.run(\n", ""),
    ],
)
def test_what_starts_something_is_found(code: str, what: str) -> None:
    """By what it calls itself: what a function would do does not count."""
    assert what_it_starts(code) == what


def test_it_is_run_if_the_fence_asks_for_it(root: Path) -> None:
    """By the word `run`; a project that holds every fence to the rules runs all of them."""
    text = "```python\nimport os\nos.system('true')\n```\n\n```python run\nimport os\nos.system('true')\n```\n"
    path = root / "docs/page.md"
    path.write_text(text, encoding="utf-8")
    assert [block.line for block in parse_page(path, root, settings=Settings()).blocks] == [6]
    path.write_text(text.replace(" run", ""), encoding="utf-8")
    assert len(parse_page(path, root, settings=Settings(console=True)).blocks) == 2


@pytest.mark.parametrize(("word", "text"), [("", "1\n"), (" run", "main\n1\n")])
def test_what_a_module_does_as_a_program_is_left_out(root: Path, one_server: Launcher, word: str, text: str) -> None:
    """It is there for those who call the file; the word is part of the hash, since it decides what is printed."""
    path = root / "docs/page.md"
    path.write_text(f"```python{word}\n{MAIN}```\n", encoding="utf-8")
    page = parse_page(path, root, settings=Settings())
    with SectionRunner(root, workers=1) as sessions:
        assert sessions.run(page, "cpu").outputs == (Output(text=text),)
    plain = parse_page(path, root, text=path.read_text(encoding="utf-8").replace(" run", ""), settings=Settings())
    assert (page.hashes("cpu") == plain.hashes("cpu")) == (not word)
