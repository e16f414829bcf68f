"""Start `chat_server.py` as a process of its own for the time of a test.

with serving(delay_ms=20, faults=[{"kind": "429", "share": 0.01}], log=tmp_path / "log") as server:
    ...                 # server.url is http://127.0.0.1:PORT/v1
    server.stats()["received"]
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SCRIPT = Path(__file__).with_name("chat_server.py")
Fault = dict[str, Any]


@dataclass
class Server:
    """A running chat server; `kill` and `start` play one that dies and returns."""

    port: int
    options: Sequence[str]
    log_file: Path | None
    process: subprocess.Popen[str] = field(init=False)

    @property
    def url(self) -> str:
        """Where it answers, up to and including /v1."""
        return f"http://127.0.0.1:{self.port}/v1"

    def start(self) -> None:
        """Start the process, on its previous port if it ran before, and wait until it is ready.

        Raises:
            RuntimeError: it ended without saying where it listens; its own words are on stderr.
        """
        command = [sys.executable, str(SCRIPT), "--port", str(self.port), *self.options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line.startswith("listening on "):
            self.end()
            raise RuntimeError(f"the chat server did not start: {' '.join(command)}")
        self.port = int(line.rsplit(":", 1)[1].removesuffix("/v1\n"))

    def kill(self) -> None:
        """End it at once, as a crash would."""
        self.process.kill()
        self.process.wait()

    def end(self) -> None:
        """End it by its id, if it has not ended itself."""
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()

    def stats(self) -> dict[str, Any]:
        """What it has counted since it started."""
        return dict(self._call("/stats"))

    def last(self) -> dict[str, Any]:
        """`body` of the last chat request, and `has_key`."""
        return dict(self._call("/last"))

    def set_faults(self, faults: Sequence[Fault]) -> None:
        """Replace the fault rules; their counts start anew."""
        self._call("/faults", json.dumps(list(faults)).encode())

    def log(self) -> list[dict[str, Any]]:
        """Every event logged so far, over all its lives."""
        assert self.log_file is not None, "start it with log=FILE"
        whole, _, _ = self.log_file.read_bytes().rpartition(
            b"\n"
        )  # it may be writing the next line
        return [json.loads(line) for line in whole.splitlines()]

    def _call(self, path: str, body: bytes | None = None) -> Any:
        with urllib.request.urlopen(
            self.url.removesuffix("/v1") + path, body, timeout=120
        ) as reply:
            return json.load(reply)


@contextmanager
def serving(
    *,
    delay_ms: float = 0,
    faults: Sequence[Fault] = (),
    log: Path | None = None,
    models: Sequence[str] = ("local",),
    reply: str | None = None,
    reply_rule: str | None = None,
    port: int = 0,
    cache_tokens: int | None = None,
    window: int | None = None,
) -> Iterator[Server]:
    """A chat server that runs while the block does."""
    with tempfile.TemporaryDirectory() as folder:
        faults_file = Path(folder, "faults.json")
        faults_file.write_text(json.dumps(list(faults)))
        options = ["--delay-ms", str(delay_ms), "--faults", str(faults_file)]
        options += [part for model in models for part in ("--model", model)]
        options += [] if reply is None else ["--reply", reply]
        options += [] if reply_rule is None else ["--reply-rule", reply_rule]
        options += [] if log is None else ["--log", str(log)]
        options += [] if cache_tokens is None else ["--cache-tokens", str(cache_tokens)]
        options += [] if window is None else ["--window", str(window)]
        server = Server(port=port, options=options, log_file=log)
        server.start()
        try:
            yield server
        finally:
            server.end()
