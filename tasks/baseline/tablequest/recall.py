"""The rule that asks for a figure which a sentence around the table states, too.

Easy questions are for cells, medium ones for results. The figure must be the sentence's at the
coarser precision of both, and the sentence must have all words of the rows and one of their years.
There is no rule for analyses.
"""

from __future__ import annotations

import json
from typing import Protocol

from tasks.baseline.tablequest.drafts import Draft, easy_drafts, medium_drafts
from tasks.baseline.tablequest.facts import tables_of
from tasks.core.ids import stable_id
from tasks.quantities.figures import find_figures, same_figure
from tasks.suites.shared.tables.cells import years_in
from tasks.suites.shared.tables.words import term_set

_DRAFTS = {"easy": easy_drafts, "medium": medium_drafts}
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
    def level(self) -> str:
        """Level of the question."""


def write(inputs: Inputs) -> str:
    """Ask for a figure that a sentence states; reply with empty texts if none does."""
    drafts = _DRAFTS.get(inputs.level)
    found = [
        (draft.question, sentence)
        for draft in (drafts(tables_of(inputs.tables, ""), "", "") if drafts else ())
        for sentence in inputs.evidence.split("\n")
        if _states(sentence, draft)
    ]
    question, sentence = min(found, key=lambda each: stable_id(*each), default=("", ""))
    return json.dumps({"question": question, "sentence": sentence}, ensure_ascii=False)


def _states(sentence: str, draft: Draft) -> bool:
    figures = find_figures(draft.answer)
    if len(figures) != 1 or sum(map(str.isdigit, figures[0].text)) < _LEAST_DIGITS:
        return False
    years = {year for fact in draft.cells for year in years_in(fact.period.name)}
    return (
        all(term_set(fact.label) <= term_set(sentence) for fact in draft.cells)
        and not years.isdisjoint(years_in(sentence))
        and any(
            same_figure(figures[0], figure) and sum(map(str.isdigit, figure.text)) >= _LEAST_DIGITS
            for figure in find_figures(sentence)
        )
    )
