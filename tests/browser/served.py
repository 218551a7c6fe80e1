"""The built site as GitHub Pages serves it: below the repository's name, compressed, with its 404 page."""

from __future__ import annotations

import contextlib
import gzip
import threading
from collections.abc import Iterator
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from mimetypes import guess_type
from pathlib import Path
from urllib.parse import unquote, urlsplit

NAME = "same-device"
COMPRESSED = ("text/", "application/javascript", "application/json", "application/xml", "image/svg+xml")


@cache
def compressed(path: Path) -> bytes:
    """A file's bytes as they are sent."""
    return gzip.compress(path.read_bytes(), 6)


def handler(site: Path, name: str) -> type[BaseHTTPRequestHandler]:
    """A class that answers requests for files of `site` below /name/."""

    class Pages(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            """Send a file, or the page for what is not there."""
            path = unquote(urlsplit(self.path).path)
            file = site / path.removeprefix(f"/{name}/") if path.startswith(f"/{name}/") else site / "no-such-file"
            file = file / "index.html" if file.is_dir() else file
            self._send(file, 200) if file.is_file() else self._send(site / "404.html", 404)

        def _send(self, file: Path, status: int) -> None:
            kind = guess_type(file.name)[0] or "application/octet-stream"
            small = kind.startswith(COMPRESSED)
            body = compressed(file) if small else file.read_bytes()
            self.send_response(status)
            self.send_header("Content-Type", f"{kind}; charset=utf-8" if small else kind)
            if small:
                self.send_header("Content-Encoding", "gzip")
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Cache-Control", "max-age=600")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Pages


@contextlib.contextmanager
def served(site: Path, name: str = NAME) -> Iterator[str]:
    """The address of the site, while it is served."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler(site, name)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/{name}/"
        server.shutdown()
