"""What `deployments/prefect.yaml` wants on a Prefect server, and what a server does not have of it.

Imports no Prefect, so that `tenkbench doctor` stays quick.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

# Where a run finds, and its artifacts tell, whether reports of its lake are served over HTTP: at
# `https://host/folder`, the `_reports` of which lake.
REPORTS_URL = "TENKBENCH_REPORTS_URL"
SILENT_RUNS = (
    "runs that have gone silent are crashed"  # the automation that `tenkbench deploy` makes
)
REPORTS_LAKE = "TENKBENCH_REPORTS_LAKE"


@dataclass(frozen=True, slots=True)
class Pool:
    """A work pool: which machines take its runs, how many at once, and how a worker starts one."""

    name: str
    runs_at_once: int
    base_job_template: dict[str, Any]


def contents() -> dict[str, Any]:
    """The file `deployments/prefect.yaml`."""
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
    """Global concurrency limits: name -> slots."""
    return dict(_definitions()["limits"])


def pools() -> list[Pool]:
    """The work pools, each with the job template of its name."""
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
    """How long a run may send no heartbeat before it is called crashed."""
    seconds: int = _definitions()["silent_seconds"]
    return seconds


def deployments() -> list[str]:
    """Names of the deployments."""
    return [deployment["name"] for deployment in contents()["deployments"]]


def automations() -> list[str]:
    """Names of the automations: the one for silent runs, and those that start a deployment."""
    triggers = [
        each for deployment in contents()["deployments"] for each in deployment.get("triggers", ())
    ]
    return [SILENT_RUNS, *(trigger["name"] for trigger in triggers)]


def missing_limits(found: Iterable[Mapping[str, Any]]) -> list[str]:
    """What is wrong with a server's global concurrency limits, a sentence each; nothing where all is well.

    Args:
        found: the reply of `POST /v2/concurrency_limits/filter`.
    """
    there = {limit["name"]: limit for limit in found}
    wrong = []
    for name, slots in limits().items():
        limit = there.get(name)
        if limit is None:
            wrong.append(f"no limit {name}: nothing keeps to it")
        elif not limit["active"]:
            wrong.append(f"limit {name} is switched off: nothing keeps to it")
        elif limit["limit"] != slots:
            wrong.append(f"limit {name} has {limit['limit']} slots, not {slots}")
    return wrong


def missing_pools(found: Iterable[Mapping[str, Any]]) -> list[str]:
    """What is wrong with a server's work pools, likewise.

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
                f"work pool {pool.name} takes {has['concurrency_limit']} runs at once, not {pool.runs_at_once}"
            )
        elif has["status"] != "READY":
            wrong.append(f"no worker is online in work pool {pool.name}: its deployments wait")
    return wrong


def missing_deployments(found: Iterable[Mapping[str, Any]]) -> list[str]:
    """Our deployments that a server does not have, likewise; one that people have paused is there.

    Args:
        found: the reply of `POST /deployments/filter`.
    """
    there = {deployment["name"] for deployment in found}
    return [f"no deployment {name}" for name in deployments() if name not in there]


def missing_automations(found: Iterable[Mapping[str, Any]]) -> list[str]:
    """What is wrong with a server's automations, likewise.

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
