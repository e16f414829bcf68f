"""Proofs: whether the cells that a writer names give the answer that it wrote.

The rules, in order. A rule that fails gives the reason; those of `CONTRADICTIONS` reject a draft
whatever models say of it.

Every level: an equation in the steps that is wrong when computed again (`equations`) is a
contradiction.

Easy: the writer names one cell, which is found (`named_cells`), and the question does not ask for
another row, column or year. A number must be the cell's, with its scale, unit and sign, and not
rounded. Any other text must be the cell's text.

Medium, if the answer is one figure: every cell of the calculation is found, the calculation is
computed exactly from their values in ones (`quantity`), and the result is the answer at the
precision that the answer states.

- An answer in percent is a ratio, or a percentage that a factor of 100 made. A result in percent is
  said in percent; a difference of percentages in percentage points or basis points.
- An answer in money, with its scale, is a sum of money, a rate, or a bare amount of a table without
  currency signs. The cells must name its currency, or else their tables, or else the snippet.
- A result that a cell of the snippet states, at that cell's precision, is no calculation: it is of
  another level.
- A calculation that cannot be read, adds different units or names cells that are not found proves
  nothing and contradicts nothing. Nor does one of a single cell, with a named cell that it does not
  read, or with a number besides 1, 100 and that of the cells averaged.
- One digit that rounds a result of more digits proves nothing.

Easy and medium: a question that does not ask for the cells that the answer reads (`asked`), a count
whose scale is not stated, and an answer with more words than a figure's prove nothing.

Medium in words, and hard: nothing is computed but equations.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cache, lru_cache

from tasks.quantities.units import packaged_units, spelling
from tasks.suites.shared.figure_match import (
    ANOTHER_NUMBER,
    OPPOSITE_SIGN,
    Match,
    Reading,
    is_figure,
    match_figures,
    read_figure,
)
from tasks.suites.shared.tables.cells import Cell
from tasks.suites.shared.tables.expressions import (
    ExpressionError,
    evaluate_expression,
    names_in,
)
from tasks.suites.shared.tables.operand import Operand
from tasks.suites.tablequest.questions.asked import (
    fits_another,
    has_unclear_scale,
    not_asked,
    recurs,
    says_average,
    wrong_change,
)
from tasks.suites.tablequest.questions.equations import wrong_equation
from tasks.suites.tablequest.questions.named_cells import (
    CellNotFound,
    FoundCell,
    Tables,
    contradiction,
)
from tasks.suites.tablequest.questions.quantity import (
    Quantity,
    UnitsDoNotFit,
    is_stated,
    literal,
    of_cell,
)
from tasks.suites.tablequest.questions.rounds import Written
from tasks.suites.tablequest.rows import Level

WRONG_STEPS = "an equation of the steps is wrong"
NOT_ONE_CELL = "the question is not about one cell"
CELL_NOT_FOUND = "a cell that the writer names is not found"
OTHER_CELL = "the question asks for another cell"
OTHER_TEXT = "the cell has another text"
OTHER_NUMBER = "the cells give another number"
OTHER_SIGN = "the cells give the opposite sign"
OTHER_UNIT = "the cells give another unit or scale"
OTHER_CURRENCY = "the snippet does not name the answer's currency"
SEVERAL_FIGURES = "the answer is not one figure"
STATED = "a cell of the tables states the answer"
NOT_ASKED = "the question does not ask for the cells that the answer reads"
WRONG_CHANGE = "the result is not the change that the question asks for"
DEGENERATE = "the calculation is not made of the named cells alone"
ROUNDED = "the answer has one digit, and the result has more"
UNCLEAR_SCALE = "the scale of a count is not stated"
MORE_THAN_A_FIGURE = "the answer says more than a figure"
SEVERAL_CELLS = "the question fits several cells"
RECURS = "the cell's text recurs in its row or column"
NO_CALCULATION = "no calculation is stated"
NOT_COMPUTED = "the calculation cannot be computed"

CONTRADICTIONS = frozenset(
    {WRONG_STEPS, OTHER_CELL, OTHER_TEXT, OTHER_NUMBER, OTHER_SIGN, OTHER_UNIT, OTHER_CURRENCY}
    | {SEVERAL_FIGURES, STATED, SEVERAL_CELLS, RECURS}
)

# A year answers in words, as a name does: nothing computes it.
_YEAR = re.compile(r"\W*(?:in |fiscal |calendar |the |year |fy ?)*(?:19|20)\d\d\W*", re.IGNORECASE)
_DECIMALS = 12
_MOST_DIGITS = 26  # that `tasks.quantities.figures` reads in a number


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What computing a draft's answer again has shown; columns of `Draft`, and a detail."""

    proved: bool | None = None
    reason: str | None = None
    detail: str = ""
    operands: tuple[Operand, ...] = ()
    value: str | None = None


def prove(level: Level, written: Written, text: str) -> Proof:
    """Compute a draft's answer again from the tables of its snippet's text."""
    if level == "warmup":
        return Proof()
    tables = _tables(text)
    found: dict[str, FoundCell] = {}
    problems: dict[str, str] = {}
    for named in written.cells:
        try:
            found[named.name] = tables.find(named)
        except CellNotFound as error:
            problems[named.name] = f"{named.name}: {error}"
    operands = () if problems else tuple(cell.operand for cell in found.values())
    if wrong := wrong_equation(written.steps):
        return _unproved(WRONG_STEPS, wrong, operands)
    if level == "easy":
        return _easy(written, tables, found, problems, operands)
    if level == "medium" and not is_words(written.answer):
        return _medium(written, tables, found, problems, operands)
    return Proof(operands=operands)


@lru_cache(8)  # a snippet's questions are mostly proved together
def _tables(text: str) -> Tables:
    return Tables(text)


def is_words(answer: str) -> bool:
    """Tell whether an answer is words or a year: nothing that cells give by a calculation."""
    return not any(map(str.isdigit, answer)) or _YEAR.fullmatch(answer) is not None


def _unproved(
    reason: str, detail: str, operands: tuple[Operand, ...] = (), value: str | None = None
) -> Proof:
    return Proof(proved=False, reason=reason, detail=detail, operands=operands, value=value)


def _easy(
    written: Written,
    tables: Tables,
    found: Mapping[str, FoundCell],
    problems: Mapping[str, str],
    operands: tuple[Operand, ...],
) -> Proof:
    if len(written.cells) != 1:
        return _unproved(NOT_ONE_CELL, f"{len(written.cells)} cells are named", operands)
    if problems:
        return _unproved(CELL_NOT_FOUND, "; ".join(problems.values()))
    (cell,) = found.values()
    if other := contradiction(written.question, cell):
        return _unproved(OTHER_CELL, other, operands)
    if misfit := not_asked(written.question, [cell]):
        return _unproved(NOT_ASKED, misfit, operands)
    if unclear := _unclear(written.question, [cell], tables):
        return _unproved(*unclear, operands)
    if cell.cell is None:
        if _same_text(written.answer, cell.operand.text):
            return Proof(proved=True, operands=operands)
        return _unproved(OTHER_TEXT, f"the cell is {cell.operand.text!r}", operands)
    if _has_two_scales(of_cell(cell.cell), tables, [cell]):
        return _unproved(UNCLEAR_SCALE, cell.operand.text, operands)
    proof = _compared(written.answer, of_cell(cell.cell), tables, operands)
    said = read_figure(written.answer)
    if proof.proved and said is not None and not _says(said, cell.cell):
        detail = f"{written.answer!r} is rounded, the cell is {cell.operand.text!r}"
        return _unproved(OTHER_NUMBER, detail, operands, proof.value)
    if proof.proved and not is_figure(written.answer):
        return _unproved(MORE_THAN_A_FIGURE, written.answer, operands, proof.value)
    return proof


def _medium(
    written: Written,
    tables: Tables,
    found: Mapping[str, FoundCell],
    problems: Mapping[str, str],
    operands: tuple[Operand, ...],
) -> Proof:
    answer = read_figure(written.answer)
    if answer is None:
        return _unproved(SEVERAL_FIGURES, written.answer, operands)
    try:
        result = _result(written, found, problems)
    except (CellNotFound, ExpressionError) as error:
        if any(_says(answer, cell) for cell in tables.cells):
            return _unproved(STATED, written.answer, operands)
        if unclear := _unclear(written.question, list(found.values()), tables):
            return _unproved(*unclear, operands)
        not_found = isinstance(error, CellNotFound)
        reason = NO_CALCULATION if not written.calculation else NOT_COMPUTED
        return _unproved(CELL_NOT_FOUND if not_found else reason, str(error), operands)
    names = names_in(written.calculation or "")
    used = {name: cell for name, cell in found.items() if name in names}
    if _has_two_scales(result, tables, list(used.values())):
        return _unproved(UNCLEAR_SCALE, written.answer, operands)
    proof = _compared(written.answer, result, tables, operands, written.question)
    if proof.proved and is_stated(result, tables.cells):
        return _unproved(STATED, written.answer, operands, proof.value)
    if not proof.proved:
        return proof
    if doubt := _degenerate(written, used):
        return _unproved(DEGENERATE, doubt, operands, proof.value)
    if doubt := not_asked(written.question, list(used.values())):
        return _unproved(NOT_ASKED, doubt, operands, proof.value)
    if unclear := _unclear(written.question, list(used.values()), tables):
        return _unproved(*unclear, operands, proof.value)

    def compute(values: Mapping[str, Decimal]) -> Decimal:
        return evaluate_expression(written.calculation or "", values, Decimal)

    if doubt := wrong_change(written.question, result, used, compute):
        return _unproved(WRONG_CHANGE, doubt, operands, proof.value)
    if _is_coarse(written.answer) and len(result.value.normalize().as_tuple().digits) > 1:
        return _unproved(ROUNDED, written.answer, operands, proof.value)
    if not is_figure(written.answer):
        return _unproved(MORE_THAN_A_FIGURE, written.answer, operands, proof.value)
    return proof


def _unclear(question: str, cells: Sequence[FoundCell], tables: Tables) -> tuple[str, str] | None:
    """Say why other cells than those that the answer reads would do as well; None if none would."""
    if other := fits_another(question, cells, tables.sheets):
        return SEVERAL_CELLS, other
    for cell in cells:
        if recurs(cell, tables.sheets[cell.operand.table_index]):
            return RECURS, cell.operand.text
    return None


def _has_two_scales(result: Quantity, tables: Tables, cells: Sequence[FoundCell]) -> bool:
    """Tell whether a result rests on a count of unclear scale; a ratio of such counts does not."""
    unclear = [has_unclear_scale(cell, tables.sheets[cell.operand.table_index]) for cell in cells]
    return any(unclear) and not (all(unclear) and result.kind in ("ratio", "percent"))


def _degenerate(written: Written, used: Mapping[str, FoundCell]) -> str | None:
    """Say what a calculation has besides two or more cells; None if nothing.

    The numbers 1 and 100 make ratios and percentages; as many as there are cells make averages.
    """
    if unused := sorted({cell.name for cell in written.cells} - used.keys()):
        return f"it does not read {', '.join(unused)}"
    places = {(o.table_index, o.row, o.column) for o in (cell.operand for cell in used.values())}
    if len(places) < 2:
        return "it reads one cell only"
    allowed = {1, 100}
    if says_average(written.question):
        allowed.update(range(2, len(places) + 1))
    stated: list[Decimal] = []

    def note(number: Decimal) -> Decimal:
        stated.append(number)
        return number

    values = {name: cell.cell.value for name, cell in used.items() if cell.cell is not None}
    evaluate_expression(written.calculation or "", values, note)
    if strange := [number for number in stated if number not in allowed]:
        return f"it has a number that no cell states: {strange[0]}"
    return None


def _is_coarse(answer: str) -> bool:
    """Tell whether an answer has one significant digit; `0.9%` is as exact as `10.9%`."""
    number = re.search(r"\d[\d,]*(?:\.\d+)?|\.\d+", answer)
    text = number[0] if number else ""
    said = read_figure(answer)
    if "." in text and said is not None and said.kind == "ratio":
        return False
    return len(re.sub(r"\D", "", text).lstrip("0")) < 2


def _says(answer: Reading, cell: Cell) -> bool:
    """Tell whether an answer's figure is a cell's, not rounded."""
    is_percent = cell.unit == "percent"
    value = Fraction(cell.value) / (100 if is_percent else 1)
    return is_percent == (answer.kind == "ratio") and answer.value == value


def _result(
    written: Written, found: Mapping[str, FoundCell], problems: Mapping[str, str]
) -> Quantity:
    """Compute a draft's calculation.

    Raises:
        CellNotFound: a cell that it reads is not found, or is no number.
        ExpressionError: it cannot be read, or its units do not fit.
    """
    if not written.calculation:
        raise ExpressionError("the writer states none")
    names = names_in(written.calculation)
    if missing := sorted(names & problems.keys()):
        raise CellNotFound("; ".join(problems[name] for name in missing))
    if not names:
        raise ExpressionError("it reads no cell")
    values = {}
    for name in names & found.keys():
        cell = found[name].cell
        if cell is None:
            raise CellNotFound(f"{name}: {found[name].operand.text!r} is no number")
        values[name] = of_cell(cell)
    result = evaluate_expression(written.calculation, values, literal)
    try:
        result.kind  # noqa: B018 - raises if the unit makes no sense
    except UnitsDoNotFit as error:
        raise ExpressionError(str(error)) from error
    return result


def _compared(
    answer: str,
    result: Quantity,
    tables: Tables,
    operands: tuple[Operand, ...],
    question: str = "",
) -> Proof:
    """Compare an answer with what the cells give; the question of a calculation has a direction."""
    value = _plain(result.value)
    if reason := _why_not(answer, result, tables, operands, question):
        said = f"{answer!r}, and the cells give {value} ({result.kind})"
        return _unproved(reason, said, operands, value)
    return Proof(proved=True, operands=operands, value=value)


def _why_not(
    answer: str, result: Quantity, tables: Tables, operands: tuple[Operand, ...], question: str
) -> str | None:
    """Return why an answer is not a result; None if it is."""
    said = read_figure(answer)
    if said is None:
        return SEVERAL_FIGURES
    said_kind, unit = said.kind, said.unit
    is_share = result.kind in ("ratio", "percent")
    if said_kind == "ratio":
        fits = is_share and (unit == "percent") != result.is_points
    elif is_share:
        fits = result.kind == "ratio" and said_kind == "number" and unit in (None, "times")
    elif said_kind == "money":
        used = {cell.table_index for cell in operands}
        if result.kind == "amount" and currencies_in(" ".join(tables.cell_texts(used))):
            return OTHER_UNIT
        if unit not in _currencies(tables, operands):
            return OTHER_CURRENCY
        fits = True
    else:
        fits = unit is None or result.kind != "money"
    if not fits:
        return OTHER_UNIT
    matched = _matched(answer, result, question, in_percent=said_kind == "ratio")
    if matched.correct:
        return None
    if matched.reason == ANOTHER_NUMBER:
        is_scale = _is_at_another_scale(answer, result, in_percent=said_kind == "ratio")
        return OTHER_UNIT if is_scale else OTHER_NUMBER
    return OTHER_SIGN if matched.reason == OPPOSITE_SIGN else OTHER_UNIT


def _currencies(tables: Tables, operands: tuple[Operand, ...]) -> set[str]:
    """List the currencies that cells are in, as they, their tables or else all tables name them."""
    used = {cell.table_index for cell in operands}
    return (
        currencies_in(" ".join(cell.text for cell in operands))
        or currencies_in(" ".join([*tables.cell_texts(used), *tables.words_before(used)]))
        or currencies_in(tables.text)
    )


def _is_at_another_scale(answer: str, result: Quantity, *, in_percent: bool) -> bool:
    """Tell whether an answer has the result's digits, and only its scale is wrong."""
    return any(
        _matched(
            answer, replace(result, value=result.value.scaleb(power)), in_percent=in_percent
        ).correct
        for power in (-9, -6, -3, -2, 2, 3, 6, 9)
    )


def _matched(answer: str, result: Quantity, question: str = "", *, in_percent: bool) -> Match:
    """Compare a result with a writer's answer, whose precision is the writer's to choose."""
    text = _text_of(result, in_percent=in_percent)
    return match_figures(text, answer, question=question, is_calculated=bool(question))


def _text_of(quantity: Quantity, *, in_percent: bool | None = None) -> str:
    """Write a quantity for `match_figures`, with all digits: its precision is no limit."""
    kind, value = quantity.kind, quantity.value
    is_percent = kind == "percent" if in_percent is None else in_percent
    if is_percent and kind == "ratio":
        value *= 100
    n_whole = max(value.adjusted() + 1, 1)
    decimals = max(min(_DECIMALS, _MOST_DIGITS - n_whole), 1)
    unit = (" percentage points" if quantity.is_points else "%") if is_percent else ""
    return f"{value:.{decimals}f}{unit}"


def _plain(value: Decimal) -> str:
    """Write a number with at most 20 digits after the point, without zeros at its end."""
    return f"{value + 0:.20f}".rstrip("0").rstrip(".")


def _same_text(answer: str, cell: str) -> bool:
    one, other = (
        " ".join(unicodedata.normalize("NFKC", text).casefold().split()).rstrip(".")
        for text in (answer, cell)
    )
    return one == other


@cache
def _currency_pattern() -> re.Pattern[str]:
    units = packaged_units()
    texts = [
        text
        for _, group in units.of_kind("currency")
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


def currencies_in(text: str) -> set[str]:
    """List the currencies that a text names, by sign, code or word."""
    units = packaged_units()
    return {units.base(units.names[spelling(found)]) for found in _currency_pattern().findall(text)}
