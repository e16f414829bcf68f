"""Published datasets: a released file to the lake's rows.

Each published layout has one module with `load(path, *, limit, encoding) -> Imported`. Texts are
kept byte for byte, never cleaned.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from tasks.core.errors import RunFailed
from tasks.core.ids import sha256_hex, stable_id
from tasks.core.rows import (
    Case,
    Context,
    Document,
    Filing,
    FilingTable,
    Item,
    Paragraph,
    QAPair,
    Reject,
)
from tasks.suites.shared.rejects import reject_of
from tasks.text.tokens import DEFAULT_ENCODING

# The form of a filing that is known only from a published file.
FORM = "dataset"


class DatasetError(RunFailed):
    """A file with another layout; the message names file and place, and says what to do."""


@dataclass(frozen=True, slots=True)
class ImportedCases:
    """A published file as rows; each entry is one pair with its cases, or one reject.

    Attributes:
        of_suite: rows of the suite's own row types.
    """

    filings: list[Filing]
    documents: list[Document]
    contexts: list[Context]
    qa_pairs: list[QAPair]
    cases: list[Case]
    rejects: list[Reject]
    filing_tables: list[FilingTable] = field(default_factory=list)
    of_suite: Mapping[type, list[Any]] = field(default_factory=dict)

    def built(self) -> Iterator[Any]:
        """Yield all rows except those that ingest writes."""
        yield from (
            *self.qa_pairs,
            *self.contexts,
            *self.cases,
            *(row for rows in self.of_suite.values() for row in rows),
            *self.rejects,
        )


def filing_of(
    filing_id: str,
    text: str,
    source_uri: str,
    *,
    cik: str | None = None,
    filed_date: date | None = None,
) -> Filing:
    """Make the filing of an entry's text, of which a published file says little or nothing."""
    return Filing(
        filing_id=filing_id,
        cik=cik,
        company=None,
        sic=None,
        form=FORM,
        period_end=None,
        filed_date=filed_date,
        format="text",
        source_uri=source_uri,
        sha256=sha256_hex(text),
        n_bytes=len(text.encode("utf-8")),
    )


def document_of(
    filing_id: str, text: str, paragraphs: Sequence[Paragraph], items: Sequence[Item] = ()
) -> Document:
    """Make the document of a published text."""
    return Document(
        document_id=stable_id("document", filing_id),
        filing_id=filing_id,
        text=text,
        n_tokens=sum(paragraph.n_tokens for paragraph in paragraphs),
        encoding=DEFAULT_ENCODING,
        items=tuple(items),
        paragraphs=tuple(paragraphs),
    )


def rejected(entry: str, reason: str, detail: str) -> Reject:
    """Reject an entry of a published file; `entry` is its place: `main.json#row=3`."""
    return reject_of("dataset", entry, reason, detail, key=("dataset", entry))


@dataclass(frozen=True, slots=True)
class Exported:
    """Result of an export.

    Attributes:
        left_out: the pairs that the layout cannot hold.
        rows_are: what people call the file's rows.
    """

    n_rows: int
    left_out: list[Reject]
    rows_are: str = "rows"
