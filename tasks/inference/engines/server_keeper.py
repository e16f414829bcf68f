"""The process that ends a server when its Ray actor is gone.

It runs as `python -c SOURCE` on the node, so it needs the standard library only. It leaves the
actor's process group: neither Ctrl-C nor Ray's cleanup reaches it. Its configuration comes through
a pipe from the actor, since arguments are public and the server's environment may hold secrets.
When the actor is gone for any reason, the pipe closes, and the keeper ends the server with its
whole process group. If the keeper itself is killed, Linux ends the server.

It reports in lines of JSON: `{"pid": ...}` once the server runs, or `{"error": ...}` if it could
not be started; then `{"status": ...}` when the server has ended.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import signal
import subprocess
import sys
import time
from typing import Any

_LOOK_EVERY_S = 0.2
_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Start the configured server and keep it while the actor lives."""
    config = json.loads(sys.stdin.readline())
    if os.fork():
        os._exit(0)
    os.setsid()
    # Ray blocks signals in its workers, but a server must receive them
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    try:
        server = _start(config)
    except OSError as error:
        _say({"error": str(error)})
        return
    _say({"pid": server.pid})
    while not _has_ended(server) and _actor_lives():
        pass
    status = _end(server, config["grace_s"])
    _say({"status": status})


def _start(config: dict[str, Any]) -> subprocess.Popen[bytes]:
    with open(config["log"], "ab") as log:
        return subprocess.Popen(
            config["command"],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=config["environment"],
            start_new_session=True,
            preexec_fn=_die_with_parent,
        )


def _die_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _actor_lives() -> bool:
    """Return whether the actor's pipe stays open for a moment."""
    return not select.select([0], [], [], _LOOK_EVERY_S)[0]


def _has_ended(server: subprocess.Popen[bytes]) -> bool:
    """Return whether the server has ended; keep its group id reserved."""
    ended = os.waitid(os.P_PID, server.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    return ended is not None


def _end(server: subprocess.Popen[bytes], grace_s: float) -> int:
    """End the server's process group, SIGTERM first, and return its exit status."""
    deadline = time.monotonic() + grace_s
    if not _has_ended(server):
        os.killpg(server.pid, signal.SIGTERM)
    while not _has_ended(server) and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(server.pid, signal.SIGKILL)
    return server.wait()


def _say(news: dict[str, Any]) -> None:
    try:
        os.write(1, json.dumps(news).encode() + b"\n")
    except BrokenPipeError:  # the actor is gone
        return


if __name__ == "__main__":
    main()
