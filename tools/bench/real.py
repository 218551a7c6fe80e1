"""real: the site of this repository in a folder, with a plain configuration and a program that runs its blocks."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

from same_device_site.settings import parse_page
from samedevice.pages.page import Block

ROOT = Path(__file__).parents[2]
COPIED = (
    "docs",
    "snippets",
    "tests/recordings",
    "tools/bench",
    "conftest.py",
    "src/samedevice",
    "src/same_device_site",
)
PAGE = "docs/tensors/creating.md"
"""The page that is edited."""
BARE = """import json, os, pathlib, shlex, subprocess, sys, tempfile, types
import torch
root = pathlib.Path.cwd()

def run(block):
    if block["kind"] == "console":
        commands = [line.removeprefix("$ ") for line in block["code"].replace("\\\\\\n", "").splitlines()]
        for command in commands:
            subprocess.run(command, shell=True, cwd=root, check=False)
    elif block["kind"] == "program":
        subprocess.run([sys.executable, root / block["path"], *shlex.split(block["args"])], check=False)
    else:
        exec(compile(block["code"], block["path"], "exec"), sys.modules["__main__"].__dict__)

os.environ["MPLBACKEND"] = "agg"
os.environ["PATH"] = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]
for page, blocks in json.loads(pathlib.Path("blocks.json").read_text()).items():
    process = os.fork()
    if process == 0:
        sys.modules["__main__"] = types.ModuleType("__main__")
        sys.stdout = sys.stderr = open(os.devnull, "w")
        sys.stdin = open(os.devnull)
        for descriptor in (1, 2):
            os.dup2(sys.stdout.fileno(), descriptor)
        with tempfile.TemporaryDirectory() as place:
            os.chdir(place)
            for block in blocks:
                try:
                    run(block)
                except BaseException:
                    pass
            os.chdir(root)
        os._exit(0)
    os.waitpid(process, 0)
"""
"""One process imports torch and forks for each page in turn, because some pages change settings of the process."""


def make_site(folder: Path) -> None:
    """Copy the site, and write its two configurations and the program that runs its blocks alone."""
    for name in COPIED:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        copy(ROOT / name, folder / name)
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    (folder / "ours.yml").write_text(text, encoding="utf-8")
    (folder / "plain.yml").write_text(without_plugin(text), encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\npythonpath = src\n")
    (folder / "bare.py").write_text(BARE)
    (folder / "blocks.json").write_text(json.dumps(_blocks()))


def without_plugin(config: str) -> str:
    """The site's configuration without our plugin. Raises SystemExit if it is not there."""
    plain, found = re.subn(r"^  - samedevice:.*\n|^  - same_device_site\..*\n|^hooks:.*\n", "", config, flags=re.M)
    plain = re.sub(r"^  - samedevice\.integration.*\n|assets/samedevice/outputs\.\w+", "", plain, flags=re.M)
    if found != 3:
        raise SystemExit(
            "mkdocs.yml has no line of its own for the plugin samedevice; tools/bench/real.py looks for one"
        )
    return plain


def pages() -> list[Path]:
    """The files of the site's pages."""
    return sorted(path for suffix in ("md", "py") for path in (ROOT / "docs").rglob(f"*.{suffix}"))


def _blocks() -> dict[str, list[dict[str, str]]]:
    parsed = [parse_page(path, ROOT) for path in pages()]
    return {page.path: [_block(block) for block in page.blocks if _is_run(block)] for page in parsed}


def _is_run(block: Block) -> bool:
    return block.runs_on("cpu") and block.options.count == 1


def _block(block: Block) -> dict[str, str]:
    return {"kind": block.kind, "code": block.code, "path": block.path, "args": block.options.args}
