"""fetching: the published file of a page, from an address or from this machine."""

from __future__ import annotations

import gzip
import http.client
import re
import urllib.error
import urllib.request
from pathlib import Path

from samedevice.errors import SameDeviceError
from samedevice.weaving.check_export import SUFFIX, Published, PublishedError, published

PATIENCE = 30.0
"""Seconds to wait for a server's answer."""
LARGEST = 50_000_000
"""Bytes that such a file may have."""


class FetchError(SameDeviceError):
    """A page that cannot be had: no network, no such page, no such file."""


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
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise FetchError(f"{path}: {reason}; give the address of a page, or a file that ends in .{SUFFIX}") from None


def _download(address: str) -> str:
    if not address.lower().startswith(("http://", "https://")):
        raise FetchError(f"{address}: only addresses that begin with https:// or http:// can be fetched")
    request = urllib.request.Request(address, headers={"Accept-Encoding": "gzip"})
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            data = answer.read(LARGEST)
            packed = answer.headers.get("Content-Encoding") == "gzip"
        return str((gzip.decompress(data) if packed else data).decode())
    except urllib.error.HTTPError as error:
        advice = "copy the page's address from the browser" if error.code == 404 else "try again later"
        raise FetchError(f"{address}: no such page ({error.code} {error.reason}); {advice}") from None
    except urllib.error.URLError as error:
        raise FetchError(f"{address}: the server cannot be reached ({error.reason}); is there a network?") from None
    except (OSError, EOFError, http.client.HTTPException, ValueError) as error:
        raise FetchError(f"{address}: the download failed ({error or type(error).__name__}); try again") from None
