"""Every server fault over real connections: what the call becomes, what the server was asked.

The server misbehaves on purpose (`tests/servers/chat_server.py`). A planted key is always in the
environment.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tasks.core.cancellation import withdraw_stop
from tasks.core.errors import RunFailed
from tasks.core.rows import Response
from tasks.inference.engines import load_engine
from tasks.inference.operation import Call, grouped
from tasks.models.catalogue import Model
from tests.calls import call_of, group_of
from tests.handed import Handed
from tests.servers.serving import Server, serving

KEY_ENV = "TENKBENCH_TEST_KEY"
KEY = "sk-planted-5d0c7a91e2b84f36"


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("chat") / "log.jsonl"


@pytest.fixture(scope="module")
def server(log: Path) -> Iterator[Server]:
    with serving(delay_ms=10, log=log) as running:
        yield running


@pytest.fixture(autouse=True)
def nothing_gives_the_key_away(
    server: Server,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> Iterator[None]:
    monkeypatch.setenv(KEY_ENV, KEY)
    caplog.set_level(logging.DEBUG)
    SAID.clear()
    if server.process.poll() is None:
        server.set_faults([])
    yield
    withdraw_stop()
    said = "".join([*SAID, caplog.text, *capfd.readouterr()])
    assert KEY[3:] not in said


SAID: list[str] = []  # whatever a run has said: its responses, and the error that ended it


@dataclass
class Outcome:
    """The responses by prompt, and the error that ended the run."""

    responses: dict[str, Response]
    ended: RunFailed | None

    def statuses(self) -> Counter[str]:
        return Counter(response.status for response in self.responses.values())


def row_of(server: Server, **changes: Any) -> Model:
    given: dict[str, Any] = {"base_url": server.url, "key_env": KEY_ENV, "timeout_s": 120.0}
    return Model(name="local", engine="openai", description="", **(given | changes))


def asked(
    row: Model, calls: Sequence[Call], *, meanwhile: Callable[[int], None] = lambda n_settled: None
) -> Outcome:
    """Have calls answered by the engine; each is settled once at most."""
    outcome = Outcome({}, None)

    async def settle(call: Call, response: Response) -> None:
        assert call.prompt not in outcome.responses, "settled twice"
        outcome.responses[call.prompt] = response
        meanwhile(len(outcome.responses))

    try:
        asyncio.run(load_engine(row, {}).answer(Handed(grouped(calls), settle)))
    except RunFailed as ended:
        outcome.ended = ended
        SAID.append(f"{ended!r} {ended.__cause__!r} {ended.__context__!r}")
    SAID.extend(map(repr, outcome.responses.values()))
    return outcome


def faulty_and_good(row: Model, name: str) -> list[Call]:
    """Three calls that meet the rules for `faulty`, and three that do not."""
    return [
        call_of(f"{kind} {name}.", f" Question {number}?", row)
        for kind in ("faulty", "good")
        for number in range(3)
    ]


# --- what passes -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fault",
    [
        {"kind": "429"},
        {"kind": "500"},
        {"kind": "503"},
        {"kind": "reset"},
        {"kind": "cut"},
        {"kind": "not_json"},
    ],
    ids=lambda fault: "-".join(str(value) for value in fault.values()).replace(" ", "_"),
)
def test_a_fault_that_passes_is_tried_again_and_only_it(
    fault: dict[str, Any], server: Server
) -> None:
    server.set_faults([{**fault, "match": "faulty", "times": 2}])
    row = row_of(server)
    outcome = asked(row, faulty_and_good(row, str(fault)))
    assert outcome.ended is None
    assert outcome.statuses() == Counter(ok=6)
    for prompt, response in outcome.responses.items():
        assert response.attempts == (3 if prompt.startswith("faulty") else 1)
        assert response.text is not None
        assert response.text.startswith("The answer is ")


# --- what does not ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "error_type"),
    [
        ({"kind": "overflow"}, "context_overflow"),
        ({"kind": "content_filter"}, "content_filter"),
        ({"kind": "content_filter", "form": "finish_reason"}, "content_filter"),
        ({"kind": "bad_request"}, "bad_request"),
    ],
    ids=lambda value: "-".join(value.values()) if isinstance(value, dict) else None,
)
def test_what_cannot_succeed_is_asked_once_and_is_a_row(
    fault: dict[str, Any], error_type: str, server: Server
) -> None:
    server.set_faults([{**fault, "match": "faulty"}])
    before = server.stats()["received"]
    row = row_of(server)
    outcome = asked(row, faulty_and_good(row, error_type + str(fault)))
    assert outcome.ended is None
    assert outcome.statuses() == Counter(ok=3, error=3)
    for prompt, response in outcome.responses.items():
        if "faulty" in prompt:
            assert (response.error_type, response.attempts, response.text) == (error_type, 1, None)
            assert response.error
    assert server.stats()["received"] - before == 6


def test_an_expired_key_ends_the_run_with_the_name_of_its_variable(server: Server) -> None:
    server.set_faults([{"kind": "expired_key", "after": 20}])
    row = row_of(server, in_flight=4)
    outcome = asked(row, [call_of("Expired.", f" {number}?", row) for number in range(200)])
    assert KEY_ENV in str(outcome.ended)
    assert f"kept in this run: {len(outcome.responses)}" in str(outcome.ended)
    assert outcome.statuses() == Counter(ok=20)
    assert server.stats()["by_fault"]["expired_key"] <= 4


# --- servers that die, slow down, or are only a little ill -----------------------------------


def test_a_server_that_dies_and_returns_costs_no_answer(tmp_path: Path) -> None:
    with serving(delay_ms=30, log=tmp_path / "log") as mortal:
        row = row_of(mortal, in_flight=8)

        def kill(n_settled: int) -> None:
            if n_settled == 30:
                mortal.kill()
                threading.Timer(0.5, mortal.start).start()

        outcome = asked(
            row,
            [call for n in range(20) for call in group_of(f"Document {n}.", 4, row)],
            meanwhile=kill,
        )
        assert outcome.ended is None
        assert outcome.statuses() == Counter(ok=80)
        received = Counter(
            event["prompt"] for event in mortal.log() if event["event"] == "received"
        )
    assert len(received) == 80
    assert (
        sum(received.values()) <= 80 + 8
    )  # what was in flight when it died, and nothing else, twice
