"""Where two models part: the units of one cell that exactly one of them gets right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tasks.core.errors import WrongUsage
from tasks.core.rows import Metric
from tasks.results.explain.explain import Unit, cell_units

if TYPE_CHECKING:
    import duckdb


class NotComparable(WrongUsage):
    """The two cells have no units that could be held against each other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parting:
    """A unit that holds for exactly one of two models, as each answered it."""

    unit: Unit
    other_unit: Unit


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """One model's cell beside another's, on the units that both have a score for."""

    cell: Metric
    other_cell: Metric
    n: int  # units that both have a score for
    n_both: int  # of these, those that hold for both
    n_only_model: int
    n_only_other: int
    partings: tuple[Parting, ...]  # worst for the first model first


def contrast(connection: duckdb.DuckDBPyConnection, cell: Metric, other_cell: Metric) -> Contrast:
    """Two models' cells of the same metric, slice and judge, held against each other unit by unit.

    The counts are those of `reports.comparisons`, which has them for some slices.

    Raises:
        NotComparable: it is one model's cell twice, two releases' or two judges', or of a metric that is made of several shares.
        Outdated: a cell counts something, and the lake holds nothing of it.
    """
    if cell.model == other_cell.model:
        raise NotComparable(f"{cell.model} cannot be held against itself; name two models")
    for name in ("release", "judge"):
        one, other = getattr(cell, name), getattr(other_cell, name)
        if one != other:
            raise NotComparable(
                f"{cell.model} is in {name} {one} alone, {other_cell.model} in {other}; name one that has both with --{name}"
            )
    units = cell_units(connection, cell)
    if any(unit.part != cell.metric for unit in units):
        shares = " or ".join(sorted({unit.part for unit in units}))
        raise NotComparable(
            f"no case holds or fails for {cell.metric}, which is made of {shares}; name one of them"
        )
    others = {unit.unit_id: unit for unit in cell_units(connection, other_cell) if unit.score is not None}
    scored = [
        (unit, others[unit.unit_id]) for unit in units if unit.score is not None and unit.unit_id in others
    ]
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
    )
