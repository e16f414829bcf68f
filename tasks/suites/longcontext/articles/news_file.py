"""The file that `--articles` names: headlines with their companies, dates and sentiments.

A CSV, JSONL or Parquet file with one article a row; the first two may be gzipped. A row may also be
an 8-K, whose `items` map its Items to texts: each is an article. A row that says too little, or
repeats a title and date, is a reject.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import duckdb

from tasks.core.errors import WrongSettings
from tasks.core.ids import stable_id
from tasks.core.progress import tell
from tasks.core.rejects import reject_of
from tasks.core.rows import Reject
from tasks.core.untrusted import read_json, without_halves
from tasks.suites.longcontext.articles.names import content_words
from tasks.suites.longcontext.concepts import SENTIMENTS
from tasks.suites.longcontext.rows import Mention, News
from tasks.suites.longcontext.text import has_number
from tasks.suites.shared.published import DatasetError, read_records
from tasks.suites.suite import Source
from tasks.text.company_names import company_name

NO_COMPANY = "the row does not say which companies it is about"
NO_DATE = "the row has no date that can be read"
DUPLICATE = "the same title and date as an earlier row"
NO_TITLE = "the row has no title"
TOO_LONG = "the title is longer than 100 words or 1,000 characters"
IMITATES = "the title imitates an article's number"
NO_SENTIMENT = f"a company's sentiment is none of {', '.join(SENTIMENTS)}"

_MOST_WORDS, _MOST_CHARS = 100, 1_000
# Words of an Item of an 8-K that are its article, and Items that only list exhibits.
_ITEM_WORDS = 60
_EXHIBITS = ("item_7", "item_9.01")
# What a column holds -> its names; the first that a file has is read.
_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "companies": ("company", "companies", "entity", "entities", "entity_sentiment_json"),
    "title": ("title", "headline"),
    "date": ("date", "published"),
    "sentiment": ("sentiment", "label"),
}
_WHAT_TO_DO = "name a .csv, .jsonl or .parquet file with one article a row"

Row = Mapping[str, Any]


class _Unusable(Exception):
    """Why a row cannot be used: the reason and its particulars."""


def read_news(file: Path) -> Iterator[News | Reject]:
    """Yield the articles of a file and a reject for each row that gives none.

    Says on the terminal which columns it reads.

    Raises:
        DatasetError: the file cannot be read.
        WrongSettings: it has no columns for titles and companies, or no row gives an article.
    """
    rows = [*_split_items(_read_rows(file))]
    columns = _match_columns(file.name, rows)
    lines: dict[tuple[str, str | None], int] = {}  # of the first row of a title and date
    rejects: list[Reject] = []
    for line, row in enumerate(rows, start=1):
        try:
            news = _read_row(file.name, line, {role: row.get(columns[role]) for role in columns})
            first = lines.setdefault((news.title.casefold(), news.published), line)
            if first != line:
                raise _Unusable(DUPLICATE, f"row {first:,}: {news.title}")
            yield news
        except _Unusable as unusable:
            rejects.append(reject_of("ingest", f"{file.name}, row {line}", *unusable.args))
    if not lines:
        why = f", such as {rejects[0].parent_id}: {rejects[0].reason}" if rejects else ""
        raise WrongSettings(
            f"None of the {len(rows):,} rows of '{file.name}' gives an article{why}. "
            "Correct the rows. Dates are written as YYYY-MM-DD."
        )
    yield from rejects


SOURCE = Source(option="articles", rows=News, read=read_news, version=6)


def _read_rows(file: Path) -> Sequence[Row]:
    name = file.name.casefold().removesuffix(".gz")
    if name.endswith(".jsonl"):
        rows = read_records(file, (), _WHAT_TO_DO)
        if not all(isinstance(row, dict) for row in rows):
            raise DatasetError(f"{file}: a row is not an object; {_WHAT_TO_DO}")
        return rows
    try:
        with duckdb.connect() as connection:
            if name.endswith(".parquet"):
                table = connection.read_parquet(str(file))
            elif name.endswith(".csv"):
                table = connection.read_csv(str(file), header=True, all_varchar=True)
            else:
                raise DatasetError(f"{file}: another kind of file; {_WHAT_TO_DO}")
            found: list[Row] = table.to_arrow_table().to_pylist()
            return found
    except duckdb.Error as error:
        raise DatasetError(f"{file}: cannot be read ({error}); {_WHAT_TO_DO}") from error


def _split_items(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield rows, and for an 8-K one for each Item: its company, and how the Item begins."""
    names: dict[tuple[str, ...], str] = {}  # a company has one name, however it is filed
    for row in rows:
        items = row.get("items")
        if not isinstance(items, dict):
            yield row
            continue
        filed = _text_of(row.get("company")).partition("\\")[0].rstrip("/ ")
        company = names.setdefault(content_words(filed), company_name(filed) or filed)
        for item, text in items.items():
            words = [word for word in _text_of(text).split() if "--" not in word]  # no rules
            end = " ..." if len(words) > _ITEM_WORDS else ""
            if item not in _EXHIBITS:
                title = f"{company}: {' '.join(words[:_ITEM_WORDS])}{end}"
                yield {**row, "company": company, "title": title}


def _match_columns(file: str, rows: Sequence[Row]) -> dict[str, str]:
    """Return the file's column of each role, and say which are read."""
    by_name = {name.casefold(): name for row in rows for name in row}
    columns = {
        role: next(by_name[name] for name in known if name in by_name)
        for role, known in _COLUMNS.items()
        if by_name.keys() & set(known)
    }
    if not {"companies", "title"} <= columns.keys():
        missing = "titles" if "companies" in columns else "companies"
        raise WrongSettings(
            f"'{file}' has no column of {missing} among "
            f"{', '.join(map(repr, by_name.values()))}. "
            "Name its columns title, company, date and sentiment; the last two may be missing."
        )
    used = ", ".join(f"{role} from '{name}'" for role, name in columns.items())
    drawn = "" if "date" in columns else "; it has no dates, so they are drawn"
    tell(f"{file}: {used}{drawn}.")
    return columns


def _read_row(file: str, line: int, row: Row) -> News:
    title, labels = _text_of(row["title"]), _labels_of(row["companies"])
    if not title:
        raise _Unusable(NO_TITLE)
    if len(title.split()) > _MOST_WORDS or len(title) > _MOST_CHARS:
        raise _Unusable(TOO_LONG, title[:200])
    if has_number(title):
        raise _Unusable(IMITATES, title)
    if not _text_of(row["companies"]) or not all(any(map(str.isalpha, name)) for name in labels):
        raise _Unusable(NO_COMPANY, title)
    if "sentiment" in row and len(labels) == 1:
        labels = {
            name: _text_of(row["sentiment"]).casefold() if label is None else label
            for name, label in labels.items()
        }
    for name, label in labels.items():
        # one sentiment for several companies is none of theirs
        is_missing = label is None and "sentiment" in row
        if is_missing or (label is not None and label not in SENTIMENTS):
            raise _Unusable(NO_SENTIMENT, f"{name}, '{label or ''}': {title}")
    day = _day_of(row)
    if "date" in row and day is None:
        raise _Unusable(NO_DATE, title)
    return News(
        news_id=stable_id("news", title, day),
        source_uri=file,
        line=line,
        title=title,
        published=day,
        mentions=tuple(Mention(company=name, sentiment=label) for name, label in labels.items()),
    )


def _labels_of(cell: Any) -> dict[str, str | None]:
    """Return the companies of a cell: a mapping to sentiments, a list, or names between `;`."""
    text = without_halves(_text_of(cell))
    if isinstance(cell, str) and text.startswith(("{", "[")):
        try:
            cell = read_json(text)
        except ValueError as error:
            raise _Unusable(NO_COMPANY, text) from error
    if isinstance(cell, dict):
        return {_text_of(name): _text_of(label).casefold() for name, label in cell.items()}
    names = map(_text_of, cell) if isinstance(cell, list) else text.split(";")
    return {name.strip(): None for name in names if name.strip()}


def _text_of(cell: Any) -> str:
    """Return a cell's text on one line; "" if it is empty."""
    return "" if cell is None or cell != cell else " ".join(str(cell).split())


def _day_of(row: Row) -> str | None:
    """Read a date written as YYYY-MM-DD, with or without a time; None if it is none."""
    try:
        return date.fromisoformat(_text_of(row.get("date"))[:10]).isoformat()
    except ValueError:
        return None
