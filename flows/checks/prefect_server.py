"""The Prefect server that PREFECT_API_URL names: whether it answers, and has what our deployments count on."""

from __future__ import annotations

import base64
import os
from importlib import metadata
from typing import Any

from flows.checks import Finding
from flows.checks.asking import NoAnswer, ask
from tasks.addresses import shown

_START = "prefect server start, or unset PREFECT_API_URL"
_LET_IN = "set PREFECT_API_AUTH_STRING (or PREFECT_API_KEY) to what the server asks for"
_REFUSALS = (401, 403)


def prefect_api() -> Finding:
    """Whether the configured server answers; without one, each run starts its own."""
    url = _url()
    if url is None:
        return Finding("Prefect", "not checked", "no PREFECT_API_URL: each run starts a temporary server")
    try:
        status = ask(f"{url}/health", headers=_headers()).status
    except NoAnswer as failed:
        return Finding("Prefect", "not ok", f"{shown(url)} {failed}", _START)
    if status in _REFUSALS:
        return Finding("Prefect", "not ok", f"{shown(url)} does not let us in ({status})", _LET_IN)
    if status != 200:
        return Finding("Prefect", "not ok", f"{shown(url)} answers {status}; does it end in /api?", _START)
    return Finding("Prefect", "ok", f"{shown(url)} answers")


def prefect() -> list[Finding]:
    """All about the server: reachable, of our version, with our limits and pools."""
    from flows.deployment import missing_limits, missing_pools, pools

    reachable = prefect_api()
    if reachable.outcome != "ok":
        return [reachable]
    findings = [reachable]
    try:
        findings.append(_version())
        limits = missing_limits(_rows("/v2/concurrency_limits/filter"))
        if limits:
            findings.append(Finding("Prefect's limits", "not ok", "; ".join(limits), "tenkbench deploy"))
        else:
            findings.append(Finding("Prefect's limits", "ok", "all there"))
        there = _rows("/work_pools/filter")
    except NoAnswer as failed:
        return [*findings, Finding("Prefect's limits", "not ok", f"Prefect {failed}", _START)]
    wrong = missing_pools(there)
    if not {pool["name"] for pool in there} & {pool.name for pool in pools()}:
        nothing = "our deployments are not on this server; `tenkbench deploy` brings them"
        findings.append(Finding("work pools", "not checked", nothing))
    elif wrong:
        mend = "tenkbench deploy; prefect work-pool resume NAME where one is paused"
        findings.append(Finding("work pools", "not ok", "; ".join(wrong), mend))
    else:
        findings.append(Finding("work pools", "ok", "all there"))
    return findings


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
        return Finding("Prefect's version", "not checked", "the server does not tell it")
    theirs = reply.json()
    if theirs == ours:
        return Finding("Prefect's version", "ok", ours)
    return Finding(
        "Prefect's version",
        "not ok",
        f"the server's is {theirs}, ours {ours}",
        f"uv pip install prefect=={ours} where the server runs, and start it again",
    )


def _rows(path: str) -> list[dict[str, Any]]:
    reply = ask(f"{_url()}{path}", headers=_headers(), body={})
    if reply.status != 200:
        raise NoAnswer(f"answers {reply.status} to {path}")
    found = reply.json()
    if not isinstance(found, list):
        raise NoAnswer("answers, but not as Prefect does: something else listens there")
    return found
