"""Proofs: whether the cells that a writer names give the answer that it wrote.

Easy: the writer names one cell, which is found (`cells`). A number must be the cell's, with its
scale, unit and sign, and not rounded. Any other text must be the cell's text.

Medium, if the answer is one figure: all cells are found, the calculation reads two or more and is
computed exactly from their values in ones (`quantity`), and the result is the answer at the
precision that the answer states. A result that a cell states is of another level.

Both: no other cell of the table fits the words of the question. An answer in money needs a snippet
that names its currency.

Reasons in `CONTRADICTIONS` reject a draft whatever models say of it; the others prove nothing and
contradict nothing. Medium answers in words, and hard ones, are not computed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache, lru_cache

from tasks.filings.reader.scale import table_scale
from tasks.quantities.scales import COUNTS, scale_in
from tasks.quantities.units import packaged_units, spelling
from tasks.suites.shared.figure_match import OPPOSITE_SIGN, is_figure, match_figures, read_figure
from tasks.suites.shared.tables.cells import scale_for_all
from tasks.suites.shared.tables.expressions import evaluate_expression, names_in
from tasks.suites.shared.tables.operand import Operand
from tasks.suites.tablequest.questions.cells import CellNotFound, FoundCell, SnippetTables
from tasks.suites.tablequest.questions.quantity import Quantity, is_stated, literal, of_cell
from tasks.suites.tablequest.questions.rounds import WrittenQuestion
from tasks.suites.tablequest.rows import Level

CELL_NOT_FOUND = "a cell that the writer names is not found"
OTHER_TEXT = "the cell has another text"
OTHER_FIGURE = "the cells give another figure"
OTHER_SIGN = "negative cells give the answer's size, with another sign"
OTHER_UNIT = "the cells give another unit"
OTHER_CURRENCY = "the snippet does not name the answer's currency"
SEVERAL_FIGURES = "the answer is not one figure"
MORE_WORDS = "the answer has further words beside its figure"
STATED = "a cell of the tables states the answer"
SEVERAL_CELLS = "the question fits several cells"
ROUNDED = "the answer has one digit, and the result has more"
UNCLEAR_SCALE = "the scale of a figure is not stated"
DEGENERATE = "the calculation is not made of the named cells alone"
NOT_COMPUTED = "the calculation cannot be computed"

CONTRADICTIONS = frozenset(
    {OTHER_TEXT, OTHER_FIGURE, OTHER_UNIT, OTHER_CURRENCY, SEVERAL_FIGURES, STATED, SEVERAL_CELLS}
)

# A year answers in words, as a name does: nothing computes it.
_YEAR = re.compile(r"\W*(?:in |fiscal |calendar |the |year |fy ?)*(?:19|20)\d\d\W*", re.IGNORECASE)
_DECIMALS = 12
_MOST_DIGITS = 26  # that `tasks.quantities.figures` reads in a number
_FACTORS = {1, 100}  # numbers of a calculation besides how many of its cells it averages


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What computing a draft's answer again has shown; columns of `Draft`, and a detail."""

    proved: bool | None = None
    reason: str | None = None
    detail: str = ""
    operands: tuple[Operand, ...] = ()
    value: str | None = None


class _Unproved(Exception):
    """A proof that fails: a reason of this module, its particulars, and the value if known."""


def prove(level: Level, written: WrittenQuestion, text: str) -> Proof:
    """Compute a draft's answer again from the tables of its snippet's text."""
    if level == "warmup":
        return Proof()
    tables = _tables(text)
    cells: dict[str, FoundCell] = {}
    problems: list[str] = []
    for named in written.cells:
        try:
            cells[named.name] = tables.find(named)
        except CellNotFound as error:
            problems.append(f"{named.name}: {error}")
    operands = () if problems else tuple(cell.operand for cell in cells.values())
    if level == "hard" or (level == "medium" and is_words(written.answer)):
        return Proof(operands=operands)
    try:
        if rival := tables.find_rival(written.question, list(cells.values())):
            raise _Unproved(SEVERAL_CELLS, f"the cell of {rival!r} fits, too")
        if problems or not cells:
            raise _Unproved(CELL_NOT_FOUND, "; ".join(problems) or "none is named")
        compute = _prove_cell if level == "easy" else _prove_calculation
        return Proof(proved=True, operands=operands, value=compute(written, tables, cells))
    except _Unproved as failed:
        reason, detail, value, *_ = *failed.args, None
        return Proof(proved=False, reason=reason, detail=detail, operands=operands, value=value)


_tables = lru_cache(8)(SnippetTables)  # a snippet's questions are mostly proved together


def is_words(answer: str) -> bool:
    """Tell whether an answer is words or a year: nothing that cells give by a calculation."""
    return not any(map(str.isdigit, answer)) or _YEAR.fullmatch(answer) is not None


def _prove_cell(
    written: WrittenQuestion, tables: SnippetTables, cells: Mapping[str, FoundCell]
) -> str | None:
    """Return the value of the cell that gives an easy answer; None if it is text."""
    (cell,) = cells.values()
    if cell.cell is None:
        if _plain_text(written.answer) != _plain_text(cell.operand.text):
            raise _Unproved(OTHER_TEXT, f"the cell is {cell.operand.text!r}")
        return None
    result = of_cell(cell.cell)
    _check_scale(result, tables, cells)
    value = _compare(written, tables, result, ())
    figure = read_figure(written.answer)
    exact = Fraction(result.value) / (100 if result.kind == "percent" else 1)
    if figure is None or figure.value != exact:
        raise _Unproved(OTHER_FIGURE, f"the cell is {cell.operand.text!r}, not rounded", value)
    return value


def _prove_calculation(
    written: WrittenQuestion, tables: SnippetTables, cells: Mapping[str, FoundCell]
) -> str | None:
    """Return what the calculation of a medium answer gives."""
    calculation = written.calculation or ""
    numbers: list[Decimal] = []

    def read_literal(number: Decimal) -> Quantity:
        numbers.append(number)
        return literal(number)

    values = {name: of_cell(cell.cell) for name, cell in cells.items() if cell.cell is not None}
    try:
        result = evaluate_expression(calculation, values, read_literal)
        _ = result.kind  # raises if its unit makes no sense
        names = names_in(calculation)
    except ValueError as error:  # of expressions and of units
        raise _Unproved(NOT_COMPUTED, str(error)) from error
    _check_scale(result, tables, cells)
    value = _compare(written, tables, result, values.values())
    if any(is_stated(result, cell) for cell in tables.cells):
        raise _Unproved(STATED, written.answer, value)
    n_cells = len({cell.place for cell in cells.values()})
    if names != cells.keys() or n_cells < 2 or {*numbers} - _FACTORS - {*range(2, n_cells + 1)}:
        raise _Unproved(DEGENERATE, calculation, value)
    if _is_coarse(written.answer) and len(result.value.normalize().as_tuple().digits) > 1:
        raise _Unproved(ROUNDED, written.answer, value)
    return value


def _compare(
    written: WrittenQuestion, tables: SnippetTables, result: Quantity, read: Collection[Quantity]
) -> str:
    """Check that an answer is a result, at its precision; `read` gave it by a calculation."""
    value = f"{result.value + 0:.20f}".rstrip("0").rstrip(".")
    figure = read_figure(written.answer)
    if figure is None or not is_figure(written.answer):
        raise _Unproved(SEVERAL_FIGURES if figure is None else MORE_WORDS, written.answer, value)
    detail = f"{written.answer!r}, and the cells give {value} ({result.kind})"
    if not _has_unit(figure.kind, figure.unit, result):
        raise _Unproved(OTHER_UNIT, detail, value)
    if figure.kind == "money" and figure.unit not in currencies_in(tables.text):
        raise _Unproved(OTHER_CURRENCY, detail, value)
    matched = match_figures(
        _text_of(result, in_percent=figure.kind == "ratio"),
        written.answer,
        question=written.question if read else "",
        is_calculated=bool(read),
    )
    if not matched.correct:
        is_sign = matched.reason == OPPOSITE_SIGN and any(one.value < 0 for one in read)
        detail = f"{matched.reason}: {detail}"
        raise _Unproved(OTHER_SIGN if is_sign else OTHER_FIGURE, detail, value)
    return value


def _has_unit(kind: str, unit: str | None, result: Quantity) -> bool:
    """Tell whether a figure's unit is a result's."""
    if kind == "ratio":
        return not result.unit and (unit == "percent") != result.is_points
    if not result.unit:
        return result.kind == "ratio" and kind == "number" and unit in (None, "times")
    return kind == "money" or unit is None or result.unit != "money"


def _check_scale(result: Quantity, tables: SnippetTables, cells: Mapping[str, FoundCell]) -> None:
    """Refuse figures whose scale is unclear, unless it does not matter."""
    unclear = [cell for cell in cells.values() if _is_unclear(cell, tables)]
    amounts = [cell for cell in cells.values() if cell.cell and cell.cell.unit == "amount"]
    in_ones = [cell for cell in amounts if cell.cell and cell.cell.decimals >= 0]
    unclear += in_ones if len(in_ones) < len(amounts) else []  # some are in thousands or more
    if unclear and not (len(unclear) == len(cells) and not result.unit):
        raise _Unproved(UNCLEAR_SCALE, unclear[0].operand.text)


def _is_unclear(matched: FoundCell, tables: SnippetTables) -> bool:
    """Tell whether an amount's table states no scale while others do, or just one for money."""
    cell = matched.cell
    if cell is None or cell.unit not in ("amount", "money"):
        return False
    sheet = tables.sheets[cell.table_index]
    is_whole_money = cell.unit == "money" and cell.decimals == 0
    if is_whole_money and not table_scale(sheet.cells, [sheet.pre_text]):
        return bool(scale_for_all([*tables.sheets.values()]))
    has_sign, is_trillions = bool(currencies_in(cell.text)), abs(cell.value) >= 10**12
    if has_sign or is_trillions:  # a count, rather than trillions of dollars
        return not has_sign
    n_decimals = len(cell.text.partition(".")[2].rstrip(") %"))
    row, column = matched.grid.rows[cell.row].text, matched.grid.columns[cell.column].text
    if cell.decimals == n_decimals or scale_in(row) or scale_in(column):
        return False  # it is in ones, or its own label states the scale
    texts = " ".join(text for line in sheet.cells for text in line)
    if COUNTS.search(f"{row} {column}"):
        return bool(currencies_in(f"{sheet.pre_text} {texts}"))
    return cell.unit == "amount" and bool(currencies_in(texts))


def _is_coarse(answer: str) -> bool:
    """Tell whether an answer has one significant digit; `0.9%` is as exact as `10.9%`."""
    number = re.search(r"\d[\d,]*(?:\.\d+)?|\.\d+", answer)
    text = number[0] if number else ""
    figure = read_figure(answer)
    is_fine = "." in text and figure is not None and figure.kind == "ratio"
    return not is_fine and len(re.sub(r"\D", "", text).lstrip("0")) < 2


def _text_of(quantity: Quantity, *, in_percent: bool) -> str:
    """Write a quantity for `match_figures`, with all digits: its precision is no limit."""
    value = quantity.value * 100 if in_percent and quantity.kind == "ratio" else quantity.value
    decimals = max(min(_DECIMALS, _MOST_DIGITS - max(value.adjusted() + 1, 1)), 1)
    unit = (" percentage points" if quantity.is_points else "%") if in_percent else ""
    return f"{value:.{decimals}f}{unit}"


def _plain_text(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).rstrip(".")


@cache
def _currency_pattern() -> re.Pattern[str]:
    texts = [
        text
        for _, group in packaged_units().of_kind("currency")
        for text in (*group.symbols, *group.aliases)
        if len(text) > 1 or not text.isalpha()
    ]
    written = (
        rf"(?<!\w){re.escape(text)}" + (r"(?!\w)" if text[-1].isalnum() else "")
        if text[0].isalnum()
        else re.escape(text)
        for text in sorted(texts, key=len, reverse=True)
    )
    return re.compile("|".join(written), re.IGNORECASE)


@lru_cache(1 << 10)
def currencies_in(text: str) -> frozenset[str]:
    """List the currencies that a text names, by sign, code or word."""
    units = packaged_units()
    currencies = _currency_pattern().findall(text)
    return frozenset(units.base(units.names[spelling(name)]) for name in currencies)
