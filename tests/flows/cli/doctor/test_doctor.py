"""`tenkbench doctor`: what is wrong and what mends it, in seconds and without secrets."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from flows.cli.doctor import ray_nodes
from flows.cli.doctor.doctor import examine, lake
from flows.cli.doctor.models import model
from flows.cli.doctor.ray_nodes import ray
from tasks.core.http_probe import NoAnswer, ask
from tasks.lake.objects import open_objects
from tasks.models.catalogue import Model, find_model
from tests.flows.typed import tenkbench
from tests.servers.answering import answering, silent


def test_a_laptop_with_nothing_set_up_is_well(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tenkbench("doctor", "--lake", str(tmp_path / "lake"), "--json") == 0
    seen = {each["check"]: each["outcome"] for each in json.loads(capsys.readouterr().out)}
    assert {name for name, outcome in seen.items() if outcome == "ok"} >= {"lake writable"}
    assert {seen[name] for name in ("Prefect", "Ray")} == {"not checked"}
    assert tenkbench("doctor", "--lake", str(tmp_path / "lake")) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert {name for name in seen if any(line[2:].startswith(name) for line in lines)} == set(seen)


def test_servers_that_never_answer_are_waited_for_side_by_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with silent() as address:
        monkeypatch.setenv("PREFECT_API_URL", f"http://{address}/api")
        began = time.monotonic()
        findings = examine(str(tmp_path), [f"{name}@http://{address}/v1" for name in "abcdef"])
        took_s = time.monotonic() - began
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{address}")
        (of_bucket,) = lake("s3://bucket/lake")
    assert sum(each.outcome == "not ok" for each in findings) == 7
    assert took_s < 20.0  # one waits for 3 s, seven in a row would for 21
    assert of_bucket.found == f"http://{address} does not answer within 1.5 s"
    assert "AWS_ENDPOINT_URL" in of_bucket.fix


def test_a_secret_in_an_address_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PREFECT_API_URL", "http://admin:hunter2@127.0.0.1:9/api")
    findings = examine("s3://key:hunter2@bucket/lake")
    assert {each.check for each in findings if not each.ok} == {"lake writable", "Prefect"}
    assert "hunter2" not in str(findings)
    with pytest.raises(NoAnswer) as failed:
        ask("http://admin:hunter2@127.0.0.1/api")
    assert "hunter2" not in str(failed.value)


def test_a_redirection_is_not_followed_with_a_key() -> None:
    with answering({"/there": (200, b"{}")}) as other:
        with answering({"/here": (302, f"{other.url}/there".encode())}) as running:
            reply = ask(f"{running.url}/here", headers={"Authorization": "Bearer hunter2"})
        assert reply.status == 302
        assert other.asked == []


def test_no_more_of_a_reply_is_read_than_a_status_needs() -> None:
    with answering({"/endless": (200, b"x" * 3_000_000)}) as running:
        assert len(ask(f"{running.url}/endless").body) < 2_000_000
        ((_, headers),) = running.asked
    assert headers["Accept-Encoding"] == "identity"


# --- lakes -------------------------------------------------------------------------------


def test_a_bucket_is_probed_and_left_as_it_was(bucket: str) -> None:
    assert [finding.outcome for finding in lake(f"{bucket}/lake")] == ["ok"]
    assert list(open_objects(bucket).list("")) == []


# --- models and Ray ----------------------------------------------------------------------


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
    with answering({"/v1/models": answer}) as running:
        (finding,) = model(find_model(f"ours@{running.url}/v1"))
    assert finding.outcome == outcome
    assert says in finding.found
    assert finding.fix or outcome == "not checked"
    assert "start the server" not in finding.fix


def test_a_key_is_sent_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GATEWAY_KEY", "hunter2")
    named = {"name": "ours", "engine": "openai", "description": "", "key_env": "GATEWAY_KEY"}
    with answering({"/v1/models": (401, b"bad key hunter2")}) as running:
        (finding,) = model(Model(**named, base_url=f"{running.url}/v1"))
    assert running.asked[0][1]["Authorization"] == "Bearer hunter2"
    assert finding.fix == "check the key in GATEWAY_KEY"
    assert "hunter2" not in str(finding)


def test_a_ray_cluster_that_does_not_answer_is_told_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:9")
    (finding,) = ray()
    assert "no answer at 127.0.0.1:9" in finding.found
    assert "unset RAY_ADDRESS" in finding.fix
    monkeypatch.setattr(ray_nodes, "LIMIT_S", 0.2)
    with silent() as address:
        monkeypatch.setenv("RAY_ADDRESS", address)
        (finding,) = ray()
    assert "within 0.2 s" in finding.found
    assert "RAY_AUTH_MODE=token" in finding.fix
