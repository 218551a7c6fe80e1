"""A page as JSON for a reader's machine, and the report on what that machine printed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from samedevice.exporting.check_export import PublishedError, check_export, published
from samedevice.integration.check import findings, report
from samedevice.outputs.environments import Environment, Run
from samedevice.outputs.output import Figure, Output, Raised
from samedevice.outputs.recordings import Recording, update
from samedevice.pages.page import Page
from samedevice.pages.parsing import parse_page

Write = Callable[..., Page]
OLD = Environment("cpu", "EPYC", "2.9.1+cpu", "3.11.7", "", "2026-11-19")
NEW = Environment("cpu", "EPYC", "2.15.0+cu132", "3.11.7", "", "2026-11-21")
HERE = Environment("cpu", "Core i5", "2.13.0", "3.12.1", "", "2026-11-22")
PAGE = """# Title

```python
1
```

```python raises="ValueError" alt="A line"
int("x")
```

```python needs="cuda"
3
```
"""


OTHER = """# Title

```pycon
>>> 1
1
```

```python linenums="1"
if __name__ == "__main__":
    main()
```

```python numbers="vary"
3
```
"""


def recording(page: Page, about: Environment, *texts: str) -> Recording:
    found = update(None, page, about, [*(Output(value=text) for text in texts), *[None] * (3 - len(texts))])
    assert found is not None
    return found


def test_blocks_and_outputs_survive_the_way(write: Write) -> None:
    """The hashes must be those of the repository, or a recording made from the file would fit no page."""
    page = write(PAGE)
    found = published(check_export(page, "Title", {"snippets/x.py": "1"}, [recording(page, OLD, "1", "2")]))
    assert found.page.hashes("cuda") == page.hashes("cuda")
    assert [block.line for block in found.page.blocks] == [block.line for block in page.blocks]
    assert found.printed == (((OLD, Output(value="1")),), ((OLD, Output(value="2")),), ())
    assert found.files == {"snippets/x.py": "1"}


def test_the_blocks_of_a_project_that_marks_nothing_survive_it_too(root: Path) -> None:
    """With a transcript, code that is left out where a page runs it, and options of other tools."""
    path = root / "docs/page.md"
    path.write_text(OTHER, encoding="utf-8")
    page = parse_page(path, root)
    assert [block.kind for block in page.blocks] == ["transcript", "python", "python"]
    found = published(check_export(page, "Title", {}, [recording(page, OLD, "1", "2", "3")]))
    assert found.page.hashes("cpu") == page.hashes("cpu")
    assert found.printed[1] == ((OLD, Output(value="2")),)


def test_pictures_are_left_out(write: Write) -> None:
    """Another version of matplotlib draws other pictures, which would be told as differences."""
    page = write(PAGE)
    drawn = update(None, page, OLD, [Output(figures=(Figure("<svg/>", "A line"),)), None, None])
    assert drawn is not None
    text = check_export(page, "Title", {}, [drawn])
    assert "<svg" not in text
    assert published(text).printed[0] == ((OLD, Output(figures=(Figure("", ""),))),)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"format": 99}, "another version"),
        ({"page": "../x.md"}, "page is no path below a folder"),
        ({"page": "src/x.py"}, "is no page"),
        ({"files": {"/etc/passwd": ""}}, "is no path below a folder"),
        ({"files": {"a/../../x": ""}}, "is no path below a folder"),
        ({"blocks": 3}, "no page that samedevice can check"),
    ],
)
def test_what_is_no_page_is_refused(write: Write, change: dict[str, object], told: str) -> None:
    """The file comes from the network, and its files are written to the reader's disk."""
    text = json.dumps(json.loads(check_export(write(PAGE), "Title", {}, [])) | change)
    with pytest.raises(PublishedError, match=told):
        published(text)


ONE = Output(value="1").digest
PRINTED = ["recordings", "sections", 0, "blocks", 0, "printed"]


def changed(found: Any, place: list[str | int], value: Any) -> str:
    """A file with another value in one place."""
    inner = found
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    return json.dumps(found)


@pytest.mark.parametrize(
    ("place", "value", "told"),
    [
        (["title"], "\x1b[2J", "title is no line of text"),
        (["files"], {"docs": "", "docs/x": ""}, "docs/x is below docs, which is a file"),
        (["files"], {f"{n}": "" for n in range(201)}, "files is no table of at most 200"),
        (["files"], {".": ""}, "is no path below a folder"),
        (["blocks", 0, "kind"], "shell", "kind is none of python"),
        (["blocks", 0, "line"], "3", r"blocks\[0\].line is no whole number"),
        (["blocks", 0, "line"], 10**30, r"blocks\[0\].line is no whole number"),
        (["blocks", 0, "path"], "/etc/passwd", "is no path below a folder"),
        (["blocks", 0, "options"], {"needs": True}, "options.'needs'. is no text"),
        (["blocks", 0, "options"], {"needs": "tpu"}, 'needs="tpu" names no device'),
        (["blocks", 0, "options"], {"raises": [["", "A", "B"]]}, "options.'raises'. is no text"),
        (["blocks", 0, "options"], {"raises": "A B"}, 'raises="A B" names no exception'),
        (["blocks", 0, "options"], {"needs": "torch>=" + "9" * 5_000}, "options.'needs'. has 5,007 characters"),
        (["blocks", 0, "options"], {"needs": "torch>=2"}, 'needs="torch>=2" names no version'),
        (["blocks", 0, "options"], {"more": ""}, "unknown option more="),
        ([*PRINTED, ONE], "x", r"printed.* is no list"),
        ([*PRINTED, ONE], [1], r"printed.*\[0\] is no text"),
        ([*PRINTED, ONE], ["cpu-2.99"], "names cpu-2.99, which is no environment of the file that ran it"),
        ([*PRINTED, "0" * 16], [OLD.folder], "names the output 0000000000000000, which is not in the file"),
        (["recordings", "outputs", ONE], {"text": "\x1b[2J"}, "text is no text that was cleaned"),
        (["recordings", "outputs", ONE], {"text": "other"}, "was changed by hand, or by a merge"),
        (["blocks", 0, "code"], None, "code is no text"),
        (["recordings", "environments", OLD.folder, "torch"], "2.13.0\n", "torch is no version"),
        (["recordings", "environments", OLD.folder, "torch"], "2.13.0", "is cpu-2.13.0, by its device and its version"),
    ],
)
def test_what_no_site_publishes_is_refused(write: Write, place: list[str | int], value: Any, told: str) -> None:
    """With the name of the field, and without a traceback, whatever the server sends."""
    page = write(PAGE)
    found = json.loads(check_export(page, "Title", {"snippets/x.py": "1"}, [recording(page, OLD, "1", "2")]))
    published(json.dumps(found))
    with pytest.raises(PublishedError, match=told):
        published(changed(found, place, value))


def test_the_report_says_who_printed_what(write: Write) -> None:
    """Equal outputs name their environments; another one is shown beside the nearest version's."""
    page = write(PAGE)
    recordings = [recording(page, NEW, "1", "new"), recording(page, OLD, "1", "old")]
    found = published(check_export(page, "Title", {}, recordings))
    raised = Output(raised=Raised("ValueError", "mine"))
    told = "\n".join(report(findings(found, Run((Output(value="1"), raised, None), HERE, 1), "cpu"), HERE))
    assert "1 block prints what was recorded, 1 block prints something else." in told
    assert "1 block as on CPU with PyTorch 2.15.0+cu132 and CPU with PyTorch 2.9.1+cpu" in told
    assert "1 block did not run, for want of CUDA: 3" in told
    assert "block 2 (docs/page.md:7):" in told
    assert "-old\n  +ValueError: mine" in told


def test_a_block_that_fails_is_a_difference(write: Write) -> None:
    """Also where nothing was recorded for it."""
    found = published(check_export(write(PAGE), "Title", {}, []))
    outputs = (Output(raised=Raised("KeyError", "x")), Output(value="1"), None)
    first, second, third = findings(found, Run(outputs, HERE, 1), "cpu")
    assert "raised KeyError" in first.differs
    assert "did not raise ValueError" in second.differs
    assert not third.run


def test_a_gpu_is_held_against_the_simulated_one_where_no_real_one_is_recorded(write: Write) -> None:
    """The report must not call a simulation a GPU."""
    simulated = Environment("cuda", "Simulated GPU", "2.13.0+cu130", "3.11.7", "", "2026-11-23", simulated=True)
    real = Environment("cuda", "H100", "2.11.0+cu130", "3.11.7", "580", "2026-11-22")
    page, here = write(PAGE), Environment("cuda", "T4", "2.13.0+cu130", "3.12.1", "550", "2026-11-24")
    run = Run((None, None, Output(value="cuda:0")), here, 1)

    def told(*recordings: Recording) -> str:
        found = published(check_export(page, "Title", {}, recordings))
        return "\n".join(report(findings(found, run, "cuda"), here))

    assert "1 block as on CUDA, simulated with PyTorch 2.13.0+cu130" in told(
        recording(page, simulated, "", "", "cuda:0")
    )
    both = recording(page, simulated, "", "", "cuda:0"), recording(page, real, "", "", "cuda:1")
    assert "H100, PyTorch 2.11.0+cu130, 2026-11-22 printed something else" in told(*both)
