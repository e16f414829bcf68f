"""Which columns of a news file hold what, by their names."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tasks.core.errors import WrongSettings
from tasks.core.untrusted import read_json, without_halves
from tasks.suites.longcontext.articles.rows_of_file import FileRow

# Role -> words in the names of its columns, the surest first; a column has the first role it can.
_NAMES: Mapping[str, tuple[str, ...]] = {
    "companies": (
        *("company", "companies", "entity", "entities"),
        *("organization", "organisation", "decisions"),
    ),
    "date": ("date", "published", "day", "datetime", "timestamp", "time"),
    "sentiment": ("sentiment", "polarity", "label"),
    "title": ("title", "headline", "headlines", "sentence", "news", "text"),
}
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Names of a file's columns; None for what it does not have."""

    companies: str
    title: str | None
    items: str | None
    date: str | None
    sentiment: str | None
    unused: tuple[str, ...]

    def say(self, file: str) -> str:
        """Write a sentence that tells what was matched."""
        used = {
            "titles": self.title,
            "texts of 8-K Items": self.items,
            "companies": self.companies,
            "sentiments": self.sentiment,
            "dates": self.date,
        }
        said = ", ".join(f"{what} from '{name}'" for what, name in used.items() if name)
        drawn = "" if self.date else "; it has no dates, so they are drawn"
        unused = f"; not used: {', '.join(self.unused)}" if self.unused else ""
        return f"{file}: {said}{drawn}{unused}."


def match_columns(file: str, rows: Sequence[FileRow]) -> Columns:
    """Match the columns of a file's rows.

    Raises:
        WrongSettings: a column is missing, or several could be it.
    """
    names = dict.fromkeys(name for row in rows for name in row)
    has_items = any(isinstance(value_of(row.get("items")), dict) for row in rows)
    found: dict[str, str | None] = {"items": "items" if has_items else None}
    for role, words in _NAMES.items():
        ranks = {
            name: rank
            for name in names
            if name not in found.values() and (rank := _rank(name, words)) is not None
        }
        chosen = [name for name, rank in ranks.items() if rank == min(ranks.values())]
        if len(chosen) > 1:
            raise WrongSettings(
                f"'{file}': the {role} could be in columns {' or '.join(map(repr, chosen))}. "
                f"Name one of them '{words[0]}'."
            )
        found[role] = chosen[0] if chosen else None
    if has_items:
        found["title"] = found["sentiment"] = None
    if found["companies"] is None or not (found["title"] or has_items):
        missing = "companies" if found["companies"] is None else "titles"
        raise WrongSettings(
            f"'{file}' has no column of {missing} among {', '.join(map(repr, names))}. "
            "Name its columns title, company, date and sentiment; the last two may be missing."
        )
    unused = tuple(name for name in names if name not in found.values())
    return Columns(**found, unused=unused)  # type: ignore[arg-type]


def text_of(cell: Any) -> str:
    """Return a cell's text on one line; "" if it is empty."""
    return "" if cell is None or cell != cell else " ".join(str(cell).split())


def value_of(cell: Any) -> Any:
    """Return a cell's value; a list or mapping written as JSON or as Python is read."""
    text = without_halves(text_of(cell))
    if not isinstance(cell, str) or not text.startswith(("{", "[")):
        return cell
    for read in (read_json, ast.literal_eval):
        try:
            return read(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
    return cell


def _rank(name: str, wanted: Sequence[str]) -> tuple[int, bool] | None:
    """Return how surely a column's name says a role, lower first; None if it does not."""
    said = [word.casefold() for word in _WORD.findall(name)]
    ranks = [(place, said != [word]) for place, word in enumerate(wanted) if word in said]
    return min(ranks, default=None)
