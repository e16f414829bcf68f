"""Models compared in pairs, on the units that both have scores for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, groupby, pairwise
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from tasks.core.rows import Comparison
from tasks.scoring.counted import (
    Cells,
    Formula,
    Sums,
    error_of,
    estimate,
    estimated,
    formula_of,
    groups_of,
    groups_with_all,
    in_turn,
    numbers_of,
    ratio,
    rounded,
)
from tasks.statistics import FEWEST_GROUPS, Bools, Floats, Ints
from tasks.statistics.intervals import (
    change_interval,
    difference_interval,
    error_of_interval,
    student_interval,
)
from tasks.statistics.paired import detectable_difference, exchange_p, holm, mcnemar_p, student_p
from tasks.suites.suite import Derived, Suite

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

# A difference between fewer groups could not be found at 5 %.
_FEWEST_TO_FIND = 6

_UNITS = "group_number, donor_group_number, models, numerators, denominators, slices"


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """Pairs of models on common units of one metric and slice; arrays have one entry per pair."""

    judge: str
    metric: str
    slice_by: str
    slice_value: str
    pairs: tuple[tuple[str, str], ...]
    one: Cells  # what the units add up to for the first model of each pair
    other: Cells  # and for the second
    only: tuple[Ints, Ints] | None  # units that one alone got right; None if not all are 0 or 1

    def __getitem__(self, places: Ints) -> Paired:
        return replace(
            self,
            pairs=tuple(self.pairs[place] for place in places),
            one=self.one[places],
            other=self.other[places],
            only=None if self.only is None else (self.only[0][places], self.only[1][places]),
        )


def comparisons_of(
    connection: duckdb.DuckDBPyConnection, suite: Suite, release: str, options: Mapping[str, Any]
) -> list[Comparison]:
    """Compare all pairs of models of a suite in a release, by judge, metric and slice.

    p_holm corrects the larger of the two tests over the pairs of a judge, metric and slice. Two
    models' ratings are tested by the points that they are made of. `options` are the suite's
    settings that its metrics read.
    """
    place = [suite.name, release]
    of_place = "where suite = $1 and release = $2"
    models = connection.execute(
        f"select distinct hash(model), model from raw.judgements {of_place}", place
    ).fetchall()
    measures = connection.execute(
        f"select distinct judge, metric from staging.sums {of_place} order by all", place
    ).fetchall()
    n_groups = groups_of(connection, suite.name, release)
    paired: list[Paired] = []
    for measure in measures:
        query = f"select {_UNITS} from macros.compared_units($1, $2, $3, $4)"
        table = connection.sql(query, params=[*place, *measure]).to_arrow_table()
        paired += _paired_units(table, dict(models), n_groups, *measure)
    rows = [
        Comparison(suite=suite.name, release=release, score_id="", **row)
        for row in _compared_by_all(paired, suite, options)
    ]
    return sorted(
        rows, key=attrgetter("judge", "metric", "slice_by", "slice_value", "model", "other_model")
    )


def changes_of(
    connection: duckdb.DuckDBPyConnection,
    suite: Suite,
    release: str,
    other_release: str,
    options: Mapping[str, Any],
) -> dict[str, list[dict[str, Any]]]:
    """Compare each model's answers in two releases, on what both ask in the same words.

    Return columns of `Comparison` by model; its `model` is the release, `other_model` the other
    one. p_holm is not corrected: a model's two releases are a family of one.
    """
    first, second = sorted((release, other_release))
    n_groups = groups_of(connection, suite.name, first)
    connection.execute(
        "create or replace temp table shared as from staging.shared_units "
        "where suite = $suite and release = $release and other_release = $other_release",
        {"suite": suite.name, "release": first, "other_release": second},
    )
    ((one, other),) = connection.execute("select hash($1), hash($2)", [first, second]).fetchall()
    measures = connection.execute(
        "select distinct model, judge, metric from shared order by all"
    ).fetchall()
    changes = {}
    for model, of_model in groupby(measures, key=itemgetter(0)):
        paired: list[Paired] = []
        for measure in of_model:
            query = f"select {_UNITS} from shared where (model, judge, metric) = ($1, $2, $3)"
            table = connection.sql(query, params=list(measure)).to_arrow_table()
            paired += _paired_units(table, {one: first, other: second}, n_groups, *measure[1:])
        changes[model] = list(_compared_by_all(paired, suite, options))
    return changes


def _compared_by_all(
    paired: Sequence[Paired], suite: Suite, options: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """Compare pairs by their metrics, and by those that the suite makes of these."""
    for one in paired:
        is_bounded = bool(one.one.is_bounded.all() and one.other.is_bounded.all())
        yield from compared((one,), Formula(one.metric, ratio, is_bounded))
    by_cell: dict[tuple[str, str, str], dict[str, Paired]] = {}
    for part in paired:
        cell = part.judge, part.slice_by, part.slice_value
        by_cell.setdefault(cell, {})[part.metric] = part
    for name, made in suite.metrics.items():
        for parts in by_cell.values():
            if isinstance(made, Derived) and parts.keys() >= set(made.of):
                same = _with_same_pairs([parts[metric] for metric in made.of])
                if same[0].pairs:
                    yield from compared(same, formula_of(name, made, options))


def _with_same_pairs(parts: Sequence[Paired]) -> tuple[Paired, ...]:
    """Keep the pairs that all parts have."""
    shared = set.intersection(*(set(part.pairs) for part in parts))
    return tuple(part[np.flatnonzero([pair in shared for pair in part.pairs])] for part in parts)


class _Scores:
    """Units x models: numerators and denominators, 0 where a model has no score."""

    def __init__(self, table: pa.Table, names: Mapping[int, str], n_groups: int) -> None:
        import pyarrow.compute as pc

        table = table.combine_chunks().sort_by("group_number")
        self.models = sorted(names.values())
        self.n_groups = n_groups
        self.group = table["group_number"].to_numpy().astype(np.int64)
        self.donor = table["donor_group_number"].fill_null(-1).to_numpy().astype(np.int64)
        lists = table["models"].combine_chunks()
        coded = lists.flatten().dictionary_encode()
        of_code = [self.models.index(names[code]) for code in coded.dictionary.to_pylist()]
        places = np.repeat(np.arange(len(table)), pc.list_value_length(lists).to_numpy())
        at = places, np.array(of_code)[coded.indices.to_numpy()]
        top, bottom = (
            table[name].combine_chunks().flatten().to_numpy()
            for name in ("numerators", "denominators")
        )
        shape = len(table), len(self.models)
        self.numerator, self.denominator, self.is_scored = np.zeros((3, *shape))
        self.numerator[at], self.denominator[at], self.is_scored[at] = top, bottom, 1
        is_mean = bool(np.all(bottom == 1))
        self.is_share = is_mean and bool(np.all((top == 0) | (top == 1)))
        self.is_bounded = bool(np.all((top >= 0) & (top <= bottom)))
        self.units_of_slice = _units_of_slice(table["slices"].combine_chunks())


def _units_of_slice(slices: pa.ListArray) -> dict[tuple[str, str], Ints]:
    """Return the places of the units of each slice, slices in order."""
    import pyarrow.compute as pc

    named = pc.list_flatten(slices)
    by, of = (named.field(name).dictionary_encode() for name in ("slice_by", "slice_value"))
    codes = by.indices.to_numpy() * len(of.dictionary) + of.indices.to_numpy()
    units = np.repeat(np.arange(len(slices)), pc.list_value_length(slices).to_numpy())
    names_by, names_of = by.dictionary.to_pylist(), of.dictionary.to_pylist()
    sums = {
        (names_by[code // len(names_of)], names_of[code % len(names_of)]): units[codes == code]
        for code in np.unique(codes)
    }
    return dict(sorted(sums.items(), key=itemgetter(0)))


def _paired_units(
    table: pa.Table, names: Mapping[int, str], n_groups: int, judge: str, metric: str
) -> Iterator[Paired]:
    """Pair the scores of a judge and metric, slice by slice; `names` are models by their hash."""
    if len(table):
        scores = _Scores(table, names, n_groups)
        for (slice_by, slice_value), units in scores.units_of_slice.items():
            about = {"slice_by": slice_by, "slice_value": slice_value}
            paired = _paired(scores, units, judge=judge, metric=metric, **about)
            if paired.pairs:
                yield paired


def _paired(scores: _Scores, units: Ints, **cell: str) -> Paired:
    """Sum the common units of each pair of models that has any, by group of filings."""
    places = list(combinations(range(len(scores.models)), 2))
    one, other = np.array(places, dtype=np.int64).T
    group, donor = scores.group[units], scores.donor[units]
    is_scored, top = scores.is_scored[units], scores.numerator[units]
    has_donor = np.flatnonzero(donor >= 0)
    # pairs of filings share 256 numbers, as filings do
    kinds, both = np.unique((group * 31 + donor)[has_donor] % 256, return_inverse=True)

    def products(left: Floats, right: Floats) -> tuple[Sums, Sums]:
        """Sum left of the one model times right of the other, and the other way round."""
        of_donors = left[has_donor], right[has_donor]
        added = (
            _by_group(left, right, group, scores.n_groups),
            _by_group(*of_donors, donor[has_donor], scores.n_groups),
            _by_group(*of_donors, both, len(kinds)),
        )
        return (
            Sums(*(part[:, one, other] for part in added)),
            Sums(*(part[:, other, one] for part in added)),
        )

    common, _ = products(is_scored, is_scored)
    n = np.rint(common.all).astype(np.int64)
    flags = np.full(len(n), scores.is_share), np.full(len(n), scores.is_bounded)
    numbers = n, np.count_nonzero(common.own, axis=0), *flags
    totals, sizes = products(top, is_scored), products(scores.denominator[units], is_scored)
    only = None
    if scores.is_share:
        right = products(top, top)[0].all
        alone = [np.rint(total.all - right).astype(np.int64) for total in totals]
        only = alone[0], alone[1]
    return Paired(
        **cell,
        pairs=tuple((scores.models[a], scores.models[b]) for a, b in places),
        one=Cells(totals[0], sizes[0], *numbers),
        other=Cells(totals[1], sizes[1], *numbers),
        only=only,
    )[np.flatnonzero(n)]


def _by_group(left: Floats, right: Floats, group: Ints, n_groups: int) -> Floats:
    """Return left' right of each group's rows; groups x models x models."""
    order = np.argsort(group, kind="stable")
    left, right = left[order], right[order]
    ends = np.searchsorted(group[order], np.arange(n_groups + 1))
    sums = np.zeros((n_groups, left.shape[1], left.shape[1]))
    for number, (start, stop) in enumerate(pairwise(ends)):
        if stop > start:
            sums[number] = left[start:stop].T @ right[start:stop]
    return sums


def compared(parts: tuple[Paired, ...], formula: Formula) -> Iterator[dict[str, Any]]:
    """Test each pair of models in one family, and yield the columns of `Comparison`."""
    first, ones, others = parts[0], [part.one for part in parts], [part.other for part in parts]
    n, n_groups = numbers_of(formula.units, [part.n for part in ones]), groups_with_all(ones)
    with np.errstate(all="ignore"):
        value, other_value = (
            formula.value(*(sums.all for sums in in_turn(side))) for side in (ones, others)
        )
        difference = value - other_value
        low, high, error = _difference_interval(formula, ones, others, n_groups)
        detectable = detectable_difference(error, n_groups)
    # where all groups agree in each of several parts, the bound is that of shares
    is_known = (n_groups >= FEWEST_GROUPS) & ((error > 0) | (len(parts) == 1))
    is_found = (n_groups >= _FEWEST_TO_FIND) & (error > 0)
    none = [None] * len(n)
    only = (first.only if len(parts) == 1 else None) or (none, none)
    columns = {
        "model": [model for model, _ in first.pairs],
        "other_model": [other_model for _, other_model in first.pairs],
        "n": n.tolist(),
        "n_groups": n_groups.tolist(),
        "value": map(rounded, value),
        "other_value": map(rounded, other_value),
        "difference": map(rounded, difference),
        "low": map(estimated, np.where(is_known, low, np.nan)),
        "high": map(estimated, np.where(is_known, high, np.nan)),
        "n_only_model": np.asarray(only[0]).tolist(),
        "n_only_other": np.asarray(only[1]).tolist(),
        **_p_values(parts, difference, (low, high), n_groups),
        "minimum_detectable_difference": map(estimated, np.where(is_found, detectable, np.nan)),
    }
    cell = {name: getattr(first, name) for name in ("judge", "slice_by", "slice_value")}
    for numbers in zip(*columns.values(), strict=True):
        row = dict(zip(columns, numbers, strict=True))
        if row["difference"] is not None:
            yield {"metric": formula.name, **cell, **row}


def _p_values(
    parts: Sequence[Paired], difference: Floats, interval: tuple[Floats, Floats], n_groups: Ints
) -> dict[str, Iterator[float | None]]:
    """Test the difference of each pair; columns of `Comparison`."""
    one, other, only = parts[0].one, parts[0].other, parts[0].only
    p_mcnemar, p_permutation, p_student = np.full((3, len(difference)), np.nan)
    # an exchange keeps only a mean of the same units as it would be if the models were equal
    if len(parts) == 1 and np.array_equal(one.size.own, other.size.own):
        exchanged = exchange_p(one.total.own - other.total.own)
        p_permutation = np.where(np.isnan(difference), np.nan, exchanged)
    else:
        p_student = student_p(difference, interval, n_groups)
    if len(parts) == 1 and only is not None:
        p_mcnemar = mcnemar_p(*only)
    p_holm = holm(np.fmax(p_mcnemar, np.fmax(p_permutation, p_student)))
    return {
        "p_mcnemar": (estimated(p, 0) for p in p_mcnemar),
        "p_permutation": map(estimated, p_permutation),
        "p_student": (estimated(p, 0) for p in p_student),
        "p_holm": (estimated(p, 0) for p in p_holm),
    }


def _difference_interval(
    formula: Formula, ones: Sequence[Cells], others: Sequence[Cells], n_groups: Ints
) -> tuple[Floats, Floats, Floats]:
    """Return both ends of the interval of each difference, and its standard error.

    Of a model whose groups all agree, no replicate differs: its own interval knows more.
    """

    def difference_of(*sums: Floats) -> Floats:
        half = len(sums) // 2
        return formula.value(*sums[:half]) - formula.value(*sums[half:])

    sums = [*in_turn(ones), *in_turn(others)]
    error = error_of(difference_of, sums, n_groups)
    difference = difference_of(*(summed.all for summed in sums))
    if not formula.is_share:
        return *student_interval(difference, error, n_groups), error
    low, high = difference_interval(difference, error, n_groups)
    some = np.flatnonzero((error > 0) & (_agrees(ones) | _agrees(others)))
    own, other = (estimate(formula, [part[some] for part in side]) for side in (ones, others))
    alone = (own[3] == 0) | (other[3] == 0)
    ends = change_interval(other[0], other[1:3], own[0], own[1:3])
    wider = error_of_interval(*ends, n_groups[some])
    for array, values in ((low, ends[0]), (high, ends[1]), (error, wider)):
        array[some[alone]] = values[alone]
    return low, high, error


def _agrees(parts: Sequence[Cells]) -> Bools:
    """Check if a part of a model has one value in all groups of filings; one per pair."""
    return np.any(
        [
            np.all(part.total.own * part.size.all == part.size.own * part.total.all, axis=0)
            for part in parts
        ],
        axis=0,
    )
