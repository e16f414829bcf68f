"""Ratings and comparisons of models whose answers are compared with each other's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import combinations

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from scipy.special import expit

from tasks.core.rows import Comparison, Metric
from tasks.scoring.comparisons import comparisons_of
from tasks.scoring.metrics import metrics_of
from tasks.suites.registry import load_suite
from tasks.suites.suite import Rating
from tests.simulated import scoreable
from tests.tasks.statistics.test_ratings import SCALE, solved_otherwise

RATINGS = {
    "elo": Rating(points="points", anchor="baseline", method="elo"),
    "bradley_terry": Rating(points="points", anchor="baseline", method="bradley_terry"),
}
SUITE = replace(load_suite("failsafeqa"), metrics=RATINGS)
OPTIONS = {"baseline": "base"}

# judge, filing, case, model, other model, points of the model
Game = tuple[str, int, str, str, str, float | None]


@contextmanager
def played(games: Iterable[Game], n_filings: int) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a warehouse whose units are these games, from both sides."""
    with scoreable({}, n_filings) as warehouse:
        sides = [
            {"judge": judge, "filing": filing, "case_id": f"{case} of {filing}"} | side
            for judge, filing, case, one, other, points in games
            for side in (
                {"model": one, "other_model": other, "points": points},
                {
                    "model": other,
                    "other_model": one,
                    "points": None if points is None else 1.0 - points,
                },
            )
        ]
        warehouse.register("sides", pa.Table.from_pylist(sides))
        warehouse.execute(
            """insert into staging.subjects by name
            select distinct 'failsafeqa' as suite, 'dev' as release, case_id as subject_id,
            filing as pair_number, filing as group_number, true as is_answerable,
            [case_id] as case_ids from sides"""
        )
        warehouse.execute(
            """insert into suites.units by name
            select 'failsafeqa' as suite, 'dev' as release, case_id, model, other_model, judge,
            'points' as metric, points as numerator, if(points is null, null, 1) as denominator
            from sides"""
        )
        warehouse.execute(
            "insert into raw.judgements by name select distinct release, suite, model, judge "
            "from suites.units"
        )
        yield warehouse


def scored(
    games: Iterable[Game], n_filings: int, **options: object
) -> tuple[dict[tuple[str, str], Metric], dict[tuple[str, str], Comparison]]:
    """Return metrics by name and model (of several judges: judge and model), and comparisons."""
    given = {**OPTIONS, **options}
    with played(games, n_filings) as warehouse:
        metrics = metrics_of(warehouse, SUITE, "dev", options=given)
        comparisons = comparisons_of(warehouse, SUITE, "dev", given)
    one_judge = len({row.judge for row in metrics}) == 1
    assert {row.metric for row in comparisons} <= {"points"}
    return (
        {
            (row.metric, row.model if one_judge else f"{row.judge} {row.model}"): row
            for row in metrics
        },
        {(row.model, row.other_model): row for row in comparisons},
    )


def against_base(points: dict[str, list[float | None]], n_filings: int) -> list[Game]:
    return [
        ("j", number % n_filings, f"c{number}", model, "base", each)
        for model, of_model in points.items()
        for number, each in enumerate(of_model)
    ]


def drawn(
    logs: dict[str, float], n_filings: int, chosen: np.random.Generator, *, n_judges: int = 1
) -> list[Game]:
    """Draw games of every two models on three cases of each filing, which favours either."""
    games = []
    for judge, (one, other) in ((j, p) for j in range(n_judges) for p in combinations(logs, 2)):
        favour = np.repeat(chosen.normal(0, 0.5, n_filings), 3)
        won = chosen.random(3 * n_filings) < expit(logs[one] - logs[other] + favour)
        games += [
            (f"j{judge}", case // 3, f"c{case}", one, other, float(each))
            for case, each in enumerate(won)
        ]
    return games


def points_of(games: Iterable[Game], names: list[str]) -> np.ndarray:
    """Add up the points of each model against each other one."""
    points = np.zeros((len(names), len(names)))
    for _, _, _, one, other, won in games:
        points[names.index(one), names.index(other)] += won
        points[names.index(other), names.index(one)] += 1 - won
    return points


def test_elo_is_the_papers_and_the_anchor_has_1000_without_an_interval() -> None:
    nineteen = [1.0] * 14 + [0.5] * 10 + [0.0] * 56
    metrics, _ = scored(against_base({"vision": nineteen, "even": [0.5, 1, 0, 0.5] * 20}, 20), 20)
    assert round(metrics["elo", "vision"].value, 2) == 797.37
    assert metrics["elo", "even"].value == 1000
    vision, base = metrics["elo", "vision"], metrics["elo", "base"]
    assert (vision.n, vision.n_groups, vision.n_unscored) == (80, 20, 0)
    assert vision.low < vision.value < vision.high
    assert (base.value, base.low, base.high, base.n) == (1000, None, None, 160)
    # of games with the anchor alone, Bradley-Terry is Elo
    assert metrics["bradley_terry", "vision"].value == pytest.approx(vision.value, abs=1e-6)
    # its interval is that of the share of points
    share = metrics["points", "vision"]
    ends = [1000 + SCALE * np.log(end / (1 - end)) for end in (share.low, share.high)]
    assert [vision.low, vision.high] == pytest.approx(ends)


def test_a_rating_of_games_all_won_is_clipped_and_open_above() -> None:
    metrics, _ = scored(against_base({"best": [1] * 10, "worst": [0] * 10}, 5), 5)
    best, worst = metrics["elo", "best"], metrics["elo", "worst"]
    assert best.value == pytest.approx(1000 + SCALE * np.log(19))  # w = 19/20
    assert best.high is None
    assert worst.low is None
    most = 1 - 0.025 ** (1 / 5)  # of five filings that all lost
    assert worst.high == pytest.approx(1000 + SCALE * np.log(most / (1 - most)))
    assert best.low == pytest.approx(2000 - worst.high)
    # Bradley-Terry has no finite value for it
    assert metrics["bradley_terry", "best"].value is None
    assert metrics["bradley_terry", "base"].value == 1000


def test_of_intervals_of_ratings_90_to_99_percent_hold_the_truth() -> None:
    """Filings favour one of two models at random; the truth is that of very many filings."""
    logs = {"base": 0.0, "a": 0.8, "b": -0.5}
    chosen = np.random.default_rng(2)
    n_judges = 100
    with played(drawn(logs, 20, chosen, n_judges=n_judges), 20) as warehouse:
        suite = replace(SUITE, metrics={name: RATINGS[name] for name in ("elo", "bradley_terry")})
        rows = metrics_of(warehouse, suite, "dev", options=OPTIONS)
    metrics = {(row.metric, f"{row.judge} {row.model}"): row for row in rows}
    points = points_of(drawn(logs, 20_000, chosen), list(logs))
    with_base = points.copy()
    with_base[1:, 1:] = 0
    for metric, summed in (("elo", with_base), ("bradley_terry", points)):
        truth = dict(zip(logs, solved_otherwise(summed), strict=True))
        held = [
            row.low <= truth[model] <= row.high
            for model in ("a", "b")
            for row in (metrics[metric, f"j{judge} {model}"] for judge in range(n_judges))
        ]
        assert 0.90 <= np.mean(held) <= 0.99, metric


def test_models_that_no_games_link_to_the_anchor_have_no_rating() -> None:
    games = against_base({"a": [1, 0, 1, 0]}, 4)
    apart = [("j", n, f"c{n}", "x", "y", float(n % 2)) for n in range(4)]
    lost = [("j", n, f"c{n}", "a", "z", 1.0) for n in range(4)]
    metrics, _ = scored([*games, *apart, *lost], 4)
    assert metrics["elo", "a"].value == metrics["bradley_terry", "a"].value == 1000
    for model in ("x", "y", "z"):
        for metric in ("elo", "bradley_terry"):
            row = metrics[metric, model]
            assert (row.value, row.low, row.high) == (None, None, None)
    assert metrics["elo", "x"].n == 0
    # without the anchor nothing is rated
    metrics, _ = scored(games, 4, baseline="nobody")
    assert {metrics[name, "a"].value for name in RATINGS} == {None}


def test_games_without_a_verdict_are_counted_and_rate_nobody() -> None:
    metrics, _ = scored(against_base({"a": [1, 0, None, 1, None]}, 5), 5)
    assert (metrics["elo", "a"].n, metrics["elo", "a"].n_unscored) == (3, 2)
    assert metrics["elo", "a"].value == pytest.approx(1000 + SCALE * np.log(2))
    assert metrics["elo", "a"].low is None  # three filings
    metrics, _ = scored(against_base({"a": [None] * 5}, 5), 5)
    assert (metrics["elo", "a"].n, metrics["elo", "a"].value) == (0, None)


def test_units_of_one_side_only_are_refused() -> None:
    with played(against_base({"a": [1, 0, 1, 0]}, 4), 4) as warehouse:
        warehouse.execute("delete from suites.units where model = 'base'")
        with pytest.raises(ValueError, match=r"rated by points: .* units\.sql"):
            metrics_of(warehouse, SUITE, "dev", options=OPTIONS)


def test_a_model_is_compared_with_the_one_that_it_met_against_an_even_game() -> None:
    a = [1, 1, 0.5, 1, 1, 0.5]
    _, comparisons = scored(against_base({"a": a}, 6), 6)
    row = comparisons["a", "base"]
    assert (row.n, row.value, row.other_value) == (6, pytest.approx(5 / 6), pytest.approx(1 / 6))
    assert row.p_permutation == pytest.approx(2 / 16)  # 4 decided filings, all one way
    _, comparisons = scored(against_base({"a": [0.5] * 6}, 6), 6)
    assert comparisons["a", "base"].p_permutation == 1
