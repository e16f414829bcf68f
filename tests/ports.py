"""Ports for servers that must be told theirs before they start.

None that the system itself gives out, to a client or for port 0, as another test may then have it.
"""

from __future__ import annotations

import random
import socket
from contextlib import ExitStack
from pathlib import Path

_GIVEN_OUT = Path("/proc/sys/net/ipv4/ip_local_port_range")


def free_port(host: str = "127.0.0.1", n: int = 1) -> int:
    """Return the first of several free ports in a row."""
    end = int(_GIVEN_OUT.read_text().split()[0]) if _GIVEN_OUT.exists() else 32_768
    drawn = random.SystemRandom()
    while True:
        first = drawn.randrange(10_000, end - n)
        try:
            with ExitStack() as held:
                for port in range(first, first + n):
                    held.enter_context(socket.socket()).bind((host, port))
        except OSError:
            continue
        return first
