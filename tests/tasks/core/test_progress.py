"""Progress: what was done, how long the rest will take, and parts that add up to a whole."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import pytest

from tasks.core import progress
from tasks.core.progress import Progress, Tally, Whole, announce, listening
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


def piece(
    done: int, total: int, *, reused: int = 0, began: float = 0.0, dollars: float = 0.0
) -> Progress:
    return Progress(
        what="rate by m",
        done=done,
        total=total,
        model="m",
        reused=reused,
        began=began,
        dollars=dollars,
    )


def of_whole(heard: list[Progress]) -> list[Progress]:
    return [each for each in heard if each.what == "all judging"]


def test_the_start_of_a_server_is_no_part_of_the_pace(clock: list[float]) -> None:
    tally = Tally("w", "m", began=0.0)
    tally.add_to_total(10)
    tally.add(response_to(call_of("d", "q", MODEL), latency_ms=9_000.0), reused=True)
    for clock[0] in (304.0, 308.0):  # five minutes to load the model, then 4 s a call
        tally.add(response_to(call_of("d", "q", MODEL), latency_ms=4_000.0))
    assert tally.now.outlook == ["0:00:28 left"]


def test_a_call_that_was_refused_before_it_was_sent_is_done_and_failed_and_not_sent(
    heard: list[Progress],
) -> None:
    tally = Tally("w", "m", began=0.0)
    call = call_of("d", "q", MODEL)
    tally.add(response_to(call))
    tally.add(response_to(call, None, attempts=0))
    tally.add(response_to(call, None, attempts=0), reused=True)
    last = heard[-1]
    assert (last.done, last.failed, last.sent, last.unsent, last.reused) == (3, 2, 1, 1, 1)


def test_the_whole_work_goes_on_from_part_to_part_and_foresees_its_own_end(
    heard: list[Progress], clock: list[float]
) -> None:
    whole = Whole("all judging", [40, 60], in_calls=True)
    with whole.part(0):
        clock[0] = 20.0
        announce(piece(20, 38))
        assert of_whole(heard)[-1].seconds_left == 80.0
        announce(piece(38, 38))  # two answers had failed and were not judged
    assert of_whole(heard)[-1].done == 40
    with whole.part(1):
        clock[0] = 50.0
        announce(piece(10, 60, began=40.0, dollars=1.5))
    assert [each.done for each in of_whole(heard)] == [20, 38, 40, 50, 100]
    assert [each.is_open for each in of_whole(heard)] == [True] * 4 + [False]
    assert of_whole(heard)[-2].seconds_left == 50.0
    assert {each.total for each in of_whole(heard)} == {100}
    assert of_whole(heard)[-1].dollars == 1.5


def test_what_is_asked_once_more_makes_no_part_more_than_whole(heard: list[Progress]) -> None:
    with Whole("all judging", [40, 60], in_calls=True).part(0):
        announce(piece(40, 40))
        announce(piece(0, 10, began=1.0))
        assert of_whole(heard)[-1].done == 32
        announce(piece(10, 10, began=1.0))
    assert [each.done for each in of_whole(heard)] == [40, 32, 40]  # the end is told once


def test_the_whole_is_open_until_its_last_part_has_ended(
    heard: list[Progress],
) -> None:
    whole = Whole("all judging", [1, 1], in_calls=True)
    for number in range(2):
        with whole.part(number):
            announce(piece(1, 1, began=number))
            announce(piece(2, 2, began=number + 0.5))  # repairs
    assert [(each.done, each.is_open) for each in of_whole(heard)][-3:] == [
        (2, True),
        (2, True),
        (2, False),
    ]


def test_a_part_that_fails_is_not_done(heard: list[Progress]) -> None:
    whole = Whole("all judging", [4, 4], in_calls=True)
    with suppress(ZeroDivisionError), whole.part(0):
        announce(piece(1, 4))
        raise ZeroDivisionError
    with whole.part(1):
        pass
    assert [each.done for each in of_whole(heard)] == [1, 4]
