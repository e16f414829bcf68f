"""Contents of `deployments/prefect.yaml`, and what a Prefect server lacks of them.

It does not import Prefect, so that `tenkbench doctor` stays fast.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

# Variables with the URL of the reports served over HTTP, and the lake whose `_reports` they are.
REPORTS_URL = "TENKBENCH_REPORTS_URL"
REPORTS_LAKE = "TENKBENCH_REPORTS_LAKE"
# Names of automations; the alerts are there only if somebody gave their address.
SILENT_RUNS = "mark silent runs as crashed"
FAILED_RUNS = "alert: a deployed run failed"
FAILED_TRIALS = "alert: a judge failed its trial"
FAILED_TRIAL = "tenkbench.judge.failed-trial"  # the event of the latter


@dataclass(frozen=True, slots=True)
class WorkPool:
    """A work pool with its limit of concurrent runs and job template."""

    name: str
    runs_at_once: int
    base_job_template: dict[str, Any]


def contents() -> dict[str, Any]:
    """Read `deployments/prefect.yaml`."""
    import yaml

    content: dict[str, Any] = yaml.safe_load(
        files("deployments").joinpath("prefect.yaml").read_text("utf-8")
    )
    return content


def limits() -> dict[str, int]:
    """Return the global concurrency limits: name -> slots."""
    return dict(contents()["definitions"]["limits"])


def pools() -> list[WorkPool]:
    """Return the work pools with their job templates."""
    folder = files("deployments").joinpath("pools")
    return [
        WorkPool(
            name,
            row["runs_at_once"],
            json.loads(folder.joinpath(f"{name}.json").read_text("utf-8")),
        )
        for name, row in contents()["definitions"]["pools"].items()
    ]


def silent_seconds() -> int:
    """Return the seconds without heartbeat that make a run count as crashed."""
    seconds: int = contents()["definitions"]["silent_seconds"]
    return seconds


def wanted() -> dict[str, list[str]]:
    """Return the names of what a server must have, by kind."""
    deployments = contents()["deployments"]
    triggers = [
        trigger["name"] for deployment in deployments for trigger in deployment.get("triggers", ())
    ]
    return {
        "limits": list(limits()),
        "work_pools": [pool.name for pool in pools()],
        "deployments": [deployment["name"] for deployment in deployments],
        "automations": [SILENT_RUNS, *triggers],
    }
