"""The ledger's primers: one short call that warms a group's prefix, a row and nobody's answer."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tasks.inference.cache.response_cache import ResponseCache
from tasks.inference.client import Client
from tasks.inference.operation import PRIME
from tests.kept import (
    FIVE,
    Died,
    Sending,
    answered,
    assert_primers_come_before_their_calls,
    echo,
    question,
    sent,
    timeless,
)


def test_a_group_of_two_or_more_is_primed_before_its_calls_are_sent(journal: ResponseCache) -> None:
    engine = Sending(echo, in_flight=8)
    settled = answered(Client(engine, journal, primes=True), [*FIVE, question("C", "1?")])
    order = sent(engine)
    assert Counter(order)[PRIME] == 2
    first_of = {
        group: min(order.index(name) for name in order if name.startswith(group)) for group in "AB"
    }
    primers = [number for number, name in enumerate(order) if name == PRIME]
    assert primers[0] < first_of["A"]
    assert primers[1] < first_of["B"]
    for call, _ in settled:
        if call.is_primer:
            assert call.prompt == call.prefix.text
            assert call.request.sampling.max_tokens == 1
            assert call.request.case_id is None


@pytest.mark.parametrize("n_before", range(6))
def test_a_resumed_run_has_the_rows_of_an_undisturbed_one_primers_before_their_calls(
    journal_path: Path, n_before: int
) -> None:
    undisturbed = ResponseCache(journal_path.with_name("undisturbed.sqlite"))
    expected = answered(Client(Sending(echo), undisturbed, primes=True), FIVE)
    undisturbed.close()
    interrupted, resumed = ResponseCache(journal_path), ResponseCache(journal_path)
    with pytest.raises(Died):
        answered(
            Client(Sending(echo, dies_after=n_before, in_flight=1), interrupted, primes=True), FIVE
        )
    settled = answered(Client(Sending(echo), resumed, primes=True), FIVE)
    assert timeless(settled) == timeless(expected)
    assert_primers_come_before_their_calls(settled)
    interrupted.close()
    resumed.close()
