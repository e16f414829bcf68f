"""The process between a Ray actor and the server that it starts: no server outlives its actor.

Run as `python -c SOURCE` on the node, so it needs the standard library only. It leaves the actor's process
group and family: neither Ctrl-C nor Ray's own clearing up reaches it before it has ended the server. It holds
a pipe from the actor, whose only line is its configuration (never an argument: it has the server's environment
in it); when the actor is gone, however it went, the pipe ends, and so does the server with all processes of its
group. Should the keeper itself be killed, Linux ends the server.

What it says, a JSON line each: `{"pid": ...}` once the server runs or `{"error": ...}` where it could not be
started, then `{"status": ...}` when the server has ended by itself.
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
    """Start the server that the configuration describes, and keep it while the actor lives."""
    config = json.loads(sys.stdin.readline())
    if os.fork():
        os._exit(0)
    os.setsid()
    # Ray blocks signals in its workers; a server must hear them
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
    """Wait a moment for the end of the pipe; nothing else comes through it any more."""
    return not select.select([0], [], [], _LOOK_EVERY_S)[0]


def _has_ended(server: subprocess.Popen[bytes]) -> bool:
    """Whether it has ended; it stays a zombie, so that its group's number is not given to others."""
    ended = os.waitid(os.P_PID, server.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    return ended is not None


def _end(server: subprocess.Popen[bytes], grace_s: float) -> int:
    """End the server's whole group, kindly first, and return its exit status."""
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
    except BrokenPipeError:  # the actor is gone, nobody listens
        return


if __name__ == "__main__":
    main()
