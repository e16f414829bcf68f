"""Against a real Prefect server, with a real worker: a run on demand, and a run on a schedule.

The set of versions that a plain resolve gives passes `pip check` and dies here.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from flows import temporary_server

REPOSITORY = Path(__file__).parents[2]
PREFECT = [sys.executable, "-m", "prefect"]


class Server:
    """A Prefect server of the test's own, on loopback, with its database in a new folder."""

    def __init__(self, home: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/api"
        self.environment = {
            **os.environ,
            "PREFECT_HOME": str(home),
            "PREFECT_API_URL": self.url,
            "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
            "PREFECT_LOGGING_LEVEL": "WARNING",
            "PREFECT_WORKER_QUERY_SECONDS": "2",  # for what is scheduled; unset, every 10 s
        }
        self.processes: list[subprocess.Popen[bytes]] = []

    def start(self, *command: str, log: Path) -> None:
        with log.open("wb") as output:
            self.processes.append(
                subprocess.Popen(
                    command, env=self.environment, stdout=output, stderr=output, start_new_session=True
                )
            )

    def stop(self) -> None:
        for process in reversed(self.processes):
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            env=self.environment,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            check=False,
        )

    def post(self, path: str, body: dict) -> list | dict:
        request = Request(
            f"{self.url}/{path}", json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        with urlopen(request, timeout=10) as reply:
            return json.load(reply)

    def is_healthy(self) -> bool:
        try:
            with urlopen(f"{self.url}/health", timeout=2) as reply:
                return reply.status == 200
        except OSError:
            return False

    def runs_of(self, flow: str) -> list[dict]:
        found = self.post("flow_runs/filter", {"flows": {"name": {"any_": [flow]}}})
        assert isinstance(found, list)
        return found


def wait_for(condition, seconds: float, what: str) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            pytest.fail(f"waited {seconds:.0f} s for {what}")
        time.sleep(0.5)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("prefect")
    found = Server(folder)
    host = ("--host", "127.0.0.1", "--port", str(found.port))
    found.start(*PREFECT, "server", "start", *host, log=folder / "server.log")
    try:
        wait_for(found.is_healthy, 120, f"the server; its log is {folder / 'server.log'}")
        yield found
    finally:
        found.stop()


def test_a_run_shows_on_the_server_with_names_tags_and_tables(server: Server, tmp_path: Path) -> None:
    done = server.run(
        sys.executable,
        "-m",
        "flows.cli",
        "run",
        "--lake",
        str(tmp_path / "lake"),
        "--limit",
        "2",
        "--pairs",
        "1",
    )
    assert done.returncode == 0, done.stderr
    (run,) = server.runs_of("benchmark")
    assert run["name"] == "benchmark dev failsafeqa"
    assert run["state_type"] == "COMPLETED"
    (inferred,) = server.runs_of("infer")
    assert {"release:dev", "suite:failsafeqa", "model:extractive"} <= set(inferred["tags"])
    artifacts = server.post("artifacts/filter", {})
    kinds = {(artifact["type"], artifact["key"]) for artifact in artifacts}
    assert ("table", "dev-failsafeqa-robustness") in kinds
    assert ("progress", "infer-dev-failsafeqa-answer-by-extractive") in kinds


def without_url(server: Server) -> dict[str, str]:
    """The environment of a command that keeps its runs where the server does, but knows of none."""
    return {name: value for name, value in server.environment.items() if name != "PREFECT_API_URL"}


def test_the_temporary_server_answers_once_it_says_its_port_and_ends_with_its_input(server: Server) -> None:
    command = [sys.executable, "-P", temporary_server.__file__]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=without_url(server), stdin=pipe, stdout=pipe, text=True) as started:
        assert started.stdin
        assert started.stdout
        port = int(started.stdout.readline())
        with urlopen(f"http://127.0.0.1:{port}/api/health", timeout=10) as reply:
            assert json.load(reply) is True
        started.stdin.close()
        assert started.wait(20) == 0


def test_a_run_on_a_temporary_server_shows_on_a_later_one_with_tasks_and_logs(
    server: Server, tmp_path: Path
) -> None:
    lake = str(tmp_path / "lake")
    command = [sys.executable, "-m", "flows.cli", "ingest", "--lake", lake, "--release", "alone-dev"]
    environment = {**without_url(server), "PREFECT_LOGGING_LEVEL": "INFO"}
    subprocess.run(command, env=environment, capture_output=True, check=True)
    # the server's database is that of PREFECT_HOME, which the temporary one wrote
    (run,) = [run for run in server.runs_of("ingest") if "release:alone-dev" in run["tags"]]
    assert run["state_type"] == "COMPLETED"
    of_the_run = {"flow_runs": {"id": {"any_": [run["id"]]}}}
    tasks = server.post("task_runs/filter", of_the_run)
    assert tasks
    assert {task["state_type"] for task in tasks} == {"COMPLETED"}
    logs = server.post("logs/filter", {"logs": {"flow_run_id": {"any_": [run["id"]]}}})
    assert any("Finished in state Completed" in line["message"] for line in logs)
    assert server.post("artifacts/filter", of_the_run)


def test_a_scheduled_run_is_made_by_the_scheduler_and_done_by_a_worker(
    server: Server, tmp_path: Path
) -> None:
    made = server.run(*PREFECT, "work-pool", "create", "--type", "process", "cpu")
    assert made.returncode == 0, made.stderr
    file = str(REPOSITORY / "deployments" / "prefect.yaml")
    deployed = server.run(*PREFECT, "deploy", "--all", "--prefect-file", file)
    assert deployed.returncode == 0, deployed.stdout + deployed.stderr
    (deployment,) = server.post("deployments/filter", {})
    settings = {"lake": str(tmp_path / "lake"), "release": "nightly-dev", "limit": 2, "pairs": 1}
    every_quarter_minute = {"schedule": {"interval": 15}, "active": True, "parameters": {"run": settings}}
    server.post(f"deployments/{deployment['id']}/schedules", [every_quarter_minute])
    server.start(*PREFECT, "worker", "start", "--pool", "cpu", log=tmp_path / "worker.log")

    def has_run() -> bool:
        runs = [run for run in server.runs_of("benchmark") if run["deployment_id"] == deployment["id"]]
        assert not [run for run in runs if run["state_type"] in ("FAILED", "CRASHED")], (
            tmp_path / "worker.log"
        ).read_text()
        return any(run["auto_scheduled"] and run["state_type"] == "COMPLETED" for run in runs)

    wait_for(has_run, 180, "a scheduled run")
    assert (tmp_path / "lake" / "metrics" / "release=nightly-dev").is_dir()
