"""Small scenarios on which the simulator and vLLM's scheduler must agree, and its results."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tests.bench.scheduler.prompts import BLOCK, Numbering, Span
from tests.bench.scheduler.replica import Replica, Work


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """One request: the step before which it arrives, its prompt's documents, its output."""

    step: int
    spans: tuple[Span, ...]
    n_output: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A replica and what arrives at it, in order of arrival."""

    n_blocks: int  # that can be used; vLLM keeps one more for itself
    max_batched_tokens: int
    max_sequences: int
    arrivals: tuple[Arrival, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of a scenario.

    n_cached     per request, tokens found in cache when it was first admitted
    n_recached   tokens found in cache by requests that had been preempted, over all
    step_tokens  tokens computed, step by step; how many steps there were is its length
    finished_at  per request, the step that finished it
    """

    n_cached: tuple[int, ...]
    n_recached: int
    n_preemptions: int
    step_tokens: tuple[int, ...]
    finished_at: tuple[int, ...]


def simulate(scenario: Scenario) -> Outcome:
    """What the simulator makes of a scenario."""
    numbering = Numbering()
    replica = Replica(scenario.n_blocks, scenario.max_batched_tokens, scenario.max_sequences)
    works = [
        Work(number, numbering.of_spans(arrival.spans), arrival.n_output)
        for number, arrival in enumerate(scenario.arrivals)
    ]
    step_tokens: list[int] = []
    finished_at = [-1] * len(works)
    n_arrived = turn = 0
    while n_arrived < len(works) or not replica.is_idle:
        while n_arrived < len(works) and scenario.arrivals[n_arrived].step <= turn:
            replica.add(works[n_arrived])
            n_arrived += 1
        step = replica.step()
        if step.n_tokens:
            step_tokens.append(step.n_tokens)
        for work in step.finished:
            finished_at[work.number] = turn
        turn += 1
    return Outcome(
        n_cached=tuple(work.n_cached or 0 for work in works),
        n_recached=sum(work.n_recached for work in works),
        n_preemptions=replica.n_preemptions,
        step_tokens=tuple(step_tokens),
        finished_at=tuple(finished_at),
    )


def random_scenario(seed: int) -> Scenario:
    """A scenario with shared prefixes and, mostly, too little memory.

    Prompts are a document's beginning, another document's beginning and something of their own, so
    that they share nothing, some blocks, or all; lengths fall on and beside block boundaries.
    """
    rng = random.Random(f"scenario {seed}")
    n_documents = rng.randint(1, 6)
    longest = rng.choice((40, 120, 300))
    arrivals: list[Arrival] = []
    step = 0
    for number in range(rng.randint(2, 30)):
        step += rng.choice((0, 0, 0, 1, 2, rng.randint(0, 40)))
        spans: list[Span] = []
        if rng.random() < 0.9:
            spans.append((rng.randrange(n_documents), _length(rng, longest)))
        if rng.random() < 0.3:
            spans.append((rng.randrange(n_documents), _length(rng, longest // 2)))
        if rng.random() < 0.7 or not spans:
            spans.append((1000 + number, rng.randint(1, 30)))
        arrivals.append(
            Arrival(step=step, spans=tuple(spans), n_output=rng.choice((1, 1, rng.randint(2, 80))))
        )
    most = max(sum(n for _, n in arrival.spans) + arrival.n_output for arrival in arrivals)
    enough = -(-most // BLOCK) + 1
    return Scenario(
        n_blocks=enough + rng.choice((0, 1, rng.randint(0, 20), rng.randint(0, 80))),
        max_batched_tokens=rng.choice((32, 64, 100, 256, 2048)),
        max_sequences=rng.choice((2, 4, 8, 32)),
        arrivals=tuple(arrivals),
    )


def paper_piece(n_contexts: int = 12, in_flight_steps: int = 40) -> Scenario:
    """A piece of the paper's workload: per context a primer, five questions, one on its OCR copy.

    8,000 to 26,000 tokens a context; a cache that holds about two of them.
    """
    rng = random.Random("a piece of the paper")
    arrivals: list[Arrival] = []
    step = 0
    for context in range(n_contexts):
        n_tokens = rng.randint(8_000, 26_000)
        for document, length, n_questions in (
            (context, n_tokens, 5),
            (500 + context, n_tokens * 13 // 10, 1),
        ):
            head: tuple[Span, ...] = ((999, 150), (document, length))
            arrivals.append(Arrival(step=step, spans=head, n_output=1))
            step += rng.randint(2, 8)
            for _ in range(n_questions):
                question = (1000 + len(arrivals), rng.randint(12, 40))
                arrivals.append(
                    Arrival(step=step, spans=(*head, question), n_output=rng.randint(20, 256))
                )
                step += rng.randint(0, in_flight_steps // 10)
    return Scenario(
        n_blocks=3_000, max_batched_tokens=8192, max_sequences=256, arrivals=tuple(arrivals)
    )


def to_row(scenario: Scenario, outcome: Outcome) -> dict[str, object]:
    """Scenario and outcome as JSON; steps with equal tokens in a row are counted, not repeated."""
    return {
        "replica": [scenario.n_blocks, scenario.max_batched_tokens, scenario.max_sequences],
        "arrivals": [
            [a.step, [list(span) for span in a.spans], a.n_output] for a in scenario.arrivals
        ],
        "n_cached": list(outcome.n_cached),
        "n_recached": outcome.n_recached,
        "n_preemptions": outcome.n_preemptions,
        "step_tokens": _runs(outcome.step_tokens),
        "finished_at": list(outcome.finished_at),
    }


def from_row(row: dict[str, Any]) -> tuple[Scenario, Outcome]:
    """What `to_row` wrote."""
    n_blocks, max_batched_tokens, max_sequences = row["replica"]
    arrivals = tuple(
        Arrival(step=step, spans=tuple((d, n) for d, n in spans), n_output=n_output)
        for step, spans, n_output in row["arrivals"]
    )
    scenario = Scenario(
        n_blocks=n_blocks,
        max_batched_tokens=max_batched_tokens,
        max_sequences=max_sequences,
        arrivals=arrivals,
    )
    outcome = Outcome(
        n_cached=tuple(row["n_cached"]),
        n_recached=row["n_recached"],
        n_preemptions=row["n_preemptions"],
        step_tokens=tuple(tokens for tokens, n in row["step_tokens"] for _ in range(n)),
        finished_at=tuple(row["finished_at"]),
    )
    return scenario, outcome


def _length(rng: random.Random, longest: int) -> int:
    if rng.random() < 0.4:
        return BLOCK * rng.randint(1, max(1, longest // BLOCK)) + rng.choice((0, 0, -1, 1))
    return rng.randint(1, longest)


def _runs(values: Sequence[int]) -> list[list[int]]:
    runs: list[list[int]] = []
    for value in values:
        if runs and runs[-1][0] == value:
            runs[-1][1] += 1
        else:
            runs.append([value, 1])
    return runs
