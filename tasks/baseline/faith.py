"""Rules for the operations of FAITH: the figure that the passage's words name best.

No rule votes on a panel: what is not proved needs models.
"""

from __future__ import annotations

import json
import re
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache

from tasks.inference.engines.extractive import Rule, Rules
from tasks.quantities.figures import find_figures
from tasks.suites.faith.answer import BASIS_POINTS, PERCENTAGE, POINTS, Inputs
from tasks.suites.faith.derivations.expressions import Expression
from tasks.suites.faith.derivations.passage import FigurePassage
from tasks.suites.faith.derivations.search import LEAST_SCORE, rank, tables_of
from tasks.suites.shared.tables.sheets import Sheet, read_sheets

NOT_FOUND = "not found in the tables"
_LETTERS = {"direct lookup": "A", "comparative": "B", "bivariate": "C", "multivariate": "D"}
_UNITS = {PERCENTAGE: "percent", POINTS: "percent", BASIS_POINTS: "bps"}
_SCALES = ((3, "thousand"), (6, "million"), (9, "billion"))
_IN_BRACKETS = re.compile(r"\((\w+)")
_CALCULATED = ("percent_change", "share")


def reply_on_mask(inputs: Inputs) -> str:
    """Restore the figure with the best score, if its words name it."""
    sheets = _sheets_of(inputs.tables)
    unit, is_in_points = _UNITS.get(inputs.form), inputs.form == POINTS
    ranked = rank(FigurePassage.read(inputs.passage), sheets, unit, is_in_points=is_in_points)
    best = next(iter(ranked), None)
    if best is None or best.score < LEAST_SCORE:
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


RULES: Rules = {"answer": Rule(reply_on_mask)}
