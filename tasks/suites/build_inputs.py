"""What the parts of a suite are given."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from tasks.core.rows import Context, Document, FilingTable
from tasks.core.settings import RunSettings
from tasks.inference.operation import Engine
from tasks.lake.lake import Commit, Lake

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingested:
    """What contexts are made of: some documents, and their tables by document_id, read when asked for."""

    documents: Sequence[Document]
    tables: Callable[[], Mapping[str, Sequence[FilingTable]]]
    run: RunSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What pairs are made of.

    contexts    some of the suite's contexts
    documents   ids -> these documents by id, read when asked for
    engines     setting -> the models that it names: `generator`, `citer`, `panel`, as far as the suite reads them
    """

    contexts: Sequence[Context]
    documents: Callable[[Collection[str]], Mapping[str, Document]]
    engines: Mapping[str, Sequence[Engine]]
    run: RunSettings


class RowsOf(Protocol):
    """All rows of a type that a release holds of the suite, or of its filings."""

    def __call__(self, row_type: type[Row], /) -> list[Row]: ...


def ingested(lake: Lake, ingest: Commit, run: RunSettings) -> Iterator[Ingested]:
    """The documents of each shard of a finished ingest, and what finds their tables: both were written side by side."""
    for shard in range(len(ingest.parts_of("documents"))):

        def tables(shard: int = shard) -> dict[str, list[FilingTable]]:
            return by_document(lake.read_shard(ingest, FilingTable, shard))

        yield Ingested(documents=lake.read_shard(ingest, Document, shard), tables=tables, run=run)


def by_document(tables: Sequence[FilingTable]) -> dict[str, list[FilingTable]]:
    """Tables by document_id, each document's in their order."""
    found: dict[str, list[FilingTable]] = {}
    for table in tables:
        found.setdefault(table.document_id, []).append(table)
    return found


def documents_of(lake: Lake, ingest: Commit, ids: Collection[str]) -> dict[str, Document]:
    """Documents of a finished ingest by id."""
    found = lake.each(ingest, Document, only=("document_id", ids))
    return {document.document_id: document for document in found}
