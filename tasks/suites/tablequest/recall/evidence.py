"""Tables whose text explains them, with the sentences that do.

In a filing, these are tables of the management's discussion (Item 7), and its sentences that quote
a row's label or a value. A value is quoted by its digits at any scale: `$4.123 million` is a cell
of 4,123. The nearest sentences count. What stands over the table, as its answerer sees it, does
not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tasks.core.rows import Document, FilingTable
from tasks.filings.reader.cells import YEAR
from tasks.filings.reader.table_html import table_html
from tasks.suites.tablequest.askable import reason_against
from tasks.suites.tablequest.rows import PaperTable
from tasks.suites.tablequest.snippets import write_snippet
from tasks.suites.tablequest.surroundings import hides_scale, prose
from tasks.text.sentences import split_sentences

ITEM = "7"  # management's discussion and analysis
_MOST_SENTENCES = 24  # of a filing's table, the nearest ones
_FEWEST_WORDS = 6  # of a sentence that explains something
_LEAST_DIGITS = 3  # of a value; shorter ones coincide
_NUMBER = re.compile(r"(?<![\w.,])\d[\d,]*(?:\.\d+)?(?!\w)")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")


@dataclass(frozen=True, slots=True)
class Explained:
    """One table as a snippet, and sentences of its text that speak of it."""

    table_id: str
    source: str  # the filing's document_id, or the paper's file
    text: str
    evidence: tuple[str, ...]


def of_paper(table: PaperTable) -> Explained:
    """Show a paper's table below its caption."""
    text = write_snippet([table.caption, table.html])
    return Explained(table.paper_table_id, table.paper, text, table.evidence)


def of_document(document: Document, tables: Sequence[FilingTable]) -> Iterator[Explained]:
    """Yield the tables of a filing's discussion that some of its sentences quote."""
    sentences = list(_sentences(document, {table.start_char for table in tables}))
    for table in tables:
        if table.item != ITEM or reason_against(table.cells):
            continue
        words = prose(table.pre_text)
        if hides_scale(table, words):
            continue
        html = table.html or table_html(table.cells, {})
        labels, values = _labels(table), _values(cell for row in table.cells for cell in row[1:])
        near = sorted(sentences, key=lambda each: abs(each[0] - table.start_char))
        quoting = [
            (place, said)
            for place, said in near
            if said not in words and _quotes(said, labels, values)
        ][:_MOST_SENTENCES]
        if quoting:
            evidence = tuple(dict.fromkeys(said for _, said in sorted(quoting)))
            text = write_snippet([words, html] if words else [html])
            yield Explained(table.table_id, document.document_id, text, evidence)


def _sentences(document: Document, tables: set[int]) -> Iterator[tuple[int, str]]:
    """Yield place and words of each sentence of the discussion, without tables and headings."""
    spans = document.spans_of(ITEM)
    for paragraph in document.paragraphs:
        start, end = paragraph.start_char, paragraph.end_char
        is_in = any(span.start_char <= start < span.end_char for span in spans)
        if start in tables or not is_in:
            continue
        words = prose(document.text[start:end])
        for first, last in split_sentences(words):
            said = words[first:last]
            if said.endswith((".", ".”", '."', ".)")) and len(said.split()) >= _FEWEST_WORDS:
                yield start + first, said


def _labels(table: FilingTable) -> set[str]:
    """Find the labels of rows with figures that have two words or more."""
    named = (_words(row[0]) for row in table.cells if row and _values(row[1:]))
    return {f" {label} " for label in named if " " in label}


def _values(cells: Iterable[str]) -> set[str]:
    """Find the digits of numbers that are no years and long enough."""
    found = {
        number.replace(",", "").replace(".", "").strip("0")
        for cell in cells
        for number in _NUMBER.findall(cell)
        if not YEAR.fullmatch(number)
    }
    return {digits for digits in found if len(digits) >= _LEAST_DIGITS}


def _quotes(said: str, labels: set[str], values: set[str]) -> bool:
    if not values.isdisjoint(_values([said])):
        return True
    words = f" {_words(said)} "
    return any(label in words for label in labels)


def _words(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))
