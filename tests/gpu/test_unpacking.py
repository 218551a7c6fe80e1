"""Archives of other people: what they hold is written below one folder, within limits, or nothing is taken over."""

from __future__ import annotations

import gzip
import io
import sys
import tarfile
from collections.abc import Iterable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import unpacking
from unpacking import ArchiveError, unpack

RECORDED = "tests/recordings/tensors"


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "", size: int = 0) -> tarfile.TarInfo:
    """One entry of an archive."""
    found = tarfile.TarInfo(name)
    found.type, found.linkname, found.size = kind, link, size
    return found


def pack(path: Path, members: Iterable[tarfile.TarInfo]) -> Path:
    """An archive with these entries, each of as many zeros as it says."""
    with tarfile.open(path, "w:gz", compresslevel=1) as packed:
        for one in members:
            packed.addfile(one, io.BytesIO(bytes(one.size)))
    return path


def test_recordings_figures_and_results_are_unpacked(tmp_path: Path) -> None:
    """Folders come with the files in them; empty ones are left out."""
    recorded = ["tests/recordings/index.json", f"{RECORDED}/a@b.json", f"{RECORDED}/a@b@0123.svg"]
    names = [*recorded, "results.json", "claims.json", "record.log", "tests/claims/passed.json"]
    folder = member("tests/recordings/empty", tarfile.DIRTYPE)
    archive = pack(tmp_path / "x.tar.gz", [folder, *(member(name, size=3) for name in names)])
    unpack(archive, tmp_path / "out")
    found = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert sorted(path.relative_to(tmp_path / "out").as_posix() for path in found) == sorted(names)
    assert {path.read_bytes() for path in found} == {bytes(3)}


def climb(outside: Path) -> list[tarfile.TarInfo]:
    """Entries that lead `extractall(filter="data")` of Python 3.11.7 out of its folder (CVE-2025-4517).

    The path of the links is longer than the system resolves, so that the check takes it for one inside.
    """
    long, found, path = "d" * 247, list[tarfile.TarInfo](), "tests/recordings"
    for letter in "abcdefghijklmnop":
        found.append(member(f"{path}/{long}", tarfile.DIRTYPE))
        found.append(member(f"{path}/{letter}", tarfile.SYMTYPE, long))
        path += f"/{long}"
    link = "/".join([*"abcdefghijklmnop", "l" * 254])
    found.append(member(f"tests/recordings/{link}", tarfile.SYMTYPE, "../" * 16))
    found.append(member("tests/recordings/escape", tarfile.SYMTYPE, f"{link}/../../../{outside.name}"))
    found.append(member("tests/recordings/escape/x.json", size=1))
    return found


HOSTILE = {
    "a link": [member(f"{RECORDED}/x.json", tarfile.SYMTYPE, "../../../../secret")],
    "a hard link": [member(f"{RECORDED}/x.json", tarfile.LNKTYPE, "results.json")],
    "a device": [member(f"{RECORDED}/x.json", tarfile.CHRTYPE)],
    "a pipe": [member(f"{RECORDED}/x.json", tarfile.FIFOTYPE)],
    "a way up": [member(f"{RECORDED}/../../../x.json")],
    "a whole path": [member("/tests/recordings/tensors/x.json")],
    "another file": [member("pyproject.toml")],
    "another kind": [member(f"{RECORDED}/x.py")],
    "a Windows path": [member(f"{RECORDED}/..\\..\\x.json")],
    "a line end": [member(f"{RECORDED}/x\n.json")],
    "a file as a folder": [member(f"{RECORDED}/x.json"), member(f"{RECORDED}/x.json/y.json")],
    "a file twice": [member(f"{RECORDED}/x.json")] * 2,
    "a large file": [member(f"{RECORDED}/x.json", size=unpacking.LARGEST + 1)],
    "large files": [member(f"{RECORDED}/{n}.json", size=unpacking.LARGEST) for n in range(11)],
    "folders": [member(f"tests/recordings/{n}", tarfile.DIRTYPE) for n in range(unpacking.MEMBERS + 1)],
    "folders in folders": [member(f"{RECORDED}/{'a/' * 1_500}x.json")],
}


@pytest.mark.parametrize("members", HOSTILE.values(), ids=HOSTILE.keys())
def test_what_is_no_recording_is_refused(members: list[tarfile.TarInfo], tmp_path: Path) -> None:
    """Nothing is written beside the folder, and a bomb does not fill the disk."""
    archive, folder = pack(tmp_path / "x.tar.gz", members), tmp_path / "in/out"
    with pytest.raises(ArchiveError, match=r"x\.tar\.gz: "):
        unpack(archive, folder)
    assert {path.name for path in tmp_path.iterdir()} <= {"x.tar.gz", "in"}
    assert not any(path.is_symlink() for path in folder.rglob("*"))


@pytest.mark.skipif(sys.platform == "win32", reason="needs links")
def test_no_link_leads_out_of_the_folder(tmp_path: Path) -> None:
    """`extractall` of Python 3.11.7 wrote a file beside the folder."""
    (tmp_path / "outside").mkdir()
    with pytest.raises(ArchiveError, match="which is no recording"):
        unpack(pack(tmp_path / "x.tar.gz", climb(tmp_path / "outside")), tmp_path / "out")
    assert list((tmp_path / "outside").iterdir()) == []


def header(size: bytes) -> bytes:
    """The block that begins an entry, which says that it has this size."""
    block = bytearray(member(f"{RECORDED}/x.json").tobuf(tarfile.GNU_FORMAT)[:512])
    block[124:136] = size.ljust(12, b"\0")
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


DAMAGED = {
    "text": b"no archive",
    "a cut stream": gzip.compress(bytes(100_000), 1)[:50],
    "zeros": gzip.compress(b"x" * 5_000),
    "a negative size": gzip.compress(header(b"\xff" * 12) + bytes(1024)),
    "a size of many bytes": gzip.compress(header(b"\x80" + b"\xff" * 11) + bytes(1024)),
    "a size that is no number": gzip.compress(header(b"zzzz") + bytes(1024)),
    "names without end": gzip.compress(member("x" * 99, tarfile.GNUTYPE_LONGNAME).tobuf() * 5_000),
    "a name of 1 GB": gzip.compress(member("x", tarfile.XHDTYPE, size=10**9).tobuf() + bytes(10**6)),
}


@pytest.mark.parametrize("data", DAMAGED.values(), ids=DAMAGED.keys())
def test_a_damaged_archive_is_told(data: bytes, tmp_path: Path) -> None:
    """With its name and what to do, whatever Python raises for it."""
    (tmp_path / "x.tar.gz").write_bytes(data)
    with pytest.raises(
        ArchiveError, match=r"x\.tar\.gz: (this is no archive of record\.sh .*send it again|nothing was taken over)"
    ):
        unpack(tmp_path / "x.tar.gz", tmp_path / "out")


def test_a_bomb_is_not_unpacked_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names of any length count, too: what is limited is all that comes out of the archive."""
    monkeypatch.setattr(unpacking, "WHOLE", 1_000_000)
    long = member("x" * 2_000_000)
    (tmp_path / "x.tar.gz").write_bytes(gzip.compress(long.tobuf(tarfile.GNU_FORMAT)))
    with pytest.raises(ArchiveError, match="unpacks to more than"):
        unpack(tmp_path / "x.tar.gz", tmp_path / "out")
