"""A page's blocks: which fences become blocks, what their options say, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from sybil import Document

from same_device_site.settings import parse_page
from samedevice.errors import PageError, PageErrors
from samedevice.integration.items import regions
from samedevice.pages.options import NEEDS_ADVICE, VERSIONS_ADVICE
from samedevice.pages.page import Page
from samedevice.pages.parsing import readable

Write = Callable[..., Page]


def complaint(write: Write, text: str) -> str:
    """The message of the error that a page makes."""
    with pytest.raises(PageError) as caught:
        write(text)
    return str(caught.value)


def test_a_block_is_named_by_its_page_and_line(write: Write) -> None:
    """It is the name that every message begins with, and that editors open at a click."""
    page = write("# Title\n\n```python\nx = 1\n```\n\n```text\nno\n```\n\n- a\n\n    ```py\n    y = 2\n    ```\n")
    assert [str(block) for block in page.blocks] == ["docs/page.md:3", "docs/page.md:13"]
    assert [(block.index, block.code, block.code_line) for block in page.blocks] == [
        (0, "x = 1\n", 4),
        (1, "y = 2\n", 14),
    ]
    assert page.name == "page"


def test_a_page_in_a_folder_is_named_by_its_path(write: Write) -> None:
    """Two pages of the same file name must not share a recording."""
    assert write("", "docs/tensors/creating.md").name == "tensors/creating"
    assert write("", "docs/releases/v2.13.md").name == "releases/v2.13"


def test_front_matter_counts_as_lines_of_the_file(write: Write) -> None:
    """MkDocs hands out pages without it; a line number counted so would be wrong."""
    page = write("---\ntitle: A title\n---\n\n```python\nx = 1\n```\n")
    assert str(page.blocks[0]) == "docs/page.md:5"


def test_windows_line_ends_are_read_as_any_others(root: Path) -> None:
    """Git on Windows checks pages out so, and the recordings must stay fresh."""
    path = root / "docs/page.md"
    path.write_bytes(b"---\r\ntitle: x\r\n---\r\n\r\n```python\r\nx = 1\r\n```\r\n")
    windows = parse_page(path, root)
    path.write_bytes(path.read_bytes().replace(b"\r\n", b"\n"))
    unix = parse_page(path, root)
    assert str(windows.blocks[0]) == "docs/page.md:5"
    assert windows.hashes("cpu") == unix.hashes("cpu")
    assert windows.text == unix.text


def test_a_byte_order_mark_is_no_part_of_the_page(root: Path) -> None:
    """Some editors on Windows write one; it would keep front matter from being front matter."""
    path = root / "docs/page.md"
    path.write_text("---\ntitle: x\n---\n\n```python\nx = 1\n```\n", encoding="utf-8-sig")
    page = parse_page(path, root)
    assert page.text.startswith("---")


def test_a_page_that_is_not_utf_8_is_an_error_at_its_line(root: Path) -> None:
    """A traceback of a decoder names no page."""
    path = root / "docs/page.md"
    path.write_bytes(b"# Title\n\ncaf\xe9\n")
    with pytest.raises(PageError) as caught:
        parse_page(path, root)
    assert str(caught.value) == "docs/page.md:3: this line is not UTF-8; save the page as UTF-8"


def test_a_page_without_blocks_is_a_page(write: Write) -> None:
    """Most sites have one."""
    page = write("# Title\n\nText.\n")
    assert page.blocks == ()
    assert page.hashes("cpu") == ()


def test_sybil_gets_a_region_for_each_block(write: Write, root: Path) -> None:
    """Sybil places each example, and refuses regions that overlap."""
    text = "```python\nx = 1\n```\n\n> ```console\n> $ ls\n> ```\n\n```text\nno\n```\n"
    parser = partial(regions, write(text), lambda example: None)
    document = Document.parse(str(root / "docs/page.md"), parser)
    examples = list(document.examples())
    assert [example.line for example in examples] == [1, 5]
    assert [example.parsed.kind for example in examples] == ["python", "console"]
    assert text[examples[1].start : examples[1].end] == "> ```console\n> $ ls\n> ```"


@pytest.mark.parametrize(
    ("info", "message"),
    [
        (
            'python skip="yes"',
            'unknown option skip="yes"; known are title, hl_lines, file, part, args, needs, raises, numbers, alt, '
            "compare, setup, after, fold, run, simulated, reason",
        ),
        ('python compare="cpu"', 'compare="cpu" names no device beside the CPU; use cuda or mps'),
        ('python needs="cud"', f'needs="cud" names no device; {NEEDS_ADVICE}'),
        ('python needs="0 cuda"', f'needs="0 cuda" names no device; {NEEDS_ADVICE}'),
        ('python needs="torch"', f'needs="torch" names no device; {NEEDS_ADVICE}'),
        ('python needs="torch>=two"', f'needs="torch>=two" names no version of PyTorch; {VERSIONS_ADVICE}'),
        ('python needs="cuda torch>="', f'needs="cuda torch>=" names no version of PyTorch; {VERSIONS_ADVICE}'),
        ('python raises="cud: RuntimeError"', 'raises="cud: RuntimeError": cud names no device; use cuda, mps or cpu'),
        ('python raises="a b"', 'raises="a b" names no exception; write raises="RuntimeError"'),
        ('python raises="E, F"', 'raises="E, F" names two exceptions for one device; keep one of them'),
        ('python raises="E, mps: F"', 'raises="E, mps: F" names two exceptions for one device; keep one of them'),
        (
            'python raises="mps: E, mps: F"',
            'raises="mps: E, mps: F" names two exceptions for one device; keep one of them',
        ),
        ('python numbers="same"', 'numbers="same" is unknown; write numbers="vary" or leave it out'),
        (
            'python simulated="maybe"',
            'simulated="maybe" is unknown; write simulated="no" reason="...", or simulated="yes"',
        ),
        (
            'python simulated="yes"',
            'simulated="yes" goes with numbers="vary", since all other outputs are taken anyway; leave it out',
        ),
        ('python args="--lr 1"', 'part= and args= say what to do with a file; add file="snippets/..."'),
        ('python part="first"', 'part= and args= say what to do with a file; add file="snippets/..."'),
        ("python title=unquoted", 'cannot read "title=unquoted"; write options as key="value"'),
        ('python title="unclosed', 'cannot read "title="unclosed"; write options as key="value"'),
        ('python hl_lines="abc"', 'hl_lines="abc" names no lines; write hl_lines="2" or hl_lines="1-3 5"'),
        (
            'python hl_lines="2-3"',
            'hl_lines="2-3" names line 3, but the code ends before it; name lines of this block',
        ),
        ("samedevice", 'a build writes the fences named "samedevice"; choose another language'),
        ("python title", 'cannot read "title"; write options as key="value"'),
        ("python, title", 'cannot read "python, title"; write a language, then key="value" options'),
        ("pycon", '"pycon" would not be run; write python or text'),
        ("bash", '"bash" would not be run; write console or text'),
        ("Python", '"Python" would not be run; write python or text'),
        (
            'python file="snippets/none.py"',
            'file="snippets/none.py" does not exist; paths start at the repository root',
        ),
        ('python file="snippets"', 'file="snippets" does not exist; paths start at the repository root'),
        ('python file="../outside.py"', 'file="../outside.py" leaves the repository; name a file inside it'),
        ('python file="/etc/hostname"', 'file="/etc/hostname" leaves the repository; name a file inside it'),
        ('console file="snippets/train.py"', 'file= goes with python; write the command as a "$ " line'),
        (
            'python file="snippets/train.py" part="first" args="1"',
            "a part is run as a block of the page and takes no args=; leave one of them out",
        ),
        (
            'python file="snippets/train.py" part="second"',
            'snippets/train.py has no "# region second" that ends with "# endregion"',
        ),
    ],
)
def test_a_fence_that_cannot_be_run_as_it_is_written_is_an_error(
    write: Write, snippets: Path, info: str, message: str
) -> None:
    """A block that is silently not run, or run as something else, is what this project must not have."""
    assert complaint(write, f"# Title\n\n```{info}\n```\n") == f"docs/page.md:3: {message}"


def test_a_fence_that_markdown_does_not_take_for_one_is_an_error(write: Write) -> None:
    """Two of them would swallow the text between, be shown as text, and not be run."""
    found = complaint(write, '```python title="a\nx\n```\n\nText.\n')
    assert found == 'docs/page.md:1: cannot read "title="a"; write options as key="value"'


def test_all_errors_of_a_page_are_told_at_once(write: Write) -> None:
    """An author should not have to build once for each."""
    text = '```python skip="yes" needs="cud"\nx\n```\n\n```bash\nls\n```\n\n```python\nnever closed\n'
    with pytest.raises(PageErrors) as caught:
        write(text)
    assert [(error.line, error.message.partition(";")[0]) for error in caught.value.errors] == [
        (1, 'unknown option skip="yes"'),
        (1, 'needs="cud" names no device'),
        (5, '"bash" would not be run'),
        (9, "this fence is never closed"),
    ]
    assert str(caught.value).count("\n") == 3
    assert str(caught.value).startswith('docs/page.md:1: unknown option skip="yes"')


@pytest.mark.parametrize("character", ["\x00", "\x02", "\x1b", "\x7f"])
def test_code_that_no_page_can_show_is_an_error(write: Write, character: str) -> None:
    """Markdown drops such characters: the code that readers copy would not be the code that was run."""
    found = complaint(write, f"```python\n# one\nx = '{character}'\n```\n")
    told = f"line 3 of docs/page.md holds the control character {ord(character):#04x}, which no page shows"
    assert found == f"docs/page.md:1: {told}; write it as an escape"


def test_code_in_the_prose_of_a_notebook_is_an_error(write: Write) -> None:
    """The site would show it as code, and nothing would ever run it."""
    with pytest.raises(PageError) as caught:
        write("# %% [markdown]\n# Text.\n#\n# ```python\n# x = 1\n# ```\n\n# %%\nx = 1\n", "docs/notebook.py")
    what = 'code in a Markdown cell is never run; put it below a line "# %%"'
    assert str(caught.value) == f"docs/notebook.py:4: {what}"


def test_a_snippet_outside_by_way_of_a_link_leaves_the_repository(
    write: Write, snippets: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A clone elsewhere would not have that file."""
    outside = tmp_path_factory.mktemp("outside") / "x.py"
    outside.write_text("x = 1\n", encoding="utf-8")
    (snippets / "link.py").symlink_to(outside)
    found = complaint(write, '```python file="snippets/link.py"\n```\n')
    assert found == 'docs/page.md:1: file="snippets/link.py" leaves the repository; name a file inside it'


def test_a_snippet_that_is_not_utf_8_is_an_error_at_the_fence(write: Write, snippets: Path) -> None:
    """A traceback of a decoder names neither page nor snippet."""
    (snippets / "latin.py").write_bytes(b"x = 'caf\xe9'\n")
    found = complaint(write, '# Title\n\n```python file="snippets/latin.py"\n```\n')
    assert found.startswith('docs/page.md:3: file="snippets/latin.py"')
    assert "UTF-8" in found


def test_code_beside_a_file_is_an_error(write: Write, snippets: Path) -> None:
    """Only one of the two could be run."""
    found = complaint(write, '```python file="snippets/train.py"\nx = 1\n```\n')
    assert found == 'docs/page.md:1: the code comes from file="snippets/train.py", so the fence must be empty'


def test_an_output_typed_by_hand_is_an_error_at_its_line(write: Write) -> None:
    """Nothing is claimed that was not run."""
    found = complaint(write, "```console\n$ echo a \\\n  b\n\na b\n```\n")
    assert found == 'docs/page.md:5: a console block holds "$ command" lines only; outputs appear by themselves'


def test_an_output_after_a_command_that_ends_in_a_comment_is_found(write: Write) -> None:
    """Each line counts, not only the first."""
    found = complaint(write, "```console\n$ python -V\nPython 3.11\n$ ls\n```\n")
    assert found.startswith("docs/page.md:3: a console block holds")


def test_an_option_given_twice_is_an_error(write: Write) -> None:
    """One of the two would be dropped without a word."""
    assert complaint(write, '```python needs="cuda" needs="mps"\n```\n').startswith("docs/page.md:1: ")


def test_a_file_is_a_program_and_a_part_of_it_a_block(write: Write, snippets: Path) -> None:
    """A whole file has its own process and command line; a part shares the page's namespace and its own lines."""
    infos = ('args="--lr 1"', 'part="first"')
    program, part = write("\n".join(f'```python file="snippets/train.py" {info}\n```\n' for info in infos)).blocks
    assert (program.kind, program.path, program.code_line) == ("program", "snippets/train.py", 1)
    assert program.code.startswith("import sys")
    assert (part.kind, part.code, part.path, part.code_line) == ("python", "a = 1\nb = 2\n", "snippets/train.py", 4)
    assert part.line == 4


def test_blank_lines_at_the_start_of_a_part_count(write: Write, snippets: Path) -> None:
    """Tracebacks must point at the line of the snippet."""
    (part,) = write('```python file="snippets/train.py" part="empty_lines"\n```\n').blocks
    assert (part.code, part.code_line) == ("c = 3\n", 10)


def test_needs_and_raises_are_told_apart_by_device(write: Write) -> None:
    """The same block may fail on one device and work on the other; that is what such pages are about."""
    page = write(
        '```python needs="2 cuda"\n```\n\n```python raises="cuda: RuntimeError, mps: TypeError"\n```\n\n'
        '```python raises="ValueError"\n```\n'
    )
    two, per_device, everywhere = page.blocks
    assert [two.runs_on(device) for device in ("cpu", "cuda", "mps")] == [False, True, False]
    assert two.options.count == 2
    assert [per_device.options.raises_on(device) for device in ("cpu", "cuda", "mps")] == [
        "",
        "RuntimeError",
        "TypeError",
    ]
    assert everywhere.options.raises_on("mps") == "ValueError"


def test_a_binary_file_that_is_only_mentioned_does_no_harm(write: Write, snippets: Path) -> None:
    """A block may name a picture; its bytes are no text."""
    (snippets / "cat.png").write_bytes(b"\x89PNG\r\n\xff\xfe")
    (block,) = write('```python\npath = "snippets/cat.png"\n```\n').blocks
    assert block.kind == "python"


def test_a_page_beside_a_notebook_of_the_same_name_is_an_error(write: Callable[..., Page]) -> None:
    """They would have one address, and overwrite each other's recording."""
    write("# %%\nx = 1\n", "docs/same.py")
    with pytest.raises(
        PageError, match=r"^docs/same\.md:1: same\.py beside it would have the same address and recording"
    ):
        write("# Same\n", "docs/same.md")


def test_a_page_that_is_known_is_not_read_again(write: Write, root: Path) -> None:
    """The end of a run of pytest asks for all pages once more."""
    known = {"docs/page.md": write("```python\nx = 1\n```\n")}
    write("# No code\n", "docs/other.md")
    other, page = readable(root, known=known)
    assert other.path == "docs/other.md"
    assert page is known["docs/page.md"]
