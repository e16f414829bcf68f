"""All checks of `tenkbench doctor`, run in parallel."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from deployments import server
from flows.cli.doctor import edgar, lake, machine, models, ray_nodes
from tasks.core.findings import Finding
from tasks.lake.cache_folder import cache_folder

# Checks have time limits of their own; these are for checks that hang.
_LIMIT_S = 9.0  # for checks that ask servers, even on a busy machine
_RAY_LIMIT_S = _LIMIT_S + ray_nodes.LIMIT_S  # reached only if RAY_ADDRESS names a cluster
_LOCAL_LIMIT_S = 60.0  # for local checks: a busy machine is not a failure
_S3 = "https://s3.amazonaws.com"
_EDGAR = "https://www.sec.gov/robots.txt"
_THIS_MACHINE = ("localhost", "127.0.0.1", "[::1]")


def examine(
    place: str,
    model: Sequence[str] = (),
    models_file: str | None = None,
    contact: str | None = None,
) -> list[Finding]:
    """Run all checks within seconds, even if servers hang.

    Args:
        place: the lake.
        model: names of models whose servers and keys to check.
        models_file: the user's own models file.
        contact: company and e-mail address that downloads send to EDGAR.

    Raises:
        UnknownModel, WrongModelsFile: a model has no row, or the file is invalid.
    """
    rows = models.of_run(model, models_file)
    lake_limit_s = _LIMIT_S if "://" in place else _LOCAL_LIMIT_S
    checks: list[tuple[str, Callable[[], list[Finding]], float]] = [
        ("Python", machine.python, _LOCAL_LIMIT_S),
        ("packages", machine.packages, _LOCAL_LIMIT_S),
        ("tokenizer", machine.tokenizer, _LOCAL_LIMIT_S),
        ("lake", lambda: lake.lake(place), lake_limit_s),
        (
            "disk",
            lambda: machine.disk(_local_folder(place), is_lake="://" not in place),
            _LOCAL_LIMIT_S,
        ),
        ("clock", lambda: machine.clock(_time_servers(place, contact), contact), _LIMIT_S),
        ("Prefect", server.prefect, _LIMIT_S),
        ("Ray", ray_nodes.ray, _RAY_LIMIT_S),
        ("keys", lambda: models.keys(models_file), _LOCAL_LIMIT_S),
        *(
            (f"model {name}", lambda row=row: models.model(row), _LIMIT_S)
            for name, row in rows.items()
        ),
        ("EDGAR", lambda: edgar.edgar(contact), _LOCAL_LIMIT_S),
    ]
    began = time.monotonic()
    running = [_Running(name, check) for name, check, _ in checks]
    return [
        finding
        for each, (_, _, limit_s) in zip(running, checks, strict=True)
        for finding in each.findings(limit_s - (time.monotonic() - began), limit_s)
    ]


class _Running:
    """A check in a daemon thread, which the program can outrun."""

    def __init__(self, name: str, check: Callable[[], list[Finding]]) -> None:
        self._name = name
        self._check = check
        self._found: list[Finding] | None = None
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._found = self._check()
        except Exception as error:  # `findings` raises it
            self._error = error

    def findings(self, patience_s: float, limit_s: float) -> list[Finding]:
        """Wait for the check; return its findings or one of a timeout.

        Raises:
            Exception: any error of the check.
        """
        self._thread.join(max(0.0, patience_s))
        if self._error is not None:
            raise self._error
        if self._found is None:
            if limit_s == _LOCAL_LIMIT_S:
                busy = f"no answer within {limit_s:g} s: this machine or its disk is busy"
                return [Finding(self._name, "not checked", busy, "run it again later")]
            mend = "run it again; if it fails again, check the server and the network to it"
            return [Finding(self._name, "not ok", f"no answer within {limit_s:g} s", mend)]
        return self._found


def _local_folder(place: str) -> Path:
    """Return where the lake takes space here, without importing the slow boto3."""
    return cache_folder() if "://" in place else Path(place)


def _time_servers(place: str, contact: str | None) -> list[str]:
    """Return URLs of other machines that a run would contact anyway."""
    urls = []
    if prefect := os.environ.get("PREFECT_API_URL"):
        urls.append(f"{prefect.rstrip('/')}/health")
    if place.startswith("s3://"):
        urls.append(lake.s3_endpoint() or _S3)
    if contact is not None:
        urls.append(_EDGAR)
    return [url for url in urls if not any(f"//{name}" in url for name in _THIS_MACHINE)]
