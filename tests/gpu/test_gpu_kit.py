"""The kit for a machine with a GPU: it holds the working tree, records a page at a time, and loses no recording."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from import_recordings import RECORDED, Archive, main, report, simulated_otherwise
from kit import HERE, make_kit

from samedevice.errors import SameDeviceError
from samedevice.outputs.environments import Environment
from samedevice.outputs.output import Output
from samedevice.outputs.recordings import update
from samedevice.pages.page import Page
from samedevice.project import PACKAGE, RECORDINGS

pytestmark = pytest.mark.skipif(os.name != "posix", reason="record.sh is for a shell")

SHORT = "# Short\n\n```python\nprint('short')\n```\n"
LONG = """# Long

```python
print("first")
```

!!! expected "cpu"

    It prints `first`.

```python
{code}
```

## Third

```python
print("third")
```
"""


@pytest.fixture
def site(root: Path) -> Path:
    """A repository with the engine and two pages, of which one is not committed."""
    shutil.copytree(PACKAGE, root / "src/samedevice", ignore=shutil.ignore_patterns("__pycache__"))
    (root / "pyproject.toml").write_text("")
    (root / "docs/short.md").write_text(SHORT)
    (root / "docs/text.md").write_text("# Text\n\nA page without blocks.\n")
    for command in (["git", "init", "-q"], ["git", "add", "-A"]):
        subprocess.run(command, cwd=root, check=True)
    (root / "docs/long.md").write_text(LONG.format(code="print('second')"))
    return root


def start(kit: Path, archive: Path, *options: str) -> subprocess.Popen[str]:
    """Start the recording as a person does."""
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    light = str(HERE.parents[1] / "tests/samples/light")  # a stand-in for torch
    environ |= {"PYTHON": sys.executable, "PYTHONPATH": light, "CUDA_VISIBLE_DEVICES": ""}
    streams: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "env": environ}
    command = [str(kit / "record.sh"), *options, str(archive)]
    return subprocess.Popen(command, cwd=archive.parent, start_new_session=True, **streams)


def recorded(archive: Path) -> list[str]:
    """The names of the pages that an archive has recordings of."""
    with tarfile.open(archive) as packed:
        return sorted(
            Path(name).stem
            for name in packed.getnames()
            if name.startswith(RECORDINGS.as_posix()) and name.endswith(".json")
        )


def test_the_kit_holds_the_working_tree_and_what_such_a_machine_lacks(site: Path) -> None:
    """A page that was just written is recorded, too; a deleted one is not looked for."""
    (site / "docs/short.md").unlink()
    kit = make_kit(site, site / "build/kit")
    names = {path.relative_to(kit).as_posix() for path in kit.rglob("*") if path.is_file()}
    assert {"docs/long.md", "record.sh", "record.py", "packages/sybil/__init__.py"} <= names
    assert "src/samedevice/running/worker.py" in names
    assert not any("short" in name or name.startswith("tests") for name in names)


def test_a_kit_that_cannot_travel_is_an_error(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine takes no more."""
    monkeypatch.setattr("kit.LIMIT", 1000)
    with pytest.raises(SameDeviceError, match="take large files out of docs"):
        make_kit(site, site / "build/kit")


def test_all_is_recorded_and_taken_in(site: Path, tmp_path: Path) -> None:
    """The two commands are all that a person needs."""
    archive = tmp_path / "recordings.tar.gz"
    with start(make_kit(site, site / "build/kit"), archive) as recording:
        said, _ = recording.communicate(timeout=300)
    assert recording.returncode == 0, said
    assert "CUDA is not recorded: " in said
    order = [line.split()[1] for line in said.splitlines() if line.startswith("recorded ")]
    assert sorted(order) == ["docs/long.md:17", "docs/long.md:3", "docs/short.md:3"]
    assert recorded(archive) == ["long", "short"]

    found = report(Archive(archive, tmp_path / "unpacked"), site)
    lines = found.lines
    assert found.refused == []
    assert sum(line.startswith("new: docs/") for line in lines) == 2
    at = lines.index("docs/long.md:3, expected on CPU: It prints `first`.")
    assert lines[at + 1] == "    first"
    again = report(Archive(archive, tmp_path / "again"), site).told[RECORDED]
    assert sum(line.startswith("unchanged: docs/") for line in again) == 2


def test_what_was_recorded_before_a_kill_is_packed_and_the_rest_follows(site: Path, tmp_path: Path) -> None:
    """A lent machine is taken away without a word; the next one goes on where this one was."""
    os.mkfifo(tmp_path / "begun")
    long = site / "docs/long.md"
    long.write_text(
        LONG.format(code=f"print('second')\nopen({str(tmp_path / 'begun')!r}, 'w').close()\nwhile True: pass")
    )
    archive = tmp_path / "recordings.tar.gz"
    kit = make_kit(site, site / "build/kit")
    with start(kit, archive) as recording:
        (tmp_path / "begun").read_bytes()
        said = ""
        assert recording.stdout is not None
        while "recorded docs/short.md:3" not in said:
            said += recording.stdout.readline()
        os.killpg(recording.pid, signal.SIGKILL)
    assert "short" in recorded(archive)

    shutil.copy(site / "docs/short.md", kit / "docs/third.md")
    (kit / "docs/long.md").write_text(LONG.format(code="raise ValueError('no such GPU')"))
    with start(kit, archive) as recording:
        said, _ = recording.communicate(timeout=300)
    assert recording.returncode == 1
    assert "recorded docs/short.md" not in said
    assert "recorded docs/third.md:3" in said
    assert "| docs/long.md:3 | cpu | 1 | docs/long.md:11 on cpu raised ValueError: no such GPU |" in said
    assert recorded(archive) == ["long", "short", "third"]  # of the long one, the blocks that did not fail


def test_what_was_said_to_be_recorded_outlives_kills_at_random_moments(site: Path, tmp_path: Path) -> None:
    """Whatever the log says is in an archive that is whole, however often the machine is taken away."""
    for number in range(8):
        code = f"import time\ntime.sleep(0.5)\nprint({number})"
        (site / f"docs/page{number}.md").write_text(LONG.format(code=code))
    archive, kit = tmp_path / "recordings.tar.gz", make_kit(site, site / "build/kit")
    moments, told, kills = random.Random(59), set[str](), 0
    for most in count(1):
        with start(kit, archive) as recording:
            time.sleep(moments.uniform(0, most))
            ended = recording.poll() is not None
            if not ended:
                os.killpg(recording.pid, signal.SIGKILL)
            kills += not ended
            assert recording.stdout is not None
            told |= {line.split()[1] for line in recording.stdout if line.startswith("recorded ")}
        if told:
            shutil.rmtree(tmp_path / "unpacked", ignore_errors=True)
            results = Archive(archive, tmp_path / "unpacked").results
            assert told <= {f"{one['page']}:{one['line']}" for one in results}
            pages = {one.partition(":")[0] for one in told}
            assert pages <= {f"docs/{name}.md" for name in recorded(archive)}
        if ended:
            break
    assert kills
    last = Archive(archive, tmp_path / "last")
    assert len(last.results) == 2 * 9 + 1  # a kill may come after one is packed, and before it is said
    found = report(last, site)
    assert found.refused == []
    assert (
        sum(line.startswith(("new: docs/", "changed: docs/")) for line in found.told[RECORDED]) == 10
    )  # pages share blocks


def test_a_block_that_takes_too_long_keeps_no_other_from_being_recorded(site: Path, tmp_path: Path) -> None:
    """The machine is there for half an hour, and one page may hang."""
    (site / "docs/long.md").write_text(LONG.format(code="while True: pass"))
    archive = tmp_path / "recordings.tar.gz"
    with start(make_kit(site, site / "build/kit"), archive, "--limit", "1") as recording:
        said, _ = recording.communicate(timeout=300)
    assert "docs/long.md:11 on cpu did not end within 1 s" in said
    results = {(one["page"], one["line"]): one for one in json.loads((site / "build/kit/results.json").read_text())}
    assert results["docs/long.md", 3]["failures"]
    assert not results["docs/long.md", 17]["failures"]
    assert recorded(archive) == ["long", "short"]


def test_a_term_signal_ends_it_with_a_table(site: Path, tmp_path: Path) -> None:
    """`timeout` and machines that go away send it."""
    os.mkfifo(tmp_path / "begun")
    code = f"open({str(tmp_path / 'begun')!r}, 'w').close()\nwhile True: pass"
    (site / "docs/long.md").write_text(LONG.format(code=code))
    with start(make_kit(site, site / "build/kit"), tmp_path / "recordings.tar.gz") as recording:
        (tmp_path / "begun").read_bytes()
        recording.terminate()
        said, _ = recording.communicate(timeout=60)
    assert recording.returncode == 130
    assert "ended before all was recorded" in said
    assert (tmp_path / "recordings.tar.gz").exists()


def test_a_recording_that_was_changed_is_refused(
    site: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What it says is no more what a device printed."""
    kit, archive = make_kit(site, site / "build/kit"), tmp_path / "recordings.tar.gz"
    with start(kit, archive) as recording:
        recording.communicate(timeout=300)
    (file,) = (kit / RECORDINGS).rglob("short.json")
    file.write_text(file.read_text().replace('"short\\n"', '"long\\n"'))
    with tarfile.open(archive, "w:gz") as packed:
        for name in (RECORDINGS.as_posix(), "results.json", "record.log"):
            packed.add(kit / name, name)
    found = report(Archive(archive, tmp_path / "unpacked"), site)
    assert [line for line in found.lines if "docs/short.md" in line] == []
    assert len(found.refused) == 1
    assert "tests/recordings/short.json: cannot be read: outputs[" in found.refused[0]
    assert "was changed by hand, or by a merge" in found.refused[0]
    assert not (site / RECORDINGS / "short.json").exists()
    assert (site / RECORDINGS / "long.json").exists()
    for results in ('[{"page": "\x1b[2J"}]', "[" * 100_000, '{"page": 1}', "[3]", ""):
        (kit / "results.json").write_text(results)
        with tarfile.open(archive, "w:gz") as packed:
            packed.add(kit / "results.json", "results.json")
        assert main([str(archive)]) == 1
        told = capsys.readouterr().err
        assert "results.json: " in told
        assert "\x1b" not in told
    (tmp_path / "no.tar.gz").write_text("no archive")
    assert main([str(tmp_path / "no.tar.gz")]) == 1
    assert "this is no archive of record.sh" in capsys.readouterr().err


def test_what_was_simulated_otherwise_is_told(write: Callable[..., Page]) -> None:
    """The day that a GPU comes, each difference says where the simulator is wrong."""
    page = write('# Page\n\n```python needs="cuda"\n1\n```\n\n```python needs="cuda"\n2\n```\n')
    real = Environment("cuda", "NVIDIA H100", "2.13.0+cu130", "3.11.7", "580", "2026-11-24")
    simulated = replace(real, name="Simulated GPU", driver="", simulated=True)
    known = update(None, page, simulated, [Output("same"), Output("0")])
    new = update(None, page, real, [Output("same"), Output("0.1")])
    assert known is not None
    assert new is not None
    (told,) = simulated_otherwise(page, new, [known])
    assert told.startswith("  docs/page.md:7 was simulated otherwise, by Simulated GPU, PyTorch 2.13.0+cu130")
    assert "-0\n  +0.1" in told
