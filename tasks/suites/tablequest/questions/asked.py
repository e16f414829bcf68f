"""What a question asks, beside the cells that its answer is made of.

Cells prove an answer only of a question that asks for them. A question names each cell: by a word
of its row or section, or of its column if the row is named by a year or `Total`. It names no year
but theirs, no row or column besides those of several cells, and no place such as `table 1` or `the
second column`. A sum or an average over a span of years reads all of them.

A change is the later year less the earlier one, relative to the earlier one. A comparison is what
the question names first less what it names second, relative to the second. Both go the way that the
question says. If it says one way, down, the result may have either sign; otherwise it has the sign
of the change. A share is of what is named first after `percentage of`.

These rules are about words, so a question that fails one may still be right: nothing is
contradicted. But a question must fit no other cell of its table: another cell fits if all that the
question says of row label, section and column is true of it, too, unless these are named more fully
than those of the other cell. And no other cell of the row or column has the same text, for
whoever reads that one is right by luck.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from decimal import Decimal
from functools import lru_cache, partial

from tasks.filings.reader.scale import statement_of
from tasks.quantities.scales import AMOUNTS, COUNTS, NAMES_ITS_UNIT, scale_in
from tasks.suites.shared.phrases import DOWN, UP
from tasks.suites.shared.tables.cells import Grid, years_in
from tasks.suites.shared.tables.sheets import Sheet
from tasks.suites.shared.tables.words import term_set
from tasks.suites.tablequest.questions.named_cells import (
    FoundCell,
    cell_text,
    contradiction,
    words_of,
)
from tasks.suites.tablequest.questions.quantity import Quantity
from tasks.text.terms import STOP_WORDS

_ORDINAL = r"(?:\d+(?:st|nd|rd|th)|first|second|third|fourth|fifth|sixth|last|left|right|next)"
_PLACE = re.compile(
    rf"\btables?\s+(?:no\.?\s*|#\s*)?\d+\b|\b(?i:{_ORDINAL})(?:most)?\s+(?:data\s+)?(?:column|row|line)\b"
    r"|\b(?:column|row)\s+(?:no\.?\s*|#\s*)?(?:\d+|(?-i:[A-Z]))\b|\bcells?\s+(?-i:[A-Z])\b"
    r"|(?-i:\b[A-Z]\s+[-+*/−–×÷]\s+[A-Z]\b)",
    re.IGNORECASE,
)
# The title of a table names none of its cells.
_TITLE = re.compile(r"\btable\b[^“”\"]{0,25}[“\"][^”\"]+[”\"]", re.IGNORECASE)
# Terms that many rows have, so that they name none of them if it has others.
_WEAK = term_set("net total other number average basic diluted")
_AVERAGE = re.compile(r"\b(?:averag\w*|mean)\b", re.IGNORECASE)

# What is named first is compared with what is named second.
_COMPARES = re.compile(r"\bexceed|\bthan\b", re.IGNORECASE)
# The whole is named first after these words.
_SHARE = re.compile(
    r"\b(?:percent(?:age)?|proportion|portion|fraction|as an? share) of\b|% of\b", re.IGNORECASE
)
_CHANGE = re.compile(r"\bchang\w*", re.IGNORECASE)
# Words by which a question on one year is on the year before it, too.
_PRIOR = re.compile(
    r"\b(?:prior|previous|preceding|earlier|before|last year|year[- ](?:over|on)[- ]year|yoy)\b",
    re.IGNORECASE,
)
_SPAN = re.compile(r"\b((?:19|20)\d\d)\s*(?:to|through|[-–—])\s*((?:19|20)\d\d)\b", re.IGNORECASE)

_HEADED_BY_COUNT = re.compile(
    rf"(?:{COUNTS.pattern}|\b(?:(?:stock|share|unit)?holders|people|persons|associates|members"
    r"|subscribers|policyholders|accounts|sq(?:uare|\.) (?:feet|ft|meters))\b)(?![’'])",
    re.IGNORECASE,
)
_SHARES = re.compile(r"\bshares\b", re.IGNORECASE)
_PREPOSITION = re.compile(r"\b(?:to|from|for|by|with|on|due|attributable|held)\b", re.IGNORECASE)
_SIGN = re.compile(r"[$€£¥]")


def not_asked(question: str, cells: Sequence[FoundCell]) -> str | None:
    """Say why a question does not ask for cells, which are all that its answer reads; or None."""
    if place := _PLACE.search(question):
        return f"the question points to a place, {place[0]!r}"
    question = _TITLE.sub("table", question)
    words = term_set(question) | set(words_of(question))
    for cell in cells:
        name = _name(cell)
        if not name & words:
            return f"the question has no word of {' '.join(_labels(cell))!r}"
    if other := _other_years(question, cells) or _unread(words, cells):
        return other
    others = (contradiction(question, cell, cells) for cell in cells)
    return next(filter(None, others), None)


def fits_another(
    question: str, cells: Sequence[FoundCell], sheets: Mapping[int, Sheet]
) -> str | None:
    """Say which other cell of its table a question fits as well as one of `cells`; or None."""
    question = " ".join([question, *map(str, sorted(_asked_years(question)))])
    read = [(cell.operand.table_index, cell.operand.row, cell.operand.column) for cell in cells]
    for cell, (table, row, column) in zip(cells, read, strict=True):
        own = _lines(cell.grid, row, column)
        for r, c in _alike(cell, sheets[table]):
            other, text = _lines(cell.grid, r, c), sheets[table].cells[r][c]
            is_spanned = r == row and other == own and text == cell.operand.text
            is_another = not is_spanned and (table, r, c) not in read
            if is_another and all(map(partial(_fits, question), own, other)):
                return f"the cell of {' / '.join(filter(None, other))!r} fits, too"
    return None


def _alike(cell: FoundCell, sheet: Sheet) -> Collection[tuple[int, int]]:
    """List the places of all numbers of a cell's table, or of all other texts."""
    numbers = cell.grid.cells.keys()
    if cell.cell is not None:
        return numbers
    places = ((r, c) for r, row in enumerate(sheet.cells) for c in range(1, len(row)) if row[c])
    return [place for place in places if place not in numbers]


def recurs(cell: FoundCell, sheet: Sheet) -> bool:
    """Tell whether another cell of the same row or column has a cell's text."""
    r, c = cell.operand.row, cell.operand.column
    columns = cell.grid.columns
    row = [
        text
        for at, text in enumerate(sheet.cells[r])
        if at not in (0, c) and columns[at] != columns[c]  # else it spans both
    ]
    column = [line[c] for at, line in enumerate(sheet.cells) if at != r and c < len(line)]
    return cell_text(cell.operand.text) in map(cell_text, (*row, *column))


def _lines(grid: Grid, row: int, column: int) -> tuple[str, str, str]:
    """Return what names a cell: its row's label and section, and its column's heading."""
    return grid.rows[row].text, grid.rows[row].above, grid.columns[column].text


def _fits(question: str, own: str, other: str) -> bool:
    """Tell whether what a question says of a label is true of another label, too."""
    shared = _words(own) & _words(question)
    return shared <= _words(other) and _named(question, own) <= _named(question, other)


def _named(question: str, label: str) -> int:
    """Return 3 if a question has a label, 2 if it has its words, 1 if its terms that count."""
    words, asked = _words(label), _words(question)
    if words and f" {' '.join(words_of(label))} " in f" {' '.join(words_of(question))} ":
        return 3
    terms = term_set(label) - _WEAK
    return 2 if words and words <= asked else int(bool(terms) and terms <= asked)


@lru_cache(maxsize=1 << 10)
def _words(text: str) -> Set[str]:
    years = map(str, years_in(text))
    return term_set(text).union(years, set(words_of(text)) - STOP_WORDS)


def _name(cell: FoundCell) -> Set[str]:
    """Return the words that name a cell, one of which a question on it has."""
    row = cell.grid.rows[cell.operand.row]
    column = cell.grid.columns[cell.operand.column]
    named = term_set(f"{row.text} {row.above}") or term_set(column.text)
    return (named - _WEAK) or named or set(words_of(row.text))


def _labels(cell: FoundCell) -> tuple[str, ...]:
    row = cell.grid.rows[cell.operand.row]
    return row.above, row.text, cell.grid.columns[cell.operand.column].text


def _years(cell: FoundCell) -> tuple[int, ...]:
    """Return the years of a cell's column, or else of its row."""
    grid, operand = cell.grid, cell.operand
    return grid.columns[operand.column].years or grid.rows[operand.row].years


def _other_years(question: str, cells: Sequence[FoundCell]) -> str | None:
    asked = set(years_in(question))
    if not asked:
        return None
    known = {year for cell in cells for label in _labels(cell) for year in years_in(label)}
    known |= {year for cell in cells for year in _years(cell) or cell.grid.years}
    if strange := asked - known:
        return f"the question names {sorted(strange)}, which no cell is of"
    asked = _asked_years(question)
    for cell in cells:
        if (years := _years(cell)) and not asked & set(years):
            return f"a cell is of {list(years)}, which the question does not name"
    return None


def _asked_years(question: str) -> set[int]:
    """List the years that a question names or means: those of a span, and the one before."""
    asked = set(years_in(question))
    for first, last in _SPAN.findall(question):
        asked |= set(range(int(first), int(last) + 1))
    if any(words.search(question) for words in (_PRIOR, _CHANGE, UP, DOWN)):
        asked |= {year - 1 for year in asked}
    return asked


def _unread(words: Set[str], cells: Sequence[FoundCell]) -> str | None:
    """Find a row or column beside two cells or more that the question names, too."""
    read = _WEAK.union(*(term_set(label) for cell in cells for label in _labels(cell)))
    for cell in cells if len(cells) > 1 else ():
        for line in (*cell.grid.rows, *cell.grid.columns[1:]):
            if (name := term_set(line.text)) <= words and not name <= read:
                return f"the question names {line.text!r}, and no cell is of it"
    return None


def wrong_change(
    question: str,
    result: Quantity,
    cells: Mapping[str, FoundCell],
    compute: Callable[[Mapping[str, Decimal]], Decimal],
) -> str | None:
    """Say how a result is not the comparison that a question asks for; None if it may be.

    Args:
        cells: those that the calculation reads, by their names.
        compute: computes the calculation from other values of the cells.
    """
    labels = " ".join(label for cell in cells.values() for label in _labels(cell))
    says_up, says_down = (
        any(found[0].casefold() not in labels.casefold() for found in words.finditer(question))
        for words in (UP, DOWN)
    )
    is_ratio = result.kind in ("ratio", "percent") and not result.is_points
    alike = dict.fromkeys(cells, Decimal(7))
    if compute(alike):  # it is not zero where nothing has changed
        if is_ratio:
            return _wrong_base(question, labels, cells, lambda one: compute({**alike, **one}))
        return _left_out(question, labels, cells)
    is_one_way = says_up != says_down
    if is_one_way and says_up and result.value < 0:
        return "the question speaks of an increase, and the result is negative"
    if len(cells) != 2:
        return None
    one, other = cells.values()
    by_year = sorted((one, other), key=_years)
    is_one_row = _labels(one)[:2] == _labels(other)[:2] and len({*_years(one), *_years(other)}) == 2
    named = _as_named(question, cells)
    if is_one_row and not (_COMPARES.search(question) and len(named) == 2):
        first, last = by_year
    elif len(named) == 2:
        last, first = (cells[name] for name in named)
    else:
        return "nothing says what is less" if result.value < 0 else None
    if first.cell is None or last.cell is None:
        return None
    change = last.cell.value - first.cell.value
    if is_one_way and change and says_up != (change > 0):
        return "the cells differ the other way than the question says"
    if not is_one_way and result.value * change < 0 and (is_one_row or change > 0):
        return "the result has the opposite sign"
    if is_ratio:
        share = abs(result.value) / (100 if result.kind == "percent" else 1)
        base = first.cell.value
        if base <= 0 or abs(share - abs(change) / base) > Decimal("1e-12"):
            return "the change is relative to the wrong cell"
    return None


def _left_out(question: str, labels: str, cells: Mapping[str, FoundCell]) -> str | None:
    """Say which years of a span a sum or an average leaves out."""
    read = {year for cell in cells.values() for year in _years(cell)}
    for span in _SPAN.finditer(question):
        unread = set(range(int(span[1]), int(span[2]) + 1)) - read
        if read and unread and span[0] not in labels:
            return f"no cell is of {sorted(unread)}"
    return None


def _wrong_base(
    question: str,
    labels: str,
    cells: Mapping[str, FoundCell],
    compute: Callable[[Mapping[str, Decimal]], Decimal],
) -> str | None:
    """Say if a share is not of what the question names as its whole."""
    of = _SHARE.search(question)
    if of is None or _SHARE.search(labels) or len(cells) != 2:
        return None
    named = _as_named(question[of.end() :], cells)
    both = _as_named(question, cells)
    if named and len(both) == 2 and abs(compute({named[0]: Decimal(7000)})) > abs(compute({})):
        return "the share is of the other cell"
    return None


def _as_named(question: str, cells: Mapping[str, FoundCell]) -> list[str]:
    """List the cells that a question names by words of theirs alone, in its order."""
    terms = {}
    for name, cell in cells.items():
        labels = " ".join(_labels(cell)[1:])
        terms[name] = (term_set(labels) or set(words_of(labels))) | set(map(str, _years(cell)))
    places: dict[str, int] = {}
    for place, word in enumerate(re.findall(r"\w+", question)):
        for term in term_set(word) | {word.casefold()}:
            of = [name for name, its in terms.items() if term in its]
            if len(of) == 1:
                places.setdefault(of[0], place)
    return sorted(places, key=lambda name: places[name])


def says_average(question: str) -> bool:
    """Tell whether a question asks for an average."""
    return bool(_AVERAGE.search(question))


def has_unclear_scale(cell: FoundCell, sheet: Sheet) -> bool:
    """Tell whether a cell is a count, in a table whose scale may be of its amounts only."""
    number = cell.cell
    above, row, column = _labels(cell)
    labels = f"{row} {column}"
    if number is None or number.unit not in ("amount", "money") or _SIGN.search(number.text):
        return False
    is_count = "number of" in f"{above} {labels}".lower() or any(
        _HEADED_BY_COUNT.search(_PREPOSITION.split(label)[0]) and not AMOUNTS.search(label)
        for label in (row, column, above)
    )
    may_count = is_count or (not AMOUNTS.search(labels) and _is_beside_money(cell, sheet))
    if not may_count or AMOUNTS.search(above) or NAMES_ITS_UNIT.search(labels):
        return False
    if any(map(scale_in, (row, above, column))):
        return False
    stated = statement_of(sheet.cells, [sheet.pre_text])
    if not is_count:  # a scale of all numbers is its own, too
        return stated is not None and stated.scale != "ones" and stated.counts is None
    if stated is None:
        n_decimals = len(number.text.partition(".")[2].rstrip(") "))
        return number.decimals != n_decimals  # the scale is of the tables beside it
    if stated.scale == "ones":
        return False
    if _SHARES.search(labels):
        return stated.counts is None
    return stated.counts is None or stated.counts == stated.scale


def _is_beside_money(cell: FoundCell, sheet: Sheet) -> bool:
    """Tell whether only columns of other names than the cell's have currency signs."""
    heads, signed = cell.grid.columns, columns_with_signs(sheet)
    named = {term_set(heads[c].text) for c in signed}  # without their periods
    return bool(signed) and term_set(heads[cell.operand.column].text) not in named


@lru_cache(maxsize=16)  # all cells of a table ask
def columns_with_signs(sheet: Sheet) -> frozenset[int]:
    """Find the columns, but that of the labels, in which a currency sign stands."""
    return frozenset(
        c for row in sheet.cells for c, text in enumerate(row) if c and _SIGN.search(text)
    )
