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
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
from filelock import FileLock, Timeout

from deployments.deploy import common_lake, deploy
from deployments.server import deployed, prefect_api
from deployments.wanted import REPORTS_LAKE, REPORTS_URL, pools
from tasks.core.errors import RunFailed, WrongUsage
from tasks.core.http_probe import NoAnswer

if TYPE_CHECKING:
    from prefect import State
    from prefect.client.schemas.objects import FlowRun

_HOST = "127.0.0.1"
_LOOK_S = 0.25
_START_S = 120
_END_S = 45
_CANCEL_S = 60  # a run has 30 s to keep answers in flight; then its worker reports its end
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_TAIL = 15  # lines of a failed process's log to show
# The caller's variables, which would name another server, its database or its key.
_NOT_OURS = ("PREFECT_API_", "PREFECT_SERVER_", "PREFECT_PROFILE")
_CANCELLED = "`tenkbench up` was stopped. Retry continues this run."


class UpFailed(RunFailed):
    """The server ended, or was not ready in time."""


class PortTaken(WrongUsage):
    """Another program uses a port that we need."""


def up(
    lake: str | None, contact: str | None, alert_url: str | None, folder: Path, port: int
) -> None:
    """Start everything and run it until Ctrl-C, SIGTERM or SIGHUP.

    Args:
        lake: lake of the deployments, else that of the last time; a local lake's reports are
            served on the next port.
        contact: company and e-mail address that scheduled downloads send to EDGAR.
        alert_url: where to send alerts, as Apprise writes it.
        folder: folder for the server's database and all logs.
        port: port of Prefect's API and UI.

    Raises:
        DeployFailed, WrongAlertUrl: see `deploy`.
        PortTaken: another program uses one of the ports.
        UpFailed: it is already up in this folder, or the server or a worker ended by itself; the
            log says why.
    """
    folder.mkdir(parents=True, exist_ok=True)
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
        ui = f"http://{_HOST}:{port}"
        _name_our_server(folder, ui)
        print("Starting Prefect's server ...", flush=True)
        address = ("--host", _HOST, "--port", str(port))
        processes.start("server", "flows.cli.sqlite_server", "server", "start", *address)
        processes.wait_until(lambda: prefect_api().ok, "Prefect's server")
        print("Deploying ...", flush=True)
        for line in deploy(lake, contact, alert_url):
            print(line)
        processes.is_deployed = True
        reports = _reports_to_serve(port + 1)
        print(f"Starting {len(pools())} workers ...", flush=True)
        for pool in pools():
            name = f"{pool.name} on {socket.gethostname()}"
            worker = ("worker", "start", "--pool", pool.name, "--name", name)
            processes.start(f"worker-{pool.name}", "prefect", *worker)
        print(f"Prefect's UI: {ui}")
        if reports:
            options = ("--bind", _HOST, "--directory", str(reports))
            processes.start("reports", "http.server", str(port + 1), *options)
        where = os.environ[REPORTS_URL] if reports else "in the lake's _reports (S3 is not served)"
        print(f"Reports: {where}")
        print(f"To show a command's runs there: export PREFECT_API_URL={ui}/api")
        print(f"Logs: {folder}. Ctrl-C stops everything; the database keeps all runs.", flush=True)
        while True:
            processes.look()
            time.sleep(_LOOK_S)


def _name_our_server(folder: Path, ui: str) -> None:
    """Set Prefect's variables, here and for the processes to start."""
    for name in [name for name in os.environ if name.startswith(_NOT_OURS)]:
        del os.environ[name]
    os.environ |= {
        "PREFECT_HOME": str(folder.resolve()),
        "PREFECT_API_URL": f"{ui}/api",
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "DO_NOT_TRACK": "1",
    }


def _reports_to_serve(port: int) -> Path | None:
    """Make a local lake's folder of reports, and tell runs its address; None if it is on S3."""
    try:
        lake = common_lake(deployed())
    except NoAnswer as failed:
        raise UpFailed(f"Prefect's server {failed}. Start it again.") from failed
    if lake is None or "://" in lake:
        return None
    os.environ |= {REPORTS_URL: f"http://{_HOST}:{port}", REPORTS_LAKE: lake}
    reports = Path(lake) / "_reports"
    reports.mkdir(parents=True, exist_ok=True)
    return reports


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


def _cancel_runs() -> None:
    """Cancel our workers' runs, as the UI does, and wait until their states are final.

    A worker that is asked to end kills its runs at once and reports nothing.
    """
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.actions import WorkPoolUpdate
    from prefect.client.schemas.filters import FlowRunFilter, WorkPoolFilter
    from prefect.states import Cancelled, Cancelling

    names = [pool.name for pool in pools()]
    in_pools = WorkPoolFilter.model_validate({"name": {"any_": names}})
    cancelled: list[FlowRun] = []
    with get_client(sync_client=True) as client:

        def runs(*states: str, **of_parts: Any) -> list[FlowRun]:
            chosen = {"state": {"type": {"any_": states}}, **of_parts}
            return client.read_flow_runs(
                flow_run_filter=FlowRunFilter.model_validate(chosen),
                work_pool_filter=None if of_parts else in_pools,
            )

        def end(chosen: list[FlowRun], state: State[None]) -> None:
            for run in chosen:
                client.set_flow_run_state(run.id, state)
            cancelled.extend(chosen)

        for name in names:  # else a waiting run would begin; the next `deploy` sets the limit again
            client.update_work_pool(name, WorkPoolUpdate(concurrency_limit=0))
        deadline = time.monotonic() + _CANCEL_S
        while runs("RUNNING", "CANCELLING") and time.monotonic() < deadline:
            end(runs("RUNNING"), Cancelling(message=_CANCELLED))
            time.sleep(_LOOK_S)
        end(runs("PENDING", "RUNNING", "CANCELLING"), Cancelled(message=_CANCELLED))
        parents = {"any_": [run.id for run in cancelled]}
        end(runs("PENDING", "RUNNING", parent_flow_run_id=parents), Cancelled(message=_CANCELLED))


class _Stopped(Exception):
    """A signal asked us to end."""


class _Processes:
    """Processes that start one after another and end together, in reverse order."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.is_stopping = False
        self.is_deployed = False  # so that workers may have runs

    def __enter__(self) -> _Processes:
        for number in _ENDING:
            signal.signal(number, self._stop)
        return self

    def __exit__(self, *_: object) -> bool:
        if self.running:
            print("\nStopping; runs get 30 s to keep answers in flight ...", flush=True)
        try:
            if self.is_deployed and self.is_stopping:
                _cancel_runs()
        except httpx.HTTPError as failed:  # the signal may have ended the server, too
            print(f"Runs were not cancelled: {failed}. They end as they are.", flush=True)
        finally:
            for process in reversed(self.running.values()):
                _end(process)
        return self.is_stopping

    def _stop(self, number: int, frame: object) -> None:
        self.is_stopping = True

    def start(self, name: str, module: str, *options: str) -> None:
        """Start a long-running Python module, whose end is that of all."""
        with (self.folder / f"{name}.log").open("ab") as log:
            # its own session, so that Ctrl-C reaches only us and we end processes in order
            self.running[name] = subprocess.Popen(
                (sys.executable, "-m", module, *options),
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

    def look(self) -> None:
        """Raise if a signal arrived or a process has ended."""
        if self.is_stopping:
            raise _Stopped
        for name, process in self.running.items():
            if process.poll() is not None:
                log = self.folder / f"{name}.log"
                last = "\n".join(log.read_text(errors="replace").splitlines()[-_TAIL:])
                raise UpFailed(
                    f"{name} ended with status {process.returncode}. The end of {log}:\n{last}"
                )


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(_END_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
