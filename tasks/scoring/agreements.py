"""How far two raters agree, from the tables of their labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from tasks.core.rows import Agreement
from tasks.scoring.counted import estimated, groups_of
from tasks.statistics import Floats
from tasks.statistics.agreement import agreement, kappa, kendall, pearson, spearman
from tasks.statistics.intervals import bounded_interval, share_interval, standard_error
from tasks.statistics.resampling import draw

if TYPE_CHECKING:
    import duckdb

_RATINGS = ("1", "2", "3", "4", "5", "6")
_LOWEST_COMPLIANT = 4
_FURTHEST = 5.0  # two ratings apart
_FURTHEST_DIFFERENCE = {"rating": 2 * _FURTHEST, "share": 1.0}  # of own and others; else 2
_KEYS = ("relation", "rater", "other_rater", "slice_by", "slice_value")
_TABLES = f"""
select {", ".join(_KEYS)}, group_number, label, other_label, n, weight
from staging.rating_tables where suite = $suite and release = $release order by all
"""
_PREFERENCES = """
select
    relation, judge, other_judge, 'measure', measure, group_number, count(*), sum(own), sum(others)
from staging.self_preferences where suite = $suite and release = $release group by all order by all
"""

Measure = Callable[[Floats], Floats]


def agreements_of(
    connection: duckdb.DuckDBPyConnection, suite: str, release: str
) -> list[Agreement]:
    """Measure the agreement of each two raters of `staging.rating_tables`, and self-preference.

    Intervals come from groups of filings drawn anew.
    """
    draws = draw(groups_of(connection, suite, release))
    about = {"suite": suite, "release": release}
    tables = connection.execute(_TABLES, about).fetchall()
    preferences = connection.execute(_PREFERENCES, about).fetchall()
    rows = [
        Agreement(
            suite=suite, release=release, score_id="", **dict(zip(_KEYS, key, strict=True)), **row
        )
        for counted, measure in ((tables, _agreement), (preferences, _self_preference))
        for key, of_key in groupby(counted, key=lambda row: row[: len(_KEYS)])
        for row in measure(key, [row[len(_KEYS) :] for row in of_key], draws)
    ]
    return sorted(rows, key=attrgetter(*_KEYS, "measure"))


def _agreement(
    _: tuple[str, ...], rows: list[tuple[Any, ...]], draws: Floats
) -> Iterator[dict[str, Any]]:
    """Yield each measure of two raters: columns of `Agreement`."""
    both = [row for row in rows if row[1] is not None and row[2] is not None]
    n, n_groups = sum(row[3] for row in both), len({row[0] for row in both})
    counts = {"n": n, "n_unscored": sum(row[3] for row in rows) - n, "n_groups": n_groups}
    used = {label for row in both for label in row[1:3]}
    labels = _RATINGS if used <= set(_RATINGS) else tuple(sorted(used))
    place = {label: number for number, label in enumerate(labels)}
    tables = np.zeros((draws.shape[1], len(labels), len(labels)))
    for group, label, other_label, _, weight in both:
        tables[group, place[label], place[other_label]] += weight
    # the sample itself comes first
    drawn = np.vstack([np.ones(draws.shape[1]), draws]) @ tables.reshape(draws.shape[1], -1)
    drawn = drawn.reshape(-1, len(labels), len(labels))
    for name, (measure, bound) in _measures(labels).items():
        values = measure(drawn)
        value, replicates, groups = values[:1], values[1:, None], np.array([n_groups])
        if bound is None:
            low, high = share_interval(value, standard_error(replicates, groups), groups)
        else:
            low, high = bounded_interval(value, replicates, groups, bound)
        ends = {"low": estimated(low[0]), "high": estimated(high[0])}
        yield {"measure": name, **counts, "value": estimated(value[0]), **ends}


def _measures(labels: tuple[str, ...]) -> dict[str, tuple[Measure, float | None]]:
    """Return the measures of such labels, with the largest value; None for shares."""
    if labels is not _RATINGS:
        return {"agreement": (agreement, None), "kappa": (kappa, 1.0)}
    scale = np.arange(1, 7)
    apart = np.abs(np.subtract.outer(scale, scale))
    is_compliant = np.stack([scale < _LOWEST_COMPLIANT, scale >= _LOWEST_COMPLIANT]).astype(float)

    def compliance(tables: Floats) -> Floats:
        return is_compliant @ tables @ is_compliant.T

    def distance(tables: Floats) -> Floats:
        with np.errstate(all="ignore"):
            return np.sum(tables * apart, axis=(-2, -1)) / np.sum(tables, axis=(-2, -1))

    return {
        "agreement": (lambda tables: agreement(compliance(tables)), None),
        "kappa": (lambda tables: kappa(compliance(tables)), 1.0),
        "weighted_kappa": (lambda tables: kappa(tables, "quadratic"), 1.0),
        "pearson": (lambda tables: pearson(tables, scale), 1.0),
        "spearman": (spearman, 1.0),
        "kendall": (kendall, 1.0),
        "distance": (distance, _FURTHEST),
    }


def _self_preference(
    key: tuple[str, ...], rows: list[tuple[Any, ...]], draws: Floats
) -> Iterator[dict[str, Any]]:
    """Yield by how much a judge, or a suite's rater, rates its own work higher than others'."""
    group, *counted = (np.array(column) for column in zip(*rows, strict=True))
    n, own, others = (np.bincount(group, column, draws.shape[1]) for column in counted)
    n_groups = np.count_nonzero(n)
    with np.errstate(all="ignore"):
        replicates = (draws @ (own - others) / (draws @ n))[:, None]
    bound = _FURTHEST_DIFFERENCE.get(key[-1], 2.0)
    value = np.array([(own - others).sum() / n.sum()])
    low, high = bounded_interval(value, replicates, n_groups, bound)
    counts = {"n": int(n.sum()), "n_unscored": 0, "n_groups": int(n_groups)}
    ends = {"low": estimated(low[0]), "high": estimated(high[0])}
    yield {"measure": "self-preference", **counts, "value": estimated(value[0]), **ends}
    for measure, side in (("own difference", own), ("others difference", others)):
        mean = estimated(side.sum() / n.sum())
        yield {"measure": measure, **counts, "value": mean, **dict.fromkeys(ends)}
