"""A program: what a driver on a Ray cluster of three nodes sees. Prints one JSON object.

`python -m tests.infra.driver FOLDER` with RAY_ADDRESS and the cluster's token in the environment.
It is a program of its own because Ray asks for its token once per process.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from flows.cli.doctor.ray_nodes import ray
from tasks.compute.ray_cluster import connect, nodes
from tasks.compute.workers import spread
from tasks.filings.reader.files import find_files
from tasks.filings.reader.reading import FilingSource, read_filing
from tasks.filings.samples import sample_folder
from tasks.inference.engines.vllm import Vllm, end_fleets, fleet_of
from tasks.models.catalogue import Model, ServerLayout
from tests.calls import answers, group_of
from tests.servers.served import pids, runs, served

N_NODES = 3
PATIENCE_S = 120.0


def main(folder: Path) -> None:
    """Connect, wait for all nodes, run doctor, spread work, read filings, ask servers, end them."""
    connect()
    deadline = time.monotonic() + PATIENCE_S
    while len(nodes()) < N_NODES:
        assert time.monotonic() < deadline, "the nodes did not join"
        time.sleep(0.1)
    print(json.dumps(doctor() | work() | filings() | servers(folder)))


def doctor() -> dict[str, Any]:
    """What `tenkbench doctor` says of the cluster."""
    (finding,) = ray()
    return {"doctor": [finding.outcome, finding.found]}


def work() -> dict[str, Any]:
    """Where work is done."""
    return {"worked_on": sorted(set(spread(node_address, range(40))))}


def node_address(_: int) -> str:
    """The address of the node that this runs on."""
    import ray.util

    time.sleep(0.05)
    address: str = ray.util.get_node_ip_address()
    return address


def filings() -> dict[str, Any]:
    """Whether filings are read there as they are here."""
    paths = find_files(sample_folder())
    sources = [
        FilingSource(uri=path.name, data=path.read_bytes(), encoding="cl100k_base")
        for path in paths
    ]
    there = list(spread(read_filing, sources))
    return {
        "n_filings": len(there),
        "read_the_same": there == [read_filing(source) for source in sources],
    }


def servers(folder: Path) -> dict[str, Any]:
    """Start servers on all GPUs of a node: report their addresses, answers and remains."""
    layout = ServerLayout(tensor_parallel=8, replicas=2)
    model = replace(served(folder, options=("--host", "{host}")), layout=layout)
    calls = [call for number in range(8) for call in group_of(f"Report {number}. " * 40, 2, model)]
    statuses = [response.status for response in answers(Vllm(model), calls)]
    hosts = asyncio.run(hosts_of(model))
    started = pids(folder)
    end_fleets()
    return {
        "statuses": statuses,
        "hosts": hosts,
        "n_started": len(started),
        "n_left": sum(map(runs, started)),
    }


async def hosts_of(model: Model) -> list[str]:
    """The addresses that the model's servers listen on."""
    fleet = await fleet_of(model)
    return [server.place["host"] for server in fleet.servers]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
