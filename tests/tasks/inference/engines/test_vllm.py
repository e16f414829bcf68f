"""The engine `vllm` over a real Ray cluster, with our small server in vLLM's place."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tasks.core.rows import Response
from tasks.inference.engines import load_engine, server
from tasks.inference.engines.dispatch import Limits
from tasks.inference.engines.server import ServersFailed
from tasks.inference.operation import Call, grouped
from tasks.models.catalogue import Model, ServerLayout
from tests.calls import LONG, answers, group_of
from tests.handed import Handed
from tests.servers.served import pids, runs, served

N_GROUPS, N_CALLS = 8, 4
HASTY = {"patience_s": 0.5, "arrival_s": 0.5, "longest_wait_s": 0.2, "grace_s": 0.2}
LIMITS_OF = Limits.of


@pytest.fixture(autouse=True)
def impatient(ray_cluster: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits of tenths of a second between attempts and before the run gives up."""
    limit(monkeypatch, longest_wait_s=0.2, grace_s=0.2)


def limit(monkeypatch: pytest.MonkeyPatch, **limits: float) -> None:
    of = lambda cls, row, room=None: replace(LIMITS_OF(row, room), **limits)  # noqa: E731
    monkeypatch.setattr(Limits, "of", classmethod(of))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("servers")


@pytest.fixture(scope="module")
def row(folder: Path) -> Model:
    """Two servers without faults for all tests of this module; they log to FOLDER/log-REPLICA."""
    given = ("--log", f"{folder}/log-{{replica}}", "--delay-ms", "20")
    return replace(served(folder, "local", given, on_cpu=True), in_flight=2)


def one_server(folder: Path, fault: dict[str, object], **changes: object) -> Model:
    """One server that has this fault, in every life anew."""
    (folder / "faults.json").write_text(json.dumps([fault]))
    given = ("--faults", f"{folder}/faults.json")
    return replace(
        served(folder, "faulty", given, on_cpu=True, **changes),
        layout=ServerLayout(tensor_parallel=1, replicas=1),
    )


def questions(row: Model, about: str, n_groups: int = N_GROUPS) -> list[list[Call]]:
    """Groups of questions to documents of different lengths."""
    return [
        group_of(f"Document {number} about {about}. " + LONG * (1 + number % 3), N_CALLS, row)
        for number in range(n_groups)
    ]


def received(folder: Path, replica: int) -> Counter[str]:
    """How often a server was sent each prompt, by the prompt's sha256, over all its lives."""
    events = map(json.loads, (folder / f"log-{replica}").read_text().splitlines())
    return Counter(event["prompt"] for event in events if event["event"] == "received")


def answered(
    row: Model, groups: Sequence[Sequence[Call]], kills: int = 0, after: int = 0
) -> list[Response]:
    """All responses; once `after` of them are there, the process `kills` is killed."""
    found: list[Response] = []

    async def settle(call: Call, response: Response) -> None:
        found.append(response)
        if len(found) == after:
            os.kill(kills, signal.SIGKILL)

    handed = Handed([group for each in groups for group in grouped(each)], settle)
    asyncio.run(load_engine(row, {}).answer(handed))
    assert len({response.request_id for response in found}) == len(found)
    return found


def test_every_call_is_answered_and_every_group_by_one_server(row: Model, folder: Path) -> None:
    groups = questions(row, "pinning")
    responses = answers(load_engine(row, {}), [call for group in groups for call in group])
    assert [response.status for response in responses] == ["ok"] * N_GROUPS * N_CALLS
    assert {response.engine for response in responses} == {"vllm"}
    at = [received(folder, replica) for replica in (0, 1)]
    for group in groups:
        times = [[sent[call.request.prompt_sha256] for call in group] for sent in at]
        assert sorted(times) == [[0] * N_CALLS, [1] * N_CALLS]
    assert all(at)


def test_a_server_that_is_killed_is_started_again_and_nothing_is_lost(
    row: Model, folder: Path
) -> None:
    answered(row, questions(row, "beginnings", 1))
    before = pids(folder)
    found = answered(row, questions(row, "deaths"), kills=before[0], after=5)
    assert [response.status for response in found] == ["ok"] * N_GROUPS * N_CALLS
    after = pids(folder)
    assert after[1] == before[1]
    assert after[0] != before[0]
    assert runs(after[0])


def test_the_groups_of_a_server_that_does_not_come_back_are_taken_over(
    row: Model, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered(row, questions(row, "middles", 1))
    monkeypatch.setattr(server, "MOST_RESTARTS", 0)
    limit(monkeypatch, **HASTY)
    found = answered(row, questions(row, "losses"), kills=pids(folder)[1], after=5)
    assert [response.status for response in found] == ["ok"] * N_GROUPS * N_CALLS


def test_a_call_that_kills_its_server_twice_is_quarantined_and_the_rest_answered(
    tmp_path: Path,
) -> None:
    row = one_server(tmp_path, {"kind": "die", "match": "Document 1"})
    groups = questions(row, "poison", 3)
    poison = groups[1][0].request.request_id
    found = {
        response.request_id: response
        for response in answered(row, [groups[0], groups[1][:1], groups[2]])
    }
    assert found.pop(poison).status == "quarantined"
    assert [response.status for response in found.values()] == ["ok"] * 2 * N_CALLS


def test_when_no_server_comes_back_the_run_ends_with_their_last_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "MOST_RESTARTS", 0)
    limit(monkeypatch, **HASTY)
    row = one_server(tmp_path, {"kind": "die"})
    with pytest.raises(ServersFailed, match="has not answered") as failed:
        answered(row, questions(row, "nothing", 1))
    said = str(failed.value)
    assert "the same command starts new ones" in said
    assert "server 0 of faulty had ended (node " in said
    assert "Its log ends:\n  listening on http://127.0.0.1:" in said
