"""What is said of models' servers and keys."""

from __future__ import annotations

import pytest

from flows.cli.doctor.models import keys, model
from tasks.core.findings import Finding
from tasks.models.catalogue import Model, find_model
from tests.servers.answering import Answers, answering, silent


def of_server(answers: Answers, name: str = "ours") -> Finding:
    with answering(answers) as running:
        (finding,) = model(find_model(f"{name}@{running.url}/v1"))
    return finding


@pytest.mark.parametrize(
    ("answer", "outcome", "says"),
    [
        ((401, b""), "not ok", "refuses access (401)"),
        ((503, b""), "not ok", "answers 503"),
        ((404, b""), "not checked", "does not list its models"),
        ((200, b"\n<!doctype html>"), "not ok", "sends an HTML page: its address is wrong, or"),
        ((200, b"hello"), "not ok", "not in JSON: another program may listen there"),
        ((200, b"[1]"), "not ok", "not an OpenAI-compatible server"),
    ],
)
def test_a_server_that_is_not_well_is_told(
    answer: tuple[int, bytes], outcome: str, says: str
) -> None:
    finding = of_server({"/v1/models": answer})
    assert finding.outcome == outcome
    assert says in finding.found
    assert finding.fix or outcome == "not checked"
    assert "start the server" not in (finding.fix or "")


def test_a_server_that_never_answers_is_not_waited_for() -> None:
    with silent() as address:
        (finding,) = model(find_model(f"ours@http://{address}/v1"))
    assert (finding.outcome, finding.found) == (
        "not ok",
        f"http://{address}/v1 does not answer within 1.5 s",
    )


def test_a_key_is_sent_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GATEWAY_KEY", "hunter2")
    with answering({"/v1/models": (401, b"bad key hunter2")}) as running:
        row = Model(
            name="ours",
            engine="openai",
            description="",
            base_url=f"{running.url}/v1",
            key_env="GATEWAY_KEY",
        )
        (finding,) = model(row)
    assert running.asked[0][1]["Authorization"] == "Bearer hunter2"
    assert finding.fix == "check the key in GATEWAY_KEY"
    assert "hunter2" not in str(finding)


def test_keys_are_told_by_name_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "hunter2")
    (finding,) = keys(None)
    assert (finding.outcome, "OPENAI_API_KEY" in finding.found) == ("ok", True)
    assert "hunter2" not in str(finding)
