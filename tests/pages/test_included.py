"""included: which files a block's code leads to."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from samedevice.pages.included import included_files
from samedevice.pages.page import Page
from samedevice.pages.programs import pages_for

Write = Callable[..., Page]
FILES = {
    "snippets/train.py": "import os, helper as h\nfrom pack.deep import thing\n\n# region one\nx = 1\n# endregion\n",
    "snippets/helper.py": "from other import name\n",
    "snippets/other.py": "name = 1\n",
    "snippets/pack/__init__.py": "",
    "snippets/pack/deep.py": "from . import near\nthing = 1\n",
    "snippets/pack/near.py": "x = 1\n",
    "snippets/part.py": "# region one\nimport other\nopen('snippets/table.csv')\n# endregion\nimport helper\n",
    "snippets/table.csv": "1,2\n",
    "docs/data/a.csv": "1\n",
    "docs/data/b.csv": "2\n",
    ".env": "secret",
    "secret.txt": "secret",
    "docs/.env": "secret",
    "docs/.cache/key": "secret",
    "other/key": "secret",
}


@pytest.fixture
def project(root: Path) -> Path:
    """A repository with programs that import each other, and data."""
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    if os.name == "posix":
        (root / "docs/link.csv").symlink_to(root / "secret.txt")
        (root / "docs/folder").symlink_to(root / "other")
    return root


BESIDE = ["snippets/helper.py", "snippets/other.py", "snippets/pack/__init__.py", "snippets/pack/deep.py"]
CASES = {
    "a file that a command reads": ("$ cat docs/data/a.csv\n", ["docs/data/a.csv"]),
    "a pattern": ("$ cat ./docs/data/*.csv | sort\n", ["docs/data/a.csv", "docs/data/b.csv"]),
    "a program and what it imports": (
        "$ python snippets/train.py --lr 1\n",
        [*BESIDE, "snippets/pack/near.py", "snippets/train.py"],
    ),
    "a module": ("$ python -m snippets.other\n", ["snippets/other.py"]),
    "a module of a package": (
        "$ python -m snippets.pack.near\n",
        ["snippets/pack/__init__.py", "snippets/pack/near.py"],
    ),
    "an import from the folder": ("from snippets import other, helper\n", ["snippets/helper.py", "snippets/other.py"]),
    "a comment": ("open('docs/data/a.csv')  # not docs/data/b.csv\n# nor 'snippets/other.py'\n", ["docs/data/a.csv"]),
    "a hash in a string": ("open('#'), open('docs/data/a.csv')\n", ["docs/data/a.csv"]),
    "a way out of the folders": ("open('docs/../.env'), open('docs/data/../../secret.txt')\n", []),
    "another name of a file": ("open('docs/../docs/data/a.csv'), open('docs/./data/a.csv')\n", ["docs/data/a.csv"]),
    "a hidden file": ("open('docs/.env'), open('docs/.cache/key')\n", []),
    "links": ("open('docs/link.csv'), open('docs/folder/key')\n$ cat docs/*/key docs/l*\n", []),
    "nothing that is there": ("$ cat docs/none.csv docs/data; cat snippets/a**b /etc/hostname docs/../../x\n", []),
}


@pytest.mark.parametrize(("code", "files"), CASES.values(), ids=CASES.keys())
def test_code_leads_to_files(project: Path, code: str, files: list[str]) -> None:
    """An output that one of them decides must not look fresh when it changes."""
    assert [path.relative_to(project).as_posix() for path in included_files(code, project)] == files


PAGES = {
    "part names": ('```python file="snippets/part.py" part="one"\n```\n', "snippets/table.csv"),
    "part imports": ('```python file="snippets/part.py" part="one"\n```\n', "snippets/other.py"),
    "program imports": ('```python file="snippets/train.py"\n```\n', "snippets/other.py"),
    "command reads": ("```console\n$ cat docs/data/a.csv\n```\n", "docs/data/a.csv"),
    "module": ("```console\n$ python -m snippets.helper\n```\n", "snippets/other.py"),
}


@pytest.mark.parametrize(("text", "file"), PAGES.values(), ids=PAGES.keys())
def test_a_file_that_leads_to_an_output_changes_the_hash(project: Path, write: Write, text: str, file: str) -> None:
    """And one that does not, does not: a run on every device is dear."""
    before = write(text).hashes("cpu")
    (project / "snippets/else.py").write_text("x\n", encoding="utf-8")
    (project / "docs/data/c.csv").write_text("x\n", encoding="utf-8")
    assert write(text).hashes("cpu") == before
    (project / file).write_text("changed = 1\n", encoding="utf-8")
    assert write(text).hashes("cpu") != before


def test_a_module_is_tested_by_the_pages_whose_programs_import_it(project: Path, write: Write) -> None:
    """`pytest snippets/other.py` is what one types after changing it."""
    write('```python file="snippets/train.py"\n```\n')
    assert pages_for([project / "snippets/other.py"], project) == ["docs/page.md"]


@pytest.mark.parametrize(
    ("code", "depends"),
    [
        ("import traceback\ntraceback.print_exc()", True),
        ("print(error.__traceback__.tb_lineno)", True),
        ("x = 1", False),
    ],
)
def test_a_block_that_moves_is_another_one_only_if_its_code_can_print_its_line(
    write: Write, code: str, depends: bool
) -> None:
    """Prose is edited more often than code, and what is recorded must not name a line that is another one now."""
    before = write(f"```python\n{code}\n```\n").hashes("cpu")
    assert (write(f"Text.\n\n```python\n{code}\n```\n").hashes("cpu") != before) == depends
