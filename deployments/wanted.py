"""Contents of `deployments/prefect.yaml`, and what a Prefect server lacks of them.

It does not import Prefect, so that `tenkbench doctor` stays fast.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
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


@cache
def _definitions() -> dict[str, Any]:
    definitions: dict[str, Any] = contents()["definitions"]
    return definitions


def limits() -> dict[str, int]:
    """Return the global concurrency limits: name -> slots."""
    return dict(_definitions()["limits"])


def pools() -> list[WorkPool]:
    """Return the work pools with their job templates."""
    folder = files("deployments").joinpath("pools")
    return [
        WorkPool(
            name,
            row["runs_at_once"],
            json.loads(folder.joinpath(f"{name}.json").read_text("utf-8")),
        )
        for name, row in _definitions()["pools"].items()
    ]


def silent_seconds() -> int:
    """Return the seconds without heartbeat that make a run count as crashed."""
    seconds: int = _definitions()["silent_seconds"]
    return seconds


def wanted() -> dict[str, dict[str, dict[str, Any]]]:
    """Return what a server must have: kind -> name -> values in Prefect's API."""
    deployments = contents()["deployments"]
    triggers = [
        trigger["name"] for deployment in deployments for trigger in deployment.get("triggers", ())
    ]
    return {
        "limit": {name: {"active": True, "limit": slots} for name, slots in limits().items()},
        "work pool": {
            pool.name: {
                "is_paused": False,
                "concurrency_limit": pool.runs_at_once,
                "status": "READY",
            }
            for pool in pools()
        },
        "deployment": {deployment["name"]: {} for deployment in deployments},
        "automation": {name: {"enabled": True} for name in (SILENT_RUNS, *triggers)},
    }


def faults(kind: str, objects: Iterable[Mapping[str, Any]]) -> list[str]:
    """Describe what a server lacks of one kind.

    Args:
        kind: a key of `wanted`.
        found: the server's rows of this kind.
    """
    there = {row["name"]: row for row in objects}
    wrong = []
    for name, values in wanted()[kind].items():
        if name not in there:
            wrong.append(f"no {kind} {name}")
            continue
        has = there[name]
        wrong += [
            f"{kind} {name}: {field} is {has[field]}, not {value}"
            for field, value in values.items()
            if has[field] != value
        ]
    return wrong
