"""What is said of Prefect servers, well and unwell."""

from __future__ import annotations

import json
from typing import Any

import pytest

from deployments.server import prefect
from deployments.wanted import contents, wanted
from tasks.core import http_probe
from tests.servers.answering import Answers, answering

ON: dict[str, dict[str, Any]] = {
    "work_pools": {"is_paused": False, "status": "READY"},
    "deployments": {"parameters": {}},
    "automations": {"enabled": True},
}
ENTRYPOINTS = {each["name"]: each["entrypoint"] for each in contents()["deployments"]}
POOLS, DEPLOYMENTS, AUTOMATIONS = (
    [{"name": name, "entrypoint": ENTRYPOINTS.get(name), **ON[kind]} for name in names]
    for kind, names in wanted().items()
)


def server(
    pools: list[dict[str, Any]] = POOLS,
    deployments: list[dict[str, Any]] = DEPLOYMENTS,
    automations: list[dict[str, Any]] = AUTOMATIONS,
) -> Answers:
    return {
        "/api/health": (200, b"true"),
        "/api/work_pools/filter": (200, json.dumps(pools).encode()),
        "/api/deployments/filter": (200, json.dumps(deployments).encode()),
        "/api/automations/filter": (200, json.dumps(automations).encode()),
    }


def found(monkeypatch: pytest.MonkeyPatch, answers: Answers) -> dict[str, tuple[str, str, str]]:
    # the server is a thread of this process, which a busy machine may hold up for seconds
    monkeypatch.setattr(http_probe, "TIMEOUT_S", 60.0)
    with answering(answers) as running:
        monkeypatch.setenv("PREFECT_API_URL", f"{running.url}/api")
        return {each.check: (each.outcome, each.found, each.fix) for each in prefect()}


def test_a_server_that_has_all_is_well(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = found(monkeypatch, server())
    assert {outcome for outcome, _, _ in seen.values()} == {"ok"}
    assert list(seen) == ["Prefect", "work pools", "deployments", "automations"]


@pytest.mark.parametrize(
    ("lacking", "check", "said", "fix"),
    [
        (
            {"automations": AUTOMATIONS[1:]},
            "automations",
            f"missing: {AUTOMATIONS[0]['name']}",
            "tenkbench deploy",
        ),
        (
            {"pools": [POOLS[0] | {"is_paused": True}, *POOLS[1:]]},
            "work pools",
            f"paused or off: {POOLS[0]['name']}",
            "prefect work-pool resume",
        ),
        (
            {"pools": [POOLS[0] | {"status": "NOT_READY"}, *POOLS[1:]]},
            "work pools",
            f"paused or off: {POOLS[0]['name']}",
            "prefect worker start --pool",
        ),
    ],
)
def test_what_a_server_lacks_is_named_with_what_mends_it(
    monkeypatch: pytest.MonkeyPatch, lacking: dict[str, Any], check: str, said: str, fix: str
) -> None:
    outcome, found_out, mended_by = found(monkeypatch, server(**lacking))[check]
    assert outcome == "not ok"
    assert said in found_out
    assert fix in mended_by


@pytest.mark.parametrize("status", [401, 403])
def test_a_server_that_does_not_let_us_in_says_what_to_set(
    monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    outcome, said, fix = found(monkeypatch, {"/api/health": (status, b"")})["Prefect"]
    assert outcome == "not ok"
    assert f"refuses access ({status})" in said
    assert "PREFECT_API_AUTH_STRING" in fix


def test_what_lets_us_in_is_sent_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PREFECT_API_AUTH_STRING", "admin:hunter2")
    with answering(server()) as running:
        monkeypatch.setenv("PREFECT_API_URL", f"{running.url}/api")
        findings = prefect()
    assert {headers["Authorization"] for _, headers in running.asked} == {
        "Basic YWRtaW46aHVudGVyMg=="
    }
    assert "hunter2" not in str(findings)
