"""Checks of the Prefect server that PREFECT_API_URL names."""

from __future__ import annotations

import base64
import os
from importlib import metadata
from typing import Any

from deployments.wanted import contents, faults, wanted
from tasks.core.findings import Finding
from tasks.core.http_probe import NoAnswer, ask
from tasks.models.addresses import shown

_START = "run `prefect server start`, or unset PREFECT_API_URL"
_LET_IN = "set PREFECT_API_AUTH_STRING (or PREFECT_API_KEY) to the server's credentials"
_POOLS = (
    "tenkbench deploy; if one is paused, prefect work-pool resume NAME; "
    "if one is NOT_READY, prefect worker start --pool NAME"
)
_AUTOMATIONS = "tenkbench deploy; if it is off, switch it on in the UI"
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
    """Check that the server is reachable, has our version, deployments and workers."""
    reachable = prefect_api()
    if reachable.outcome != "ok":
        return [reachable]
    try:
        findings = [reachable, _version()]
        findings.append(_of_ours("limit", _rows("/v2/concurrency_limits/filter")))
        pools = _named("work_pools", "work pool")
        if not pools:
            nothing = "our deployments are not on this server; `tenkbench deploy` adds them"
            return [*findings, Finding("work pools", "not checked", nothing)]
        return [
            *findings,
            _of_ours("work pool", pools, _POOLS),
            _of_ours("deployment", _named("deployments", "deployment")),
            _of_ours("automation", _named("automations", "automation"), _AUTOMATIONS),
        ]
    except NoAnswer as failed:
        return [reachable, Finding("Prefect's server", "not ok", f"Prefect {failed}", _START)]


def deployed(api: str | None = None) -> dict[str, dict[str, Any]]:
    """Return the parameters of our deployments that a server has: name -> parameters.

    Args:
        api: address of a server without credentials; the configured server if omitted.

    Raises:
        NoAnswer: the server does not answer, or refuses.
    """
    ours = {
        deployment["name"]: deployment["entrypoint"] for deployment in contents()["deployments"]
    }
    return {
        row["name"]: row["parameters"]
        for row in _named("deployments", "deployment", api)
        if row["entrypoint"] == ours[row["name"]]  # flows of others may have such deployments
    }


def _of_ours(kind: str, objects: list[dict[str, Any]], fix: str = "tenkbench deploy") -> Finding:
    if wrong := faults(kind, objects):
        return Finding(f"{kind}s", "not ok", "; ".join(wrong), fix)
    return Finding(f"{kind}s", "ok", "all there")


def _url() -> str | None:
    return (os.environ.get("PREFECT_API_URL") or "").rstrip("/") or None


def _headers() -> dict[str, str]:
    if key := os.environ.get("PREFECT_API_KEY"):
        return {"Authorization": f"Bearer {key}"}
    if auth := os.environ.get("PREFECT_API_AUTH_STRING"):
        return {"Authorization": f"Basic {base64.b64encode(auth.encode()).decode()}"}
    return {}


def _version() -> Finding:
    ours = metadata.version("prefect")
    reply = ask(f"{_url()}/admin/version", headers=_headers())
    if reply.status != 200:
        return Finding("Prefect's version", "not checked", "the server does not report it")
    theirs = reply.json()
    if theirs == ours:
        return Finding("Prefect's version", "ok", ours)
    return Finding(
        "Prefect's version",
        "not ok",
        f"the server's is {theirs}, ours {ours}",
        f"run `uv pip install prefect=={ours}` on the server's machine and restart it",
    )


def _named(path: str, kind: str, api: str | None = None) -> list[dict[str, Any]]:
    """Find our items by name; a server limits pages and may hold others."""
    return _rows(f"/{path}/filter", {path: {"name": {"any_": list(wanted()[kind])}}}, api)


def _rows(
    path: str, body: dict[str, Any] | None = None, api: str | None = None
) -> list[dict[str, Any]]:
    reply = ask(f"{api or _url()}{path}", headers=None if api else _headers(), body=body or {})
    if reply.status != 200:
        raise NoAnswer(f"answers {reply.status} to {path}")
    rows = reply.json()
    if not isinstance(rows, list):
        raise NoAnswer("answers, but not as Prefect does: another program listens there")
    return rows
