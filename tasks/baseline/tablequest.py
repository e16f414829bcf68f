"""The free engine's rules for TableQuest: templates over cells, and answers by shared words.

A rule asks about rows and years that only one row and column of the snippet's tables have, and only
what `prove` proves. It answers from the row that shares most words with a question.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain, combinations, groupby

from tasks.core.ids import stable_id
from tasks.filings.reader.scale import statement_of
from tasks.inference.engines.extractive import Rule, Rules
from tasks.quantities.scales import POWERS, scale_in
from tasks.quantities.units import SIGNS
from tasks.suites.shared.contexts import ContextInputs
from tasks.suites.shared.tables.cells import Cell, Grid, scale_for_all, years_in
from tasks.suites.tablequest.questions.cells import NOTE, NamedCell, SnippetTables, words_of
from tasks.suites.tablequest.questions.proofs import prove
from tasks.suites.tablequest.questions.rounds import RoundInputs, WrittenQuestion
from tasks.suites.tablequest.rows import Level
from tasks.text.company_names import company_name
from tasks.text.metric_words import term_set

NOT_FOUND = "not found in the tables"
_LEAST_SHARED = 0.3  # of a row's words that a question has
_MOST_PERCENT = 300  # a larger change is from nearly nothing
_NUMBER = re.compile(r"[-(]?\s?[^\w\s(]?\s?[-(]?\s?\d[\d,]*(?:\.\d+)?\s?\)?\s?%?\s?\)?")
_LABEL = re.compile(r"[A-Z][^\d\"“”|]{2,79}[^\W\d_)]\)?")
_CALENDAR_YEAR = {"fiscal", "year", "years", "ended", "december", "31"}
_SCALES = {0: "", 3: " thousand", 6: " million", 9: " billion"}


# --- facts -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CellFact:
    """One cell that only its row and year name; its amount as an answer states it."""

    named: NamedCell
    section: str  # the label that opens its row's section; "" if none, or the row's own
    year: int
    cell: Cell
    sign: str

    @property
    def amount(self) -> str:
        """Its amount, such as `$394,328 million` or `12.3%`."""
        return write_amount(self.cell, self.cell.value, self.sign) or ""

    @property
    def label(self) -> str:
        """Its row's label, and its section, as a question quotes them."""
        label = f"“{NOTE.sub('', self.named.row)}”"
        return f"{label} (below “{self.section}”)" if self.section and not self.is_total else label

    @property
    def is_total(self) -> bool:
        """Whether its row says that it is a total."""
        return self.named.row.startswith("Total")

    @property
    def time(self) -> str:
        """Its year; its column's heading if that says more, as another end of the year."""
        is_year = {*words_of(self.named.column)} <= {str(self.year), *_CALENDAR_YEAR}
        return str(self.year) if is_year else f"“{NOTE.sub('', self.named.column)}”"

    @property
    def when(self) -> str:
        """Its time as part of a question."""
        return f"under {self.time}" if "“" in self.time else f"in {self.time}"


def write_amount(cell: Cell, value: Decimal, sign: str) -> str | None:
    """Write a value as a cell is written, or return None if the cell has more than its number."""
    power = _power(cell)
    if power not in _SCALES or not _NUMBER.fullmatch(cell.text.strip()):
        return None
    places = Decimal(1).scaleb(-cell.decimals - power)
    number = value.scaleb(-power).quantize(places, rounding=ROUND_HALF_UP)
    if not number:
        return None
    sign = sign if cell.unit in ("money", "rate") else ""
    after = "%" if cell.unit == "percent" else ""
    return f"{'-' if number < 0 else ''}{sign}{abs(number):,f}{_SCALES[power]}{after}"


def _power(cell: Cell) -> int:
    """Return the power of ten by which a cell's value is its printed number."""
    match = re.search(r"\d[\d,]*(?:\.(\d+))?", cell.text)
    return len(match[1] or "" if match else "") - cell.decimals


def write_percent(value: Decimal) -> str:
    """Write a computed percentage with one decimal, as reports do."""
    return f"{value.quantize(Decimal('0.1'), rounding=ROUND_HALF_UP):,}%"


@lru_cache(maxsize=16)  # all rounds of a snippet read the same tables
def facts_of(text: str) -> tuple[CellFact, ...]:
    """Find the cells of a snippet that a question can name."""
    tables = SnippetTables(text)
    labels = Counter(NOTE.sub("", row.text) for grid in tables.grids.values() for row in grid.rows)
    signs = {sign for sign in SIGNS if sign in text}
    sign = signs.pop() if len(signs) == 1 else ""
    facts = []
    for grid in tables.grids.values():
        dated = {c: line.years[0] for c, line in enumerate(grid.columns) if len(line.years) == 1}
        n_columns, decimals = Counter(dated.values()), _usual_decimals(grid, tables)
        for (r, c), cell in sorted(grid.cells.items()):
            line = grid.rows[r]
            label, row = NOTE.sub("", line.text), tables.sheets[grid.index].cells[r]
            is_named = labels[label] == 1 and _LABEL.fullmatch(label) and len(label.split()) > 1
            is_named = is_named and not any(map(str.isalpha, "".join(row[1:])))
            is_money = sign and cell.unit != "amount" and cell.decimals == decimals
            is_sure = is_money or cell.unit == "percent"
            is_only = n_columns[dated.get(c, 0)] == 1
            if not is_named or not is_sure or not is_only or grid.is_change(cell):
                continue
            if cell.value > 0 and write_amount(cell, cell.value, sign):
                named = NamedCell("A", grid.index, line.text, grid.columns[c].text, cell.text)
                section = NOTE.sub("", line.above.rstrip(": "))
                section = "" if section == line.text else section
                facts.append(CellFact(named, section, dated[c], cell, sign))
    return tuple(facts)


def _usual_decimals(grid: Grid, tables: SnippetTables) -> int | None:
    """Return the precision of most amounts of a table; None if their scale is uncertain."""
    amounts = [cell for cell in grid.cells.values() if cell.unit in ("money", "amount")]
    sheet = tables.sheets[grid.index]
    stated = statement_of(sheet.cells, [sheet.pre_text])
    scale = stated.any_scale if stated else None
    if not amounts or any(scale_in(line.text) for line in grid.rows[amounts[0].row :]):
        return None  # a part of it may have a scale of its own
    if scale is None and scale_for_all([*tables.sheets.values()]):
        return None  # it may be that of the tables beside it
    [(decimals, _)] = Counter(cell.decimals for cell in amounts).most_common(1)
    example = next(cell for cell in amounts if cell.decimals == decimals)
    return decimals if _power(example) == POWERS[scale or "ones"] else None


# --- questions -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class QuestionTemplate:
    """One kind of question over the facts A, B, ... of a shape.

    The answer's fields are the facts, and `result`, what the calculation gives.
    """

    shape: str
    question: str
    answer: str
    calculation: str = ""


@cache
def templates() -> Mapping[str, Sequence[QuestionTemplate]]:
    """Return the templates of each level."""
    text = files("tasks.baseline").joinpath("tablequest.toml").read_text(encoding="utf-8")
    return {
        level: [QuestionTemplate(**template) for template in listed]
        for level, listed in tomllib.loads(text).items()
    }


def _shapes(facts: Sequence[CellFact]) -> Iterator[tuple[str, tuple[CellFact, ...]]]:
    """Yield the sets of one table's facts that templates ask about, in the order A, B, ..."""
    changes = []
    for fact in facts:
        yield "cell", (fact,)
        for before in facts:
            is_before = before.year == fact.year - 1 and before.cell.row == fact.cell.row
            if is_before and before.cell.unit == fact.cell.unit != "percent":
                changes.append((fact, before))
                yield "change", (fact, before)
            is_beside = before.year == fact.year and before.section == fact.section
            is_above = fact.cell.row < before.cell.row and fact.cell.value < before.cell.value
            is_whole = before.is_total and is_beside and is_above
            if is_whole and before.cell.unit == fact.cell.unit:
                yield "share", (fact, before)
    for one, other in combinations(changes, 2):
        ahead, behind = sorted(
            (one, other), key=lambda pair: pair[1].cell.value / pair[0].cell.value
        )
        are_alike = one[0].is_total == other[0].is_total and one[0].section == other[0].section
        rates = [new.cell.value / old.cell.value for new, old in (ahead, behind)]
        if one[0].year == other[0].year and are_alike and rates[0] > rates[1] > 1:
            yield "race", (*ahead, *behind)


def _drafts(
    level: Level, inputs: RoundInputs
) -> Iterator[tuple[QuestionTemplate, WrittenQuestion]]:
    """Draft all questions of a level that a snippet's facts support."""
    name = company_name(inputs.company)
    lead = f"In {name}’s annual report" if name else "In the company’s annual report"
    last = inputs.period_end[:4]  # what is due in later years is no figure of these years
    facts_so_far = (fact for fact in facts_of(inputs.context) if str(fact.year) <= last)
    of_tables = groupby(facts_so_far, key=lambda fact: fact.named.table)
    for shape, facts in chain.from_iterable(_shapes(list(facts)) for _, facts in of_tables):
        for template in templates()[level]:
            if template.shape == shape:
                yield template, _fill(template, lead, dict(zip("ABCD", facts, strict=False)))


def _fill(template: QuestionTemplate, lead: str, facts: Mapping[str, CellFact]) -> WrittenQuestion:
    return WrittenQuestion(
        question=f"{lead}, {template.question.format(**facts)}",
        answer=template.answer.format(**facts, result=_result(template.calculation, facts)),
        steps="; ".join(f"{name} is {fact.amount}, {fact.time}" for name, fact in facts.items()),
        cells=tuple(
            NamedCell(**{**asdict(fact.named), "name": name}) for name, fact in facts.items()
        ),
        calculation=template.calculation or None,
    )


def _result(calculation: str, facts: Mapping[str, CellFact]) -> str:
    """Compute a template's answer; "" if it asks for no calculation, or for too large a change."""
    values = [fact.cell.value for fact in facts.values()]
    if not calculation:
        return ""
    if calculation.endswith("* 100"):
        share = 100 * (values[0] / values[1] - ("-" in calculation))
        return write_percent(share) if abs(share) <= _MOST_PERCENT else ""
    return write_amount(facts["A"].cell, values[0] - values[1], facts["A"].sign) or ""


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes questions of one level; unlike a partial function, equal after it was pickled."""

    level: Level

    def __call__(self, inputs: RoundInputs) -> str:
        """Write a new question that its cells prove; templates take turns."""
        drafts = {
            (stable_id("kind", inputs.context, template.question), draft.question): draft
            for template, draft in _drafts(self.level, inputs)
            if draft.answer and draft.question not in inputs.earlier
        }
        for key in sorted(drafts, key=lambda key: (key[0], stable_id("draft", key[1]))):
            draft = drafts[key]
            if prove(self.level, draft, inputs.context).proved is not False:
                return json.dumps(asdict(draft), ensure_ascii=False)
        return json.dumps({"question": "", "answer": ""})


# --- answers ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Row:
    grid: Grid
    terms: frozenset[str]
    cells: tuple[Cell, ...]


@lru_cache(maxsize=16)  # all questions of a snippet read the same tables
def _rows_of(context: str) -> tuple[_Row, ...]:
    rows = []
    for grid in SnippetTables(context).grids.values():
        for r in sorted({r for r, _ in grid.cells}):
            cells = tuple(cell for (row, _), cell in sorted(grid.cells.items()) if row == r)
            line = grid.rows[r]
            rows.append(_Row(grid, term_set(f"{line.text} {line.above}"), cells))
    return tuple(rows)


def answer(inputs: ContextInputs) -> str:
    """Answer from the row that shares most words with the question, and the years it names."""
    query = re.sub(r"\AIn [^,]*,", "", inputs.query)
    first, _, second = query.partition("as a percentage of")
    best = _best_row(inputs.context, first)
    whole = _best_row(inputs.context, second) if second else None
    reply, steps = NOT_FOUND, "no row shares its words with the question"
    if best is not None:
        cells = _cells_asked_for(best, query)
        others = _cells_asked_for(whole, query)[:1] if whole else []
        reply = _combine(query, cells, others)
        steps = "; ".join(cell.text for cell in (*cells, *others))
    return json.dumps({"steps": steps, "answer": reply}, ensure_ascii=False)


def _best_row(context: str, text: str) -> _Row | None:
    terms = term_set(text)
    rows = [row for row in _rows_of(context) if row.terms]
    scores = [len(row.terms & terms) / len(row.terms | terms) for row in rows]
    best = rows[scores.index(max(scores))] if rows else None
    return best if best and len(best.terms & terms) >= _LEAST_SHARED * len(best.terms) else None


def _cells_asked_for(row: _Row, query: str) -> list[Cell]:
    """Return a row's cells of the years that a question names, latest first, or its first cell."""
    by_year = {
        years[0]: cell
        for cell in reversed(row.cells)
        if len(years := row.grid.years_of(cell)) == 1 and not row.grid.is_change(cell)
    }
    wanted = sorted(years_in(query), reverse=True)
    return [by_year[year] for year in wanted if year in by_year] or [*row.cells[:1]]


def _combine(query: str, cells: Sequence[Cell], others: Sequence[Cell]) -> str:
    """Compute what a question asks for from the cells of one row, or of another one, too."""
    cell, base = cells[0], (others or cells)[-1]
    if base is not cell and base.value and "percentage" in query:
        share = 100 * cell.value / base.value
        return write_percent(share if others else share - 100)
    value = cell.value - (base.value if base is not cell else 0)
    sign = next((sign for sign in SIGNS if sign in cell.text), "$")
    return write_amount(cell, value, sign) or cell.text


RULES: Rules = {
    "write_warmup": Rule(_Writer("warmup")),
    "write_easy": Rule(_Writer("easy")),
    "write_medium": Rule(_Writer("medium")),
    "write_hard": Rule(_Writer("hard")),
    "answer": Rule(answer),
}
