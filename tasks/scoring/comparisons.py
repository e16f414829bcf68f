"""Models compared in pairs, on the units that both have scores for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, groupby, pairwise
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tasks.core.rows import Comparison, Metric
from tasks.scoring.counted import (
    Floats,
    Sums,
    at_ends,
    error_of,
    estimated,
    groups_of,
    numbers_of,
    ratio,
    rounded,
    statistic_of,
)
from tasks.statistics import FEWEST_GROUPS
from tasks.statistics.intervals import (
    change_interval,
    difference_interval,
    error_of_interval,
    share_error,
    share_interval,
    student_interval,
)
from tasks.statistics.paired import (
    detectable_difference,
    exchange_p,
    holm,
    mcnemar_p,
    student_p,
)
from tasks.suites.suite import Derived, Suite

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

Ints = NDArray[np.int64]

# A difference between fewer groups could not be found at 5 %.
_FEWEST_TO_FIND = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """Pairs of models on common units of one metric and slice; arrays have one entry per pair.

    Attributes:
        n: common units.
        n_groups: groups of filings with one.
        totals, sizes: (of the model, of the other one), by group of filings.
        only: units that one of the two alone got right; None if units are not 0 or 1.
    """

    judge: str
    metric: str
    slice_by: str
    slice_value: str
    pairs: tuple[tuple[str, str], ...]
    n: Ints
    n_groups: Ints
    totals: tuple[Sums, Sums]
    sizes: tuple[Sums, Sums]
    only: tuple[Ints, Ints] | None
    is_bounded: bool

    def __getitem__(self, kept: Ints) -> Paired:
        return replace(
            self,
            pairs=tuple(self.pairs[place] for place in kept),
            n=self.n[kept],
            n_groups=self.n_groups[kept],
            totals=(self.totals[0][kept], self.totals[1][kept]),
            sizes=(self.sizes[0][kept], self.sizes[1][kept]),
            only=None if self.only is None else (self.only[0][kept], self.only[1][kept]),
        )


def comparisons_of(
    connection: duckdb.DuckDBPyConnection,
    suite: Suite,
    release: str,
    metrics: Iterable[Metric],
    *,
    options: Mapping[str, Any],
) -> list[Comparison]:
    """Compare all pairs of models of a suite in a release, by judge, metric and slice.

    p_holm corrects the larger of the two tests over the pairs of a judge, metric and slice. Two
    models' ratings are tested by the points that they are made of.

    Args:
        metrics: the suite's metrics in the release, which models are compared by.
        options: the suite's settings that its metrics read.
    """
    scored = {(row.judge, row.metric) for row in metrics}
    for name, made in suite.metrics.items():  # parts that count nothing have no row
        scored |= {(judge, part) for judge, metric in scored if metric == name for part in made.of}
    scored = {(judge, metric) for judge, metric in scored if metric not in suite.metrics}
    found = list(_paired_units(connection, suite.name, release, sorted(scored)))
    for name, made in suite.metrics.items():
        if isinstance(made, Derived):
            found += _derived_from(found, name, made, options)
    rows = [
        Comparison(suite=suite.name, release=release, score_id="", **row)
        for paired in found
        for row in compared(*paired)
    ]
    return sorted(
        rows, key=attrgetter("judge", "metric", "slice_by", "slice_value", "model", "other_model")
    )


Statistic = Callable[..., Floats]
# (paired parts, statistic of their totals and sizes, whether it lies between 0 and 1, metric,
# `Derived.units`, `Derived.grows`)
Tested = tuple[tuple[Paired, ...], Statistic, bool, str, str, bool]


def _paired_units(
    connection: duckdb.DuckDBPyConnection,
    suite: str,
    release: str,
    scored: Iterable[tuple[str, str]],
) -> Iterator[Tested]:
    """Pair the scores of `macros.compared_units`, one judge and metric at a time."""
    names = dict(
        connection.execute(
            "select distinct hash(model), model from raw.judgements "
            "where suite = $suite and release = $release",
            {"suite": suite, "release": release},
        ).fetchall()
    )
    n_groups = groups_of(connection, suite, release)
    for judge, metric in scored:
        table = connection.sql(
            f"select {_UNITS} from macros.compared_units($suite, $release, $judge, $metric)",
            params={"suite": suite, "release": release, "judge": judge, "metric": metric},
        ).to_arrow_table()
        yield from _paired_scores(table, names, n_groups, judge, metric)


def changes_of(
    connection: duckdb.DuckDBPyConnection,
    suite: Suite,
    release: str,
    other_release: str,
    options: Mapping[str, Any],
) -> dict[str, list[dict[str, Any]]]:
    """Compare each model's answers in two releases, on what both ask in the same words.

    Returns:
        Columns of `Comparison` by model; its `model` is the release, `other_model` the other one.
        p_holm is not corrected: a model's two releases are a family of one.
    """
    import pyarrow.compute as pc

    first, second = sorted((release, other_release))
    given = {"suite": suite.name, "release": first, "other_release": second}
    where = "suite = $suite and release = $release and other_release = $other_release"
    n_groups = groups_of(connection, suite.name, first)
    names = dict(
        connection.execute(
            "select hash(name), name from (select unnest($names) as name)",
            {"names": [first, second]},
        ).fetchall()
    )
    keys = connection.execute(
        f"select distinct model, judge, metric from staging.shared_units where {where} "
        "order by all",
        given,
    ).fetchall()
    found = {}
    for model, of_model in groupby(keys, key=itemgetter(0)):
        table = connection.sql(
            f"select judge, metric, {_UNITS} from staging.shared_units where {where} "
            "and model = $model",
            params={**given, "model": model},
        ).to_arrow_table()
        tested: list[Tested] = []
        for _, judge, metric in of_model:
            is_of = pc.and_(pc.equal(table["judge"], judge), pc.equal(table["metric"], metric))
            tested += _paired_scores(table.filter(is_of), names, n_groups, judge, metric)
        for name, derived in suite.metrics.items():
            if isinstance(derived, Derived):
                tested += _derived_from(tested, name, derived, options)
        found[model] = [row for each in tested for row in compared(*each)]
    return found


_UNITS = "group_number, donor_group_number, models, numerators, denominators, slices"


def _paired_scores(
    table: pa.Table, names: Mapping[int, str], n_groups: int, judge: str, metric: str
) -> Iterator[Tested]:
    """Pair the scores of a judge and metric; `names` are models by their hash."""
    if len(table):
        for paired in _by_slice(_Scores(table, names, n_groups), judge, metric):
            yield (paired,), ratio, paired.is_bounded, metric, "same", True


class _Scores:
    """Units x models: numerators and denominators, 0 where a model has no score."""

    def __init__(self, table: pa.Table, names: Mapping[int, str], n_groups: int) -> None:
        import pyarrow.compute as pc

        self.models = sorted(names.values())
        number = {each: self.models.index(name) for each, name in names.items()}
        # units of one group of filings stand together
        group = table["group_number"].to_numpy().astype(np.int64)
        order = np.argsort(group, kind="stable")
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        shape = (len(table), len(self.models))
        self.numerator, self.denominator = np.zeros(shape), np.zeros(shape)
        is_scored = np.zeros(shape, dtype=bool)
        self.is_mean = self.is_share = self.is_bounded = True
        start = 0
        for batch in table.to_batches():
            lists = batch["models"]
            given = lists.flatten().dictionary_encode()
            columns = np.array([number[each] for each in given.dictionary.to_pylist()])
            rows = place[start : start + len(batch)] * len(self.models)
            at = np.repeat(rows, pc.list_value_length(lists).to_numpy())
            at += columns[given.indices.to_numpy()]
            top, bottom = (
                batch[name].flatten().to_numpy() for name in ("numerators", "denominators")
            )
            self.numerator.ravel()[at] = top
            self.denominator.ravel()[at] = bottom
            is_scored.ravel()[at] = True
            self.is_mean &= bool(np.all(bottom == 1))
            self.is_share &= bool(np.all((top == 0) | (top == 1)))
            self.is_bounded &= bool(np.all((top >= 0) & (top <= bottom)))
            start += len(batch)
        self.is_share &= self.is_mean
        self.is_scored = self.denominator if self.is_mean else is_scored.astype(np.float64)
        self.n_groups = n_groups
        self.group = group[order]
        self.donor = table["donor_group_number"].fill_null(-1).to_numpy().astype(np.int64)[order]
        slices = table["slices"].combine_chunks()
        named = pc.list_flatten(slices)
        by, of = (named.field(name).dictionary_encode() for name in ("slice_by", "slice_value"))
        codes = by.indices.to_numpy() * len(of.dictionary) + of.indices.to_numpy()
        units = np.repeat(place, pc.list_value_length(slices).to_numpy())
        self.units_of_slice = {
            (
                by.dictionary[int(code) // len(of.dictionary)].as_py(),
                of.dictionary[int(code) % len(of.dictionary)].as_py(),
            ): np.sort(units[codes == code])
            for code in np.unique(codes)
        }


def _by_slice(scores: _Scores, judge: str, metric: str) -> Iterator[Paired]:
    for (slice_by, slice_value), units in sorted(scores.units_of_slice.items(), key=itemgetter(0)):
        paired = _paired(scores, units, judge, metric, slice_by, slice_value)
        if len(paired.pairs):
            yield paired


def _paired(
    scores: _Scores, units: Ints, judge: str, metric: str, slice_by: str, slice_value: str
) -> Paired:
    """Sum the common units of each pair of models, by group of filings."""
    one, other = np.array(list(combinations(range(len(scores.models)), 2)), dtype=np.int64).T
    group, donor = scores.group[units], scores.donor[units]
    given, top = scores.is_scored[units], scores.numerator[units]
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
            Sums(*(each[:, one, other] for each in added)),
            Sums(*(each[:, other, one] for each in added)),
        )

    totals, common = products(top, given), products(given, given)
    sizes = common if scores.is_mean else products(scores.denominator[units], given)
    only = None
    if scores.is_share:
        right = products(top, top)[0].all
        alone = [np.rint(total.all - right).astype(np.int64) for total in totals]
        only = (alone[0], alone[1])
    paired = Paired(
        judge=judge,
        metric=metric,
        slice_by=slice_by,
        slice_value=slice_value,
        pairs=tuple((scores.models[a], scores.models[b]) for a, b in zip(one, other, strict=True)),
        n=np.rint(common[0].all).astype(np.int64),
        n_groups=np.count_nonzero(common[0].own, axis=0),
        totals=totals,
        sizes=sizes,
        only=only,
        is_bounded=scores.is_bounded,
    )
    return paired[np.flatnonzero(paired.n)]


def _by_group(left: Floats, right: Floats, group: Ints, n_groups: int) -> Floats:
    """Return left' right of each group's rows; groups x models x models."""
    if np.any(group[1:] < group[:-1]):
        order = np.argsort(group, kind="stable")
        left, right, group = left[order], right[order], group[order]
    ends = np.searchsorted(group, np.arange(n_groups + 1))
    found = np.zeros((n_groups, left.shape[1], left.shape[1]))
    for number, (start, stop) in enumerate(pairwise(ends)):
        if stop > start:
            found[number] = left[start:stop].T @ right[start:stop]
    return found


def _derived_from(
    found: Sequence[Tested], name: str, derived: Derived, options: Mapping[str, Any]
) -> Iterator[Tested]:
    """Combine the parts of a metric, in the slices and for the pairs that all of them have."""
    statistic = statistic_of(derived, options)
    parts = {
        (part.judge, part.metric, part.slice_by, part.slice_value): part
        for (part, *others), *_ in found
        if not others
    }

    for (judge, metric, *at), _ in parts.items():
        needed = [parts.get((judge, part, *at)) for part in derived.of]  # type: ignore[arg-type]
        if metric != derived.of[0] or any(part is None for part in needed):
            continue
        pairs = set.intersection(*(set(part.pairs) for part in needed if part))
        of_pairs = tuple(
            part[
                np.array(
                    [at for at, pair in enumerate(part.pairs) if pair in pairs], dtype=np.int64
                )
            ]
            for part in needed
            if part
        )
        if pairs:
            yield of_pairs, statistic, derived.is_share, name, derived.units, derived.grows


def compared(
    parts: tuple[Paired, ...],
    statistic: Statistic,
    is_bounded: bool,
    metric: str,
    units: str = "same",
    grows: bool = True,
) -> Iterator[dict[str, Any]]:
    """Test each pair of models in one family, and yield the columns of `Comparison`."""
    first = parts[0]
    n = numbers_of(units, [part.n for part in parts])
    n_groups = np.min([part.n_groups for part in parts], axis=0)
    ones = [each for part in parts for each in (part.totals[0], part.sizes[0])]
    others = [each for part in parts for each in (part.totals[1], part.sizes[1])]

    def difference_of(*sums: Floats) -> Floats:
        half = len(sums) // 2
        return statistic(*sums[:half]) - statistic(*sums[half:])

    with np.errstate(all="ignore"):
        value = statistic(*(part.all for part in ones))
        other_value = statistic(*(part.all for part in others))
        difference = value - other_value
        error = error_of(difference_of, [*ones, *others], n_groups)
        low, high = (
            difference_interval(difference, error, n_groups)
            if is_bounded
            else student_interval(difference, error, n_groups)
        )
        if is_bounded:
            # of a model whose groups all agree, no replicate differs: its own interval knows more
            some = np.flatnonzero((error > 0) & (_agrees(parts, 0) | _agrees(parts, 1)))
            of_some = tuple(part[some] for part in parts)
            one, other = (_own_interval(of_some, side, statistic, grows) for side in (0, 1))
            by_each = change_interval(other_value[some], other[:2], value[some], one[:2])
            alone = (one[2] == 0) | (other[2] == 0)
            for end, at in zip((low, high), by_each, strict=True):
                end[some[alone]] = at[alone]
            wider = error_of_interval(*by_each, n_groups[some])
            error[some[alone]] = wider[alone]
        detectable = detectable_difference(error, n_groups)
    is_known = n_groups >= FEWEST_GROUPS
    if len(parts) > 1:  # where all groups agree, the bound is that of shares
        is_known = is_known & (error > 0)
    p_mcnemar, p_permutation, p_student = np.full((3, len(n)), np.nan)
    (total, other_total), (size, other_size) = first.totals, first.sizes
    # an exchange keeps only a mean of the same units as it would be if the models were equal
    if len(parts) == 1 and np.array_equal(size.own, other_size.own):
        exchanged = exchange_p(total.own - other_total.own)
        p_permutation = np.where(np.isnan(difference), np.nan, exchanged)
    else:
        p_student = student_p(difference, (low, high), n_groups)
    if len(parts) == 1 and first.only is not None:
        p_mcnemar = mcnemar_p(*first.only)
    p_holm = holm(np.fmax(p_mcnemar, np.fmax(p_permutation, p_student)))
    is_found = (n_groups >= _FEWEST_TO_FIND) & (error > 0)
    for place, (model, other_model) in enumerate(first.pairs):
        if np.isnan(difference[place]):
            continue
        counts = first.only if len(parts) == 1 else None
        yield {
            "judge": first.judge,
            "metric": metric,
            "slice_by": first.slice_by,
            "slice_value": first.slice_value,
            "model": model,
            "other_model": other_model,
            "n": int(n[place]),
            "n_groups": int(n_groups[place]),
            "value": rounded(value[place]),
            "other_value": rounded(other_value[place]),
            "difference": rounded(difference[place]),
            "low": estimated(low[place]) if is_known[place] else None,
            "high": estimated(high[place]) if is_known[place] else None,
            "n_only_model": None if counts is None else int(counts[0][place]),
            "n_only_other": None if counts is None else int(counts[1][place]),
            "p_mcnemar": estimated(p_mcnemar[place], 0),
            "p_permutation": estimated(p_permutation[place]),
            "p_student": estimated(p_student[place], 0),
            "p_holm": estimated(p_holm[place], 0),
            "minimum_detectable_difference": estimated(detectable[place])
            if is_found[place]
            else None,
        }


def _agrees(parts: Sequence[Paired], side: int) -> NDArray[np.bool_]:
    """Whether a part of a model has one value in all groups of filings; one per pair."""
    found = np.zeros(len(parts[0].n), dtype=bool)
    for part in parts:
        total, size = part.totals[side], part.sizes[side]
        found |= np.all(total.own * size.all == size.own * total.all, axis=0)
    return found


def _own_interval(
    parts: Sequence[Paired], side: int, statistic: Statistic, grows: bool
) -> tuple[Floats, Floats, Floats]:
    """Return one model's interval on the common units, as `metrics` makes it, and its error.

    Where no replicate differs, its ends are those of its parts' ends, if it grows with them.
    """
    sums = [each for part in parts for each in (part.totals[side], part.sizes[side])]
    totals = [part.all for part in sums]
    n_groups = np.min([part.n_groups for part in parts], axis=0)
    value, error = statistic(*totals), error_of(statistic, sums, n_groups)
    if len(parts) == 1:
        if parts[0].only is not None:
            error = share_error(error, value, parts[0].n, n_groups)
        return *share_interval(value, error, n_groups), error
    low, high = share_interval(value, error, n_groups)
    of_parts = [_own_interval((part,), side, ratio, grows) for part in parts]
    for place, end in enumerate((low, high)):
        at = at_ends(statistic, [each[place] for each in of_parts], totals[1::2])
        end[error == 0] = at[error == 0] if grows else np.nan
    return low, high, error
