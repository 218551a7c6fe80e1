"""projects: other people's documentation at a pinned commit: where its source is, and what its pages need to run.

Its `mkdocs.yml` and its requirements are in `configs/`. Nothing of a project is kept in this repository.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
CONFIGS = Path(__file__).with_name("configs")
DOCS = "docs"
"""The folder of pages, in each of them."""
SYBIL = """from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser
pytest_collect_file = Sybil(parsers=[PythonCodeBlockParser()], patterns=["*.md"]).pytest()
"""
"""A conftest.py that has Sybil run the pages, as its documentation says."""


@dataclass(frozen=True)
class Project:
    """A project with documentation of its own."""

    name: str
    """Its name, and that of its files in `configs/`."""
    address: str
    """Where git fetches its source."""
    commit: str
    """The commit."""
    release: str
    """The release that was made of this commit, which is installed."""
    pages: str
    """Hash of the pages at this commit, which a checkout must have."""
    tool: str
    """The package that tests its pages: its own choice, else the nearest."""
    tests: tuple[str, ...]
    """What pytest is called with for that, in a checkout."""
    conftest: str = ""
    """What that needs as a conftest.py."""
    builder: str = "mkdocs"
    """What builds its site."""
    lines: tuple[tuple[str, str], ...] = ()
    """What its author adds to files before `samedevice init`, which says so."""
    tag: str = ""
    """The tag of the commit, if what is installed takes its version from that."""


PROJECTS = (
    Project(
        name="pytorch-metric-learning",
        address="https://github.com/KevinMusgrave/pytorch-metric-learning",
        commit="216a792c22b0154d3d3bf008a7317edc7d677e71",
        release="2.8.1",
        pages="93f1c238fb4fd171",
        tool="sybil",
        tests=(DOCS,),
        conftest=SYBIL,
    ),
    Project(
        name="torchio",
        address="https://github.com/TorchIO-project/torchio",
        commit="d68758668c1dca13e977fd6ec71897339ca7b9c1",
        release="2.0.0a2",
        pages="77fc49e9823f41a5",
        tool="pytest-codeblocks",
        tests=("--codeblocks", DOCS),
    ),
    Project(
        name="pydantic",
        address="https://github.com/pydantic/pydantic",
        commit="cf67d4b3193c3fe43ede18612ed62785eee11382",
        release="2.13.4",
        pages="18647d854075cd57",
        tool="pytest-examples",
        tests=("tests/test_docs.py", "-k", "test_docs_examples", "-W", "default::pytest.PytestRemovedIn10Warning"),
    ),
)


MARKDOWN_DOCS = ("-p", "no:samedevice", "--markdown-docs", "--ignore-glob=*.py", DOCS)
"""It would import programs below the folder of pages, too."""
BUILT = (  # those that begin with "own-" are tried in the other way, too
    *(
        Project(name, f"https://github.com/{owner}/{name}", commit, "", pages, "pytest-markdown-docs", MARKDOWN_DOCS)
        for owner, name, commit, pages in (
            ("samuelcolvin", "dirty-equals", "32f23d118cae651a91209fbaa651b0adada60c71", "1b4052fb9f0a6e20"),
            ("encode", "httpx", "ae1b9f66238f75ced3ced5e4485408435de10768", "63eb3448d7e7b0f4"),
            ("koaning", "scikit-lego", "c668b0936884f82b0f505c9772db204553b41058", "2c0a030f53eb0bf8"),
            ("narwhals-dev", "narwhals", "94c29dd2a9dd54da214df7aa16e4ed19469acdb7", "8729e4dd0af57030"),
        )
    ),
    Project(
        name="griffe",
        address="https://github.com/mkdocstrings/griffe",
        commit="a345344b40f50f8556ee5d08665880ff9251485f",
        release="",
        pages="d0efa4e8a94ee804",
        tool="pytest-markdown-docs",
        tests=MARKDOWN_DOCS,
        tag="2.2.0",
    ),
    Project(
        name="own-pytorch-metric-learning",
        address="https://github.com/KevinMusgrave/pytorch-metric-learning",
        commit="216a792c22b0154d3d3bf008a7317edc7d677e71",
        release="",
        pages="93f1c238fb4fd171",
        tool="pytest-markdown-docs",
        tests=MARKDOWN_DOCS,
    ),
    Project(
        name="sqlmodel",
        address="https://github.com/fastapi/sqlmodel",
        commit="a6469ef61bb903cbf7fd8749c70d8ceb8046c368",
        release="",
        pages="9378319091271513",
        tool="pytest-markdown-docs",
        tests=MARKDOWN_DOCS,
        builder="zensical",
    ),
    Project(
        name="typer",
        address="https://github.com/fastapi/typer",
        commit="9a7b2e83f6b62c750d6026b0de9ebf2026a8b8fa",
        release="",
        pages="2ce36dcd9f2eb5e1",
        tool="pytest-markdown-docs",
        tests=MARKDOWN_DOCS,
        builder="zensical",
    ),
    Project(
        name="own-torchio",
        address="https://github.com/TorchIO-project/torchio",
        commit="2b019d2a9659c838408c73ae77327ac5eb87b190",
        release="",
        pages="77fc49e9823f41a5",
        tool="pytest-codeblocks",
        tests=("--codeblocks", DOCS),
        builder="zensical",
        lines=(
            ("zensical.toml", "\n[project.markdown_extensions.samedevice]\n"),
            ("mkdocs.yml", "site_name: TorchIO\nmarkdown_extensions: [samedevice]\n"),
        ),
    ),
)
"""Projects that are built as they build themselves. What they install is named as seen from their checkout."""


def source(project: Project, folder: str) -> Path:
    """The folder of a checkout of the project: the given one, else one that git fetches.

    Raises SystemExit where git cannot get it, and where its pages are not those of the commit.
    """
    place = Path(folder).resolve() if folder else _fetched(project)
    if hash_pages(place) != project.pages:
        raise SystemExit(
            f"{project.name}: {place} does not hold the pages of commit {project.commit}; check out that commit there"
        )
    return place


def _fetched(project: Project) -> Path:
    place = ROOT / ".cache/bench/source" / project.name
    if (place / DOCS).is_dir():
        return place
    place.mkdir(parents=True, exist_ok=True)
    fetch = ["fetch", "-q", "--depth", "1", project.address, project.commit]
    tag = [["tag", project.tag]] if project.tag else []
    for arguments in (["init", "-q"], fetch, ["checkout", "-q", "FETCH_HEAD"], *tag):
        done = subprocess.run(["git", "-C", place, *arguments], capture_output=True, text=True, check=False)
        if done.returncode:
            shutil.rmtree(place)
            raise SystemExit(
                f"{project.name}: git cannot fetch commit {project.commit} from {project.address}: "
                f"{done.stderr.strip()}\nName the folder of a checkout: tools/bench/prove.py {project.name}=FOLDER"
            )
    return place


def hash_pages(checkout: Path) -> str:
    """Hash of names and texts of the pages of a checkout; empty if it has none."""
    digest, pages = hashlib.sha256(), sorted((checkout / DOCS).rglob("*.md"))
    for path in pages:
        digest.update(f"{path.relative_to(checkout).as_posix()}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16] if pages else ""


def make_project(project: Project, checkout: Path, folder: Path) -> None:
    """Copy the pages of a checkout to a folder, with what an author adds: a configuration."""
    shutil.copytree(checkout / DOCS, folder / DOCS)
    shutil.copy(CONFIGS / f"{project.name}.yml", folder / "mkdocs.yml")
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")


def environment(project: Project, checkout: Path) -> Path:
    """The interpreter of an environment with the project, its tool and this engine; made if it is not there.

    What it installs is read in the folder of the checkout. A release is installed with the versions of this repository.
    """
    folder = ROOT / ".cache/bench" / project.name
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    wanted = (CONFIGS / f"{project.name}.txt").read_text(encoding="utf-8")
    ready = folder / "ready"
    if ready.exists() and ready.read_text(encoding="utf-8") == wanted:
        return python
    print(f"making an environment for {project.name}", file=sys.stderr)
    venv.create(folder, clear=True, with_pip=True)
    index = os.environ.get("TORCH_INDEX")
    pip: list[str | Path] = [python, "-m", "pip", "install", "--disable-pip-version-check", "-q"]
    pip += ["-c", ROOT / "constraints.txt"] if project.release else []
    pip += ["--extra-index-url", index] if index else []
    subprocess.run([*pip, "-r", CONFIGS / f"{project.name}.txt", "-e", f"{ROOT}[mkdocs]"], check=True, cwd=checkout)
    ready.write_text(wanted, encoding="utf-8")
    return python
