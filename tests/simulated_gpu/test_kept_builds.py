"""Building once: the key, the lock, and what is said where it cannot be built."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from simulated_gpu import MachineError, builder
from simulated_gpu.installed import Torch


@pytest.fixture
def torch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Torch:
    """A PyTorch whose version file can be changed, with an empty cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "version.py").write_text("__version__ = '2.13.0+cu130'")
    return Torch(tmp_path / "torch", "2.13.0+cu130", "13.0")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A source file."""
    path = tmp_path / "source.cpp"
    path.write_text("int one() { return 1; }")
    return path


def write(folder: Path) -> None:
    (folder / "result").write_text("built")


def killed(folder: Path) -> None:
    """Leave a build as a process does that is killed."""
    folder.rename(folder.with_name(f"{folder.name}-left"))
    raise SystemExit


def test_what_was_built_is_not_built_again(torch: Torch, source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The first use takes a minute, and says why; the others must not."""
    folder = builder.kept("x", torch, [source], write)
    assert (folder / "result").read_text() == "built"
    assert capsys.readouterr().err == "simulated_gpu: compiling x for PyTorch 2.13.0+cu130: about 20 seconds, once\n"
    assert builder.kept("x", torch, [source], lambda folder: pytest.fail("built again")) == folder
    assert capsys.readouterr().err == ""


def test_a_changed_source_and_another_pytorch_are_built_anew(torch: Torch, source: Path) -> None:
    """A result depends on nothing but its key, so all that it depends on has to be in the key."""
    first = builder.kept("x", torch, [source], write)
    source.write_text("int one() { return 2; }")
    second = builder.kept("x", torch, [source], write)
    (torch.folder / "version.py").write_text("__version__ = '2.13.0+cu132'")
    third = builder.kept("x", torch, [source], write)
    assert len({first, second, third}) == 3


def test_code_that_is_in_no_file_is_kept_too_and_not_announced(
    torch: Torch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A kernel that a program writes takes a moment, and its output is the program's."""
    first = builder.kept_code("x", torch, "one", write)
    assert builder.kept_code("x", torch, "one", lambda folder: pytest.fail("built again")) == first
    assert builder.kept_code("x", torch, "two", write) != first
    assert capsys.readouterr().err == ""


def test_the_compilers_complaint_is_in_english(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its first error is looked for by the word."""
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    source = tmp_path / "source.cpp"
    source.write_text("int one() { return two; }")
    assert "error: 'two' was not declared" in builder.complaint(["-fsyntax-only", str(source)])
    source.write_text("int one() { return 1; }")
    assert builder.complaint(["-fsyntax-only", str(source)]) == ""


def test_a_build_that_fails_leaves_nothing(torch: Torch, source: Path) -> None:
    """Half a library must not be found by the next process."""
    source.write_text("this is no C++")
    with pytest.raises(MachineError, match="the compiler could not build"):
        builder.kept("x", torch, [source], lambda folder: builder.compile_with(["-c", str(source)]))
    assert [path.suffix for path in builder.cache_folder().iterdir()] == [".lock"]


def test_what_a_killed_process_left_is_removed(torch: Torch, source: Path) -> None:
    """A build takes hundreds of megabytes while it runs."""
    with pytest.raises(SystemExit):
        builder.kept("x", torch, [source], killed)
    left = next(builder.cache_folder().glob(f"{builder.UNFINISHED}x-*"))
    builder.kept("y", torch, [source], write)
    assert left.exists(), "another process may be at it"
    builder.kept("x", torch, [source], write)
    assert not left.exists()


def test_another_build_does_not_wait(torch: Torch, source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A kernel of a program's waited for another version's build, for minutes and without a word."""

    def build_another(folder: Path) -> None:
        write(folder)
        builder.kept("y", torch, [source], write)

    builder.kept("x", torch, [source], build_another)
    assert "waits" not in capsys.readouterr().err


def test_who_waits_for_a_build_says_so(torch: Torch, source: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Two processes of a test run start at the same time, and the second seems to hang."""
    begun = threading.Event()

    def build(folder: Path) -> None:
        begun.set()
        while "waits" not in capfd.readouterr().err:
            time.sleep(0.01)
        write(folder)

    first = threading.Thread(target=lambda: builder.kept("x", torch, [source], build))
    first.start()
    begun.wait()
    builder.kept("x", torch, [source], lambda folder: pytest.fail("built twice"))
    first.join()


def test_a_compiler_that_is_old_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The errors of PyTorch's headers say nothing of it."""
    monkeypatch.setattr(builder, "OLD", 10**6)
    with pytest.raises(MachineError, match=r"g\+\+ \d+.* may be too old for PyTorch's headers. Install"):
        builder.compile_with(["-c", "/nowhere.cpp"])


def test_a_missing_compiler_is_named_with_how_to_install_it(
    torch: Torch, source: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Slim containers have no compiler."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MachineError, match=r"no g\+\+ here. Install the compiler: apt-get install g\+\+"):
        builder.kept("x", torch, [source], write)


def test_a_cache_that_cannot_be_written_is_named(torch: Torch, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home folder may be read-only; another folder can be chosen."""
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/nowhere")
    with pytest.raises(MachineError, match="Set XDG_CACHE_HOME"):
        builder.kept("x", torch, [source], write)
