"""The Ray actor that starts and watches one server on its node.

It uses only the standard library, returns only plain values and travels to the node by value, so
neither the node nor an image needs tenkbench.
"""

from __future__ import annotations

import contextlib
import getpass
import json
import os
import select
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

# Seconds that a server has to end by itself before it is killed.
GRACE_S = 15.0

_TAIL_BYTES = 16_384
# Set by Ray, by us or for the actor's interpreter: not for servers of another environment.
_OURS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "PYTHONHOME", "PYTHONPATH")


class ServerActor:
    """One server process at most; `keeper` is the source of `server_keeper`."""

    def __init__(self, keeper: str) -> None:
        self.keeper = keeper
        self.log = ""
        self.process: subprocess.Popen[bytes] | None = None
        self.ending: dict[str, Any] | None = None

    def find_place(
        self, node_address: str | None, log_folder: str | None, log_name: str
    ) -> dict[str, Any]:
        """Choose the server's address and log; return them with this interpreter."""
        host = "127.0.0.1" if node_address is None else node_address
        with socket.socket() as free:
            free.bind((host, 0))
            port = free.getsockname()[1]
        folder = log_folder or os.path.join(
            tempfile.gettempdir(), f"tenkbench-vllm-{getpass.getuser()}"
        )
        os.makedirs(folder, mode=0o700, exist_ok=True)
        self.log = os.path.join(folder, f"{log_name}-{port}.log")
        return {
            "host": host,
            "port": port,
            "python": sys.executable,
            "log": self.log,
            "node": socket.gethostname(),
        }

    def begin(
        self, command: Sequence[str], environment: Mapping[str, str], is_foreign: bool
    ) -> str | None:
        """Start the server, which may use a foreign interpreter; return the error, if any."""
        self.end()
        inherited = {
            name: value for name, value in os.environ.items() if not (is_foreign and name in _OURS)
        }
        config = {
            "command": list(command),
            "environment": inherited | dict(environment),
            "log": self.log,
            "grace_s": GRACE_S,
        }
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", self.keeper],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
            )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(config).encode() + b"\n")
        self.process.stdin.flush()
        self.process.wait()  # the keeper goes on in a process of its own
        news = json.loads(
            self.process.stdout.readline() or b'{"error": "its keeper did not start"}'
        )
        error: str | None = news.get("error")
        self.ending = news if error else None
        return error

    def ended(self) -> dict[str, Any] | None:
        """Return None while the server runs, then its status or error.

        The status is None if it is unknown.
        """
        if self.ending is None and self.process is not None and self.process.stdout is not None:
            if not select.select([self.process.stdout], [], [], 0)[0]:
                return None
            self.ending = json.loads(self.process.stdout.readline() or b'{"status": null}')
        return self.ending

    def tail(self) -> list[str]:
        """Return the last lines of the log."""
        with open(self.log, "rb") as file:
            file.seek(max(0, os.path.getsize(self.log) - _TAIL_BYTES))
            return file.read().decode("utf-8", "replace").splitlines()

    def end(self) -> None:
        """End the server; return when it has ended."""
        if self.process is None or self.process.stdin is None or self.process.stdout is None:
            return
        self.process.stdin.close()
        with contextlib.closing(self.process.stdout) as news:
            news.read()
        self.process = None
