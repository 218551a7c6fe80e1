"""fetching: the address of a page, or a file of this machine, to the `Published` page."""

from __future__ import annotations

import http.client
import re
import time
import urllib.error
import urllib.request
import zlib
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from samedevice.errors import SameDeviceError
from samedevice.exporting.check_export import SUFFIX, Published, PublishedError, published

PATIENCE = 30.0
"""Seconds to wait for a server's answer."""
WHOLE = 120.0
"""Seconds that a download may take."""
LARGEST = 10_000_000
"""Bytes that such a file may have, unpacked. The largest of this site has 85,000."""


TOO_LARGE = f"this is no page that samedevice can check: it has more than {LARGEST:,} bytes"


class FetchError(SameDeviceError):
    """A page that cannot be had: no network, no such page, no such file."""


class _SameHost(urllib.request.HTTPRedirectHandler):
    """Follows a server to another place of its own, and nowhere else."""

    def redirect_request(
        self, req: urllib.request.Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> Any:
        old, new = urlsplit(req.full_url), urlsplit(newurl)
        if new.hostname != old.hostname or new.scheme not in (old.scheme, "https"):
            raise FetchError(f"{req.full_url}: the server leads to {newurl}; if you trust that one, give its address")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def fetched(page: str) -> Published:
    """The page at an address, or in a local file. Raises FetchError."""
    remote = re.match(r"[a-z][a-z0-9+.-]+://", page, re.I) is not None
    text = _download(beside(page)) if remote else _read(Path(page))
    try:
        return published(text)
    except PublishedError as error:
        raise FetchError(f"{page}: {error}") from None


def beside(page: str) -> str:
    """The address of the file beside a page: `x.html#y` has `x.check.json`."""
    address = re.split(r"[?#]", page, maxsplit=1)[0]
    if address.endswith(f".{SUFFIX}"):
        return address
    if re.fullmatch(r"[a-z]+://[^/]+", address, re.I):
        address += "/"
    if address.endswith("/"):
        return f"{address}index.{SUFFIX}"
    return re.sub(r"\.(html|md|py|ipynb)$", "", address) + f".{SUFFIX}"


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise FetchError(f"{path}: {TOO_LARGE}")
        return data.decode()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise FetchError(f"{path}: {reason}; give the address of a page, or a file that ends in .{SUFFIX}") from None


def _download(address: str) -> str:
    if not address.lower().startswith(("http://", "https://")):
        raise FetchError(f"{address}: only addresses that begin with https:// or http:// can be fetched")
    request = urllib.request.Request(address, headers={"Accept-Encoding": "gzip"})
    try:
        with urllib.request.build_opener(_SameHost).open(request, timeout=PATIENCE) as answer:
            return _body(answer).decode()
    except urllib.error.HTTPError as error:
        advice = "copy the page's address from the browser" if error.code == 404 else "try again later"
        raise FetchError(f"{address}: no such page ({error.code} {error.reason}); {advice}") from None
    except urllib.error.URLError as error:
        raise FetchError(f"{address}: the server cannot be reached ({error.reason}); is there a network?") from None
    except (OSError, http.client.HTTPException, ValueError, zlib.error) as error:
        raise FetchError(f"{address}: the download failed ({error or type(error).__name__}); try again") from None


def _body(answer: http.client.HTTPResponse) -> bytes:
    """What a server sends, unpacked as it comes, until a limit is reached. Raises FetchError, OSError or zlib.error."""
    unpacker = zlib.decompressobj(31) if answer.headers.get("Content-Encoding") == "gzip" else None
    data, until = bytearray(), time.monotonic() + WHOLE
    while chunk := answer.read1(65_536):
        data += unpacker.decompress(chunk, LARGEST + 1 - len(data)) if unpacker else chunk
        if len(data) > LARGEST:
            raise FetchError(f"{answer.url}: {TOO_LARGE}")
        if time.monotonic() > until:
            raise FetchError(f"{answer.url}: the download took longer than {WHOLE:g} s; try again later")
    if unpacker and not unpacker.eof:
        raise OSError("the server ended it too early")
    return bytes(data)
