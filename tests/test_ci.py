"""The scripts of .ci: what the summary of a job and the text of a pull request say."""

from __future__ import annotations

import datetime
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from samedevice.outputs.environments import Environment
from samedevice.outputs.output import Output
from samedevice.outputs.recording_files import Recordings
from samedevice.outputs.recordings import update
from samedevice.pages.page import Page
from samedevice.project import RECORDINGS

ROOT = Path(__file__).parents[1]
CI = ROOT / ".ci"
FAILED = """\
collected 2 items
docs/a.md .F
=================================== FAILURES ===================================
docs/a.md:3 on cpu: not what was recorded
```
-one
+two
=========================== short test summary info ============================
FAILED docs/a.md::cpu-01-line-3
========================= 1 failed, 1 passed in 1.00s =========================
"""


def script(name: str) -> ModuleType:
    """One of the scripts as a module."""
    spec = importlib.util.spec_from_file_location(f"ci_{name}", CI / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)  # where dataclasses look for it
    spec.loader.exec_module(module)
    return module


def test_a_report_has_the_count_and_what_failed_in_a_fence_that_it_cannot_close() -> None:
    """Outputs may hold fences, and the summary is Markdown."""
    told = script("report").report(FAILED)
    assert told.startswith("1 failed, 1 passed in 1.00s\n\n````text\ndocs/a.md:3 on cpu: not what was recorded\n")
    assert told.endswith("\n+two\n````")


@pytest.mark.parametrize(("text", "told"), [("...\n== 2 passed in 1.00s ==\n", "2 passed in 1.00s"), ("", "nothing")])
def test_a_report_without_failures_is_one_line(text: str, told: str) -> None:
    """There is nothing else to tell."""
    assert told in script("report").report(text).splitlines()[0]


def test_a_report_of_a_run_that_broke_off_shows_what_it_said() -> None:
    """No such device, no such option: that is not "nothing changed"."""
    assert "ERROR: --device cuda" in script("report").report("ERROR: --device cuda: no driver\n")


def test_a_report_is_written_with_the_versions(tmp_path: Path) -> None:
    """What changed, changed from one version to another."""
    (tmp_path / "report.txt").write_text(FAILED, encoding="utf-8")
    command = [sys.executable, str(CI / "report.py"), str(tmp_path / "report.txt")]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.startswith("## Python 3.")
    assert "torch 2." in done.stdout.splitlines()[0]


def test_a_pull_request_of_recordings_says_what_changed_with_links_that_lead_to_the_pages(
    root: Path, write: Callable[..., Page]
) -> None:
    """The script named a module that was gone, and no test ran it."""
    page = write("# Products\n\n```python\n1\n```\n", "docs/topic/page.md")
    new = Environment("cpu", "EPYC", "2.15.0+cu132", "3.11.7", "", "2026-11-21")
    for where, text in ((new, "b"), (replace(new, torch="2.13.0+cpu"), "a")):
        recording = update(None, page, where, [Output(text)])
        assert recording is not None
        Recordings(root, RECORDINGS).save(page, recording)
    command = [sys.executable, str(CI / "changes.py"), str(root)]
    told = subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout
    assert told.startswith("Read the outputs as you would read a page.")
    assert "[Products](docs/topic/page.md):" in told
    assert "```diff\n-a\n+b\n```" in told


TOOLS = [*CI.glob("*.py"), *(ROOT / "tools").rglob("*.py")]


@pytest.mark.parametrize("path", sorted(TOOLS), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_what_a_tool_imports_from_this_repository_is_there(path: Path) -> None:
    """`make lint` checks it, too; a machine without mypy must see it as well."""
    text = path.read_text(encoding="utf-8")
    for module, names in re.findall(r"^\s*from ((?:samedevice|same_device_site)[\w.]*) import (.+)$", text, re.M):
        found = importlib.import_module(module)
        for name in re.findall(r"(\w+)(?: as \w+)?", names.partition("#")[0]):
            assert hasattr(found, name) or importlib.util.find_spec(f"{module}.{name}"), f"{module}.{name}"


STUB = """\
#!/bin/sh
# Stands for uv and for the interpreter of the environment: writes down what it is asked.
echo "$(basename "$0") $*" >>"$LOG"
case "$*" in
  venv*)
    folder=$(echo "$*" | sed 's/.* //')
    mkdir -p "$folder/bin"
    cp "$0" "$folder/bin/python"
    touch "$folder/pyvenv.cfg" ;;
  *--dry-run*) exit "$REACHED" ;;
esac
"""


def installed(tmp_path: Path, reached: bool, **settings: str) -> tuple[str, str]:
    """What .ci/install says, and its last command that installs, where uv is there and PyTorch's builds perhaps are."""
    stub, log = tmp_path / "uv", tmp_path / "log"
    stub.write_text(STUB, encoding="utf-8")
    stub.chmod(0o755)
    ours = {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "LOG": str(log), "REACHED": "0" if reached else "2"}
    kept = {key: value for key, value in os.environ.items() if not key.startswith("UV_") and key != "TORCH_INDEX"}
    command = ["bash", str(CI / "install"), str(tmp_path / "environment"), "site"]
    done = subprocess.run(command, env=kept | ours | settings, capture_output=True, encoding="utf-8", check=True)
    commands = log.read_text(encoding="utf-8").splitlines()
    return done.stdout, [one for one in commands if " install " in one and "--dry-run" not in one][-1]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the default is a small build")
@pytest.mark.parametrize(
    ("reached", "settings", "said", "program", "option"),
    [
        (True, {}, "uv chooses the build", "uv", "--torch-backend auto"),
        (False, {}, "out of reach here", "python", ""),
        (False, {"UV_INDEX_URL": "x"}, "out of reach here", "uv", ""),
        (True, {"TORCH_INDEX": "where"}, "a download of about", "uv", "--extra-index-url where --index-strategy"),
        (True, {"UV_TORCH_BACKEND": "cu130"}, "a download of about", "uv", ""),
    ],
)
def test_pytorch_comes_from_the_first_place_that_there_is(
    tmp_path: Path, reached: bool, settings: dict[str, str], said: str, program: str, option: str
) -> None:
    """uv took 4.9 GB of CUDA on a machine without a GPU, where pip, as it was set up there, took 200 MB."""
    told, command = installed(tmp_path, reached, **settings)
    assert said in told
    assert command.startswith(f"{program} ")
    assert option in command
    assert ("--torch-backend" in command) == ("--torch-backend" in option)
    assert ("--extra-index-url" in command) == ("TORCH_INDEX" in settings)


GH = """\
#!/bin/sh
echo "$*" >>"$LOG"
case "$*" in
  *list*) echo "$OPEN" ;;
  *) for last in "$@"; do :; done; cat "$last" ;;
esac
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a script of bash")
@pytest.mark.parametrize(
    ("number", "does"), [("", "issue create --repo o/n --title It fails"), ("7", "issue comment 7")]
)
def test_what_fails_each_week_is_one_issue(tmp_path: Path, number: str, does: str) -> None:
    """The first week opens it, the others add to it; it names the run, and is no longer than an issue may be."""
    stub, log, text = tmp_path / "gh", tmp_path / "log", tmp_path / "report.md"
    stub.write_text(GH, encoding="utf-8")
    stub.chmod(0o755)
    text.write_text("x" * 100_000, encoding="utf-8")
    given = {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "LOG": str(log), "OPEN": number}
    given |= {"REPOSITORY": "o/n", "RUN": "where"}
    command = ["bash", str(CI / "open-issue"), "It fails", str(text)]
    done = subprocess.run(command, env=os.environ | given, capture_output=True, encoding="utf-8", check=True)
    assert does in log.read_text(encoding="utf-8").splitlines()[-1]
    assert done.stdout.startswith("Found by where\n\nxxx")
    assert len(done.stdout) < 65_536


TODAY = datetime.date(2026, 12, 1)
OF_A_RELEASE = [
    ".github/workflows/ci.yml",
    "CHANGELOG.md",
    "CITATION.cff",
    "pyproject.toml",
    "src/samedevice/CHANGELOG.md",
    "src/samedevice/__init__.py",
    "src/simulated_gpu/CHANGELOG.md",
    "src/simulated_gpu/__init__.py",
    "src/simulated_gpu/pyproject.toml",
]


def faults(root: Path, package: str = "samedevice") -> str:
    """What .ci/release.py finds in the files below a folder."""
    release = script("release")
    return "\n".join(release.faults(root, release.PACKAGES[package], TODAY))


@pytest.fixture
def released(tmp_path: Path) -> Path:
    """The files that a release is checked by, with a version that is released."""
    for name in OF_A_RELEASE:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    for name in OF_A_RELEASE:
        if name.endswith("CHANGELOG.md"):
            (tmp_path / name).write_text("# Changelog\n\n## 0.1.0, 2026-11-28\n\n- A line.\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("package", ["samedevice", "simulated_gpu"])
def test_what_this_repository_promises_agrees(released: Path, package: str) -> None:
    """Versions, days and Pythons are in seven files."""
    assert faults(released, package) == ""


@pytest.mark.parametrize(
    ("name", "old", "new", "told"),
    [
        ("CHANGELOG.md", "## 0.1.0", "## Unreleased\n\n- More.\n\n## 0.1.0", "still unreleased"),
        ("CHANGELOG.md", "## 0.1.0", "## 0.0.9", "CHANGELOG.md: the first version is not 0.1.0"),
        ("CHANGELOG.md", "- A line.", "", "nothing is said of 0.1.0"),
        ("CHANGELOG.md", "2026-11-28", "2026-11-27", "several days: 2026-11-27, 2026-11-28"),
        ("src/samedevice/CHANGELOG.md", "2026-11-28", "2026-12-02", "2026-12-02 is still to come"),
        ("src/samedevice/CHANGELOG.md", "2026-11-28", "2026-02-31", "2026-02-31 is no day"),
        ("src/samedevice/__init__.py", '"0.1.0"', '"0.1"', "no version of three numbers"),
        ("CITATION.cff", "version: 0.1.0", "version: 0.2.0", "CITATION.cff: version is not 0.1.0"),
        ("CITATION.cff", "date-released", "date", "CITATION.cff: date-released is not 2026-11-28"),
        ("pyproject.toml", ">=3.11", ">=3.10", "requires-python is >=3.10, the oldest that is named 3.11"),
        (".github/workflows/ci.yml", '["3.11", "3.12",', '["3.12",', "tries Python"),
    ],
)
def test_a_release_that_contradicts_itself_is_noticed(released: Path, name: str, old: str, new: str, told: str) -> None:
    """Before anything is published under that version, which cannot be taken back."""
    text = (released / name).read_text(encoding="utf-8")
    assert old in text
    (released / name).write_text(text.replace(old, new), encoding="utf-8")
    assert told in faults(released)


def test_a_tag_that_is_not_the_version_s_is_noticed() -> None:
    """A tag publishes; v0.2.0 on 0.1.0 would publish 0.1.0."""
    release = script("release")
    package = release.PACKAGES["simulated_gpu"]
    number = release.version(ROOT, package)
    assert list(release.state(ROOT, package, f"simulated-gpu-v{number}")) == []
    assert "and the version wants simulated-gpu-v" in "".join(release.state(ROOT, package, f"v{number}"))


def test_a_release_has_the_notes_of_its_own_version() -> None:
    """And not those of the one before."""
    text = "# Changelog\n\n## 0.2.0, 2026-12-01\n\n- New.\n\n## 0.1.0, 2026-11-28\n\n- Old.\n"
    assert [script("release").notes(text, one) for one in ("0.2.0", "0.1.0", "0.3.0")] == ["- New.", "- Old.", ""]


def compared(workflow: dict[str, Any]) -> set[tuple[str, str]]:
    """The kinds of device and releases of PyTorch that the jobs of a workflow compare with what is recorded."""
    found = set[tuple[str, str]]()
    for job in workflow["jobs"].values():
        commands = " ".join(step.get("run", "") for step in job["steps"])
        device = re.search(r'\.ci/record compare "\$TORCH"(?: (\w+))?', commands)
        if device:
            found |= {(device[1] or "cpu", version) for version in job["strategy"]["matrix"]["torch"]}
    return found


def test_every_recorded_environment_that_needs_no_gpu_is_compared_in_ci() -> None:
    """What nobody runs again may have been false for months: 2.9.1 and 2.11.0 on simulated GPUs were."""
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))
    pinned = re.search(r"^torch==([\d.]+)", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.M)
    assert pinned is not None
    runs = compared(workflow) | {("cpu", pinned[1])}  # `make test` compares with that
    environments = {
        name: about
        for path in (ROOT / RECORDINGS).rglob("*.json")
        for name, about in json.loads(path.read_text(encoding="utf-8"))["environments"].items()
    }
    needed = {
        (about["device"], about["torch"].partition("+")[0])
        for about in environments.values()
        if about["device"] == "cpu" or about.get("simulated")
    }
    assert len(needed) > 4
    assert needed - runs == set()
