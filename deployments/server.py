"""Checks of the Prefect server that PREFECT_API_URL names."""

from __future__ import annotations

import base64
import os
from typing import Any

from deployments.wanted import contents, wanted
from tasks.core.findings import Finding
from tasks.core.http_probe import NoAnswer, ask
from tasks.models.addresses import shown

_START = "run `prefect server start`, or unset PREFECT_API_URL"
_LET_IN = "set PREFECT_API_AUTH_STRING (or PREFECT_API_KEY) to the server's credentials"
_DEPLOY = "tenkbench deploy"
_SWITCH_ON = {
    "work_pools": "prefect worker start --pool NAME; prefect work-pool resume NAME if it is paused",
    "automations": "switch it on in the UI",
}
_REFUSALS = (401, 403)


def prefect_api() -> Finding:
    """Check that the configured server answers, if there is one."""
    url = _url()
    if url is None:
        return Finding("Prefect", "not checked", "no PREFECT_API_URL: no server shows the runs")
    try:
        reply = ask(f"{url}/health", headers=_headers())
    except NoAnswer as failed:
        return Finding("Prefect", "not ok", f"{shown(url)} {failed}", _START)
    if reply.status in _REFUSALS:
        return Finding(
            "Prefect", "not ok", f"{shown(url)} refuses access ({reply.status})", _LET_IN
        )
    # Prefect's UI answers 200 to every request
    if reply.status != 200 or reply.body != b"true":
        outcome = f"{shown(url)} is not the address of Prefect's API (it answers {reply.status})"
        corrected = f"export PREFECT_API_URL={shown(url)}/api"
        return Finding("Prefect", "not ok", outcome, _START if url.endswith("/api") else corrected)
    return Finding("Prefect", "ok", f"{shown(url)} answers")


def prefect() -> list[Finding]:
    """Check that the server is reachable and has our deployments and workers."""
    reachable = prefect_api()
    if reachable.outcome != "ok":
        return [reachable]
    try:
        if not deployed():
            nothing = "our deployments are not on this server; `tenkbench deploy` adds them"
            return [reachable, Finding("deployments", "not checked", nothing)]
        return [reachable, *map(_of_ours, wanted())]
    except NoAnswer as failed:
        return [reachable, Finding("Prefect's server", "not ok", f"Prefect {failed}", _START)]


def deployed() -> dict[str, dict[str, Any]]:
    """Return the parameters of our deployments that the server has: name -> parameters.

    Raises:
        NoAnswer: the server does not answer, or refuses.
    """
    ours = {
        deployment["name"]: deployment["entrypoint"] for deployment in contents()["deployments"]
    }
    return {
        row["name"]: row["parameters"]
        for row in _named("deployments")
        if row["entrypoint"] == ours[row["name"]]  # flows of others may have such deployments
    }


def _of_ours(kind: str) -> Finding:
    """Check that what we have of a kind is there, and on."""
    check = kind.replace("_", " ")
    rows = {row["name"]: row for row in _named(kind)}
    if missing := [name for name in wanted()[kind] if name not in rows]:
        return Finding(check, "not ok", f"missing: {', '.join(missing)}", _DEPLOY)
    off = [name for name, row in rows.items() if kind in _SWITCH_ON and not _is_on(row)]
    if off:
        return Finding(check, "not ok", f"paused or off: {', '.join(off)}", _SWITCH_ON[kind])
    return Finding(check, "ok", "all there")


def _is_on(row: dict[str, Any]) -> bool:
    return row.get("enabled", row.get("status") == "READY" and not row["is_paused"])


def _url() -> str | None:
    return (os.environ.get("PREFECT_API_URL") or "").rstrip("/") or None


def _headers() -> dict[str, str]:
    if key := os.environ.get("PREFECT_API_KEY"):
        return {"Authorization": f"Bearer {key}"}
    if auth := os.environ.get("PREFECT_API_AUTH_STRING"):
        return {"Authorization": f"Basic {base64.b64encode(auth.encode()).decode()}"}
    return {}


def _named(kind: str) -> list[dict[str, Any]]:
    """Find our items of a kind by name; a server limits pages and may hold others."""
    names = wanted()[kind]
    path, body = f"/{kind}/filter", {kind: {"name": {"any_": names}}}
    reply = ask(f"{_url()}{path}", headers=_headers(), body=body)
    if reply.status != 200:
        raise NoAnswer(f"answers {reply.status} to {path}")
    rows = reply.json()
    if not isinstance(rows, list):
        raise NoAnswer("answers, but not as Prefect does: another program listens there")
    return [row for row in rows if row["name"] in names]
