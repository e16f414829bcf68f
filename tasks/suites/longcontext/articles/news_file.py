"""The file that `--articles` names, to news: headlines with their companies, or 8-K Items.

Rows of one title and date are one article, about the companies of all of them. A row that says too
little, or contradicts another one, is a reject.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from tasks.core.errors import WrongSettings
from tasks.core.ids import stable_id
from tasks.core.progress import tell
from tasks.core.rows import Reject
from tasks.suites.longcontext.articles.columns import Columns, match_columns, text_of, value_of
from tasks.suites.longcontext.articles.dates import read_days
from tasks.suites.longcontext.articles.labels import read_sentiment
from tasks.suites.longcontext.articles.rows_of_file import FileRow, read_rows
from tasks.suites.longcontext.articles.statements import (
    NEARLY_SAME,
    NO_STATEMENT,
    NearDuplicates,
    WrittenNames,
    statements,
    title_of,
)
from tasks.suites.longcontext.rows import Mention, News
from tasks.suites.longcontext.text import has_number
from tasks.suites.suite import Source

NO_TITLE = "the row has no title"
TOO_LONG = "the title is longer than 100 words or 1,000 characters"
IMITATES = "the title imitates an article's number"
NO_COMPANY = "the row does not say which companies it is about"
NO_DATE = "the row has no date that can be read"
NO_SENTIMENT = "a company has no sentiment"
OTHER_SENTIMENT = "a sentiment is not positive, neutral or negative"
WHOSE_SENTIMENT = "one sentiment for several companies"
DUPLICATE = "the same title, date and companies as an earlier row"
CONTRADICTION = "rows of this title and date differ in a company's sentiment"

_MOST_WORDS, _MOST_CHARS = 100, 1_000
_EXHIBITS = "9.01"  # Item of an 8-K that lists its exhibits

_Row = tuple[int, FileRow, date | None]  # line, cells and date of a row
Named = tuple[str, str | None]  # a company and the label that the row gives it


class _Unusable(Exception):
    """Why a row cannot be used: the reason and its particulars."""


@dataclass(slots=True)
class _Headline:
    """Rows of one title and date."""

    line: int
    title: str
    day: date | None
    labels: dict[str, str | None] = field(default_factory=dict)
    contradicts: str | None = None  # the company


def read_news(file: Path) -> Iterator[News | Reject]:
    """Yield the articles of a file and a reject for each row that gives none.

    Says on the terminal which columns it reads.

    Raises:
        WrongSettings: the file has no rows or no columns for titles and companies, or no row of
            it gives an article.
    """
    rows = list(read_rows(file))
    if not rows:
        raise WrongSettings(f"'{file}' has no rows. Name a file with one article a row.")
    columns = match_columns(file.name, [row for _, row in rows])
    tell(columns.say(file.name))
    days: list[date | None] = [None] * len(rows)
    if columns.date is not None:
        days = read_days([text_of(row.get(columns.date)) for _, row in rows], columns.date)
    dated = [(*row, day) for row, day in zip(rows, days, strict=True)]
    read = list((_read_events if columns.items else _read_headlines)(file.name, dated, columns))
    if not any(isinstance(row, News) for row in read):
        why = next(f"{row.parent_id}: {row.reason}" for row in read if isinstance(row, Reject))
        raise WrongSettings(
            f"None of the {len(rows):,} rows of '{file.name}' gives an article, such as "
            f"{why}. Correct the rows, or rename columns that hold something else."
        )
    yield from read


SOURCE = Source(option="articles", rows=News, read=read_news)


def _read_headlines(file: str, rows: Sequence[_Row], columns: Columns) -> Iterator[News | Reject]:
    headlines: dict[tuple[str, date | None], _Headline] = {}
    spelled: dict[str, Counter[str]] = {}
    for line, row, day in rows:
        try:
            title, named = _headline(row, columns)
            if columns.date and day is None:
                raise _Unusable(NO_DATE, title)
        except _Unusable as unusable:
            yield _reject(file, line, *unusable.args)
            continue
        found = headlines.setdefault((title.casefold(), day), _Headline(line, title, day))
        is_new = found.line == line
        for company, label in named:
            key = company.casefold()
            spelled.setdefault(key, Counter())[company] += 1
            is_new |= key not in found.labels
            if found.labels.setdefault(key, label) != label:
                found.contradicts = company
        if not is_new and not found.contradicts:
            yield _reject(file, line, DUPLICATE, f"line {found.line:,}: {title}")
    names = {key: counted.most_common(1)[0][0] for key, counted in spelled.items()}
    for each in headlines.values():
        if each.contradicts:
            yield _reject(file, each.line, CONTRADICTION, f"{each.contradicts}: {each.title}")
        else:
            mentions = (
                Mention(company=names[k], sentiment=said) for k, said in each.labels.items()
            )
            yield _news(file, each.line, each.title, each.day, None, *mentions)


def _read_events(file: str, rows: Sequence[_Row], columns: Columns) -> Iterator[News | Reject]:
    """Yield the statements of 8-K documents, whose `items` map Items to texts."""
    if columns.date is None:
        raise WrongSettings(f"'{file}' has 8-K Items without dates. Add a column 'date'.")
    spellings, known = WrittenNames(), NearDuplicates()
    texts: list[dict[str, str]] = []
    for _, row, _ in rows:
        held = value_of(row.get(columns.items or ""))
        texts.append(held if isinstance(held, dict) else {})
        spellings.count(text_of(row.get(columns.companies)), "\n".join(texts[-1].values()))
    for (line, row, day), held in zip(rows, texts, strict=True):
        stated = text_of(row.get(columns.companies))
        if not stated or day is None:
            yield _reject(file, line, NO_DATE if stated else NO_COMPANY, "")
            continue
        company, is_empty = spellings.name(stated), True
        for key, text in held.items():
            item = key.casefold().removeprefix("item").strip(" _.")
            # a text may have one sentence twice
            for said in dict.fromkeys(() if item == _EXHIBITS else statements(company, text)):
                is_empty = False
                if (near := known.nearest(said)) is not None:
                    yield _reject(file, line, NEARLY_SAME, f"Item {item}: {said} | {near}")
                else:
                    mention = Mention(company=company, sentiment=None)
                    yield _news(file, line, title_of(company, said), day, item, mention)
        if is_empty:
            yield _reject(file, line, NO_STATEMENT, f"{company}, {', '.join(held)}")


def _headline(row: FileRow, columns: Columns) -> tuple[str, list[Named]]:
    title, cell = text_of(row.get(columns.title or "")), row.get(columns.companies)
    named = list(_named(value_of(cell)))
    if not title:
        raise _Unusable(NO_TITLE, "")
    if len(title.split()) > _MOST_WORDS or len(title) > _MOST_CHARS:
        raise _Unusable(TOO_LONG, title[:200])
    if has_number(title):
        raise _Unusable(IMITATES, title)
    if not text_of(cell) or not all(any(map(str.isalpha, company)) for company, _ in named):
        raise _Unusable(NO_COMPANY, title)
    if columns.sentiment is not None:
        if len(named) > 1 and any(label is None for _, label in named):
            raise _Unusable(WHOSE_SENTIMENT, title)
        of_row = text_of(row.get(columns.sentiment))
        named = [(company, of_row if label is None else label) for company, label in named]
    return title, [(company, _sentiment(label, title)) for company, label in named]


def _named(value: Any) -> Iterator[Named]:
    """Yield companies of a cell, with a label if it has one for each."""
    if isinstance(value, list):
        for each in value:
            yield from _named(each)
    elif isinstance(value, dict):
        said = {str(key).casefold(): text_of(cell) for key, cell in value.items()}
        if key := next((key for key in ("company", "entity", "name") if key in said), None):
            yield said[key], said.get("sentiment", said.get("label"))
        else:
            yield from ((text_of(company), text_of(label)) for company, label in value.items())
    else:
        parts = text_of(value).replace("|", ";").split(";")
        yield from ((part.strip(), None) for part in parts if part.strip())


def _sentiment(label: str | None, title: str) -> str | None:
    """Read a label; None if the file gives none to any company."""
    if label == "":
        raise _Unusable(NO_SENTIMENT, title)
    sentiment = None if label is None else read_sentiment(label)
    if sentiment is None and label is not None:
        raise _Unusable(OTHER_SENTIMENT, f"{label}: {title}")
    return sentiment


def _news(
    file: str, line: int, title: str, day: date | None, item: str | None, *mentions: Mention
) -> News:
    published = None if day is None else day.isoformat()
    return News(
        news_id=stable_id("news", title, published),
        source_uri=file,
        line=line,
        title=title,
        published=published,
        item=item,
        mentions=mentions,
    )


def _reject(file: str, line: int, reason: str, detail: str) -> Reject:
    return Reject(
        reject_id=stable_id("reject", "ingest", file, line, reason, detail),
        stage="ingest",
        parent_id=f"{file}, line {line}",
        reason=reason,
        detail=detail,
    )
