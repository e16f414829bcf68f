"""Progress: what was done, how long the rest will take, and parts that add up to a whole."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tasks.core import progress
from tasks.core.progress import Progress, Tally, in_parts, listening
from tasks.models.catalogue import Model
from tests.calls import call_of
from tests.scripted import response_to

MODEL = Model(name="m", engine="openai", description="")


@pytest.fixture
def heard() -> Iterator[list[Progress]]:
    found: list[Progress] = []
    with listening(found.append):
        yield found


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time that the program's clock shows; tests set it."""
    now = [0.0]
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])
    return now


def test_the_start_of_a_server_is_no_part_of_the_pace(clock: list[float]) -> None:
    tally = Tally("w", "m", began=0.0)
    tally.add_to_total(10)
    tally.add(response_to(call_of("d", "q", MODEL), latency_ms=9_000.0), reused=True)
    for clock[0] in (304.0, 308.0):  # five minutes to load the model, then 4 s a call
        tally.add(response_to(call_of("d", "q", MODEL), latency_ms=4_000.0))
    assert str(tally.now).endswith(", 0:00:28 left")


def test_a_call_that_was_refused_before_it_was_sent_is_done_and_failed_and_not_sent(
    heard: list[Progress],
) -> None:
    tally = Tally("w", "m", began=0.0)
    call = call_of("d", "q", MODEL)
    tally.add(response_to(call))
    tally.add(response_to(call, None, attempts=0))
    tally.add(response_to(call, None, attempts=0), reused=True)
    last = heard[-1]
    assert (last.done, last.failed, last.sent, last.reused) == (3, 2, 1, 1)


def test_finished_parts_add_up_to_the_whole(heard: list[Progress], clock: list[float]) -> None:
    for _ in in_parts("all judging", "ab", [40, 60]):
        clock[0] += 20.0
    assert [(now.done, now.total, now.is_open) for now in heard] == [
        (40, 100, True),
        (100, 100, False),
    ]
    assert heard[0].seconds_left == 30.0
    assert list(in_parts("one part", "a", [7])) == ["a"]
    assert len(heard) == 2
