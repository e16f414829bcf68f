"""A Prefect server, workers and our deployments on this machine until Ctrl-C.

Everything listens on loopback only. The server keeps runs in its own folder, not in Prefect's.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from filelock import FileLock, Timeout

from deployments.deploy import common_lake, summary
from deployments.server import deployed
from deployments.wanted import REPORTS_LAKE, REPORTS_URL, pools
from tasks.core.errors import RunFailed, WrongUsage
from tasks.core.http_probe import NoAnswer, ask

_HOST = "127.0.0.1"
_LOOK_S = 0.25
_START_S = 120
_END_S = 45
_CANCEL_S = 60  # a run has 30 s to keep answers in flight; then its worker reports its end
_TRIES = 5  # a busy server may answer late
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_TAIL = 15  # lines of a failed process's log to show
# The caller's variables, which would name another server, its database or its key.
_NOT_OURS = ("PREFECT_API_", "PREFECT_SERVER_", "PREFECT_PROFILE")


class UpFailed(RunFailed):
    """The server ended, was not ready in time, or rejected a deployment."""


class PortTaken(WrongUsage):
    """Another program uses a port that we need."""


def up(lake: str | None, contact: str | None, folder: Path, port: int) -> None:
    """Start everything and run it until Ctrl-C, SIGTERM or SIGHUP.

    Args:
        lake: lake of the deployments, else that of the last time; a local lake's reports are
            served on the next port.
        contact: company and e-mail address that scheduled downloads send to EDGAR.
        folder: folder for the server's database and all logs.
        port: port of Prefect's API and UI.

    Raises:
        PortTaken: another program uses one of the ports.
        UpFailed: it is already up in this folder, the server or a worker ended by itself, or
            deploying failed; the log says why.
    """
    folder.mkdir(parents=True, exist_ok=True)
    ui = f"http://{_HOST}:{port}"
    lock = FileLock(folder / "lock", blocking=False)
    try:
        lock.acquire()
    except Timeout as taken:
        raise UpFailed(
            f"`tenkbench up` already runs in '{folder}'. Stop it first with Ctrl-C, or choose "
            "another --folder."
        ) from taken
    with lock, _Processes(folder) as processes:
        for needed in (port,) if lake and "://" in lake else (port, port + 1):
            _check_free(needed)
        environment = _environment(folder, ui)
        print("Starting Prefect's server ...", flush=True)
        python = (sys.executable, "-m")
        address = ("--host", _HOST, "--port", str(port))
        server = (*python, "flows.cli.sqlite_server", "server", "start", *address)
        processes.start("server", server, environment)
        api = environment["PREFECT_API_URL"]
        processes.wait_until(lambda: _answers(api), "Prefect's server")
        print("Deploying ...", flush=True)
        before = _deployed(api)
        values = {"--lake": lake, "--contact": contact}
        options = tuple(
            word for option, value in values.items() if value for word in (option, value)
        )
        processes.finish("deploy", (*python, "flows.cli.app", "deploy", *options), environment)
        now = _deployed(api)
        for line in summary(before, now):
            print(line)
        processes.before_end = lambda: _cancel_runs(api)
        print(f"Starting {len(pools())} workers ...", flush=True)
        place = common_lake(now)
        assert place is not None  # they are just deployed
        reports = None if "://" in place else Path(place) / "_reports"
        if reports:
            environment |= {REPORTS_URL: f"http://{_HOST}:{port + 1}", REPORTS_LAKE: place}
        for pool in pools():
            name = f"{pool.name} on {socket.gethostname()}"
            worker = (*python, "prefect", "worker", "start", "--pool", pool.name, "--name", name)
            processes.start(f"worker-{pool.name}", worker, environment)
        if reports:
            reports.mkdir(parents=True, exist_ok=True)
            options = ("--bind", _HOST, "--directory", str(reports))
            serve = (*python, "http.server", str(port + 1), *options)
            processes.start("reports", serve, environment)
        print(f"Prefect's UI: {ui}")
        if reports:
            print(f"Reports: {environment[REPORTS_URL]}")
        print(f"To show a command's runs there: export PREFECT_API_URL={ui}/api")
        print(f"Logs: {folder}. Ctrl-C stops everything; the database keeps all runs.", flush=True)
        processes.watch()


def _environment(folder: Path, ui: str) -> dict[str, str]:
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith(_NOT_OURS)
    }
    ours = {
        "PREFECT_HOME": str(folder.resolve()),
        "PREFECT_API_URL": f"{ui}/api",
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "DO_NOT_TRACK": "1",
    }
    return inherited | ours


def _check_free(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((_HOST, port))
        except OSError as error:
            raise PortTaken(
                f"Cannot use port {port} of {_HOST} ({error.strerror}). Another program listens "
                "there, perhaps an earlier server. Choose another --port."
            ) from error


def _answers(api: str) -> bool:
    try:
        deployed(api)
    except NoAnswer:
        return False
    return True


def _deployed(api: str) -> dict[str, dict[str, Any]]:
    try:
        return deployed(api)
    except NoAnswer as failed:
        raise UpFailed(f"Prefect's server {failed}. Start it again.") from failed


def _cancel_runs(api: str) -> None:
    """Cancel our workers' runs, as the UI does, and wait until their states are final.

    A worker that is asked to end kills its runs at once and reports nothing.

    Raises:
        NoAnswer: the server does not answer, or refuses.
    """
    names = [pool.name for pool in pools()]
    in_pools = {"work_pools": {"name": {"any_": names}}}
    cancelled: set[str] = set()

    def runs(chosen: dict[str, Any], *states: str) -> set[str]:
        state = {"state": {"type": {"any_": states}}}
        body = {**chosen, "flow_runs": {**chosen.get("flow_runs", {}), **state}}
        return {row["id"] for row in _asked(f"{api}/flow_runs/filter", body)}

    def end(run_ids: set[str], kind: str) -> None:
        state = {"type": kind, "message": "`tenkbench up` was stopped. Retry continues this run."}
        for run in run_ids:
            _asked(f"{api}/flow_runs/{run}/set_state", {"state": state})
        cancelled.update(run_ids)

    for name in names:  # else a waiting run would begin; the next `deploy` sets the limit again
        _asked(f"{api}/work_pools/{name}", {"concurrency_limit": 0}, "PATCH")
    deadline = time.monotonic() + _CANCEL_S
    while time.monotonic() < deadline:
        end(runs(in_pools, "RUNNING"), "CANCELLING")
        if not runs(in_pools, "RUNNING", "CANCELLING"):
            break
        time.sleep(_LOOK_S)
    end(runs(in_pools, "PENDING", "RUNNING", "CANCELLING"), "CANCELLED")
    parts = {"flow_runs": {"parent_flow_run_id": {"any_": [*cancelled]}}}
    end(runs(parts, "PENDING", "RUNNING"), "CANCELLED")


def _asked(url: str, body: object, method: str | None = None) -> Any:
    """Ask Prefect's server, again if it is late, and return its reply.

    Raises:
        NoAnswer: it does not answer, or refuses.
    """
    for left in reversed(range(_TRIES)):
        try:
            reply = ask(url, body=body, method=method)
            break
        except NoAnswer:
            if not left:
                raise
            time.sleep(_LOOK_S)
    if reply.status >= 400:
        raise NoAnswer(f"answers {reply.status}")
    return reply.json() if reply.body else None


class _Stopped(Exception):
    """A signal asked us to end."""


class _Processes:
    """Processes that start one after another and end together, in reverse order."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.is_stopping = False
        self.before_end: Callable[[], None] | None = None  # called while all still run

    def __enter__(self) -> _Processes:
        for number in _ENDING:
            signal.signal(number, self._stop)
        return self

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> bool:
        if self.running:
            print("\nStopping; runs get 30 s to keep answers in flight ...", flush=True)
        if self.before_end and isinstance(error, _Stopped):
            try:
                self.before_end()
            except NoAnswer as failed:
                print(f"Prefect's server {failed}: runs are killed.", flush=True)
        for process in reversed(self.running.values()):
            _end(process)
        return isinstance(error, _Stopped)

    def _stop(self, number: int, frame: object) -> None:
        self.is_stopping = True

    def start(self, name: str, command: Sequence[str], environment: Mapping[str, str]) -> None:
        """Start a long-running process, whose end is that of all."""
        self.running[name] = self._popen(name, command, environment)

    def finish(self, name: str, command: Sequence[str], environment: Mapping[str, str]) -> None:
        """Start a process that ends by itself, and wait for it."""
        process = self._popen(name, command, environment)
        try:
            self.wait_until(lambda: process.poll() is not None, name)
        finally:
            _end(process)
        if process.returncode:
            raise self._failed(name, process.returncode)

    def _popen(
        self, name: str, command: Sequence[str], environment: Mapping[str, str]
    ) -> subprocess.Popen[bytes]:
        with (self.folder / f"{name}.log").open("ab") as log:
            # its own session, so that Ctrl-C reaches only us and we end processes in order
            return subprocess.Popen(
                command,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def wait_until(self, is_so: Callable[[], bool], what: str) -> None:
        """Wait until `is_so`; raise UpFailed on an end or a timeout."""
        deadline = time.monotonic() + _START_S
        while not is_so():
            self.look()
            if time.monotonic() > deadline:
                raise UpFailed(
                    f"{what} was not ready after {_START_S} s. See the logs in '{self.folder}'."
                )
            time.sleep(_LOOK_S)

    def watch(self) -> NoReturn:
        """Watch the processes until one ends or a signal arrives."""
        while True:
            self.look()
            time.sleep(_LOOK_S)

    def look(self) -> None:
        if self.is_stopping:
            raise _Stopped
        for name, process in self.running.items():
            if process.poll() is not None:
                raise self._failed(name, process.returncode)

    def _failed(self, name: str, status: int) -> UpFailed:
        log = self.folder / f"{name}.log"
        last = "\n".join(log.read_text(errors="replace").splitlines()[-_TAIL:])
        return UpFailed(f"{name} ended with status {status}. The end of {log}:\n{last}")


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(_END_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
