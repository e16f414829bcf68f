"""Disagreements: the units that exactly one of two models gets right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tasks.core.errors import WrongUsage
from tasks.core.rows import Metric
from tasks.results.explain.explain import Unit, cell_units
from tasks.results.opened import rows_of

if TYPE_CHECKING:
    import duckdb


class NotComparable(WrongUsage):
    """The two cells have no comparable units."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """One model's cell beside another's, over units that both have scores for."""

    cell: Metric
    other_cell: Metric
    n: int  # units scored for both models
    n_both: int  # units that both get right
    n_only_model: int
    n_only_other: int
    units: tuple[tuple[Unit, Unit], ...]  # that only one gets right; worst for the first first
    tested: dict[str, Any] | None = None  # `_TESTED`; None: reports do not compare this slice


# The first model's value less the other's; the row of a comparison may have either first.
_TESTED = """
    select
        if(model = $model, difference, 0 - difference) as difference,
        if(model = $model, low, 0 - high) as low,
        if(model = $model, high, 0 - low) as high,
        p_holm
    from reports.comparisons
    where suite = $suite and release = $release and judge = $judge and metric = $metric
        and slice_by = $slice_by and slice_value = $slice_value
        and [model, other_model] in ([$model, $other], [$other, $model])
"""


def contrast(connection: duckdb.DuckDBPyConnection, cell: Metric, other_cell: Metric) -> Contrast:
    """Compare two models' cells unit by unit.

    Both cells must have the same metric, slice and judge. The counts match `reports.comparisons`,
    which covers some slices.

    Raises:
        NotComparable: the cells have the same model, different releases or different judges, or the
            metric combines several shares.
        Outdated: a cell counts units, but the lake no longer has them.
    """
    if cell.model == other_cell.model:
        raise NotComparable(f"cannot compare {cell.model} with itself; name two models")
    for name in ("release", "judge"):
        one, other = getattr(cell, name), getattr(other_cell, name)
        if one != other:
            raise NotComparable(
                f"{cell.model} has only {name} {one}, {other_cell.model} only {other}; "
                f"name one that both have with --{name}"
            )
    units = cell_units(connection, cell)
    if any(unit.other_model is not None for unit in units):
        raise NotComparable(
            f"{cell.metric} counts games between models, not answers; without --against, it lists "
            f"those of {cell.model} with every other"
        )
    if any(unit.part != cell.metric for unit in units):
        shares = " or ".join(sorted({unit.part for unit in units}))
        raise NotComparable(f"{cell.metric} is computed from other metrics; name {shares} instead")
    others = {unit.unit_id: unit for unit in cell_units(connection, other_cell)}
    both = [(unit, others[unit.unit_id]) for unit in units if unit.unit_id in others]
    scored = [(unit, other) for unit, other in both if None not in (unit.score, other.score)]
    differing = tuple((unit, other) for unit, other in scored if unit.score != other.score)
    names = ("suite", "release", "judge", "metric", "slice_by", "slice_value", "model")
    place = {name: getattr(cell, name) for name in names} | {"other": other_cell.model}
    return Contrast(
        cell=cell,
        other_cell=other_cell,
        n=len(scored),
        n_both=sum(unit.score == other.score == 1 for unit, other in scored),
        n_only_model=sum(unit.score == 1 for unit, _ in differing),
        n_only_other=sum(other.score == 1 for _, other in differing),
        units=differing,
        tested=next(iter(rows_of(connection, _TESTED, place)), None),
    )
