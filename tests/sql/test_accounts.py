"""What calls have cost: counted once each, whoever uses the answer, and wherever it stands."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from tasks.core.rows import Case, Comparison, Metric, ResultSet
from tests.filled import filled
from tests.sql.conftest import answered, bought


def test_operations_count_what_was_asked_and_what_came_back(lake, asked) -> None:
    lake.add_pair("a", perturbations=("baseline", "ocr", "missing_context"))
    requests, (ok, failed, cut) = zip(*map(answered, lake.of(Case)), strict=True)
    times = {"latency_ms": 20.0, "first_token_ms": 10.0}
    nothing = dict.fromkeys(("text", "finish_reason", "n_prompt", "n_output"))
    lake.add(
        *requests,
        ok,
        replace(cut, finish_reason="length", cost_usd=0.5, **times),
        replace(failed, status="error", error_type="Timeout", **nothing),
    )
    columns = (
        "operation, model, n_requests, n_ok, n_error, n_cut_off, n_calls, n_prompt_tokens, "
        "n_output_tokens, mean_latency_ms, cost_usd"
    )
    assert asked(f"select {columns} from reports.operations") == [
        ("answer_neutral", "m", 3, 2, 1, 1, 3, 200, 8, 20.0, 0.5)
    ]
    columns = "model, n_answers, n_cut_off, mean_first_token_ms, tokens_per_s"
    assert asked(f"select {columns} from reports.tested_models") == [("m", 3, 1, 10.0, 300.0)]


def test_an_answer_counts_once_however_many_requests_use_it(lake, asked) -> None:
    same = {"key": "same", "n_cached": 60, "n_prompt": 80}
    uncounted = dict.fromkeys(("n_prompt", "n_cached", "n_output"))
    lake.add(*bought("first", **same), *bought("again", **same))
    lake.add(*bought("other", cost_usd=0.5, **uncounted))
    lake.add(*bought("judged", operation="judging", **same))
    lake.add(*bought("served", operation="judging", model="served", cost_usd=None, n_cached=20))
    columns = "n_calls, n_prompt_tokens, n_cached_tokens, n_output_tokens, cost_usd"
    assert asked(f"select operation, model, n_requests, {columns} from reports.operations") == [
        ("judging", "paid", 1, 1, 80, 60, 4, 0.25),
        ("judging", "served", 1, 1, 100, 20, 4, None),
        ("rating", "paid", 3, 1, None, None, None, 0.5),
    ]
    assert asked(
        f"select model, operation, standing, cached_share, {columns} from reports.spending"
    ) == [
        ("paid", "judging", "in the release", 0.75, 1, 80, 60, 4, 0.25),
        ("paid", "rating", "in the release", None, 1, None, None, None, 0.5),
        ("served", "judging", "in the release", 0.2, 1, 100, 20, 4, None),
    ]


def test_an_answer_that_two_releases_share_costs_each_of_them_the_same(lake, asked) -> None:
    lake.add_pair("a", perturbations=("baseline",))
    for release in ("2026Q1", "2026Q2"):
        lake.add(*bought("x", operation="answer_neutral", case_id="a baseline"), release=release)
    query = "select release, n_calls, cost_usd from reports.tested_models order by release"
    assert asked(query) == [("2026Q1", 1, 0.25), ("2026Q2", 1, 0.25)]


def test_a_lead_holds_whatever_the_unscored_would_have_scored(lake, asked) -> None:
    place = {"suite": "failsafeqa", "release": "dev", "score_id": "s"}
    of = {"metric": "llmc", "slice_by": "overall", "slice_value": "all", **place}
    lake.add(filled(ResultSet, is_current=True, **place))
    ends = {"a": (0.6, 0.9), "b": (0.1, 0.5), "c": (0.5, 0.7), "d": (None, None)}  # as an F1 has
    for model, (worst, best) in ends.items():
        lake.add(filled(Metric, **of, model=model, value=worst, worst=worst, best=best))
    about = {"model": "a", "low": 0.1, "high": 0.5, "p_holm": 0.01}
    for other, by in {"b": 0.3, "c": 0.1, "d": 0.2}.items():
        lake.add(filled(Comparison, **of, **about, other_model=other, difference=by))
    assert asked("select ahead_of, n_ahead_of from reports.leaderboard")[0] == ("d", 2)


SPENDING = "select operation, standing, n_calls, n_prompt_tokens, cost_usd from reports.spending"


def test_an_answer_that_another_replaced_is_spent_too(lake, asked) -> None:
    """`--fresh`: the release has the newer answer, or still the older one."""
    old, new = bought("old", key="same"), bought("new", key="same", cost_usd=0.5)
    lake.buy(old)
    lake.buy(new, after=1_000_000)
    lake.add(*new)
    assert asked(SPENDING) == [
        ("rating", "in the release", 1, 100, 0.5),
        ("rating", "superseded", 1, 100, 0.25),
    ]
    for row, older in zip(new, old, strict=True):
        lake.swap(row, older)
    assert asked(SPENDING) == [
        ("rating", "in the release", 1, 100, 0.25),
        ("rating", "kept", 1, 100, 0.5),
    ]


def fill(lake, random: Random) -> None:
    """Buy answers once or twice, for any rows of operations, models, suites and releases."""
    for number in range(40):
        of_call = {
            "key": f"key {number}",
            "model": random.choice(["m", "n"]),
            "operation": random.choice(["rating", "judging", "prime"]),
        }
        versions = [
            bought(
                f"call {number}.{version}",
                **of_call,
                cost_usd=random.choice([None, random.randrange(1, 1000) / 1000]),
                latency_ms=random.choice([None, 20.0, 30.0]),
            )
            for version in range(random.choice([1, 1, 2]))
        ]
        if random.random() < 0.8:  # else the ledger was left behind
            for version in versions:
                lake.buy(version, after=random.choice([None, 1_000_000]))
        for use in range(random.randrange(4)):
            request, response = random.choice(versions)
            request_id = f"{request.request_id} used {use}"
            lake.add(
                *(replace(row, request_id=request_id) for row in (request, response)),
                release=random.choice(["dev", "2026.11"]),
                suite=random.choice(["failsafeqa", "faith"]),
            )


@pytest.mark.parametrize("seed", range(5))
def test_the_reports_add_up_whatever_was_bought_and_used(lake, seed) -> None:
    fill(lake, Random(seed))
    with lake.open(query="from checks.dollars_add_up") as connection:
        assert connection.execute("from checks.dollars_add_up").fetchall() == []
        ((n_ledger, n_spent),) = connection.execute(
            "select (select count(*) from raw.journal), (select sum(n_calls) from reports.spending)"
        ).fetchall()
    assert 0 < n_ledger <= n_spent
