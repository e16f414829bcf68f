"""Published datasets: a released file to the lake's rows, and back.

Each published layout has one module with `load(path, *, limit, encoding) -> Imported` and
`export(path, ...) -> Exported`. Texts are kept byte for byte, never cleaned.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tasks.core.errors import RunFailed
from tasks.core.rows import Case, Context, Document, Filing, FilingTable, QAPair, Reject


class DatasetError(RunFailed):
    """A file with another layout; the message names file and place, and says what to do."""


@dataclass(frozen=True, slots=True)
class Imported:
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
