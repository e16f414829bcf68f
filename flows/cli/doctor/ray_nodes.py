"""Check of the Ray cluster that RAY_ADDRESS names.

This file is also a program, which runs as a process of its own: Ray connects without a time limit
and writes to the terminal.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys

from tasks.compute.ray_cluster import NoCluster, address, connect, n_cpus, n_gpus_of, nodes
from tasks.core.findings import Finding
from tasks.core.http_probe import TIMEOUT_S

LIMIT_S = 15.0
_START = "run `ray start --head` there, or unset RAY_ADDRESS"
_JOIN = "join a node without --num-cpus=0 (`ray start --address=HEAD:6379`), or unset RAY_ADDRESS"


def ray() -> list[Finding]:
    """Check access to the cluster, and count its nodes, CPUs and GPUs."""
    where = address()
    if where is None:
        nothing = "no RAY_ADDRESS: work stays on this machine"
        return [Finding("Ray", "not checked", nothing)]
    host, _, port = where.rpartition(":")
    if port.isdigit() and "/" not in host:
        try:
            socket.create_connection((host, int(port)), TIMEOUT_S).close()
        except OSError as error:
            return [Finding("Ray", "not ok", f"no answer at {where}: {error}", _START)]
    try:
        process = subprocess.run(
            [sys.executable, "-m", __name__],
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        fix = "set RAY_AUTH_MODE=token if the cluster needs a token; otherwise restart it"
        return [Finding("Ray", "not ok", f"no access to {where} within {LIMIT_S:g} s", fix)]
    if process.returncode != 0:
        last_line = (process.stderr.strip().splitlines() or ["it ended without a message"])[-1]
        return [Finding("Ray", "not ok", last_line, _START)]
    has = json.loads(process.stdout.splitlines()[-1])
    outcome = f"{has['nodes']} nodes at {where}, with {has['CPUs']} CPUs and {has['GPUs']} GPUs"
    if not has["CPUs"]:  # a run would wait forever
        return [Finding("Ray", "not ok", f"{outcome}: no node takes work", _JOIN)]
    return [Finding("Ray", "ok", outcome)]


def main() -> None:
    """Print the cluster's numbers of nodes, CPUs and GPUs as JSON."""
    try:
        connect()
    except NoCluster as failed:
        raise SystemExit(str(failed)) from failed
    alive = nodes()
    n_gpus = sum(map(n_gpus_of, alive))
    print(json.dumps({"nodes": len(alive), "CPUs": n_cpus(), "GPUs": n_gpus}))


if __name__ == "__main__":
    main()
