"""Names that a user gives: the one that fits, or what is available."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import TypeVar

from tasks.core.errors import WrongUsage

Row = TypeVar("Row")

# At most this many names in an error: a lake may hold thousands of cases.
_MOST_NAMES = 12


class NoSuchName(WrongUsage):
    """Nothing has this name; the message lists the available names, closest first."""


class Ambiguous(WrongUsage):
    """Several things match; the message names the option that selects one."""


def narrowed(
    rows: Sequence[Row],
    option: str,
    wanted: str | None,
    of: Callable[[Row], str],
    where: str,
) -> list[Row]:
    """Return the rows with the wanted value, or the only available value.

    Raises:
        NoSuchName: no row has it.
        Ambiguous: no value is wanted, and there are several.
    """
    values = sorted({of(row) for row in rows})
    if wanted is None and len(values) > 1:
        raise Ambiguous(
            f"{where} have more than one {option}; choose with --{option}: {', '.join(values)}"
        )
    if wanted is not None and wanted not in values:
        closest = get_close_matches(wanted, values, n=_MOST_NAMES, cutoff=0.0)
        raise NoSuchName(f"{where} have no {option} {wanted!r}; choose from: {', '.join(closest)}")
    return [row for row in rows if wanted is None or of(row) == wanted]
