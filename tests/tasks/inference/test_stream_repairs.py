"""Unreadable replies, with a ledger: the repair goes next, is kept, and is never paid twice."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest

from tasks.inference.cache.response_cache import ResponseCache
from tasks.inference.client import Client, ask
from tasks.inference.operation import Call, Operation, ParseError, Question, Reply
from tasks.suites.failsafeqa.answer import OPERATION as ANSWER
from tasks.suites.shared.contexts import ContextInputs
from tests.kept import FIVE, Died, Sending


def read_number(text: str) -> int:
    if not text.isdigit():
        raise ParseError(f"not a number: {text}")
    return int(text)


OPERATION: Operation[ContextInputs, int] = replace(ANSWER, name="count", parse=read_number)


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
    server: Sending, journal: ResponseCache, questions: list[Question[ContextInputs]] = FIVE
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
