"""Checks of named models' servers, without paid calls."""

from __future__ import annotations

import os
from functools import partial

from tasks.compute.ray_cluster import address as ray_address
from tasks.core.findings import Finding
from tasks.core.http_probe import NoAnswer, ask
from tasks.models.catalogue import Model, UnreachableModel, check_reachable


def model(row: Model) -> list[Finding]:
    """Check that a model can be reached."""
    check = f"model {row.name}"
    try:
        check_reachable(row)
    except UnreachableModel as failed:
        return [Finding(check, "not ok", "cannot be reached", str(failed))]
    if row.engine == "openai":
        return [_server(check, row)]
    if row.engine == "vllm":
        return [_own_servers(check, row)]
    if row.engine == "litellm":
        key = f"key in {row.key_env}" if row.key_env else "no key configured"
        return [Finding(check, "not checked", f"{key}; a test call would cost money")]
    return [Finding(check, "ok", "needs no server")]


def _server(check: str, row: Model) -> Finding:
    wrong = partial(Finding, check, "not ok")
    key = os.environ.get(row.key_env or "")
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        reply = ask(f"{(row.base_url or '').rstrip('/')}/models", headers=headers)
        if reply.status in (401, 403):
            ours = row.key_env
            fix = f"check the key in {ours}" if ours else "set key_env in a models file"
            return wrong(f"{row.base_url} refuses access ({reply.status})", fix)
        if reply.status >= 500:
            return wrong(f"{row.base_url} answers {reply.status}", "read the server's log")
        if reply.status != 200:
            unlisted = f"{row.base_url} answers, but does not list its models"
            return Finding(check, "not checked", unlisted)
    except NoAnswer as failed:
        return wrong(f"{row.base_url} {failed}", "start the server, or correct its address")
    try:
        served = [str(model["id"]) for model in reply.json()["data"]]
    except NoAnswer as other:
        fix = "correct its address, which usually ends in /v1, or set its key (key_env)"
        return wrong(f"{row.base_url} {other}", fix)
    except (KeyError, TypeError):
        lists_none = f"{row.base_url} lists no models, so it is not an OpenAI-compatible server"
        return wrong(lists_none, "correct its address")
    if row.called in served:
        return Finding(check, "ok", f"{row.base_url} serves {row.called}")
    return wrong(
        f"{row.base_url} serves {', '.join(served) or 'no models'}, not {row.called}",
        "name one of those, or set served_as in a models file",
    )


def _own_servers(check: str, row: Model) -> Finding:
    python = row.serving.python
    if python is None or ray_address() is not None:
        return Finding(check, "not checked", "its servers start on the nodes of the Ray cluster")
    if os.access(python, os.X_OK):
        return Finding(check, "ok", f"vLLM's python is {python}")
    fix = "install vLLM in its own environment there, or correct python in the models file's [vllm]"
    return Finding(check, "not ok", f"{python} is not an executable program", fix)
