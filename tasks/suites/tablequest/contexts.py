"""Contexts of TableQuest: one to three data tables of a filing, and the text around them.

Tables of one Item with few paragraphs between them make one snippet. Its text is the nearest
heading, what leads in to the tables, and what follows them up to the next heading.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from tasks.core.ids import canonical_json, stable_rng
from tasks.core.rows import Context, Document, Filing, FilingTable, Reject
from tasks.filings.reader.cells import YEAR, is_figure
from tasks.suites.shared.contexts import SAME_TEXT, by_document, context_of, rejected
from tasks.suites.shared.rejects import reject_of
from tasks.suites.shared.tables.cells import read_grid
from tasks.suites.shared.tables.sheets import Sheet
from tasks.suites.suite import Step, StepInputs
from tasks.suites.tablequest.options import TableQuestOptions
from tasks.suites.tablequest.surroundings import (
    ShownBlock,
    ShownBlocks,
    end_after,
    hides_scale,
    is_near,
    prose,
    read_blocks,
    start_before,
    written,
)
from tasks.text.tokens import count_tokens

T = TypeVar("T")

KIND = "snippet"
_MOST_TABLES = 3

_MOST_COLUMNS = 60
_PAGE_HEAD = re.compile(r"pages?(?:\(s\))?(?:\s+(?:no\.?|numbers?|in\b.*))?", re.IGNORECASE)

# Why a table is not asked about: by its cells alone, or although they allow it.
FEW_NUMBERS = "the table has fewer than two rows and two columns of numbers"
UNNAMED = "the table has fewer than two named rows and columns of numbers"
MOSTLY_WORDS = "the table has more words than numbers, as a list of exhibits"
PAGES = "the table lists pages"
TOO_WIDE = "the table has more than 60 columns"
TOO_LONG = "the table alone exceeds the token limit"
HIDDEN_SCALE = "neither the table nor the paragraph before it states its scale"
# Why a filing has no snippet.
NO_TABLES = "the filing has no data tables"
NONE_ASKED_ABOUT = "no data table of the filing can be asked about"


def write_contexts(
    documents: Iterable[Document],
    tables: Mapping[str, Sequence[FilingTable]],
    filings: Mapping[str, Filing],
    *,
    most: int,
    limit: int,
    encoding: str,
    seed: int,
    used: dict[str, str],
) -> Iterator[Context | Reject]:
    """Yield at most `most` snippets of each document, or a reject; and a reject per bad table.

    `limit` is in tokens of `encoding`. `used` has context_ids of earlier documents, and gets those
    of these: no two documents have a snippet of the same text. `details` is JSON with the tables'
    `table_ids`, the filing's `company` and `year`, and the `spans` of the document that are shown.
    """
    for document in documents:
        writer = _Writer(document, filings[document.filing_id], limit, encoding)
        rng = stable_rng(seed, "contexts", document.document_id)
        yield from writer.write(tables.get(document.document_id, ()), most, rng, used)


@dataclass(frozen=True, slots=True)
class _Writer:
    document: Document
    filing: Filing
    limit: int
    encoding: str

    def write(
        self, tables: Sequence[FilingTable], most: int, rng: Random, used: dict[str, str]
    ) -> Iterator[Context | Reject]:
        reasons = {table.table_id: self._reason_against(table) for table in tables}
        for table_id, reason in reasons.items():
            if reason:
                key = ("contexts", table_id, reason)
                yield reject_of("contexts", table_id, reason, key=key)
        table_at = {table.start_char: table for table in tables if not reasons[table.table_id]}
        if not table_at:
            counts = Counter(filter(None, reasons.values()))
            detail = "; ".join(f"{n:,} tables: {reason}" for reason, n in sorted(counts.items()))
            yield rejected(self.document, NONE_ASKED_ABOUT if tables else NO_TABLES, detail)
            return
        blocks = read_blocks(self.document, {table.start_char for table in tables}, table_at)
        groups = self._groups(blocks)
        n_written = 0
        for stretch in _stretches(groups, most):
            for first, last in rng.sample(stretch, len(stretch)):
                context = self._context(blocks, first, last)
                if context.context_id not in used:
                    used[context.context_id] = self.document.document_id
                    n_written += 1
                    yield context
                    break
                other = used[context.context_id]
        if not n_written:
            yield rejected(self.document, SAME_TEXT, f"{other} has it too")

    def _reason_against(self, table: FilingTable) -> str | None:
        """Return why no question is asked about a table, or None."""
        if sum(map(len, table.cells)) > self.limit:  # a cell has a token or more: not worth reading
            return TOO_LONG
        if reason := _reason_by_cells(table.cells):
            return reason
        block = ShownBlock(table.start_char, table.end_char, table=table)
        if not self._fits([block]):
            return TOO_LONG
        return HIDDEN_SCALE if hides_scale(table, prose(table.pre_text)) else None

    def _groups(self, blocks: ShownBlocks) -> list[tuple[int, int]]:
        """Group up to three tables that stand near each other, by places of first and last."""
        runs: list[list[int]] = []
        for place, block in enumerate(blocks):
            if block.table is not None:
                if runs and is_near(blocks, runs[-1][-1], place):
                    runs[-1].append(place)
                else:
                    runs.append([place])
        groups: list[tuple[int, int]] = []
        for run in runs:
            for places in _stretches(run, -(-len(run) // _MOST_TABLES)):
                first = last = places[0]
                for place in places[1:]:
                    if not self._fits(blocks[first : place + 1]):
                        groups.append((first, last))
                        first = place
                    last = place
                groups.append((first, last))
        return groups

    def _context(self, blocks: ShownBlocks, first: int, last: int) -> Context:
        start, end = start_before(blocks, first), end_after(blocks, last)
        while not self._fits(blocks[start:end]):
            if end > last + 1:
                end -= 1
            else:
                start += 1
        shown = blocks[start:end]
        year = self.filing.period_end.year if self.filing.period_end else None
        details = {
            "table_ids": [block.table.table_id for block in shown if block.table],
            "company": self.filing.company,
            "year": year,
            "spans": [[block.start, block.end] for block in shown],
        }
        return context_of(
            KIND,
            written(shown),
            self.document,
            encoding=self.encoding,
            start_char=shown[0].start,
            details=canonical_json(details),
        )

    def _fits(self, blocks: ShownBlocks) -> bool:
        text = written(blocks)  # a token has a byte or more
        return (
            len(text.encode("utf-8", "surrogatepass")) <= self.limit
            or count_tokens(text, self.encoding) <= self.limit
        )


def _stretches(places: Sequence[T], most: int) -> Iterator[Sequence[T]]:
    """Cut a sequence into `most` stretches of about equal length, fewer if it is shorter."""
    n = min(most, len(places))
    for number in range(n):
        yield places[number * len(places) // n : (number + 1) * len(places) // n]


# --- tables that can be asked about, by their cells alone ------------------------------------


def _reason_by_cells(cells: Sequence[Sequence[str]]) -> str | None:
    """Return why a table cannot be asked about, by its cells alone, or None."""
    width = max(map(len, cells), default=0)
    if width > _MOST_COLUMNS:
        return TOO_WIDE
    grid = read_grid(Sheet(index=1, pre_text="", cells=tuple(map(tuple, cells))))
    numbers = [place for place, cell in grid.cells.items() if not YEAR.fullmatch(cell.text)]
    if not _spans_two(numbers):
        return FEW_NUMBERS
    beside = [cell for row in {row for row, _ in numbers} for cell in cells[row][1:] if cell]
    if 2 * sum(map(is_figure, beside)) < len(beside):
        return MOSTLY_WORDS
    if any(_PAGE_HEAD.fullmatch(column.text) for column in grid.columns):
        return PAGES
    row_names = [line.text or line.above for line in grid.rows]
    column_names = [line.text for line in grid.columns]
    named = [
        (row, column)
        for row, column in numbers
        if _is_name(row_names[row]) and _is_name(column_names[column])
    ]
    return None if _spans_two(named) else UNNAMED


def _spans_two(places: Iterable[tuple[int, int]]) -> bool:
    """Check whether two rows and two columns have two of these places or more."""
    held = list(places)
    return all(
        sum(n > 1 for n in Counter(place[axis] for place in held).values()) > 1 for axis in (0, 1)
    )


def _is_name(text: str) -> bool:
    return any(map(str.isalnum, text)) and (not is_figure(text) or bool(YEAR.fullmatch(text)))


# --- the step ------------------------------------------------------------------------------


def build_contexts(inputs: StepInputs) -> Iterator[Context | Reject]:
    """Make snippets of each document."""
    options: TableQuestOptions = inputs.options
    used: dict[str, str] = {}
    for documents, tables, filings in inputs.parts(Document, FilingTable, Filing):
        yield from write_contexts(
            documents,
            by_document(tables),
            {filing.filing_id: filing for filing in filings},
            most=options.contexts,
            limit=options.context_tokens,
            encoding=inputs.encoding,
            seed=inputs.seed,
            used=used,
        )


STEP = Step(
    name="contexts",
    version=3,
    run=build_contexts,
    writes=(Context,),
    reads=("ingest",),
    options=("contexts", "context_tokens", "encoding", "seed"),
)
