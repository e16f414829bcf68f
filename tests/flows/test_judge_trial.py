"""Judges on trial in whole runs: more judges, repeats, attacks; no judgement changes."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from flows.benchmark import benchmark
from flows.judge import judge
from tasks.core.rows import AttackVerdict, Case, Judgement, Request
from tasks.inference.cache.response_cache import cache_of
from tasks.inference.operation import PRIME
from tasks.lake.lake import Lake
from tasks.pipeline.plan import has_nothing_to_do, is_judged_on
from tasks.pipeline.settings import RunSettings
from tasks.warehouse.connection import open_warehouse
from tests.flows.rows import numbers_of, rows_of


def firsts_of(run: RunSettings) -> list[Judgement]:
    return [row for row in rows_of(run, Judgement) if not row.repeat]


def repeats_of(run: RunSettings) -> list[Judgement]:
    return [row for row in rows_of(run, Judgement) if row.repeat]


def asked(run: RunSettings, query: str) -> list[tuple]:
    lake = Lake(run.lake)
    with open_warehouse(lake.files(run.release), journal=cache_of(lake)) as warehouse:
        return warehouse.execute(query).fetchall()


def test_a_judge_added_later_changes_nothing_of_the_first(copied: RunSettings, faulty) -> None:
    tables = (Judgement, AttackVerdict)
    before = {table: rows_of(copied, table) for table in tables}
    metrics = numbers_of(copied)
    faulty("referee", ["Fine.\nRating: [[4]]", "Poor.\nRating: [[2]]", "I would say five."])
    both = replace(copied, judge=("extractive", "referee"))
    benchmark(both)
    for table in tables:
        rows = rows_of(copied, table)
        assert [row for row in rows if row.judge == "extractive"] == before[table]
        assert len(rows) == 2 * len(before[table])
    assert [row for row in numbers_of(copied) if row.judge == "extractive"] == metrics
    assert has_nothing_to_do(Lake(copied.lake), both)
    ((n, n_unscored),) = asked(
        copied,
        "select n, n_unscored_by_either from reports.judge_agreement where slice_by = 'overall'",
    )
    assert n + n_unscored == sum(not row.repeat for row in before[Judgement])
    assert n_unscored
    assert {
        name for (name,) in asked(copied, "select distinct judge from reports.unscored_reasons")
    } == {"referee"}


def test_what_is_judged_again_is_a_part_of_the_cases_bought_once_more_and_once_only(
    copied: RunSettings, faulty
) -> None:
    engine = faulty(
        "referee", ["Fine.\nRating: [[4]]", "Poor.\nRating: [[3]]", "Bad.\nRating: [[1]]"], "id"
    )
    run = replace(copied, judge=("referee",), judge_repeats=0.0)

    def bought() -> set[str | None]:
        """Keys of what the judge was asked; equal answers to one question share theirs.

        Primers are left out: that of a group is keyed by its first call, and a larger share of
        repeats may put another call first.
        """
        asked_of = [row for row in rows_of(run, Request) if row.model == "referee"]
        return {row.key for row in asked_of if row.operation != PRIME}

    def n_asked() -> int:
        return sum(not call.is_primer for call in engine.calls)

    judge(run)
    before = firsts_of(run)
    assert n_asked() == len(bought())

    again = replace(run, judge_repeats=0.5)
    judge(again)
    assert firsts_of(run) == before
    repeated = [row for row in repeats_of(run) if row.judge == "referee"]
    chosen = {row.case_id for row in rows_of(run, Case) if is_judged_on(1, again, row.case_id)}
    assert {row.case_id for row in repeated} == chosen
    assert n_asked() == len(bought())
    requests = {row.request_id: row for row in rows_of(run, Request)}
    first = {row.request_id: row for row in before}
    for row in repeated:
        one, other = (
            requests[first[row.request_id].judge_request_id],
            requests[row.judge_request_id],
        )
        assert one.key != other.key
        assert (one.suffix, one.prefix_id, one.subject_id) == (
            other.suffix,
            other.prefix_id,
            other.subject_id,
        )

    judge(replace(again, judge_repeats=0.75))  # the cases of before, and more
    more = [row for row in repeats_of(run) if row.judge == "referee"]
    assert {row.judgement_id for row in repeated} < {row.judgement_id for row in more}
    assert [row for row in more if row.case_id in chosen] == repeated
    n_calls = len(engine.calls)
    assert n_asked() == len(bought())
    judge(
        replace(again, judge_repeats=0.75, force=True)
    )  # all made anew from what the ledger keeps
    assert len(engine.calls) == n_calls


def test_the_part_that_is_judged_again_is_as_large_as_asked_for() -> None:
    run = RunSettings(judge_repeats=0.1)
    chosen = Counter(is_judged_on(1, run, f"case-{number}") for number in range(5_000))
    assert chosen[True] == pytest.approx(500, abs=60)
    assert all(is_judged_on(0, run, f"case-{number}") for number in range(50))
