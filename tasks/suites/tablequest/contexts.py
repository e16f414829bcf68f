"""Contexts of TableQuest: one to three data tables of a filing, and the text around them.

Tables of one Item with few paragraphs between them make one snippet. Its text is the nearest
heading, what leads in to the tables, and what follows them up to the next heading.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from tasks.core.ids import canonical_json, stable_id, stable_rng
from tasks.core.rows import Context, Document, Filing, FilingTable, Reject
from tasks.filings.reader.cells import YEAR, is_enumerator, is_figure
from tasks.filings.reader.scale import table_scale
from tasks.filings.reader.table_html import table_html
from tasks.suites.shared.contexts import (
    CONTEXTS_OF_A_PART,
    SAME_TEXT,
    by_document,
    context_of,
    rejected,
)
from tasks.suites.shared.tables.cells import read_grid
from tasks.suites.shared.tables.sheets import Sheet
from tasks.suites.suite import Step, StepInputs
from tasks.suites.tablequest.options import TableQuestOptions
from tasks.suites.tablequest.snippets import is_table, write_snippet
from tasks.text.tokens import count_tokens

T = TypeVar("T")

KIND = "snippet"
_MOST_TABLES = 3

# Why a table is not asked about.
FEW_NUMBERS = "the table has fewer than two rows and two columns of numbers"
UNNAMED = "the table has fewer than two named rows and columns of numbers"
MOSTLY_WORDS = "the table has more words than numbers, as a list of exhibits"
PAGES = "the table lists pages"
TOO_WIDE = "the table has more than 60 columns"
RIGHT_TO_LEFT = "the table is written from right to left"
TOO_LONG = "the table alone exceeds the token limit"
# Why a filing has no snippet.
NO_TABLES = "the filing has no data tables"
NONE_ASKED_ABOUT = "no data table of the filing can be asked about"
REASONS = (
    FEW_NUMBERS,
    UNNAMED,
    MOSTLY_WORDS,
    PAGES,
    TOO_WIDE,
    RIGHT_TO_LEFT,
    TOO_LONG,
    NO_TABLES,
    NONE_ASKED_ABOUT,
    SAME_TEXT,
)

# Most paragraphs between two tables of a snippet, before its first one, and after its last one:
# the number that gives 1.8 tables a snippet, as the paper has.
_NEAR = 6
_MOST_COLUMNS = 60
_WORDS_OF_HEADING = 12
_MOST_HEADINGS = 2  # over a table: the title of its section, and its own
# Start of a note to the table above: (1), (a), *
_NOTE = re.compile(r"\(\w{1,2}\)|[*†‡]")
_PAGE_HEAD = re.compile(r"pages?(?:\(s\))?(?:\s+(?:no\.?|numbers?|in\b.*))?", re.IGNORECASE)
_NUMBERED = re.compile(r"(?:item|note|schedule)\s+\w{1,3}\s*[.:—–-]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Block:
    """A paragraph of a document: its text in one line, or its table.

    Neither is there for what a snippet never shows: a layout of columns, or a rejected table.
    """

    start: int
    end: int
    text: str = ""
    table: FilingTable | None = None
    opens_item: bool = False
    is_note: bool = False  # to the table above

    @property
    def is_short(self) -> bool:
        return 0 < len(self.text.split()) <= _WORDS_OF_HEADING

    @property
    def is_heading(self) -> bool:
        ends_sentence = self.text.endswith((".", ":", ";", ","))
        is_title = self.is_short and not ends_sentence and not self.text.startswith("(")
        return is_title or (self.opens_item and bool(self.text))

    @property
    def html(self) -> str:
        assert self.table is not None
        return self.table.html or table_html(self.table.cells, {})


_Blocks = Sequence[_Block]


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
                yield _rejected_table(table_id, reason)
        asked = {table.start_char: table for table in tables if not reasons[table.table_id]}
        if not asked:
            counts = Counter(filter(None, reasons.values()))
            detail = "; ".join(f"{n:,} tables: {reason}" for reason, n in sorted(counts.items()))
            yield rejected(self.document, NONE_ASKED_ABOUT if tables else NO_TABLES, detail)
            return
        blocks = self._blocks({table.start_char for table in tables}, asked)
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
        if reason := reason_against(table.cells):
            return reason
        block = _Block(table.start_char, table.end_char, table=table)
        return None if self._fits([block]) else TOO_LONG

    def _blocks(self, tables: set[int], asked: Mapping[int, FilingTable]) -> _Blocks:
        """Return the document's paragraphs, each as what a snippet shows of it."""
        blocks: list[_Block] = []
        opens_item = {item.start_char for item in self.document.items}
        for paragraph in self.document.paragraphs:
            start, end = paragraph.start_char, paragraph.end_char
            text = "" if start in tables else prose(self.document.text[start:end])
            is_below = bool(blocks) and (not blocks[-1].text or blocks[-1].is_note)
            is_note = is_below and bool(_NOTE.match(text))
            blocks.append(_Block(start, end, text, asked.get(start), start in opens_item, is_note))
        return blocks

    def _groups(self, blocks: _Blocks) -> list[tuple[int, int]]:
        """Group up to three tables that stand near each other, by places of first and last."""
        runs: list[list[int]] = []
        for place, block in enumerate(blocks):
            if block.table is not None:
                if runs and _is_near(blocks, runs[-1][-1], place):
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

    def _context(self, blocks: _Blocks, first: int, last: int) -> Context:
        start, end = _start_before(blocks, first), _end_after(blocks, last)
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
            _written(shown),
            self.document,
            encoding=self.encoding,
            start_char=shown[0].start,
            details=canonical_json(details),
        )

    def _fits(self, blocks: _Blocks) -> bool:
        text = _written(blocks)  # a token has a byte or more
        return (
            len(text.encode("utf-8", "surrogatepass")) <= self.limit
            or count_tokens(text, self.encoding) <= self.limit
        )


def _written(blocks: _Blocks) -> str:
    """Write blocks, each table with its scale if neither it nor the paragraph before states it."""
    written: list[str] = []
    for block in blocks:
        if block.table is None:
            written.append(block.text)
            continue
        words = written.pop() if written and not is_table(written[-1]) else ""
        words = lead_in(block.table, words)
        written += [words, block.html] if words else [block.html]
    return write_snippet(written)


def lead_in(table: FilingTable, words: str) -> str:
    """Add a table's scale to the paragraph before it, if neither of them states it."""
    scale = table.scale
    if scale is None or table_scale(table.cells, [words]) == scale:
        return words
    return f"{words} (in {'whole dollars' if scale == 'ones' else scale})".lstrip()


def _is_near(blocks: _Blocks, first: int, second: int) -> bool:
    """Check whether two tables are of one Item, with few paragraphs and no columns between."""
    table, other = blocks[first].table, blocks[second].table
    between = blocks[first + 1 : second]
    return (
        table is not None
        and other is not None
        and table.item == other.item
        and len(between) <= _NEAR
        and all(block.text for block in between)
    )


def _start_before(blocks: _Blocks, first: int) -> int:
    """Return where the text before a table begins: at its headings, or else its lead-in."""
    start = first
    n_headings = 0
    while start and first - start < _NEAR and blocks[start - 1].text:
        block = blocks[start - 1]
        if block.is_note or n_headings == _MOST_HEADINGS or (n_headings and not block.is_heading):
            break
        n_headings += block.is_heading
        start -= 1
    is_of_table_above = start and (not blocks[start - 1].text or blocks[start - 1].is_note)
    if is_of_table_above and not n_headings:
        return max(start, first - 1)
    return start


def _end_after(blocks: _Blocks, last: int) -> int:
    """Return the end of the text after a table: the next heading, or what leads in to a table."""
    end = last + 1
    most = min(end + _NEAR, len(blocks))
    while end < most and blocks[end].text and not blocks[end].is_heading:
        end += 1
    leads_in = end < len(blocks) and not blocks[end].text
    while end > last + 1 and not blocks[end - 1].is_note and (leads_in or blocks[end - 1].is_short):
        end -= 1
        leads_in = False
    return end


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


def _stretches(places: Sequence[T], most: int) -> Iterator[Sequence[T]]:
    """Cut a sequence into `most` stretches of about equal length, fewer if it is shorter."""
    n = min(most, len(places))
    for number in range(n):
        yield places[number * len(places) // n : (number + 1) * len(places) // n]


def reason_against(cells: Sequence[Sequence[str]]) -> str | None:
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
    if not _spans_two(named):
        return UNNAMED
    return RIGHT_TO_LEFT if _is_right_to_left(cells) else None


def _spans_two(places: Iterable[tuple[int, int]]) -> bool:
    """Check whether two rows and two columns have two of these places or more."""
    held = list(places)
    return all(
        sum(n > 1 for n in Counter(place[axis] for place in held).values()) > 1 for axis in (0, 1)
    )


def _is_name(text: str) -> bool:
    return any(map(str.isalnum, text)) and (not is_figure(text) or bool(YEAR.fullmatch(text)))


def _is_right_to_left(cells: Sequence[Sequence[str]]) -> bool:
    letters = [char for row in cells for cell in row for char in cell if char.isalpha()]
    return 2 * sum(unicodedata.bidirectional(char) in ("R", "AL") for char in letters) > len(
        letters
    )


def _rejected_table(table_id: str, reason: str) -> Reject:
    return Reject(
        reject_id=stable_id("reject", "contexts", table_id, reason),
        stage="contexts",
        parent_id=table_id,
        reason=reason,
        detail="",
    )


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
    run=build_contexts,
    writes=(Context,),
    reads=("ingest",),
    part_rows=CONTEXTS_OF_A_PART,
    options=("contexts", "context_tokens", "encoding", "seed"),
)
