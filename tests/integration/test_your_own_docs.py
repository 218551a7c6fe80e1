"""The page about other people's documentation: what it tells them to do, done in an empty folder."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from same_device_site.options import option_table, setting_table
from samedevice.errors import EXTRAS
from samedevice.pages.fences import Fence, find_fences
from samedevice.pages.options import option_meanings
from samedevice.pages.page import Page
from samedevice.project import FLAGS, PACKAGE, SETTINGS

PAGE = PACKAGE.parents[1] / "docs/about/your-own-docs.md"
TEXT = PAGE.read_text(encoding="utf-8")
FENCES = list(find_fences(TEXT, str(PAGE)))


def files() -> dict[str, str]:
    """The files that the page has people write."""
    titled = ((re.search('title="([^"]*)"', fence.info), fence) for fence in FENCES)
    return {title[1]: fence.body for title, fence in titled if title}


def test_the_readme_of_the_package_has_the_same_tables() -> None:
    """Who looks at the package on an index, or at the page in the repository, finds every option there."""
    text = (PACKAGE / "README.md").read_text(encoding="utf-8")
    for name, table in (("settings", setting_table()), ("options", option_table())):
        assert f"<!-- {name} -->\n\n{table}\n\n<!-- end -->\n" in text, f"write there:\n{table}"


def commands() -> list[list[str]]:
    """The commands that it has them run, after the installation."""
    lines = [line for fence in FENCES if fence.info == "text" for line in fence.body.splitlines()]
    inline = re.findall(r"`(python -m [^`]*)`", TEXT)
    return [line.split()[1:] for line in [*lines, *inline] if " pip " not in line]


def test_the_page_works_as_written(tmp_path: Path, installed: Callable[..., Path]) -> None:
    """Without PyTorch, Material for MkDocs or mkdocs-jupyter; each command ends well."""
    programs = installed("mkdocs", "pymdown-extensions", "pygments", "pytest", "sybil")
    for name, text in files().items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert sorted(files()) == ["docs/index.md", "mkdocs.yml"]
    environ = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    pipes: dict[str, Any] = {"cwd": tmp_path, "env": environ, "capture_output": True, "text": True, "check": False}
    asked = [command for command in commands() if "serve" not in command]  # which does not end
    assert len(asked) == len(commands()) - 1 == 3
    for command in asked:
        done = subprocess.run([programs / "python", *command], **pipes)
        assert done.returncode == 0, done.stdout + done.stderr
    html = (tmp_path / "site/index.html").read_text(encoding="utf-8")
    assert re.search(r'>Python 3\.\d+</span>.*?<pre class="sd-text" tabindex="0">3</pre>', html, re.S)
    assert '<span class="sd-error">StatisticsError: no median for empty data</span>' in html
    page = tmp_path / "docs/index.md"
    page.write_text(page.read_text(encoding="utf-8").replace("[5, 1, 3]", "[5, 1, 4]"), encoding="utf-8")
    done = subprocess.run([programs / "python", "-m", "pytest"], **pipes)
    assert done.returncode == 1
    assert "docs/index.md:5 was recorded on cpu for other code than it has now" in done.stdout


def test_the_tables_have_what_the_code_has() -> None:
    """They are made from it, and it knows no more."""
    assert all(f"| `{example}` | {meaning} |" in option_table() for example, meaning in option_meanings().items())
    assert all(f"| `{name}` | {meaning} |" in setting_table() for name, meaning in SETTINGS.items())
    assert all(flag in TEXT for flag in (f"`{FLAGS}record`", f"`{FLAGS}device cuda`"))
    named = re.findall(r"same-?device\[(\w+)\]", TEXT)
    assert named
    assert set(named) <= {*EXTRAS, "zensical"}  # nothing of ours asks for what that installs


def test_each_option_is_one_that_a_fence_can_have(write: Callable[..., Page]) -> None:
    """The examples are read as an author would write them."""
    alone = [
        one
        for one in option_meanings()
        if one.partition("=")[0] not in ("file", "part", "args", "after", "run", "simulated", "reason", "hl_lines")
    ]
    for option in alone:
        (block,) = write(f"# T\n\n```python {option}\n1\n```\n").blocks
        assert isinstance(block.fence, Fence)
    (block,) = write('# T\n\n```python run="no" reason="..."\n1\n```\n').blocks
    assert block.kind == "shown"
    (block,) = write('# T\n\n```python simulated="no" reason="..."\n1\n```\n').blocks
    assert block.not_simulated == "..."
