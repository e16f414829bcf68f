"""Rules for the operations of FAITH: the figure that the passage's words name best."""

from __future__ import annotations

import json
import re
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache

from tasks.inference.engines.extractive import Rule, Rules
from tasks.quantities.figures import find_figures
from tasks.suites.faith.answer import BASIS_POINTS, NEITHER, PERCENTAGE, POINTS, MaskedInputs
from tasks.suites.faith.derivations.expressions import Expression
from tasks.suites.faith.derivations.passage import FigurePassage
from tasks.suites.faith.derivations.search import LEAST_SCORE, rank, tables_of
from tasks.suites.faith.maskable import MASK, SCENARIOS
from tasks.suites.faith.questions.panel import AnswerabilityInputs
from tasks.suites.shared.tables.sheets import Sheet, read_sheets

NOT_FOUND = "not found in the tables"
_LETTERS = {scenario: letter for letter, scenario in SCENARIOS.items()}
_GAP = re.compile(r"\[(\d+)(?:, ([\w ]+))?\]")  # of the panel's prompt: number, form
_UNITS = {PERCENTAGE: "percent", POINTS: "percent", BASIS_POINTS: "bps"}
_SCALES = ((3, "thousand"), (6, "million"), (9, "billion"))
_IN_BRACKETS = re.compile(r"\((\w+)")
_CALCULATED = ("percent_change", "share")


def reply_on_mask(inputs: MaskedInputs) -> str:
    """Restore the figure with the best score, if its words name it."""
    sheets, is_in_points = _sheets_of(inputs.tables), inputs.form == POINTS
    best = _best(inputs.passage, sheets, inputs.form)
    if best is None:
        results = {"answer": NOT_FOUND, "scenario": "", "necessary_metrics": [], "reference": []}
        return json.dumps({"results": results})
    tables = tables_of(sheets)
    titles = [tables.title_of(cell) for cell in best.operands]
    results = {
        "answer": write_value(best, titles[0], is_in_points=is_in_points),
        "scenario": _LETTERS[best.scenario],
        "necessary_metrics": list(dict.fromkeys(titles)),
        "reference": [
            f"Table {cell.table_index}, {title}: {cell.text}"
            for cell, title in zip(best.operands, titles, strict=True)
        ],
    }
    return json.dumps({"results": results}, ensure_ascii=False)


def reply_to_panel(inputs: AnswerabilityInputs) -> str:
    """Restore each hidden figure of the passages; call those answerable that the words name."""
    sheets = _sheets_of(inputs.tables)
    entries = []
    for passage in inputs.passages.split("\n\n"):
        for gap in _GAP.finditer(passage):
            shown = _GAP.sub("…", passage[: gap.start()]), _GAP.sub("…", passage[gap.end() :])
            best = _best(MASK.join(shown), sheets, gap[2] or NEITHER)
            cells = [] if best is None else [tables_of(sheets).title_of(c) for c in best.operands]
            entries.append(
                {
                    "number": int(gap[1]),
                    "reasoning": "; ".join(cells),
                    "answer": write_value(best, cells[0], is_in_points=False) if best else "none",
                    "scenario": _LETTERS[best.scenario] if best else "A",
                    "verdict": "answerable" if best else "unanswerable",
                }
            )
    return json.dumps({"figures": entries}, ensure_ascii=False)


def _best(passage: str, sheets: tuple[Sheet, ...], form: str) -> Expression | None:
    """Return the expression that a passage names best, if it names one."""
    unit, is_in_points = _UNITS.get(form), form == POINTS
    ranked = rank(FigurePassage.read(passage), sheets, unit, is_in_points=is_in_points)
    return next((best for best in ranked[:1] if best.score >= LEAST_SCORE), None)


def write_value(best: Expression, title: str, *, is_in_points: bool) -> str:
    """Write a value as an answer does: as precisely as its cells, without its sign."""
    value = abs(best.value)
    decimals = min(cell.decimals for cell in best.operands)
    if best.unit == "bps":
        return f"{_rounded(value, 0)} basis points"
    if best.unit == "percent":
        unit = " percentage points" if is_in_points else "%"
        return f"{_rounded(value, 2 if best.operation in _CALCULATED else decimals)}{unit}"
    sign = "" if best.unit == "amount" else "$"
    power, scale = next(
        ((power, f" {name}") for power, name in _SCALES if power >= -decimals > 0), (0, "")
    )
    thing = _counted_thing(title) if best.unit == "amount" else ""
    return f"{sign}{_rounded(value.scaleb(-power), max(0, decimals + power)):,}{scale}{thing}"


@lru_cache(maxsize=4)
def _sheets_of(tables: str) -> tuple[Sheet, ...]:
    """Read a prompt's tables, once for all figures asked of them."""
    return tuple(read_sheets(tables))


def _counted_thing(title: str) -> str:
    """Find what a title's brackets say is counted, after a space; else ""."""
    for word in _IN_BRACKETS.findall(title):
        figures = find_figures(f"1 {word}")
        if figures and figures[0].measure:
            return f" {word}"
    return ""


def _rounded(value: Decimal, decimals: int) -> Decimal:
    return value.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)


RULES: Rules = {"answer": Rule(reply_on_mask), "answerability": Rule(reply_to_panel)}
