"""unpacking: what an archive of `record.sh` holds, as files in a folder, and nothing beside it.

Somebody else made the archive. Python's own `extractall` follows links out of the folder in some of its versions, and
unpacks without limit. So regular files are written here, each by its name, until a limit is reached.
"""

from __future__ import annotations

import gzip
import io
import re
import shutil
import tarfile
import zlib
from pathlib import Path, PurePosixPath

from samedevice.errors import SameDeviceError
from samedevice.project import RECORDINGS

RESULTS, CLAIMS, LOG = "results.json", "claims.json", "record.log"
PASSED = "tests/claims"
"""The folder of the file that says which claims passed."""
FILES = (RESULTS, CLAIMS, LOG, f"{PASSED}/passed.json")
NAMES = re.compile("|".join([rf"{re.escape(RECORDINGS.as_posix())}/.+\.(?:json|svg)", *map(re.escape, FILES)]))
"""What an archive may hold."""
PART = re.compile(r"[^\x00-\x1f\x7f/\\:]{1,200}")
"""A part of a name, on every system."""
DEPTH = 16
"""How deep a file may be in folders."""
WHOLE = 200_000_000
"""Bytes that an archive may have, unpacked."""
LARGEST = 20_000_000
"""Bytes that one of its files may have."""
MEMBERS = 20_000
"""Files and folders that it may hold."""
ERRORS = (OSError, EOFError, tarfile.TarError, zlib.error, ValueError, OverflowError, RecursionError)
"""What Python raises for an archive that is damaged, or made to break it."""


class ArchiveError(SameDeviceError):
    """A file that is no archive of `record.sh`, or holds what such an archive does not."""


def unpack(archive: Path, folder: Path) -> None:
    """Write the files of an archive into a folder that is empty. Raises ArchiveError."""
    try:
        with gzip.open(archive) as stream:
            data = stream.read(WHOLE + 1)
        if len(data) > WHOLE:
            raise ArchiveError(f"it unpacks to more than {WHOLE:,} bytes")
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as packed:
            for number, member in enumerate(packed, start=1):
                if number > MEMBERS:
                    raise ArchiveError(f"it holds more than {MEMBERS:,} files")
                if not member.isdir():
                    _write(packed, member, folder)
    except ArchiveError as error:
        raise ArchiveError(f"{archive}: nothing was taken over: {error}") from None
    except ERRORS as error:
        raise ArchiveError(f"{archive}: this is no archive of record.sh ({error!r:.200}); send it again") from None


def _write(packed: tarfile.TarFile, member: tarfile.TarInfo, folder: Path) -> None:
    """Write one file. Raises ArchiveError for what is no such file."""
    parts = PurePosixPath(member.name).parts
    known = len(parts) <= DEPTH and all(PART.fullmatch(part) and part != ".." for part in parts)
    if not known or not NAMES.fullmatch(member.name):
        raise ArchiveError(f"it holds {member.name[:100]!r}, which is no recording")
    if not member.isreg() or member.issparse():
        raise ArchiveError(f"it holds {member.name!r} as a link or a device")
    if not 0 <= member.size <= LARGEST:
        raise ArchiveError(f"{member.name!r} has {member.size:,} bytes of at most {LARGEST:,}")
    source, path = packed.extractfile(member), folder / member.name
    assert source is not None
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as target:
        shutil.copyfileobj(source, target)
