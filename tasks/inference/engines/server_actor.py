"""The Ray actor that starts one server on its node and watches it.

It needs the standard library only and travels to the node by value: neither the node nor an image has to
have tenkbench installed. All that it returns are plain values, for the same reason.
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

# What a server has to end itself in, before it is killed.
GRACE_S = 15.0

_TAIL_BYTES = 16_384
# Set by Ray or by us, or meant for the actor's interpreter: a server of another environment must not have them.
_OURS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "PYTHONHOME", "PYTHONPATH")


class ServerActor:
    """One server, at most one process at a time. `keeper` is the source of `server_keeper`."""

    def __init__(self, keeper: str) -> None:
        self.keeper = keeper
        self.log = ""
        self.process: subprocess.Popen[bytes] | None = None
        self.ending: dict[str, Any] | None = None

    def find_place(
        self, node_address: str | None, log_folder: str | None, log_name: str
    ) -> dict[str, Any]:
        """Where the server will listen, which interpreter is here, and where the log will be."""
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
        """Start the server; why it could not be started, or None.

        Args:
            is_foreign: whether the command's interpreter is another than the actor's.
        """
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
        self.process.wait()  # it goes on as a process of its own
        news = json.loads(
            self.process.stdout.readline() or b'{"error": "its keeper did not start"}'
        )
        self.ending = news if "error" in news else None
        error: str | None = news.get("error")
        return error

    def ended(self) -> dict[str, Any] | None:
        """None while the server runs; then its exit status (null where nobody saw it) or the error."""
        if self.ending is None and self.process is not None and self.process.stdout is not None:
            if not select.select([self.process.stdout], [], [], 0)[0]:
                return None
            self.ending = json.loads(self.process.stdout.readline() or b'{"status": null}')
        return self.ending

    def tail(self) -> list[str]:
        """The last lines of the log."""
        with open(self.log, "rb") as file:
            file.seek(max(0, os.path.getsize(self.log) - _TAIL_BYTES))
            return file.read().decode("utf-8", "replace").splitlines()

    def end(self) -> None:
        """End the server, and return when it has ended."""
        if self.process is None or self.process.stdin is None or self.process.stdout is None:
            return
        self.process.stdin.close()
        with contextlib.closing(self.process.stdout) as news:
            news.read()
        self.process = None
