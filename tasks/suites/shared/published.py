"""Published datasets: a released file in, the rows of the lake out, and back again.

A part is `load(path, *, limit, encoding) -> Imported` and `export(path, ...) -> Exported`, one
file per published layout. What a file says is kept byte for byte: no text is cleaned.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tasks.core.errors import RunFailed
from tasks.core.rows import Case, Context, Document, Filing, FilingTable, QAPair, Reject


class DatasetError(RunFailed):
    """A file that is not in the layout at all; the message names file and place, and says what to do."""


@dataclass(frozen=True, slots=True)
class Imported:
    """A published file as rows; each of the file's rows is one pair with its cases, or one reject."""

    filings: list[Filing]
    documents: list[Document]
    contexts: list[Context]
    qa_pairs: list[QAPair]
    cases: list[Case]
    rejects: list[Reject]
    filing_tables: list[FilingTable] = field(default_factory=list)
    of_suite: Mapping[type, list[Any]] = field(
        default_factory=dict
    )  # by the row types of the suite's own

    def built(self) -> Iterator[Any]:
        """Give all rows but those of an ingest."""
        yield from (
            *self.qa_pairs,
            *self.contexts,
            *self.cases,
            *(row for rows in self.of_suite.values() for row in rows),
            *self.rejects,
        )


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written to a file, and the pairs that its layout cannot hold; `rows_are` is what people call its rows."""

    n_rows: int
    left_out: list[Reject]
    rows_are: str = "rows"
