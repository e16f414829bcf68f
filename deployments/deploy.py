"""Deployment to a Prefect server: work pools, deployments and automations.

It may run again at any time: it updates what exists, and what people have paused stays paused.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deployments.server import deployed, prefect_api
from deployments.wanted import automations, contents, pools
from tasks.core.errors import RunFailed, WrongUsage
from tasks.core.http_probe import NoAnswer
from tasks.pipeline.settings import RunSettings

if TYPE_CHECKING:
    from prefect.client.orchestration import SyncPrefectClient

_ALERTS = "tenkbench-alerts"  # the block that holds the address
_LAKE = "{{ $TENKBENCH_LAKE }}"  # stands for the lake in prefect.yaml


class DeployFailed(RunFailed):
    """No server is configured or answers, or it rejects a deployment."""


class WrongAlertUrl(WrongUsage):
    """No alert can be sent to an address."""


def deploy(
    lake: str | None = None, contact: str | None = None, alert_url: str | None = None
) -> Iterator[str]:
    """Deploy to the server that PREFECT_API_URL names; yield a line per item.

    What is omitted stays as it is on the server.

    Args:
        lake: lake of all deployments; a folder's path is resolved on this machine. A first
            deployment gets the default of a run.
        contact: company and e-mail address for scheduled downloads; they fail without it.
        alert_url: where to send alerts, as Apprise writes it.

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
        raise DeployFailed(f"Prefect does not answer ({api.found}). To fix it:\n    {api.fix}")
    from prefect.client.orchestration import get_client

    with get_client(sync_client=True) as client:
        _bring_pools(client)
        yield from (f"work pool {pool.name}: {pool.runs_at_once} at once" for pool in pools())
    for automation in [*automations("always"), *(_alerts(alert_url) if alert_url else ())]:
        _bring_automation(automation)
        yield f"automation: {automation['name']}"
    try:
        before = deployed()
        _bring_deployments(settled(before, lake, contact))
        yield from summary(before, deployed())
    except NoAnswer as failed:
        raise DeployFailed(f"Prefect {failed}. To fix it:\n    tenkbench doctor") from failed


def summary(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """Describe what runs in which lake, and what will fail, by the deployments' parameters."""
    for name, parameters in now.items():
        lake = _settings(parameters).get("lake")
        was = _settings(before.get(name, {})).get("lake", lake)
        yield f"deployment {name}: lake {lake if was == lake else f'{was} -> {lake}'}"
    for deployment in contents()["deployments"]:
        name = deployment["name"]
        needs_contact = "contact" in _settings(deployment["parameters"])
        if needs_contact and not _settings(now.get(name, {})).get("contact"):
            yield (
                f"Warning: {name} will fail, because EDGAR requires a contact. Set --contact (or "
                "TENKBENCH_CONTACT) here, or contact in the form of a run."
            )


def common_lake(parameters: Mapping[str, Any]) -> str | None:
    """Return the lake that deployments share, from their parameters; None if there are none."""
    for deployment in contents()["deployments"]:
        has = _settings(parameters.get(deployment["name"], {}))
        if _settings(deployment["parameters"])["lake"] == _LAKE and "lake" in has:
            return str(has["lake"])
    return None


def settled(there: Mapping[str, Any], lake: str | None, contact: str | None) -> dict[str, Any]:
    """Return the content of `prefect.yaml` for a server.

    What `prefect.yaml` does not set stays as people have set it `there`: name -> parameters.
    """
    common = lake or common_lake(there) or RunSettings().lake
    if "://" not in common:
        common = str(Path(common).resolve())
    wanted = contents()
    for deployment in wanted["deployments"]:
        has = there.get(deployment["name"], {})
        settings = _settings(deployment["parameters"])
        if lake or "lake" not in _settings(has):
            settings["lake"] = settings["lake"].replace(_LAKE, common)
        else:
            del settings["lake"]
        if contact and "contact" in settings:
            settings["contact"] = contact
        else:
            settings.pop("contact", None)
        deployment["parameters"] |= {**has, "run": {**_settings(has), **settings}}
    return wanted


def _settings(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings among a deployment's parameters."""
    settings: dict[str, Any] = parameters.get("run", {})
    return settings


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


def _bring_deployments(wanted: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "prefect.yaml")
        file.write_text(json.dumps(wanted))  # JSON is also YAML
        deploy_all = ("prefect", "--no-prompt", "deploy", "--all", "--prefect-file", str(file))
        done = subprocess.run(
            [sys.executable, "-m", *deploy_all],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        raise DeployFailed(f"`prefect deploy` failed:\n{done.stdout}{done.stderr}")


def _check_alert_url(url: str) -> None:
    from apprise import Apprise

    if not Apprise().add(url):
        raise WrongAlertUrl(
            "--alert-url is not an address that Apprise can send to. Examples:\n"
            "    jsons://host/path                      a webhook that takes JSON over HTTPS\n"
            "    mailtos://user:password@host?to=a@b.c  mail\n"
            "    https://hooks.slack.com/services/...   Slack; others: https://appriseit.com/services"
        )


def _alerts(url: str) -> list[dict[str, Any]]:
    """Return what alerts to failed deployed runs, and to judges that fail their trial."""
    from prefect.blocks.notifications import SlackWebhook

    # Prefect has no block for every service; this one hands any address to Apprise
    block = SlackWebhook(url=url).save(_ALERTS, overwrite=True)
    names = [deployment["name"] for deployment in contents()["deployments"]]
    ours = {"prefect.resource.role": "deployment", "prefect.resource.name": names}
    alerts = automations("alerts")
    for alert in alerts:
        alert["trigger"]["match_related"] = ours
        for action in alert["actions"]:
            action["block_document_id"] = block
    return alerts


def _bring_automation(values: dict[str, Any]) -> None:
    from prefect.automations import Automation

    wanted = Automation.model_validate(values)
    try:
        there = Automation.read(name=wanted.name)
    except ValueError:  # does not exist
        wanted.create()
        return
    changed = {
        name: value
        for name in ("trigger", "actions", "description")
        if (value := getattr(wanted, name)) != getattr(there, name)
    }
    if changed:  # a trigger that is written anew forgets the heartbeats that it waits for
        there.model_copy(update=changed).update()
