"""The file that `--articles` names, to news: headlines with their companies, or 8-K Items.

Rows of one title and date are one article, about the companies of all of them. A row that says too
little, or contradicts another one, is a reject.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tasks.core.errors import WrongSettings
from tasks.core.progress import tell
from tasks.core.rows import Reject
from tasks.suites.longcontext.articles.events import read_events
from tasks.suites.longcontext.articles.rows_of_file import (
    DUPLICATE,
    NO_COMPANY,
    NO_DATE,
    Row,
    make_news,
    read_day,
    read_rows,
    reject_row,
    text_of,
    value_of,
)
from tasks.suites.longcontext.concepts import SENTIMENTS
from tasks.suites.longcontext.rows import Mention, News
from tasks.suites.longcontext.text import has_number
from tasks.suites.suite import Source

NO_TITLE = "the row has no title"
TOO_LONG = "the title is longer than 100 words or 1,000 characters"
IMITATES = "the title imitates an article's number"
NO_SENTIMENT = "a company has no sentiment"
OTHER_SENTIMENT = "a sentiment is not positive, neutral or negative"
WHOSE_SENTIMENT = "one sentiment for several companies"
CONTRADICTION = "rows of this title and date differ in a company's sentiment"

_MOST_WORDS, _MOST_CHARS = 100, 1_000
# What a column holds -> its names; the first that a file has is read.
_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "companies": ("company", "companies", "entity", "entities", "entity_sentiment_json"),
    "title": ("title", "headline"),
    "date": ("date", "published"),
    "sentiment": ("sentiment", "label"),
    "items": ("items",),
}

Named = tuple[str, str | None]  # a company and the label that the row gives it


class _Unusable(Exception):
    """Why a row cannot be used: the reason and its particulars."""


@dataclass(slots=True)
class _Headline:
    """Rows of one title and date."""

    line: int
    title: str
    day: str | None
    labels: dict[str, str | None] = field(default_factory=dict)
    contradicts: str | None = None  # the company


def read_news(file: Path) -> Iterator[News | Reject]:
    """Yield the articles of a file and a reject for each row that gives none.

    Says on the terminal which columns it reads.

    Raises:
        WrongSettings: the file cannot be read, has no rows or no columns for titles and companies,
            or no row of it gives an article.
    """
    rows = list(read_rows(file))
    if not rows:
        raise WrongSettings(f"'{file}' has no rows. Name a file with one article a row.")
    columns = _match_columns(file.name, dict.fromkeys(name for _, row in rows for name in row))
    named = [(line, {role: row.get(name) for role, name in columns.items()}) for line, row in rows]
    news = list((read_events if "items" in columns else _read_headlines)(file.name, named))
    if not any(isinstance(row, News) for row in news):
        why = next(f"{row.parent_id}: {row.reason}" for row in news if isinstance(row, Reject))
        raise WrongSettings(
            f"None of the {len(rows):,} rows of '{file.name}' gives an article, such as {why}. "
            "Correct the rows. Dates are written as YYYY-MM-DD."
        )
    yield from news


SOURCE = Source(option="articles", rows=News, read=read_news, version=2)


def _match_columns(file: str, names: Iterable[str]) -> dict[str, str]:
    """Return the file's column of each role, and say which are read."""
    by_name = {name.casefold(): name for name in names}
    columns = {
        role: next(by_name[name] for name in wanted if name in by_name)
        for role, wanted in _COLUMNS.items()
        if by_name.keys() & set(wanted)
    }
    if "companies" not in columns or not columns.keys() & {"title", "items"}:
        missing = "titles" if "companies" in columns else "companies"
        raise WrongSettings(
            f"'{file}' has no column of {missing} among "
            f"{', '.join(map(repr, by_name.values()))}. "
            "Name its columns title, company, date and sentiment; the last two may be missing."
        )
    if "items" in columns and "date" not in columns:
        raise WrongSettings(f"'{file}' has 8-K Items without dates. Add a column 'date'.")
    used = ", ".join(f"{role} from '{name}'" for role, name in columns.items())
    drawn = "" if "date" in columns else "; it has no dates, so they are drawn"
    tell(f"{file}: {used}{drawn}.")
    return columns


def _read_headlines(file: str, rows: Sequence[tuple[int, Row]]) -> Iterator[News | Reject]:
    headlines: dict[tuple[str, str | None], _Headline] = {}
    spellings: dict[str, Counter[str]] = {}
    for line, row in rows:
        try:
            title, day, named = _read_headline(row)
        except _Unusable as unusable:
            yield reject_row(file, line, *unusable.args)
            continue
        headline = headlines.setdefault((title.casefold(), day), _Headline(line, title, day))
        is_new = headline.line == line
        for company, label in named:
            key = company.casefold()
            spellings.setdefault(key, Counter())[company] += 1
            is_new |= key not in headline.labels
            if headline.labels.setdefault(key, label) != label:
                headline.contradicts = company
        if not is_new and not headline.contradicts:
            yield reject_row(file, line, DUPLICATE, f"line {headline.line:,}: {title}")
    names = {key: counted.most_common(1)[0][0] for key, counted in spellings.items()}
    for headline in headlines.values():
        title, line, labels = headline.title, headline.line, headline.labels
        if headline.contradicts:
            yield reject_row(file, line, CONTRADICTION, f"{headline.contradicts}: {title}")
        else:
            mentions = [Mention(company=names[key], sentiment=labels[key]) for key in labels]
            yield make_news(file, line, title, headline.day, None, *mentions)


def _read_headline(row: Row) -> tuple[str, str | None, list[Named]]:
    title, cell = text_of(row["title"]), row["companies"]
    named = list(_named(value_of(cell)))
    if not title:
        raise _Unusable(NO_TITLE, "")
    if len(title.split()) > _MOST_WORDS or len(title) > _MOST_CHARS:
        raise _Unusable(TOO_LONG, title[:200])
    if has_number(title):
        raise _Unusable(IMITATES, title)
    if not text_of(cell) or not all(any(map(str.isalpha, company)) for company, _ in named):
        raise _Unusable(NO_COMPANY, title)
    if "sentiment" in row:
        if len(named) > 1 and any(label is None for _, label in named):
            raise _Unusable(WHOSE_SENTIMENT, title)
        of_row = text_of(row["sentiment"])
        named = [(company, of_row if label is None else label) for company, label in named]
    day = read_day(row)
    if "date" in row and day is None:
        raise _Unusable(NO_DATE, title)
    return title, day, [(company, _read_sentiment(label, title)) for company, label in named]


def _named(value: Any) -> Iterator[Named]:
    """Yield companies of a cell, with a label if it has one for each."""
    if isinstance(value, list):
        for entry in value:
            yield from _named(entry)
    elif isinstance(value, dict):
        cells = {str(key).casefold(): text_of(cell) for key, cell in value.items()}
        if key := next((key for key in ("company", "entity", "name") if key in cells), None):
            yield cells[key], cells.get("sentiment", cells.get("label"))
        else:
            yield from ((text_of(company), text_of(label)) for company, label in value.items())
    else:
        parts = text_of(value).replace("|", ";").split(";")
        yield from ((part.strip(), None) for part in parts if part.strip())


def _read_sentiment(label: str | None, title: str) -> str | None:
    """Read a label, with or without a degree; None if the file gives none to any company."""
    if label is None:
        return None
    if not label:
        raise _Unusable(NO_SENTIMENT, title)
    word = label.casefold().split()[-1]
    sentiment = next((name for name in SENTIMENTS if word in (name, name[:3])), None)
    if sentiment is None:
        raise _Unusable(OTHER_SENTIMENT, f"{label}: {title}")
    return sentiment
