"""The Ray cluster that RAY_ADDRESS names.

Asked by a program of its own, which this file also is: Ray has no time limit on connecting, and writes on the screen.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys

from tasks.compute.ray_cluster import NoCluster, address, connect, n_cpus
from tasks.core.findings import Finding
from tasks.core.http_probe import TIMEOUT_S

LIMIT_S = 15.0
_START = "ray start --head there, or unset RAY_ADDRESS"
_JOIN = "join a node without --num-cpus=0 (`ray start --address=HEAD:6379`), or unset RAY_ADDRESS"


def ray() -> list[Finding]:
    """Whether the cluster lets us in, and its nodes with their CPUs and GPUs."""
    where = address()
    if where is None:
        nothing = "no RAY_ADDRESS: work stays on this machine"
        return [Finding("Ray", "not checked", nothing)]
    host, _, port = where.rpartition(":")
    if port.isdigit() and "/" not in host:
        try:
            socket.create_connection((host, int(port)), TIMEOUT_S).close()
        except OSError as error:
            return [Finding("Ray", "not ok", f"nobody answers at {where}: {error}", _START)]
    try:
        asked = subprocess.run(
            [sys.executable, "-m", __name__],
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        mend = "set RAY_AUTH_MODE=token where the cluster asks for its token; else start it anew"
        return [Finding("Ray", "not ok", f"{where} does not let us in within {LIMIT_S:g} s", mend)]
    if asked.returncode != 0:
        said = (asked.stderr.strip().splitlines() or ["it ended without a word"])[-1]
        return [Finding("Ray", "not ok", said, _START)]
    has = json.loads(asked.stdout.splitlines()[-1])
    found = f"{has['nodes']} nodes at {where}, with {has['CPUs']} CPUs and {has['GPUs']} GPUs"
    if not has["CPUs"]:  # a run would wait for one
        return [Finding("Ray", "not ok", f"{found}: no node takes work", _JOIN)]
    return [Finding("Ray", "ok", found)]


def main() -> None:
    """Print how many nodes, CPUs and GPUs the cluster has, as a JSON object."""
    from tasks.inference.engines.cluster import nodes

    try:
        connect()
    except NoCluster as failed:
        raise SystemExit(str(failed)) from failed
    alive = nodes()
    print(
        json.dumps(
            {"nodes": len(alive), "CPUs": n_cpus(), "GPUs": sum(node.n_gpus for node in alive)}
        )
    )


if __name__ == "__main__":
    main()
