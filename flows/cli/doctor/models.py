"""Models that are named: whether their servers answer, and their keys are there. No call is made that could cost."""

from __future__ import annotations

import os
from collections.abc import Sequence

from tasks.compute.ray_cluster import address as ray_address
from tasks.core.findings import Finding
from tasks.core.http_probe import NoAnswer, ask
from tasks.models.catalogue import (
    Model,
    UnreachableModel,
    check_reachable,
    find_model,
    load_catalogue,
)


def keys(models_file: str | None) -> list[Finding]:
    """Which of the variables that models' rows name are set; never what is in them."""
    names = sorted(
        {model.key_env for model in load_catalogue(models_file).values() if model.key_env}
    )
    there = [name for name in names if os.environ.get(name)]
    if there:
        return [Finding("keys", "ok", f"set: {', '.join(there)}")]
    return [Finding("keys", "not checked", f"none set; paid APIs need theirs: {', '.join(names)}")]


def model(row: Model) -> list[Finding]:
    """Whether a model can be asked."""
    check = f"model {row.name}"
    try:
        check_reachable(row)
    except UnreachableModel as failed:
        return [Finding(check, "not ok", "cannot be asked", str(failed))]
    if row.engine == "openai":
        return [_server(check, row)]
    if row.engine == "vllm":
        return [_own_servers(check, row)]
    if row.engine == "litellm":
        key = f"key in {row.key_env}" if row.key_env else "no key is named"
        return [Finding(check, "not checked", f"{key}; a call would cost, so none is made")]
    return [Finding(check, "ok", "needs no server")]


def of_run(names: Sequence[str], models_file: str | None) -> dict[str, Model]:
    """The rows of the names, so that a wrong name is wrong usage before anything is checked.

    Raises:
        UnknownModel, WrongModelsFile: see `find_model`.
    """
    return {name: find_model(name, models_file) for name in names}


def _server(check: str, row: Model) -> Finding:
    key = os.environ.get(row.key_env or "")
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        reply = ask(f"{(row.base_url or '').rstrip('/')}/models", headers=headers)
        if reply.status in (401, 403):
            mend = (
                f"check the key in {row.key_env}"
                if row.key_env
                else "give key_env in a models file"
            )
            return Finding(
                check, "not ok", f"{row.base_url} does not let us in ({reply.status})", mend
            )
        if reply.status >= 500:
            return Finding(
                check,
                "not ok",
                f"{row.base_url} answers {reply.status}",
                "look at the server's log",
            )
        if reply.status != 200:
            return Finding(
                check, "not checked", f"{row.base_url} answers, but does not list its models"
            )
        found = reply.json()
    except NoAnswer as failed:
        return Finding(
            check, "not ok", f"{row.base_url} {failed}", "start the server, or correct its address"
        )
    try:
        served = [str(each["id"]) for each in found["data"]]
    except (KeyError, TypeError):
        return Finding(
            check,
            "not ok",
            f"{row.base_url} lists no models: it is another kind of server",
            "correct its address",
        )
    if row.called in served:
        return Finding(check, "ok", f"{row.base_url} serves {row.called}")
    mend = "name one of those, or give served_as in a models file"
    return Finding(
        check,
        "not ok",
        f"{row.base_url} serves {', '.join(served) or 'none'}; not {row.called}",
        mend,
    )


def _own_servers(check: str, row: Model) -> Finding:
    python = row.serving.python
    if python is None or ray_address() is not None:
        return Finding(check, "not checked", "its servers start on the nodes of the Ray cluster")
    if os.access(python, os.X_OK):
        return Finding(check, "ok", f"vLLM's python is {python}")
    mend = "install vLLM in an environment of its own there, or correct python in [vllm] of the models file"
    return Finding(check, "not ok", f"there is no program {python}", mend)
