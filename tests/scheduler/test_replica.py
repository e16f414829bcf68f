"""The simulator of vLLM's scheduler: equal to what was recorded in vLLM, and true to itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.bench.scheduler.prompts import BLOCK, Numbering, least_computed
from tests.bench.scheduler.replica import Replica, Work
from tests.bench.scheduler.scenarios import (
    Arrival,
    Scenario,
    from_row,
    paper_piece,
    random_scenario,
    simulate,
    to_row,
)

HEADER, *ROWS = (
    (Path(__file__).parent / "recorded_in_vllm.jsonl").read_text(encoding="utf-8").splitlines()
)


@pytest.mark.parametrize("line", ROWS, ids=lambda line: f"seed {json.loads(line)['seed']}")
def test_a_scenario_goes_as_it_went_in_vllm(line: str) -> None:
    scenario, recorded = from_row(json.loads(line))
    assert simulate(scenario) == recorded


def test_the_record_says_where_it_comes_from_and_shows_preemptions_and_hits() -> None:
    header = json.loads(HEADER)
    assert header["vllm"] == "0.32.0"
    assert "tests.vllm.record_scheduler" in header["recorded_with"]
    recorded = [from_row(json.loads(line))[1] for line in ROWS]
    assert sum(outcome.n_preemptions > 0 for outcome in recorded) >= 5
    assert sum(outcome.n_recached > 0 for outcome in recorded) >= 3
    assert sum(sum(outcome.n_cached) > 0 for outcome in recorded) >= 10


@pytest.mark.parametrize("seed", range(5))
def test_a_row_of_the_record_reads_back_as_it_was(seed: int) -> None:
    scenario = random_scenario(seed)
    outcome = simulate(scenario)
    assert from_row(json.loads(json.dumps(to_row(scenario, outcome)))) == (scenario, outcome)


@settings(max_examples=60)
@given(st.integers(1000, 10**6))
def test_every_request_ends_and_no_block_is_lost(seed: int) -> None:
    scenario = random_scenario(seed)
    numbering = Numbering()
    replica = Replica(scenario.n_blocks, scenario.max_batched_tokens, scenario.max_sequences)
    works = [
        Work(number, numbering.of_spans(arrival.spans), arrival.n_output)
        for number, arrival in enumerate(scenario.arrivals)
    ]
    for work in works:
        replica.add(work)
    while not replica.is_idle:
        step = replica.step()
        assert 0 < step.n_tokens <= scenario.max_batched_tokens
        assert len(replica.running) <= scenario.max_sequences
    assert [work.n_output for work in works] == [arrival.n_output for arrival in scenario.arrivals]
    assert replica.cache.n_free == scenario.n_blocks
    computed_once = sum(work.n_tokens - 1 - (work.n_cached or 0) for work in works)
    if replica.n_preemptions == 0:
        assert replica.n_computed == computed_once
    else:
        assert replica.n_computed > computed_once - sum(work.n_recached for work in works)


def test_with_room_for_all_every_shared_block_is_computed_once() -> None:
    spans = [((1, 100), (10 + number, 20)) for number in range(4)]
    arrivals = tuple(Arrival(step=3 * n, spans=s, n_output=2) for n, s in enumerate(spans))
    outcome = simulate(
        Scenario(n_blocks=100, max_batched_tokens=512, max_sequences=8, arrivals=arrivals)
    )
    assert outcome.n_cached == (0, 96, 96, 96)


def test_what_was_used_longest_ago_is_evicted_first_and_a_prefixs_end_before_its_beginning() -> (
    None
):
    arrivals = (
        Arrival(step=0, spans=((1, 64),), n_output=1),  # four blocks
        Arrival(step=1, spans=((2, 64),), n_output=1),  # four more: ten blocks are there
        Arrival(
            step=2, spans=((3, 64),), n_output=1
        ),  # takes two blank ones and the end of the first
        Arrival(step=3, spans=((1, 64), (9, 1)), n_output=1),
        Arrival(step=4, spans=((2, 64), (9, 1)), n_output=1),
    )
    outcome = simulate(
        Scenario(n_blocks=10, max_batched_tokens=512, max_sequences=8, arrivals=arrivals)
    )
    assert (
        outcome.n_cached[3] == 32
    )  # the beginning was still there; the rest took from the second's end
    assert outcome.n_cached[4] == 16


def test_a_request_that_can_never_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="longer than the cache"):
        Replica(n_blocks=4).add(Work(0, Numbering().of_spans([(1, 60)]), 10))


def test_the_piece_of_the_paper_runs_into_preemptions() -> None:
    outcome = simulate(paper_piece(n_contexts=4))
    assert outcome.n_preemptions > 0
    assert outcome.n_recached > 0


# --- prompts ---------------------------------------------------------------------------


@given(st.lists(st.integers(0, 3), max_size=70), st.lists(st.integers(0, 3), max_size=70))
def test_two_prompts_share_block_numbers_exactly_where_they_share_all_tokens(
    one: list[int], other: list[int]
) -> None:
    numbering = Numbering()
    first, second = numbering.of_tokens(one), numbering.of_tokens(other)
    assert len(first.blocks) == len(one) // BLOCK
    for index in range(min(len(first.blocks), len(second.blocks))):
        end = BLOCK * (index + 1)
        assert (first.blocks[index] == second.blocks[index]) == (one[:end] == other[:end])


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(1, 40)), min_size=1, max_size=4),
    st.lists(st.tuples(st.integers(0, 3), st.integers(1, 40)), max_size=3),
)
def test_spans_are_numbered_as_the_tokens_they_stand_for(
    head: list[tuple[int, int]], tail: list[tuple[int, int]]
) -> None:
    def tokens(spans: list[tuple[int, int]]) -> list[int]:
        return [document * 1000 + position for document, n in spans for position in range(n)]

    by_tokens, by_spans = Numbering(), Numbering()
    expected = [by_tokens.of_tokens(tokens(head)), by_tokens.of_tokens(tokens(head), tokens(tail))]
    got = [by_spans.of_spans(head), by_spans.of_spans(head, tail)]
    assert [prompt.n_tokens for prompt in got] == [prompt.n_tokens for prompt in expected]
    assert [list(prompt.blocks) for prompt in got] == [list(prompt.blocks) for prompt in expected]


def test_the_least_that_must_be_computed_is_each_block_once_and_every_end() -> None:
    numbering = Numbering()
    head = [(1, 32)]
    prompts = [
        numbering.of_spans(head, [(2, 5)]),
        numbering.of_spans(head, [(3, 5)]),
        numbering.of_spans(head),
    ]
    # 32 shared and 5; 5; the last prompt ends with a block: its last token is computed again
    assert least_computed(prompts) == 37 + 5 + 16
