"""Servers that test their clients: one says what it is told to, one never says anything.

with answering({"/api/health": (200, b"true")}) as server:
    ...                 # server.url is http://127.0.0.1:PORT
    server.asked        # [("/api/health", {"Host": ...})]
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Answers = Mapping[str, tuple[int, bytes]]


@dataclass
class Answering:
    """A running server: its address, and what it was asked."""

    url: str
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)


@contextmanager
def answering(answers: Answers) -> Iterator[Answering]:
    """Serve answers by path from this process, or 404; a redirection's body is its target."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            server.asked.append((self.path, dict(self.headers)))
            status, body = answers.get(self.path, (404, b""))
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            if 300 <= status < 400:
                self.send_header("Location", body.decode())
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        server = Answering(f"http://127.0.0.1:{listening.server_address[1]}")
        threading.Thread(target=listening.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield server
        finally:
            listening.shutdown()


@contextmanager
def silent() -> Iterator[str]:
    """The address of a server that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"127.0.0.1:{listening.getsockname()[1]}"
