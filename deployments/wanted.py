"""Contents of `deployments/prefect.yaml`, and what a Prefect server lacks of them.

It does not import Prefect, so that `tenkbench doctor` stays fast.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any, NamedTuple

# Variables with the URL of the reports served over HTTP, and the lake whose `_reports` they are.
REPORTS_URL = "TENKBENCH_REPORTS_URL"
REPORTS_LAKE = "TENKBENCH_REPORTS_LAKE"
# Events of a judge that failed its trial, and of a watched model; see `automations.yaml`.
FAILED_TRIAL, MOVED = "tenkbench.judge.failed-trial", "tenkbench.model.moved"


class WorkPool(NamedTuple):
    """A work pool with its limit of concurrent runs and job template."""

    name: str
    runs_at_once: int
    base_job_template: dict[str, Any]


def contents(file: str = "prefect.yaml") -> dict[str, Any]:
    """Read a YAML file of `deployments/`."""
    import yaml

    content: dict[str, Any] = yaml.safe_load(files("deployments").joinpath(file).read_text("utf-8"))
    return content


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


def automations(kind: str) -> list[dict[str, Any]]:
    """Return the automations that a server has always, or as alerts."""
    rows: list[dict[str, Any]] = contents("automations.yaml")[kind]
    return rows


def wanted() -> dict[str, list[str]]:
    """Return the names of what a server must have, by kind."""
    deployments = contents()["deployments"]
    triggers = [
        trigger["name"] for deployment in deployments for trigger in deployment.get("triggers", ())
    ]
    return {
        "work_pools": [pool.name for pool in pools()],
        "deployments": [deployment["name"] for deployment in deployments],
        "automations": [*(row["name"] for row in automations("always")), *triggers],
    }
