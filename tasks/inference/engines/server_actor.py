"""The Ray actor that starts and watches one server on its node.

It uses only the standard library, returns only plain values and travels to the node by value, so
neither the node nor an image needs tenkbench.
"""

from __future__ import annotations

import contextlib
import getpass
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from typing import Any

# Seconds that a server has to end by itself before it is killed.
GRACE_S = 15

_TAIL_BYTES = 16_384
# Set by Ray, by us or for the actor's interpreter: not for servers of another environment.
_OURS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "PYTHONHOME", "PYTHONPATH")
# The shell becomes the server. What it leaves in the background reads a pipe from the actor: when
# the actor is gone, for whatever reason, the pipe closes, and the whole process group is ended.
_START = f"""
exec 3<&0
(trap '' TERM; cat <&3; kill -TERM 0; sleep {GRACE_S}; kill -KILL 0) &
exec "$@" </dev/null 3<&-
"""


class ServerActor:
    """One server process at most."""

    def __init__(self) -> None:
        self.log = ""
        self.process: subprocess.Popen[bytes] | None = None

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
    ) -> None:
        """Start the server, which may use a foreign interpreter."""
        self.end()
        inherited = {
            name: value for name, value in os.environ.items() if not (is_foreign and name in _OURS)
        }
        # Ray blocks signals in its workers, but a server must receive them
        blocked = signal.pthread_sigmask(signal.SIG_SETMASK, [])
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                ["/bin/sh", "-c", _START, "sh", *command],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                env=inherited | dict(environment),
                start_new_session=True,  # neither Ctrl-C nor Ray's cleanup reaches it
            )
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        threading.Thread(target=self.process.wait, daemon=True).start()  # leaves no zombie

    def ended(self) -> int | None:
        """Return None while the server runs, then its exit status."""
        return None if self.process is None else self.process.poll()

    def tail(self) -> list[str]:
        """Return the last lines of the log."""
        with open(self.log, "rb") as file:
            file.seek(max(0, os.path.getsize(self.log) - _TAIL_BYTES))
            return file.read().decode("utf-8", "replace").splitlines()

    def end(self) -> None:
        """End the server with what it has started; return when it has ended."""
        if self.process is None or self.process.stdin is None:
            return
        self.process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(GRACE_S)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.process = None
