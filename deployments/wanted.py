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
SILENT_RUNS = "runs that have gone silent are crashed"  # an automation's name


@dataclass(frozen=True, slots=True)
class Pool:
    """A work pool with its limit of concurrent runs and job template."""

    name: str
    runs_at_once: int
    base_job_template: dict[str, Any]


def contents() -> dict[str, Any]:
    """Read `deployments/prefect.yaml`."""
    import yaml

    found: dict[str, Any] = yaml.safe_load(
        files("deployments").joinpath("prefect.yaml").read_text("utf-8")
    )
    return found


@cache
def _definitions() -> dict[str, Any]:
    definitions: dict[str, Any] = contents()["definitions"]
    return definitions


def limits() -> dict[str, int]:
    """Return the global concurrency limits: name -> slots."""
    return dict(_definitions()["limits"])


def pools() -> list[Pool]:
    """Return the work pools with their job templates."""
    folder = files("deployments").joinpath("pools")
    return [
        Pool(
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


def deployments() -> list[str]:
    """Return the names of the deployments."""
    return [deployment["name"] for deployment in contents()["deployments"]]


def automations() -> list[str]:
    """Return the names of the automations: for silent runs and for deployments."""
    triggers = [
        each for deployment in contents()["deployments"] for each in deployment.get("triggers", ())
    ]
    return [SILENT_RUNS, *(trigger["name"] for trigger in triggers)]


def missing_limits(found: Iterable[Mapping[str, Any]]) -> list[str]:
    """Describe each fault of a server's global concurrency limits.

    Args:
        found: the reply of `POST /v2/concurrency_limits/filter`.
    """
    there = {limit["name"]: limit for limit in found}
    wrong = []
    for name, slots in limits().items():
        limit = there.get(name)
        if limit is None:
            wrong.append(f"no limit {name}: it is not enforced")
        elif not limit["active"]:
            wrong.append(f"limit {name} is switched off: it is not enforced")
        elif limit["limit"] != slots:
            wrong.append(f"limit {name} has {limit['limit']} slots, not {slots}")
    return wrong


def missing_pools(found: Iterable[Mapping[str, Any]]) -> list[str]:
    """Describe each fault of a server's work pools.

    Args:
        found: the reply of `POST /work_pools/filter`.
    """
    there = {pool["name"]: pool for pool in found}
    wrong = []
    for pool in pools():
        has = there.get(pool.name)
        if has is None:
            wrong.append(f"no work pool {pool.name}: its deployments never run")
        elif has["is_paused"]:
            wrong.append(f"work pool {pool.name} is paused: its deployments wait")
        elif has["concurrency_limit"] is None:
            wrong.append(f"work pool {pool.name} has no limit: any number of runs start at once")
        elif has["concurrency_limit"] != pool.runs_at_once:
            wrong.append(
                f"work pool {pool.name} takes {has['concurrency_limit']} runs at once, "
                f"not {pool.runs_at_once}"
            )
        elif has["status"] != "READY":
            wrong.append(f"no worker is online in work pool {pool.name}: its deployments wait")
    return wrong


def missing_deployments(found: Iterable[Mapping[str, Any]]) -> list[str]:
    """Name each deployment that a server lacks; paused ones are present.

    Args:
        found: the reply of `POST /deployments/filter`.
    """
    there = {deployment["name"] for deployment in found}
    return [f"no deployment {name}" for name in deployments() if name not in there]


def missing_automations(found: Iterable[Mapping[str, Any]]) -> list[str]:
    """Describe each fault of a server's automations.

    Args:
        found: the reply of `POST /automations/filter`.
    """
    there = {automation["name"]: automation for automation in found}
    wrong = []
    for name in automations():
        if name not in there:
            wrong.append(f"no automation: {name}")
        elif not there[name]["enabled"]:
            wrong.append(f"the automation is switched off: {name}")
    return wrong
