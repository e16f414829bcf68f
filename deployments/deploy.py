"""Deployment to a Prefect server: work pools, limits, deployments and automations.

It may run again at any time: it updates what exists, and what people have paused stays paused.
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
from deployments.wanted import (
    FAILED_RUNS,
    FAILED_TRIAL,
    FAILED_TRIALS,
    SILENT_RUNS,
    contents,
    limits,
    pools,
    silent_seconds,
)
from tasks.core.errors import RunFailed, WrongUsage

if TYPE_CHECKING:
    from prefect.automations import Automation
    from prefect.client.orchestration import SyncPrefectClient

_ALERTS = "tenkbench-alerts"  # the block that holds the address


class DeployFailed(RunFailed):
    """No server is configured or answers, or it rejects a deployment."""


class WrongAlertUrl(WrongUsage):
    """No alert can be sent to an address."""


def deploy(lake: str, contact: str | None, alert_url: str | None = None) -> list[str]:
    """Deploy to the server that PREFECT_API_URL names; return a line per item.

    Args:
        lake: lake of all deployments; a folder's path is resolved on this machine.
        contact: company and e-mail address for scheduled downloads; they fail without it.
        alert_url: where to send alerts, as Apprise writes it; what is there stays if omitted.

    Raises:
        DeployFailed: no server is configured or answers, or Prefect rejects a deployment.
        WrongAlertUrl: no alert can be sent to that address.
    """
    if alert_url:
        _check_alert_url(alert_url)
    api = prefect_api()
    if not os.environ.get("PREFECT_API_URL"):
        raise DeployFailed(
            "PREFECT_API_URL names no server to deploy to. Start one on this machine:\n"
            "    tenkbench up"
        )
    if not api.ok:
        raise DeployFailed(f"Prefect does not answer ({api.found}). To fix it:\n    {api.mend}")
    from prefect.client.orchestration import get_client

    with get_client(sync_client=True) as client:
        _bring_pools(client)
        for name, slots in limits().items():
            client.upsert_global_concurrency_limit_by_name(name, slots)
    _bring_deployments(lake if "://" in lake else str(Path(lake).resolve()), contact)
    automations = [_silent_runs(), *(_alerts(alert_url) if alert_url else ())]
    for automation in automations:
        _bring_automation(automation)
    return [
        *(f"work pool {pool.name}: {pool.runs_at_once} at once" for pool in pools()),
        *(f"limit {name}: {slots} at once" for name, slots in limits().items()),
        *(f"automation: {automation.name}" for automation in automations),
        *warnings(contact),
    ]


def warnings(contact: str | None) -> list[str]:
    """Describe what will fail as deployed."""
    if contact:
        return []
    return [
        "quarterly-refresh will fail, because EDGAR requires a contact. Set --contact (or "
        "TENKBENCH_CONTACT) here, or contact in the form of a run."
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
    if not contact:  # Prefect would replace it by an empty text
        for deployment in wanted["deployments"]:
            deployment["parameters"].get("run", {}).pop("contact", None)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "prefect.yaml")
        file.write_text(json.dumps(wanted))  # JSON is also YAML
        deploy_all = ("prefect", "--no-prompt", "deploy", "--all", "--prefect-file", str(file))
        done = subprocess.run(
            [sys.executable, "-m", *deploy_all],
            env=os.environ | {"TENKBENCH_LAKE": lake, "TENKBENCH_CONTACT": contact or ""},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        raise DeployFailed(f"`prefect deploy` failed:\n{done.stdout}{done.stderr}")


def _silent_runs() -> Automation:
    """Return what marks runs without heartbeats as Crashed.

    A worker marks a run whose process dies, but nobody does if the worker dies too.
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
    return Automation(
        name=SILENT_RUNS,
        description="A run whose worker and process are gone; Retry in the UI continues it.",
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
                message=f"No heartbeat for {silent_seconds()} s: its process or machine is gone. "
                "Retry continues it.",
            )
        ],
    )


def _check_alert_url(url: str) -> None:
    from apprise import Apprise

    if not Apprise().add(url):
        raise WrongAlertUrl(
            "--alert-url is no address that Apprise can send to. Examples:\n"
            "    jsons://host/path                      a webhook that takes JSON over HTTPS\n"
            "    mailtos://user:password@host?to=a@b.c  mail\n"
            "    https://hooks.slack.com/services/...   Slack; others: https://appriseit.com/services"
        )


def _alerts(url: str) -> list[Automation]:
    """Return what alerts to failed deployed runs, and to judges that fail their trial."""
    from prefect.automations import Automation
    from prefect.blocks.notifications import SlackWebhook
    from prefect.events.actions import SendNotification
    from prefect.events.schemas.automations import EventTrigger, Posture
    from prefect.events.schemas.events import ResourceSpecification

    # Prefect has no block for every service; this one hands any address to Apprise
    block = SlackWebhook(url=url).save(_ALERTS, overwrite=True)

    def alert(
        name: str,
        description: str,
        expect: set[str],
        match: dict[str, str],
        deployments: list[str],
        text: tuple[str, str],
    ) -> Automation:
        trigger = EventTrigger(
            expect=expect,
            match=ResourceSpecification(match),
            match_related=ResourceSpecification(
                {"prefect.resource.role": "deployment", "prefect.resource.name": deployments}
            ),
            posture=Posture.Reactive,
            threshold=1,
            for_each={"prefect.resource.id"},
        )
        subject, body = text
        action = SendNotification(block_document_id=block, subject=subject, body=body)
        return Automation(name=name, description=description, trigger=trigger, actions=[action])

    ours = {each["name"]: each for each in contents()["deployments"]}
    # the judge of the samples is a rule, whose failures are known
    serious = [name for name, each in ours.items() if "smoke" not in each["tags"]]
    return [
        alert(
            FAILED_RUNS,
            "Retry in the UI continues a failed run.",
            {"prefect.flow-run.Failed", "prefect.flow-run.Crashed"},
            {"prefect.resource.id": "prefect.flow-run.*"},
            [*ours],
            (
                "{{ deployment.name }}: run {{ flow_run.name }} is {{ flow_run.state.name }}",
                "{{ flow_run.state.message }}\n"
                "Retry there goes on where it stopped: {{ flow_run|ui_url }}",
            ),
        ),
        alert(
            FAILED_TRIALS,
            "What it failed in stands in the run's log and at the top of the report.",
            {FAILED_TRIAL},
            {"prefect.resource.id": "tenkbench.judge.*"},
            serious,
            (
                "Judge {{ event.resource.name }} failed its trial in {{ event.payload.release }}",
                "{{ event.payload.sentence }}\n{{ flow_run|ui_url }}",
            ),
        ),
    ]


def _bring_automation(wanted: Automation) -> None:
    from prefect.automations import Automation

    try:
        there = Automation.read(name=wanted.name)
    except ValueError:  # does not exist
        wanted.create()
        return
    if _content(there) != _content(wanted):  # an update forgets the runs it waits for
        there.trigger, there.actions, there.description = (
            wanted.trigger,
            wanted.actions,
            wanted.description,
        )
        there.update()


def _content(automation: Automation) -> dict[str, Any]:
    """Return an automation's content in a fixed order and without ids."""
    content: dict[str, Any] = automation.model_dump(
        mode="json", include={"description": True, "trigger": True, "actions": True}
    )
    content["trigger"].pop("id", None)
    for name in ("after", "expect", "for_each"):
        content["trigger"][name] = sorted(content["trigger"][name])
    return content
