"""The rule that asks for a figure which a sentence around the table states, too.

Easy questions are for cells, medium ones for results. The figure must be the sentence's at the
coarser precision of both, and the sentence must have all words of the rows and one of their years.
An analysis has several figures, so none is asked for.
"""

from __future__ import annotations

import json
from typing import Protocol

from tasks.baseline.tablequest.drafts import Draft, drafts_of
from tasks.core.ids import stable_id
from tasks.quantities.figures import find_figures, same_figure
from tasks.suites.shared.tables.cells import years_in
from tasks.suites.shared.tables.words import term_set
from tasks.suites.tablequest.rows import Level

_LEAST_DIGITS = 2  # of a figure: one digit coincides


class Inputs(Protocol):
    """What the study's writer is shown."""

    @property
    def tables(self) -> str:
        """The table as a snippet."""

    @property
    def evidence(self) -> str:
        """The sentences, one a line."""

    @property
    def level(self) -> Level:
        """Level of the question."""


def write(inputs: Inputs) -> str:
    """Ask for a figure that a sentence states; reply with empty texts if none does."""
    found = [
        (draft.question, sentence)
        for draft in drafts_of(inputs.level, inputs.tables, "", "")
        for sentence in inputs.evidence.split("\n")
        if _states(sentence, draft)
    ]
    question, sentence = min(found, key=lambda each: stable_id(*each), default=("", ""))
    return json.dumps({"question": question, "sentence": sentence}, ensure_ascii=False)


def _states(sentence: str, draft: Draft) -> bool:
    figures = find_figures(draft.answer)
    if len(figures) != 1 or sum(map(str.isdigit, figures[0].text)) < _LEAST_DIGITS:
        return False
    years = {year for fact in draft.cells for year in years_in(fact.column.name)}
    return (
        all(term_set(fact.named.row) <= term_set(sentence) for fact in draft.cells)
        and not years.isdisjoint(years_in(sentence))
        and any(
            same_figure(figures[0], figure) and sum(map(str.isdigit, figure.text)) >= _LEAST_DIGITS
            for figure in find_figures(sentence)
        )
    )
