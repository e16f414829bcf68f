"""A rule that checks a drafted question by its figures alone."""

from __future__ import annotations

import json
from decimal import Decimal
from itertools import combinations
from typing import Protocol

from tasks.baseline.tablequest.answering import is_analytical
from tasks.baseline.tablequest.reader import cells_of, read
from tasks.quantities.figures import Figure, find_figures, same_figure
from tasks.suites.shared.figure_match import match_figures

_MOST_NAMED = 12  # cells that an analysis adds up
_BY_RULE = "By rule: figures are compared, words are not understood."


class Inputs(Protocol):
    """What a verifier is shown."""

    @property
    def context(self) -> str:
        """The snippet."""

    @property
    def query(self) -> str:
        """The question."""

    @property
    def level(self) -> str:
        """The level that the question is meant to have."""

    @property
    def answer(self) -> str:
        """The writer's answer."""

    @property
    def steps(self) -> str:
        """How the writer came to it."""

    @property
    def own_answer(self) -> str:
        """The verifier's answer, given before it saw the writer's."""


def reply(inputs: Inputs) -> str:
    """Compare the writer's answer with the verifier's, and both with the tables."""
    found = read(inputs.context, inputs.query)
    level = "hard" if is_analytical(inputs.query) else found.level
    if level == "hard":
        agrees = _follows(inputs)
        reason = "the answer's figures are in the tables or follow from them"
    else:
        agrees = match_figures(
            inputs.own_answer,
            inputs.answer,
            question=inputs.query,
            is_calculated=level == "medium",
        ).correct
        reason = "both answers are the same figure"
    verdict = {
        "relevant": bool(found.cells),
        "reasonable": bool(found.cells),
        "valid": agrees,
        "level": level,
        "sources": found.steps,
        "agrees": agrees,
        "reason": f"{_BY_RULE} It is {str(agrees).lower()} that {reason}.",
    }
    return json.dumps(verdict, ensure_ascii=False)


def _follows(inputs: Inputs) -> bool:
    """Check whether each figure of an analysis is a cell, or made of cells in its steps."""
    cells = [cell for cell in cells_of(inputs.context) if cell.value]
    amounts = {cell.value for cell in cells}
    stated = find_figures(inputs.answer)
    named = [
        cell.value
        for cell in cells
        if any(
            same_figure(_of(cell.value, cell.decimals), figure)
            for figure in (*find_figures(inputs.steps), *stated)
        )
    ]
    sums = [a + b for a, b in combinations(named[:_MOST_NAMED], 2)]
    made = [Decimal(100) * a / b for a in (*named, *sums) for b in named if b]
    made += [value - 100 for value in made]
    return bool(stated) and all(
        figure.unit == "year"
        or figure.value in amounts
        or any(_is_near(figure, value) for value in (*named, *made))
        for figure in stated
    )


def _of(value: Decimal, decimals: int) -> Figure:
    return Figure("", 0, 0, value, "count", decimals)


def _is_near(figure: Figure, value: Decimal) -> bool:
    gap = abs(abs(figure.value) - abs(value))
    return gap * 2 <= Decimal(1).scaleb(-figure.decimals)
