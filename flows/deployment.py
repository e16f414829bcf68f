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

    found: dict[str, Any] = yaml.safe_load(files("deployments").joinpath("prefect.yaml").read_text("utf-8"))
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
        Pool(name, row["runs_at_once"], json.loads(folder.joinpath(f"{name}.json").read_text("utf-8")))
        for name, row in _definitions()["pools"].items()
    ]


def silent_seconds() -> int:
    """How long a run may send no heartbeat before it is called crashed."""
    seconds: int = _definitions()["silent_seconds"]
    return seconds


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
    return wrong
