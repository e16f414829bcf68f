"""Disagreements: the units that exactly one of two models gets right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tasks.core.errors import WrongUsage
from tasks.core.rows import Metric
from tasks.results.explain.explain import Unit, cell_units

if TYPE_CHECKING:
    import duckdb


class NotComparable(WrongUsage):
    """The two cells have no comparable units."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parting:
    """A unit that exactly one of two models gets right."""

    unit: Unit
    other_unit: Unit


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The first model's value less the other's, as `reports.comparisons` tests it."""

    difference: float
    low: float | None
    high: float | None
    p_holm: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """One model's cell beside another's, over units that both have scores for."""

    cell: Metric
    other_cell: Metric
    n: int  # units scored for both models
    n_both: int  # units that both get right
    n_only_model: int
    n_only_other: int
    partings: tuple[Parting, ...]  # worst for the first model first
    tested: Difference | None = None  # None: reports do not compare the models on this slice


def contrast(connection: duckdb.DuckDBPyConnection, cell: Metric, other_cell: Metric) -> Contrast:
    """Compare two models' cells unit by unit.

    Both cells must have the same metric, slice and judge.

    The counts match `reports.comparisons`, which covers some slices.

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
    partings = tuple(
        Parting(unit=unit, other_unit=other) for unit, other in scored if unit.score != other.score
    )
    return Contrast(
        cell=cell,
        other_cell=other_cell,
        n=len(scored),
        n_both=sum(unit.score == other.score == 1 for unit, other in scored),
        n_only_model=sum(parting.unit.score == 1 for parting in partings),
        n_only_other=sum(parting.other_unit.score == 1 for parting in partings),
        partings=partings,
        tested=_tested(connection, cell, other_cell.model),
    )


def _tested(
    connection: duckdb.DuckDBPyConnection, cell: Metric, other_model: str
) -> Difference | None:
    """Return the comparison of a cell's model with another; its row may have either first."""
    named = ("suite", "release", "judge", "metric", "slice_by", "slice_value")
    where = " and ".join(f"{name} = ${name}" for name in named)
    row = connection.execute(
        f"select model, difference, low, high, p_holm from reports.comparisons where {where} "
        "and [model, other_model] in ([$one, $other], [$other, $one])",
        {name: getattr(cell, name) for name in named} | {"one": cell.model, "other": other_model},
    ).fetchone()
    if row is None:
        return None
    model, difference, low, high, p_holm = row
    if model != cell.model:
        difference, low, high = (None if x is None else -x for x in (difference, high, low))
    return Difference(difference=difference, low=low, high=high, p_holm=p_holm)
