"""Servers that mean harm: what they send is limited while it comes, checked, and shown as text."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from samedevice.exporting.check_export import check_export
from samedevice.integration import fetching
from samedevice.integration.cli import FAILED, main
from samedevice.integration.fetching import FetchError, fetched
from samedevice.pages.page import Page

Serve = Callable[..., str]
Write = Callable[..., Page]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Answers every request with some bytes; returns the address."""
    answer: dict[str, Any] = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            """Send them."""
            self.send_response(answer["status"], answer["reason"])
            for name, value in answer["headers"].items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer["data"])

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()

        def serve(data: bytes, status: int = 200, reason: str = "OK", **headers: str) -> str:
            answer.update(data=data, status=status, reason=reason, headers=headers)
            return f"http://127.0.0.1:{server.server_port}/page.html"

        yield serve
        server.shutdown()


PACKED = {"Content-Encoding": "gzip"}


@pytest.mark.parametrize(
    ("data", "headers", "told"),
    [
        (lambda: gzip.compress(bytes(fetching.LARGEST * 50), 1), PACKED, "has more than 10,000,000 bytes"),
        (b" " * (fetching.LARGEST + 1), {}, "has more than 10,000,000 bytes"),
        (gzip.compress(b'{"a": 1}' * 999)[:-9], PACKED, "the server ended it too early"),
        (b"no gzip", PACKED, "the download failed"),
        (b"\xff\xfe", {}, "the download failed"),
        (b"[" * 1_000_000, {}, "no page that samedevice can check: it is no JSON"),
        (b'{"format": 4}', {}, "no page that samedevice can check: it has no title"),
        (b'{"format": 7}', {}, "another version of samedevice"),
    ],
    ids=["bomb", "flood", "cut", "unpacked", "no text", "deep", "empty", "version"],
)
def test_what_a_server_sends_is_limited_and_checked(
    serve: Serve, data: bytes | Callable[[], bytes], headers: dict[str, str], told: str
) -> None:
    """A bomb of 6.7 GB filled the memory before."""
    with pytest.raises(FetchError, match=told):
        fetched(serve(data() if callable(data) else data, **headers))


@pytest.mark.parametrize("to", ["ftp://127.0.0.1/x", "http://127.0.0.2:9/x", "file:///etc/passwd"])
def test_a_server_leads_to_no_other_one(serve: Serve, to: str) -> None:
    """A person trusts the host whose address he gave."""
    with pytest.raises(FetchError, match=r"the server leads to|no such page"):
        fetched(serve(b"", 302, Location=to))


def test_a_server_may_lead_to_another_place_of_its_own(serve: Serve) -> None:
    """Sites move their pages. This one leads in a circle, which ends."""
    with pytest.raises(FetchError, match="no such page"):
        fetched(serve(b"", 302, Location="/other"))


def test_a_server_that_sends_slowly_is_not_waited_for(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """A byte each second would keep a person waiting for months."""
    monkeypatch.setattr(fetching, "WHOLE", -1.0)
    with pytest.raises(FetchError, match="took longer than"):
        fetched(serve(b"{}"))


def test_a_file_of_this_machine_is_limited_too(tmp_path: Any) -> None:
    """Somebody may have sent it."""
    (tmp_path / "x.check.json").write_bytes(b" " * (fetching.LARGEST + 1))
    with pytest.raises(FetchError, match="has more than"):
        fetched(str(tmp_path / "x.check.json"))


def test_a_status_of_a_server_reaches_the_terminal_as_text(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """It could wipe the screen."""
    assert main(["check", serve(b"", 500, "\x1b[2J\x1b]0;x\x07")]) == FAILED
    assert "␛[2J" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("print(1)  # \x1b[2J\x1b[H\u202e", "print(1)  # ␛[2J␛[H<U+202E>"),
        ("import os; \\", "a block of the page is no Python"),
        ("-" * 200_000 + "1", "a block of the page is no Python"),
        ("\0", "a block of the page is no Python"),
    ],
    ids=["sequences", "syntax", "depth", "NUL"],
)
def test_the_code_of_a_page_is_listed_as_text_before_the_question(
    write: Write,
    serve: Serve,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    code: str,
    told: str,
) -> None:
    """A sequence for terminals could hide the blocks that are about to run."""
    found = json.loads(check_export(write("```python\n1\n```\n"), "Title", {}, []))
    found["blocks"][0] |= {"code": code}
    monkeypatch.setattr("builtins.input", lambda _: "n")
    assert main(["check", serve(json.dumps(found).encode())]) == FAILED
    said = "".join(capsys.readouterr())
    assert told in said
    assert not set("\x1b\u202e\x07") & set(said)
