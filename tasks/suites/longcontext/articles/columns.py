"""Which columns of a news file hold what: matched by name, checked by content."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tasks.core.errors import WrongSettings
from tasks.suites.longcontext.articles.dates import read_days
from tasks.suites.longcontext.articles.labels import read_sentiment
from tasks.suites.longcontext.articles.rows_of_file import FileRow

# Words in the names of columns, the surest first.
_NAMES: Mapping[str, tuple[str, ...]] = {
    "items": ("items",),
    "companies": ("companies", "company", "entities", "entity", "organization", "organisation"),
    "title": ("title", "headline", "headlines", "sentence", "news", "text"),
    "date": ("date", "published", "day", "datetime", "timestamp", "time"),
    "sentiment": ("sentiment", "polarity", "label"),
}
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_FEWEST_WORDS = 4  # of an average title
_MOST_WORDS = 8  # of a company's name
# Share of a column's filled cells that must be what it should hold.
_MOSTLY = 0.9


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
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells = {name: [row.get(name) for row in rows] for name in names}
    found: dict[str, str | None] = {}
    for role, holds in _HOLDS.items():
        left = {name: cells[name] for name in names if name not in found.values()}
        found[role] = _pick(file, role, left, holds)
    if found["items"]:
        found["title"] = found["sentiment"] = None
    if found["companies"] is None or not (found["title"] or found["items"]):
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
    text = text_of(cell)
    if not isinstance(cell, str) or not text.startswith(("{", "[")):
        return cell
    for read in (json.loads, ast.literal_eval):
        try:
            return read(text)
        except (ValueError, SyntaxError):
            continue
    return cell


def _pick(file: str, role: str, columns: Mapping[str, Sequence[Any]], holds: _Holds) -> str | None:
    """Return the column of a role: the one so named, else the only one that holds such cells."""
    ranks = {name: rank for name in columns if (rank := _rank(name, _NAMES[role])) is not None}
    fitting = [name for name in ranks if holds(name, columns[name], True)]
    if ranks and not fitting and role in ("date", "sentiment"):
        raise WrongSettings(
            f"Column '{min(ranks, key=ranks.__getitem__)}' of '{file}' should hold the {role} by "
            "its name, but most of its cells do not. Correct the cells or rename the column."
        )
    if fitting:
        best = min(ranks[name] for name in fitting)
        chosen = [name for name in fitting if ranks[name] == best]
    else:
        chosen = [name for name in columns if holds(name, columns[name], False)]
    if len(chosen) > 1:
        raise WrongSettings(
            f"'{file}': the {role} could be in columns {' or '.join(map(repr, chosen))}. "
            f"Name one of them '{_NAMES[role][0]}'."
        )
    return chosen[0] if chosen else None


def _rank(name: str, wanted: Sequence[str]) -> tuple[int, bool] | None:
    """Return how surely a column's name says a role, lower first; None if it does not."""
    said = [word.casefold() for word in _WORD.findall(name)]
    ranks = [(place, said != [word]) for place, word in enumerate(wanted) if word in said]
    return min(ranks, default=None)


def _mostly(cells: Sequence[Any], holds: Callable[[Any], bool]) -> bool:
    filled = [cell for cell in cells if text_of(cell)]
    return bool(filled) and sum(map(holds, filled)) >= _MOSTLY * len(filled)


def _is_listed(cell: Any) -> bool:
    return isinstance(value_of(cell), (list, dict))


def _is_name(cell: Any) -> bool:
    text = text_of(cell)
    return len(text.split()) <= _MOST_WORDS and any(map(str.isalpha, text))


def _are_titles(cells: Sequence[Any]) -> bool:
    texts = [text for cell in cells if isinstance(cell, str) and (text := text_of(cell))]
    n_words = sum(len(text.split()) for text in texts)
    return bool(texts) and n_words >= _FEWEST_WORDS * len(texts)


# Role -> whether a column can have it, by its name, its cells and whether its name says so.
_Holds = Callable[[str, Sequence[Any], bool], bool]
_HOLDS: Mapping[str, _Holds] = {
    "items": lambda name, cells, is_named: (
        is_named and _mostly(cells, lambda cell: isinstance(value_of(cell), dict))
    ),
    "companies": lambda name, cells, is_named: _mostly(
        cells, lambda cell: _is_listed(cell) or (is_named and _is_name(cell))
    ),
    "date": lambda name, cells, is_named: read_days(list(map(text_of, cells)), name) is not None,
    "sentiment": lambda name, cells, is_named: _mostly(
        cells, lambda cell: read_sentiment(text_of(cell)) is not None
    ),
    "title": lambda name, cells, is_named: _are_titles(cells),
}
