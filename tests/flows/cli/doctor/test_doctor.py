"""`tenkbench doctor`: all checks side by side, in seconds, whatever servers do."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from flows.cli.app import main
from flows.cli.doctor.doctor import examine
from tests.servers.answering import silent


def run(*tokens: str) -> int:
    """The exit status of a command."""
    try:
        main(tokens)
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0


@pytest.fixture(autouse=True)
def _nothing_set_up(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PREFECT_API_URL", "RAY_ADDRESS", "TENKBENCH_CONTACT"):
        monkeypatch.delenv(name, raising=False)


def test_a_laptop_with_nothing_set_up_is_well(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("doctor", "--lake", str(tmp_path / "lake"), "--json") == 0
    seen = {each["check"]: each["outcome"] for each in json.loads(capsys.readouterr().out)}
    assert set(seen.values()) == {"ok", "not checked"}
    assert {seen[name] for name in ("lake writable", "disk")} == {"ok"}
    assert {seen[name] for name in ("Prefect", "Ray", "EDGAR")} == {"not checked"}
    assert run("doctor", "--lake", str(tmp_path / "lake")) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert {name for name in seen if any(line[2:].startswith(name) for line in lines)} == set(seen)


def test_what_is_wrong_is_named_with_what_mends_it(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    snapshot: SnapshotAssertion,
) -> None:
    monkeypatch.setenv("PREFECT_API_URL", "http://127.0.0.1:9/api")
    assert run("doctor", "--lake", str(tmp_path / "lake"), "--contact", "nobody", "--json") == 1
    findings = json.loads(capsys.readouterr().out)
    wrong = {each["check"]: each for each in findings if each["outcome"] == "not ok"}
    assert {name: each["fix"] for name, each in wrong.items()} == snapshot


def test_servers_that_never_answer_are_waited_for_side_by_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with silent() as address:
        monkeypatch.setenv("PREFECT_API_URL", f"http://{address}/api")
        began = time.monotonic()
        findings = examine(str(tmp_path), [f"{name}@http://{address}/v1" for name in "abcdef"])
        took_s = time.monotonic() - began
    assert sum(each.outcome == "not ok" for each in findings) == 7
    assert took_s < 20.0  # one waits for 3 s, seven in a row would for 21


def test_a_secret_in_an_address_is_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PREFECT_API_URL", "http://admin:hunter2@127.0.0.1:9/api")
    findings = examine("s3://key:hunter2@bucket/lake")
    assert {each.check for each in findings if not each.ok} == {"lake writable", "Prefect"}
    assert "hunter2" not in str(findings)
