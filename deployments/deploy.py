"""Puts what `deployments/` wants on the Prefect server: work pools, limits, deployments, automations.

May be done again at any time: what is there is brought up to date, and what people have paused stays paused.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deployments.server import prefect_api
from deployments.wanted import SILENT_RUNS, contents, limits, pools, silent_seconds
from tasks.core.errors import RunFailed

if TYPE_CHECKING:
    from prefect.automations import Automation
    from prefect.client.orchestration import SyncPrefectClient


class DeployFailed(RunFailed):
    """There is no server to deploy to, or it refuses something."""


def deploy(lake: str, contact: str | None) -> list[str]:
    """Deploy to the server that PREFECT_API_URL names; returns what is there now, a line each.

    Args:
        lake: lake of all deployments; a folder is taken from here, wherever workers run.
        contact: by which scheduled downloads from EDGAR name themselves; without one they are refused.

    Raises:
        DeployFailed: no server is named or answers, or Prefect refuses a deployment.
    """
    api = prefect_api()
    if not os.environ.get("PREFECT_API_URL"):
        raise DeployFailed(
            "PREFECT_API_URL names no server to deploy to; `tenkbench up` starts one on this machine"
        )
    if not api.ok:
        raise DeployFailed(f"Prefect does not answer ({api.found}); {api.mend}")
    from prefect.client.orchestration import get_client

    with get_client(sync_client=True) as client:
        _bring_pools(client)
        for name, slots in limits().items():
            client.upsert_global_concurrency_limit_by_name(name, slots)
    _bring_deployments(lake if "://" in lake else str(Path(lake).resolve()), contact)
    _bring_automation()
    return [
        *(f"work pool {pool.name}: {pool.runs_at_once} at once" for pool in pools()),
        *(f"limit {name}: {slots} at once" for name, slots in limits().items()),
        f"automation: {SILENT_RUNS}, after {silent_seconds()} s",
        *warnings(contact),
    ]


def warnings(contact: str | None) -> list[str]:
    """What will not work as it is deployed, a sentence each."""
    if contact:
        return []
    return [
        "quarterly-refresh will fail: EDGAR wants to know who downloads. Give --contact (or TENKBENCH_CONTACT) "
        "here, or contact in the form of a run"
    ]


def _bring_pools(client: SyncPrefectClient) -> None:
    from prefect.client.schemas.actions import WorkPoolCreate, WorkPoolUpdate
    from prefect.exceptions import ObjectAlreadyExists

    for pool in pools():
        wanted = {
            "base_job_template": pool.base_job_template,
            "concurrency_limit": pool.runs_at_once,
        }
        try:
            client.create_work_pool(WorkPoolCreate(name=pool.name, type="process", **wanted))
        except ObjectAlreadyExists:
            client.update_work_pool(pool.name, WorkPoolUpdate(**wanted))


def _bring_deployments(lake: str, contact: str | None) -> None:
    wanted = contents()
    if not contact:  # Prefect would make an empty text of what is not set
        for deployment in wanted["deployments"]:
            deployment["parameters"].get("run", {}).pop("contact", None)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "prefect.yaml")
        file.write_text(json.dumps(wanted))  # which is YAML, too
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "prefect",
                "--no-prompt",
                "deploy",
                "--all",
                "--prefect-file",
                str(file),
            ],
            env=os.environ | {"TENKBENCH_LAKE": lake, "TENKBENCH_CONTACT": contact or ""},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        raise DeployFailed(f"prefect deploy failed:\n{done.stdout}{done.stderr}")


def _bring_automation() -> None:
    """Have the server mark as Crashed what no longer sends heartbeats.

    A worker marks a run whose process dies; nobody does where the worker dies too.
    """
    from prefect.automations import Automation
    from prefect.client.schemas.objects import StateType
    from prefect.events.actions import ChangeFlowRunState
    from prefect.events.schemas.automations import EventTrigger, Posture
    from prefect.events.schemas.events import ResourceSpecification

    heartbeat = "prefect.flow-run.heartbeat"
    ended = {
        f"prefect.flow-run.{state}" for state in ("Completed", "Failed", "Cancelled", "Crashed")
    }
    wanted = Automation(
        name=SILENT_RUNS,
        description="A run whose worker and process are gone; Retry in the UI goes on with it.",
        trigger=EventTrigger(
            after={heartbeat},
            expect={heartbeat} | ended,
            match=ResourceSpecification({"prefect.resource.id": ["prefect.flow-run.*"]}),
            for_each={"prefect.resource.id"},
            posture=Posture.Proactive,
            threshold=1,
            within=timedelta(seconds=silent_seconds()),
        ),
        actions=[
            ChangeFlowRunState(
                state=StateType.CRASHED,
                message=f"no heartbeat for {silent_seconds()} s: its process or machine is gone; Retry goes on with it",
            )
        ],
    )
    try:
        there = Automation.read(name=SILENT_RUNS)
    except ValueError:  # none has this name
        wanted.create()
        return
    if _content(there) != _content(
        wanted
    ):  # an update would forget the runs that are being waited for
        there.trigger, there.actions, there.description = (
            wanted.trigger,
            wanted.actions,
            wanted.description,
        )
        there.update()


def _content(automation: Automation) -> dict[str, Any]:
    """What an automation does, without ids, which each one has of its own, and in an order."""
    content: dict[str, Any] = automation.model_dump(
        mode="json", include={"description": True, "trigger": True, "actions": True}
    )
    content["trigger"].pop("id", None)
    for name in ("after", "expect", "for_each"):
        content["trigger"][name] = sorted(content["trigger"][name])
    return content
