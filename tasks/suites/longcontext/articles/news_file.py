"""The file that `--articles` names: headlines with their companies, dates and sentiments.

A CSV, JSONL or Parquet file, the first two plain or gzipped. Rows of one title and date are one
article, about the companies of all of them. A row that says too little, or contradicts another
one, is a reject.
"""

from __future__ import annotations

import csv
import gzip
import io
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tasks.core.errors import WrongSettings
from tasks.core.ids import stable_id
from tasks.core.progress import tell
from tasks.core.rows import Reject
from tasks.core.untrusted import read_json, without_halves
from tasks.suites.longcontext.concepts import SENTIMENTS
from tasks.suites.longcontext.rows import Mention, News
from tasks.suites.longcontext.text import has_number
from tasks.suites.suite import Source

NO_COMPANY = "the row does not say which companies it is about"
NO_DATE = "the row has no date that can be read"
DUPLICATE = "the same title, date and companies as an earlier row"
NO_TITLE = "the row has no title"
TOO_LONG = "the title is longer than 100 words or 1,000 characters"
IMITATES = "the title imitates an article's number"
NO_SENTIMENT = "a company's sentiment is not positive, neutral or negative"
WHOSE_SENTIMENT = "one sentiment for several companies"
CONTRADICTION = "rows of this title and date differ in a company's sentiment"

_MOST_WORDS, _MOST_CHARS = 100, 1_000
# What a column holds -> its names; the first that a file has is read.
_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "companies": ("company", "companies", "entity", "entities", "entity_sentiment_json"),
    "title": ("title", "headline"),
    "date": ("date", "published"),
    "sentiment": ("sentiment", "label"),
}

Row = Mapping[str, Any]
Labels = dict[str, str | None]  # company -> the sentiment that the row gives it


class _Unusable(Exception):
    """Why a row cannot be used: the reason and its particulars."""


@dataclass(slots=True)
class _Headline:
    """Rows of one title and date."""

    line: int
    title: str
    day: str | None
    labels: Labels = field(default_factory=dict)
    contradicts: str | None = None  # the company


def read_news(file: Path) -> Iterator[News | Reject]:
    """Yield the articles of a file and a reject for each row that gives none.

    Says on the terminal which columns it reads.

    Raises:
        WrongSettings: the file cannot be read, has no rows or no columns for titles and companies,
            or no row of it gives an article.
    """
    rows = list(_read_rows(file))
    if not rows:
        raise WrongSettings(f"'{file}' has no rows. Name a file with one article a row.")
    columns = _match_columns(file.name, dict.fromkeys(name for _, row in rows for name in row))
    named = [(line, {role: row.get(name) for role, name in columns.items()}) for line, row in rows]
    news = list(_read_headlines(file.name, named))
    if not any(isinstance(row, News) for row in news):
        why = next(f"{row.parent_id}: {row.reason}" for row in news if isinstance(row, Reject))
        raise WrongSettings(
            f"None of the {len(rows):,} rows of '{file.name}' gives an article, such as {why}. "
            "Correct the rows. Dates are written as YYYY-MM-DD."
        )
    yield from news


SOURCE = Source(option="articles", rows=News, read=read_news, version=3)


def _read_rows(file: Path) -> Iterator[tuple[int, Row]]:
    """Yield line, from 1, and columns of each row; of Parquet, the row's number."""
    name = file.name.casefold().removesuffix(".gz")
    try:
        if name.endswith(".parquet"):
            yield from enumerate(pq.read_table(file).to_pylist(), start=1)
            return
        data = file.read_bytes()
        text = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode("utf-8-sig")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError, pa.ArrowException) as error:
        raise WrongSettings(f"Cannot read '{file}': {error}. Save it as UTF-8 text.") from error
    if not name.endswith((".csv", ".jsonl")):
        raise WrongSettings(
            f"'{file}' is no news file that tenkbench reads. Name a .csv, .jsonl or .parquet file; "
            "the first two may end in .gz."
        )
    yield from (_csv_rows if name.endswith(".csv") else _json_rows)(file, text)


def _csv_rows(file: Path, text: str) -> Iterator[tuple[int, Row]]:
    csv.field_size_limit(sys.maxsize)
    header = text.partition("\n")[0]
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=header.count))
    for row in reader:
        if None in row or None in row.values():
            raise WrongSettings(
                f"'{file}', line {reader.line_num}: the row has not as many cells as the header. "
                "Put quotation marks around cells that hold the separator."
            )
        yield reader.line_num, row


def _json_rows(file: Path, text: str) -> Iterator[tuple[int, Row]]:
    for line, content in enumerate(text.split("\n"), start=1):
        if content.strip():
            try:
                row = read_json(without_halves(content))
            except ValueError as error:
                raise WrongSettings(f"'{file}', line {line}: no JSON ({error}).") from error
            if not isinstance(row, dict):
                raise WrongSettings(f"'{file}', line {line}: a row must be a JSON object.")
            yield line, row


def _match_columns(file: str, names: Iterable[str]) -> dict[str, str]:
    """Return the file's column of each role, and say which are read."""
    by_name = {name.casefold(): name for name in names}
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


def _read_headlines(file: str, rows: Sequence[tuple[int, Row]]) -> Iterator[News | Reject]:
    headlines: dict[tuple[str, str | None], _Headline] = {}
    for line, row in rows:
        try:
            title, day, labels = _read_headline(row)
        except _Unusable as unusable:
            yield _reject(file, line, *unusable.args)
            continue
        headline = headlines.setdefault((title.casefold(), day), _Headline(line, title, day))
        is_new = headline.line == line or bool(labels.keys() - headline.labels.keys())
        for company, label in labels.items():
            if headline.labels.setdefault(company, label) != label:
                headline.contradicts = company
        if not is_new and not headline.contradicts:
            yield _reject(file, line, DUPLICATE, f"line {headline.line:,}: {title}")
    for headline in headlines.values():
        if headline.contradicts:
            detail = f"{headline.contradicts}: {headline.title}"
            yield _reject(file, headline.line, CONTRADICTION, detail)
        else:
            yield _news_of(file, headline)


def _read_headline(row: Row) -> tuple[str, str | None, Labels]:
    title, labels = _text_of(row["title"]), _labels_of(row["companies"])
    if not title:
        raise _Unusable(NO_TITLE, "")
    if len(title.split()) > _MOST_WORDS or len(title) > _MOST_CHARS:
        raise _Unusable(TOO_LONG, title[:200])
    if has_number(title):
        raise _Unusable(IMITATES, title)
    if not _text_of(row["companies"]) or not all(any(map(str.isalpha, name)) for name in labels):
        raise _Unusable(NO_COMPANY, title)
    if "sentiment" in row:
        if len(labels) > 1 and None in labels.values():
            raise _Unusable(WHOSE_SENTIMENT, title)
        of_row = _text_of(row["sentiment"]).casefold()
        labels = {name: of_row if label is None else label for name, label in labels.items()}
    for name, label in labels.items():
        if label is not None and label not in SENTIMENTS:
            raise _Unusable(NO_SENTIMENT, f"{name}, '{label}': {title}")
    day = _day_of(row)
    if "date" in row and day is None:
        raise _Unusable(NO_DATE, title)
    return title, day, labels


def _labels_of(cell: Any) -> Labels:
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


def _news_of(file: str, headline: _Headline) -> News:
    labels = headline.labels.items()
    return News(
        news_id=stable_id("news", headline.title, headline.day),
        source_uri=file,
        line=headline.line,
        title=headline.title,
        published=headline.day,
        mentions=tuple(Mention(company=name, sentiment=label) for name, label in labels),
    )


def _reject(file: str, line: int, reason: str, detail: str) -> Reject:
    return Reject(
        reject_id=stable_id("reject", "ingest", file, line, reason, detail),
        stage="ingest",
        parent_id=f"{file}, line {line}",
        reason=reason,
        detail=detail,
    )
