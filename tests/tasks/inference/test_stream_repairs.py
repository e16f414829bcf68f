"""Unreadable replies, with a ledger: the repair goes next, is kept, and is never paid twice."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest

from tasks.core.progress import Progress, listening
from tasks.inference.cache.response_cache import ResponseCache
from tasks.inference.client import Client, ask
from tasks.inference.operation import Call, Operation, ParseError, Question, Reply
from tasks.suites.failsafeqa.answer import OPERATION as ANSWER
from tasks.suites.failsafeqa.answer import Inputs
from tests.kept import FIVE, Died, Sending, question


def read_number(text: str) -> int:
    if not text.isdigit():
        raise ParseError(f"not a number: {text}")
    return int(text)


OPERATION: Operation[Inputs, int] = replace(ANSWER, name="count", parse=read_number)


@dataclass
class Muddled:
    """Says words where a number was asked for; when asked once more, `again`."""

    again: str = "7"
    words_to: frozenset[str] = frozenset(each.subject_id for each in FIVE)
    sent: list[tuple[str, bool]] = field(default_factory=list)  # subject, whether it is a repair

    def __call__(self, call: Call) -> str:
        is_repair = call.request.repairs is not None
        self.sent.append((call.request.subject_id, is_repair))
        if is_repair:
            return self.again
        return "words" if call.request.subject_id in self.words_to else "1"


def asked(
    server: Sending, journal: ResponseCache, questions: list[Question[Inputs]] = FIVE
) -> list[Reply[int]]:
    return ask(Client(server, journal, remembers=True), OPERATION, questions)


def test_a_repair_is_sent_right_after_what_it_repairs_while_its_prefix_is_warm(
    journal: ResponseCache,
) -> None:
    reply = Muddled()
    replies = asked(Sending(reply, in_flight=1), journal)
    assert reply.sent == [
        (each.subject_id, is_repair) for each in FIVE for is_repair in (False, True)
    ]
    assert [each.value for each in replies] == [7] * 5
    assert all(each.request.repairs is not None for each in replies)


def test_what_stays_unreadable_is_asked_once_more_and_no_more(journal: ResponseCache) -> None:
    reply = Muddled(again="still words")
    replies = asked(Sending(reply), journal)
    assert len(reply.sent) == 10
    assert {(each.value, each.error, each.request.repairs) for each in replies} == {
        (None, "not a number: words", None)
    }


def test_a_finished_run_sends_neither_the_broken_call_nor_its_repair_again(
    journal: ResponseCache,
) -> None:
    first = asked(Sending(Muddled()), journal)
    second = Muddled()
    assert asked(Sending(second), journal) == first
    assert second.sent == []


@pytest.mark.parametrize("dies_after", range(1, 10))
def test_a_run_that_dies_goes_on_with_the_repairs_that_are_left(
    journal: ResponseCache, dies_after: int
) -> None:
    reply = Muddled()
    with pytest.raises(Died):
        asked(Sending(reply, dies_after=dies_after, in_flight=2), journal)
    replies = asked(Sending(reply, in_flight=2), journal)
    assert [each.value for each in replies] == [7] * 5
    assert set(reply.sent) == {
        (each.subject_id, is_repair) for each in FIVE for is_repair in (False, True)
    }
    assert len(reply.sent) <= 10 + 2  # at most what was in flight is sent again


@pytest.mark.parametrize("in_flight", [1, 4])
def test_equal_prompts_share_the_repair_too(journal: ResponseCache, in_flight: int) -> None:
    reply = Muddled(words_to=frozenset({"mine", "yours"}))
    twice = [question("A", "1?", "mine"), question("A", "1?", "yours")]
    replies = asked(Sending(reply, in_flight=in_flight), journal, twice)
    assert len(reply.sent) == 2
    assert [(each.subject_id, each.value) for each in replies] == [("mine", 7), ("yours", 7)]


def test_repairs_are_counted_by_themselves_as_they_come(journal: ResponseCache) -> None:
    seen: dict[str, Progress] = {}
    with listening(lambda now: seen.__setitem__(now.what, now)):
        asked(
            Sending(Muddled(words_to=frozenset({FIVE[0].subject_id, FIVE[3].subject_id}))), journal
        )
    assert {what: (now.done, now.total, now.is_open) for what, now in seen.items()} == {
        "count by scripted": (5, 5, False),
        "count: retries of unreadable replies by scripted": (2, 2, False),
    }
    # a repair's pace counts from the start of its step, not from the time after its answer
    assert len({now.began for now in seen.values()}) == 1


def test_a_run_that_dies_has_told_the_end_of_each_piece(journal: ResponseCache) -> None:
    seen: dict[str, Progress] = {}
    with pytest.raises(Died), listening(lambda now: seen.__setitem__(now.what, now)):
        asked(Sending(Muddled(), dies_after=3, in_flight=1), journal)
    assert {what: now.is_open for what, now in seen.items()} == dict.fromkeys(
        ("count by scripted", "count: retries of unreadable replies by scripted"), False
    )
    assert 0 < seen["count by scripted"].done < 5


def test_a_question_asked_twice_in_a_step_has_its_repair_twice_and_is_sent_once(
    journal: ResponseCache,
) -> None:
    reply = Muddled()
    step = Client(Sending(reply), journal, remembers=True)
    seen: dict[tuple[str, float], Progress] = {}
    with listening(lambda now: seen.__setitem__((now.what, now.began), now)):
        first = ask(step, OPERATION, FIVE)
        again = ask(step, OPERATION, [*FIVE, question("C", "1?")])
    assert again[:5] == first
    assert [each.value for each in again] == [7] * 5 + [1]
    assert len(reply.sent) == 11
    # what was not asked again is no part of what there is to do
    assert all(now.done == now.total for now in seen.values())
    assert sum(now.done for now in seen.values()) == 11
