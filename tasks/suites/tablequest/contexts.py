"""Contexts of TableQuest: long mixtures of a filing's tables and text.

A filing is cut into snippets that fill `--context-tokens`, before a heading if there is one in a
snippet's second half, and never between a table and the paragraph that leads in to it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from random import Random

from tasks.core.ids import canonical_json, stable_rng
from tasks.core.rejects import reject_of
from tasks.core.rows import Context, Document, Filing, FilingTable, Reject
from tasks.filings.reader.cells import YEAR, is_enumerator, is_figure
from tasks.filings.reader.scale import table_scale
from tasks.filings.reader.table_html import table_html
from tasks.suites.shared.contexts import SAME_TEXT, by_document, context_of, rejected
from tasks.suites.shared.tables.cells import read_grid, scale_note
from tasks.suites.shared.tables.sheets import Sheet
from tasks.suites.suite import Step, StepInputs
from tasks.suites.tablequest.options import TableQuestOptions
from tasks.suites.tablequest.snippets import is_table, write_snippet
from tasks.text.tokens import count_tokens

KIND = "snippet"
_WORDS_OF_HEADING = 12
_OF = "amounts of money, except per share, "  # what a filing's scale is of at least
# Start of a note to the table above or below: (1), (a), *, (In millions)
_NOTE = re.compile(rf"\((?:\w{{1,2}}|(?:{_OF})?in \w+)\)|[*†‡]", re.IGNORECASE)
_NUMBERED = re.compile(r"(?:item|note|schedule)\s+\w{1,3}\s*[.:—–-]*", re.IGNORECASE)

_MOST_COLUMNS = 60
_PAGE_HEAD = re.compile(r"pages?(?:\(s\))?(?:\s+(?:no\.?|numbers?|in\b.*))?", re.IGNORECASE)

# Why a table is not asked about: by its cells alone, or although they allow it.
FEW_NUMBERS = "no row or column of the table has two numbers"
UNNAMED = "no row or column of the table has two numbers with names above and beside them"
MOSTLY_WORDS = "the table has as many words as numbers, as a list of officers or exhibits"
PAGES = "the table lists pages"
TOO_WIDE = "the table has more than 60 columns"
TOO_LONG = "the table and the paragraph before it exceed the token limit"
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
    `table_ids`, and the filing's `company` and `period_end`.
    """
    for document in documents:
        writer = _Writer(document, filings[document.filing_id], limit, encoding)
        rng = stable_rng(seed, "contexts", document.document_id)
        yield from writer.write(tables.get(document.document_id, ()), most, rng, used)


@dataclass(frozen=True, slots=True)
class _Block:
    """A paragraph of a document in one line, or a table of it as canonical HTML."""

    start: int
    n_tokens: int  # with the empty line after it
    text: str
    table: FilingTable | None = None
    opens_item: bool = False

    @property
    def is_heading(self) -> bool:
        is_short = len(self.text.split()) <= _WORDS_OF_HEADING
        return self.opens_item or (is_short and not self.text.endswith((".", ":", ";", ",")))


_Blocks = Sequence[_Block]


@dataclass(frozen=True, slots=True)
class _Writer:
    document: Document
    filing: Filing
    limit: int
    encoding: str

    def write(
        self, tables: Sequence[FilingTable], most: int, rng: Random, used: dict[str, str]
    ) -> Iterator[Context | Reject]:
        blocks: list[_Block] = []
        counts: Counter[str] = Counter()
        for row in self._blocks({table.start_char: table for table in tables}):
            if isinstance(row, _Block):
                blocks.append(row)
            else:
                counts[row.reason] += 1
                yield row
        if not any(block.table for block in blocks):
            detail = "; ".join(f"{n:,} tables: {reason}" for reason, n in sorted(counts.items()))
            yield rejected(self.document, NONE_ASKED_ABOUT if tables else NO_TABLES, detail)
            return
        n_written = 0
        snippets = list(self._snippets(blocks))
        n = min(most, len(snippets))
        bounds = (number * len(snippets) // max(n, 1) for number in range(n + 1))
        for first, last in pairwise(bounds):  # stretches of about equal length
            for shown in rng.sample(snippets[first:last], last - first):
                context = self._context(shown)
                if context.context_id not in used:
                    used[context.context_id] = self.document.document_id
                    n_written += 1
                    yield context
                    break
                other = used[context.context_id]
        if not n_written:
            yield rejected(self.document, SAME_TEXT, f"{other} has it too")

    def _blocks(self, tables: Mapping[int, FilingTable]) -> Iterator[_Block | Reject]:
        """Yield a document's blocks, and a reject per table not shown; `tables` are by start."""
        opens_item = {item.start_char for item in self.document.items}
        before = ""
        for paragraph in self.document.paragraphs:
            start, end = paragraph.start_char, paragraph.end_char
            table = tables.get(start)
            note = scale_note(table.scale, _OF) if table and hides_scale(table, before) else ""
            if table is None:
                text = prose(self.document.text[start:end])
                before = text or before
            elif reason := self._reason_against(table, before):
                key = ("contexts", table.table_id, reason)
                yield reject_of("contexts", table.table_id, reason, key=key)
                continue
            else:
                text = html_of(table)
            n_tokens = self._n_tokens(text)
            if text and n_tokens <= self.limit:
                if note:
                    yield _Block(start, self._n_tokens(note), note)
                yield _Block(start, n_tokens, text, table, start in opens_item)

    def _reason_against(self, table: FilingTable, before: str) -> str | None:
        """Return why no question is asked about a table below a paragraph, or None."""
        if sum(map(len, table.cells)) > self.limit:  # a cell has a token or more: not worth reading
            return TOO_LONG
        if reason := _reason_by_cells(table.cells):
            return reason
        n_tokens = self._n_tokens(before) + self._n_tokens(html_of(table))
        return TOO_LONG if n_tokens > self.limit else None

    def _snippets(self, blocks: _Blocks) -> Iterator[_Blocks]:
        """Cut a document into snippets, and yield those with a table."""
        start = 0
        while start < len(blocks):
            first = blocks[start].table
            if first is not None and hides_scale(first, ""):
                start += 1  # its lead-in is in the snippet before
                continue
            end = start + _length(blocks[start:], self.limit)
            if any(block.table for block in blocks[start:end]):
                yield blocks[start:end]
            start = end

    def _context(self, shown: _Blocks) -> Context:
        period_end = self.filing.period_end
        details = {
            "table_ids": [block.table.table_id for block in shown if block.table],
            "company": self.filing.company,
            "period_end": period_end.isoformat() if period_end else None,
        }
        return context_of(
            KIND,
            write_snippet(block.text for block in shown),
            self.document,
            encoding=self.encoding,
            start_char=shown[0].start,
            details=canonical_json(details),
        )

    def _n_tokens(self, text: str) -> int:
        return count_tokens(text, self.encoding) + 1


def _length(blocks: _Blocks, limit: int) -> int:
    """Return how many of these blocks make the next snippet."""
    totals = list(accumulate(block.n_tokens for block in blocks))
    most = bisect_right(totals, limit)
    if most == len(blocks):
        return most
    # a table needs its lead-in, and a note its table
    may_open = [one.table is None and not _NOTE.match(one.text) for one in blocks[: most + 1]]
    openings = [at for at in range(1, most + 1) if may_open[at]]
    headings = [
        at
        for at in openings
        if blocks[at].is_heading and not blocks[at - 1].is_heading and 2 * totals[at - 1] >= limit
    ]
    return (headings or openings or [most])[-1]


def prose(text: str) -> str:
    """Return a paragraph in one line, or "" if it shows columns; its number may be one."""
    words = []
    for line in text.split("\n"):
        first, *rest = line.split(" | ")
        if len(rest) > 1 or (rest and not (is_enumerator(first) or _NUMBERED.fullmatch(first))):
            return ""
        words += line.replace(" | ", " ").split()
    prose = " ".join(words)
    return "" if is_table(prose) else prose


# --- tables that can be asked about ----------------------------------------------------------


def hides_scale(table: FilingTable, words: str) -> bool:
    """Tell whether neither a table nor the paragraph before it states the table's scale.

    Amounts in ones need no statement.
    """
    scale = table_scale(table.cells, [words])
    return table.scale not in (None, scale) and (table.scale != "ones" or scale is not None)


def html_of(table: FilingTable) -> str:
    return table.html or table_html(table.cells, {})


def _reason_by_cells(cells: Sequence[Sequence[str]]) -> str | None:
    """Return why a table cannot be asked about, by its cells alone, or None."""
    width = max(map(len, cells), default=0)
    if width > _MOST_COLUMNS:
        return TOO_WIDE
    grid = read_grid(Sheet(index=1, pre_text="", cells=tuple(map(tuple, cells))))
    numbers = [place for place, cell in grid.cells.items() if not YEAR.fullmatch(cell.text)]
    if not _has_two_in_line(numbers):
        return FEW_NUMBERS
    beside = [cell for row in {row for row, _ in numbers} for cell in cells[row][1:] if cell]
    if 2 * sum(map(is_figure, beside)) <= len(beside):
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
    return None if _has_two_in_line(named) else UNNAMED


def _has_two_in_line(places: Iterable[tuple[int, int]]) -> bool:
    """Check whether a row or a column has two of these places or more."""
    lines = Counter(line for place in places for line in enumerate(place))
    return max(lines.values(), default=0) > 1


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
    version=7,
    run=build_contexts,
    writes=(Context,),
    reads=("ingest",),
    options=("contexts", "context_tokens", "encoding", "seed"),
)
