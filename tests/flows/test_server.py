"""`tenkbench up` with a real server, workers and deployments: shell, schedule, cancellation.

The set of versions that a plain resolve gives passes `pip check` and dies here.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen
from uuid import uuid4

import pytest

from deployments.wanted import FAILED_TRIAL, MOVED
from tests.ports import free_port
from tests.servers.serving import serving

PATIENCE_S = 240.0
COMMAND = [sys.executable, "-m", "flows.cli.app"]


class Server:
    """What `tenkbench up` has started on ports and in a folder of the test's own."""

    def __init__(self, folder: Path, alert_url: str) -> None:
        self.folder = folder
        self.lake = folder / "lake"
        self.port = free_port(n=2)
        self.url = f"http://127.0.0.1:{self.port}/api"
        self.environment = {
            **{name: value for name, value in os.environ.items() if name != "TENKBENCH_CONTACT"},
            "TENKBENCH_ALERT_URL": alert_url,
            "PREFECT_HOME": str(folder / "prefect"),
            "PREFECT_API_URL": self.url,
            "PREFECT_LOGGING_LEVEL": "WARNING",
            "PREFECT_WORKER_QUERY_SECONDS": "2",  # for what is scheduled; unset, every 10 s
        }
        self.log = folder / "up.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                self.up(), env=self.environment, stdout=log, stderr=log, start_new_session=True
            )

    def up(self) -> list[str]:
        options = {"--lake": self.lake, "--folder": self.folder / "prefect", "--port": self.port}
        return [*COMMAND, "up", *(str(word) for option in options.items() for word in option)]

    def is_up(self) -> bool:
        assert self.process.poll() is None, self.log.read_text()
        return "Ctrl-C stops everything" in self.log.read_text()

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*COMMAND, *command],
            env=self.environment,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            check=False,
        )

    def ask(self, method: str, path: str, body: object) -> Any:
        json_type = {"Content-Type": "application/json"}
        request = Request(f"{self.url}/{path}", json.dumps(body).encode(), json_type, method=method)
        with urlopen(request, timeout=120) as reply:  # no second try: the UI's form has none either
            return json.loads(reply.read() or b"null")

    def post(self, path: str, body: object) -> Any:
        return self.ask("POST", path, body)

    def runs_of(self, flow: str) -> list[dict]:
        found: list[dict] = self.post("flow_runs/filter", {"flows": {"name": {"any_": [flow]}}})
        return found

    def deployment(self, name: str) -> str:
        (found,) = self.post("deployments/filter", {"deployments": {"name": {"any_": [name]}}})
        return str(found["id"])

    def state_of(self, run: str) -> str:
        (found,) = self.post("flow_runs/filter", {"flow_runs": {"id": {"any_": [run]}}})
        return str(found["state_type"])

    def set_state(self, run: str, **state: str) -> None:
        self.post(f"flow_runs/{run}/set_state", {"state": state})


ASKED_S = 1.0  # between questions to the server, each of which costs it more than to wait


def wait_for(condition, what: str, every_s: float = 0.25) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > deadline:
            pytest.fail(f"waited {PATIENCE_S:.0f} s for {what}")
        time.sleep(every_s)


@pytest.fixture(scope="module")
def alerts() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The address of a webhook, and the alerts that it got."""
    got: list[dict[str, Any]] = []

    class Webhook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Keep the test's output clean."""

    with HTTPServer(("127.0.0.1", 0), Webhook) as webhook:
        threading.Thread(target=webhook.serve_forever, daemon=True).start()
        yield f"json://127.0.0.1:{webhook.server_port}/", got
        webhook.shutdown()


@pytest.fixture(scope="module")
def server(
    prefect_database: Path,
    tmp_path_factory: pytest.TempPathFactory,
    alerts: tuple[str, list[dict[str, Any]]],
) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("up")
    (folder / "prefect").mkdir()
    shutil.copy(prefect_database, folder / "prefect" / "prefect.db")
    found = Server(folder, alerts[0])
    try:
        wait_for(found.is_up, f"the server; its log is {found.log}")
        yield found
    finally:
        if found.process.poll() is None:
            found.process.send_signal(signal.SIGINT)
            found.process.wait(240)


def test_a_failed_run_a_judge_that_fails_its_trial_and_a_model_that_moved_are_alerted(
    server: Server, alerts: tuple[str, list[dict[str, Any]]]
) -> None:
    later = {"state": {"type": "SCHEDULED"}}
    later["state"]["state_details"] = {"scheduled_time": "2999-01-01T00:00:00Z"}  # type: ignore[assignment]
    path = f"deployments/{server.deployment('quarterly-refresh')}/create_flow_run"
    run = server.post(path, later)["id"]
    server.set_state(run, type="FAILED", name="Failed", message="No such quarter")

    related = {
        "prefect.resource.id": f"prefect.deployment.{server.deployment('evaluation')}",
        "prefect.resource.role": "deployment",
        "prefect.resource.name": "evaluation",
    }
    for event, about in ((FAILED_TRIAL, "judge.referee"), (MOVED, "model.ours")):
        its_own = {"prefect.resource.id": f"tenkbench.{about}", "prefect.resource.name": about}
        emitted = {
            "event": event,
            "occurred": datetime.now(UTC).isoformat(),
            "id": str(uuid4()),
            "resource": its_own,
            "related": [related],
            "payload": {"release": "2026Q3", "suite": "faith", "sentence": "It was fooled."},
        }
        server.ask("POST", "events", [emitted])
    got = alerts[1]
    wait_for(lambda: len(got) >= 3, "three alerts")
    titles = sorted(alert["title"] for alert in got)
    assert titles[0] == "Judge judge.referee failed its trial in 2026Q3"
    assert titles[1] == "model.ours moved in faith, 2026Q3"
    assert titles[2].startswith("quarterly-refresh: run ")
    assert titles[2].endswith(" is Failed")
    assert any("No such quarter" in alert["message"] and run in alert["message"] for alert in got)
    assert len(got) == 3


def test_a_scheduled_run_is_done_by_a_worker_and_links_to_its_report(server: Server) -> None:
    deployment = server.deployment("nightly-smoke")
    settings = {
        "lake": str(server.lake),
        "release": "nightly-dev",
        "limit": 1,
        "options": {"pairs": 1},
    }
    # a server that is late with the first makes the second; it makes no two at once
    soon = (datetime.now(UTC) + timedelta(seconds=6)).isoformat()
    often = {"schedule": {"interval": 20, "anchor_date": soon}, "active": True}
    path = f"deployments/{deployment}/schedules"
    (schedule,) = server.post(path, [often | {"parameters": {"run": settings}}])

    begun = {
        "deployment_id": {"any_": [deployment]},
        "state": {"type": {"any_": ["RUNNING", "COMPLETED", "FAILED", "CRASHED"]}},
    }  # without those to come, of which there are a hundred

    def is_in(*states: str) -> bool:
        runs = server.post("flow_runs/filter", {"flow_runs": begun})
        assert not [run for run in runs if run["state_type"] in ("FAILED", "CRASHED")], worker_log(
            server, "cpu"
        )
        return any(run["auto_scheduled"] and run["state_type"] in states for run in runs)

    wait_for(lambda: is_in("RUNNING", "COMPLETED"), "the beginning of a scheduled run", ASKED_S)
    server.ask("DELETE", f"{path}/{schedule['id']}", None)  # one is enough
    wait_for(lambda: is_in("COMPLETED"), "its end", ASKED_S)
    for run in (*server.runs_of("infer"), *server.runs_of("benchmark")):
        if run["state_type"] == "COMPLETED":
            assert {"release:nightly-dev", "suite:failsafeqa", "model:extractive"} <= set(
                run["tags"]
            )
    of_the_key = {"artifacts": {"key": {"any_": ["nightly-dev-failsafeqa-report"]}}}
    shown = server.post("artifacts/filter", of_the_key)[0]["data"]
    report = f"http://127.0.0.1:{server.port + 1}/nightly-dev/failsafeqa.html"
    assert f"which the lake keeps: {report}\n" in shown
    with urlopen(report, timeout=120) as reply:
        assert b"<title>" in reply.read()


def test_a_run_that_is_cancelled_keeps_what_is_in_flight_and_a_retry_goes_on_with_it(
    server: Server, tmp_path: Path
) -> None:
    with serving(delay_ms=100, faults=[{"kind": "hold", "after": 2}]) as model:
        run = evaluate(server, "slow", model.url, tmp_path)

        def is_in(*states: str) -> bool:
            found = server.state_of(run)
            assert found not in {"FAILED", "CRASHED"} - set(states), worker_log(server, "gpu")
            return found in states

        wait_for(lambda: is_in("RUNNING") and model.stats()["received"] >= 3, "calls")
        assert run_processes(server, "gpu")
        server.set_state(run, type="CANCELLING")
        wait_for(lambda: "Stopping: waiting for" in worker_log(server, "gpu"), "the signal")
        model.set_faults([])  # what is in flight is answered now
        wait_for(lambda: is_in("CANCELLED"), "the end of a cancelled run", ASKED_S)
        # the worker reports the process's end as a crash; a run to be retried would get that first
        wait_for(lambda: not run_processes(server, "gpu"), "the end of the cancelled process")
        wait_for(lambda: says_how_to_continue(server, run, "cancel"), "a word in its log", ASKED_S)
        stopped = model.stats()
        assert stopped["gone"] == 0
        assert n_kept(server.lake, "slow") == stopped["received"] == stopped["answered"]
        server.set_state(run, type="SCHEDULED", name="AwaitingRetry")  # the UI's Retry
        wait_for(lambda: is_in("COMPLETED"), "the run after its retry", ASKED_S)
        n_all = n_kept(server.lake, "slow")
        assert stopped["answered"] < n_all == model.stats()["received"]  # none was asked for twice


def evaluate(server: Server, name: str, url: str, folder: Path) -> str:
    """Start an evaluation by a model that takes two calls at once; return its run."""
    models_file = folder / "models.toml"
    models_file.write_text(
        f'[models.{name}]\nengine = "openai"\ndescription = "ours"\n'
        f'base_url = "{url}"\nin_flight = 2\n'
        "prime = false\n"
    )
    where = {"lake": str(server.lake), "release": "nightly-dev", "models_file": str(models_file)}
    path = f"deployments/{server.deployment('evaluation')}/create_flow_run"
    made = server.post(path, {"parameters": {"models": [name], "run": where}})
    return str(made["id"])


def says_how_to_continue(server: Server, run: str, why: str) -> bool:
    found = server.post("logs/filter", {"logs": {"flow_run_id": {"any_": [run]}}})
    return any(why in log["message"] and "Retry continues" in log["message"] for log in found)


def n_kept(lake: Path, model: str) -> int:
    """A model's answers in a lake's journal."""
    with sqlite3.connect(lake / "_ledger" / "journal.sqlite") as journal:
        (n,) = journal.execute("select count(*) from answers where model = ?", [model]).fetchone()
    return int(n)


def worker_log(server: Server, pool: str) -> str:
    return (server.folder / "prefect" / f"worker-{pool}.log").read_text()


def children_of(server: Server) -> dict[int, str]:
    """The processes that `up` has started: number -> command."""
    return _children(server.process.pid)


def run_processes(server: Server, pool: str) -> dict[int, str]:
    """The processes of runs that a pool's worker has started, and has not yet told the end of."""
    (worker,) = [
        pid for pid, command in children_of(server).items() if f"--pool {pool} " in command
    ]
    return _children(worker)


def _children(parent: int) -> dict[int, str]:
    started = subprocess.run(
        ["ps", "-o", "pid=,args=", "--ppid", str(parent)], capture_output=True, text=True
    )
    lines = (line.split(maxsplit=1) for line in started.stdout.splitlines())
    return {int(pid): command for pid, command in lines}


def test_ctrl_c_cancels_runs_keeps_what_is_in_flight_and_ends_it_all(
    server: Server, tmp_path: Path
) -> None:
    """The last test: nothing is up after it."""
    with serving(faults=[{"kind": "hold", "after": 2}]) as model:
        run = evaluate(server, "stopped", model.url, tmp_path)
        wait_for(lambda: model.stats()["received"] >= 3, "calls")
        children = children_of(server)
        assert len(children) == 4  # server, two workers, reports
        n_told = worker_log(server, "gpu").count("Stopping: waiting for")
        server.process.send_signal(signal.SIGINT)
        wait_for(
            lambda: worker_log(server, "gpu").count("Stopping: waiting for") > n_told, "the signal"
        )
        model.set_faults([])  # what is in flight is answered now
        assert server.process.wait(240) == 0
        stopped = model.stats()
    assert n_kept(server.lake, "stopped") == stopped["received"] == stopped["answered"]
    with sqlite3.connect(server.folder / "prefect" / "prefect.db") as database:
        (state,) = database.execute(
            "select state_type from flow_run where id = ?", [run]
        ).fetchone()
        under_way = (
            "select name from flow_run where state_type in ('RUNNING', 'CANCELLING') "
            "and name like '%stopped%'"
        )
        logged = (
            "select message from log where flow_run_id = ? and message like '%Retry continues it%'"
        )
        assert state == "CANCELLED"
        assert database.execute(under_way).fetchall() == []
        assert len(database.execute(logged, [run]).fetchall()) == 1
    for pid in children:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
