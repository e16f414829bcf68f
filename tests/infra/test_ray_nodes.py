"""A Ray cluster of three nodes on this machine, started by the commands of infra/ray/cluster.yaml.

Each node has its own loopback address, and GPUs that Ray only counts; our small server stands in
for vLLM.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
HEAD, *WORKERS = "127.0.0.2", "127.0.0.3", "127.0.0.4"
GPUS = 8
PATIENCE_S = 120.0

if (
    "TENKBENCH_TEST_RAY_NODES" not in os.environ
):  # three nodes are twenty processes: not for every run
    pytest.skip("starts a Ray cluster of three nodes: make test-ray", allow_module_level=True)
if sys.platform != "linux":
    pytest.skip("other systems have one loopback address", allow_module_level=True)


def node(
    command: str, address: str, options: str, environment: dict[str, str], folder: Path
) -> subprocess.Popen[bytes]:
    """Start a node as the cluster file does, but from here, in the foreground, with an address."""
    command = command.replace("/opt/tenkbench/bin/ray", str(Path(sys.executable).with_name("ray")))
    ours = f"--block --node-ip-address={address} --object-store-memory=80000000 {options}"
    with (folder / f"{address}.log").open("wb") as log:
        return subprocess.Popen(
            ["bash", "-c", f"{command} {ours}"],
            env=environment | {"RAY_HEAD_IP": HEAD},
            start_new_session=True,
            stdout=log,
            stderr=subprocess.STDOUT,
        )


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a driver saw on a head that takes no work and two workers."""
    config: dict[str, Any] = yaml.safe_load((ROOT / "infra/ray/cluster.yaml").read_text())
    with socket.socket() as free:
        free.bind((HEAD, 0))
        port = str(free.getsockname()[1])
    head = config["head_start_ray_commands"][-1].replace("6379", port)
    head = head.replace(
        " --autoscaling-config=~/ray_bootstrap_config.yaml", ""
    )  # which `ray up` would bring
    worker = config["worker_start_ray_commands"][-1].replace("6379", port)
    token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    environment = (
        os.environ | token | {"RAY_ADDRESS": f"{HEAD}:{port}", "RAY_USAGE_STATS_ENABLED": "0"}
    )
    folder = tmp_path_factory.mktemp("r")
    nodes = [
        node(head, HEAD, f"--include-dashboard=false --temp-dir={folder}", environment, folder)
    ]
    try:
        wait_for_port(int(port))
        options = f"--num-cpus=1 --num-gpus={GPUS}"
        for each in (
            WORKERS
        ):  # one after the other: two that start at once on one machine get in each other's way
            nodes.append(node(worker, each, options, environment, folder))
            wait_for_start(folder / f"{each}.log")
        driver = subprocess.run(
            [sys.executable, "-m", "tests.infra.driver", str(folder)],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
        )
    finally:
        end(nodes)
    logs = "\n".join(file.read_text() for file in folder.glob("*.log"))
    assert driver.returncode == 0, f"{driver.stderr}\n{logs}"
    found: dict[str, Any] = json.loads(driver.stdout.splitlines()[-1])
    return found


def wait_for_port(port: int) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            socket.create_connection((HEAD, port), 1.0).close()
            return
        except OSError:
            assert time.monotonic() < deadline, "Ray's head did not start"
            time.sleep(0.1)


def wait_for_start(log: Path) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while "Ray runtime started" not in log.read_text():
        assert time.monotonic() < deadline, f"a node did not start: {log.read_text()}"
        time.sleep(0.1)


def end(nodes: list[subprocess.Popen[bytes]]) -> None:
    """End them by their groups, with everything that they have started."""
    for each in nodes:
        os.killpg(each.pid, signal.SIGTERM)
    for each in nodes:
        try:
            each.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(each.pid, signal.SIGKILL)
            each.wait()


def test_work_spreads_over_the_workers_and_none_is_done_on_the_head(seen: dict[str, Any]) -> None:
    assert seen["worked_on"] == WORKERS


def test_filings_read_on_the_cluster_are_those_read_here(seen: dict[str, Any]) -> None:
    assert seen["n_filings"] > 0
    assert seen["read_the_same"] is True


def test_servers_on_several_nodes_answer_at_their_nodes_addresses_and_end(
    seen: dict[str, Any],
) -> None:
    assert seen["statuses"] == ["ok"] * 16
    assert Counter(seen["hosts"]) == dict.fromkeys(WORKERS, 1)  # each takes all GPUs of a node
    assert (seen["n_started"], seen["n_left"]) == (2, 0)


def test_doctor_counts_the_nodes_and_their_gpus(seen: dict[str, Any]) -> None:
    outcome, said = seen["doctor"]
    assert outcome == "ok"
    assert said.startswith("3 nodes at ")
    assert said.endswith(f"with {len(WORKERS)} CPUs and {GPUS * len(WORKERS)} GPUs")
