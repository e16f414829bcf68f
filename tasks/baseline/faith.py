"""Rules for the operations of FAITH, by its search for derivations.

The search restores figures without seeing them.
"""

from __future__ import annotations

import json
import re

from tasks.inference.engines.extractive import Rule, Rules
from tasks.quantities.figures import Figure, find_figures, same_figure
from tasks.suites.faith import answer
from tasks.suites.faith.derivations.forms import form_of_figure
from tasks.suites.faith.derivations.passage import Passage
from tasks.suites.faith.derivations.search import restore, sheets_of
from tasks.suites.faith.masking import MASK
from tasks.suites.faith.questions import answerability
from tasks.suites.faith.questions.answerability import ANSWERABLE, UNANSWERABLE

NOT_FOUND = "not found in the tables"
_MARKED = re.compile(r"<SPAN>(.*?)</SPAN>")
_LETTERS = {"direct lookup": "A", "comparative": "B", "bivariate": "C", "multivariate": "D"}


def reply_on_mask(inputs: answer.Inputs) -> str:
    """Restore the figure that the passage most speaks of."""
    guess = restore(Passage.read(inputs.passage), sheets_of(inputs.tables), inputs.form)
    results = {
        "answer": guess.answer if guess else NOT_FOUND,
        "scenario": _LETTERS[guess.scenario] if guess else "",
        "necessary_metrics": guess.metrics if guess else [],
        "reference": guess.references if guess else [],
    }
    return json.dumps({"results": results}, ensure_ascii=False)


def reply_on_answerability(inputs: answerability.Inputs) -> str:
    """Say whether the search restores the hidden figure from the tables."""
    marked = _MARKED.search(inputs.passage)
    shown = None if marked is None else _figure(inputs.passage, marked)
    if marked is None or shown is None:
        return _opinion("no figure stands between the marks", UNANSWERABLE)
    hidden = inputs.passage[: marked.start()] + MASK + inputs.passage[marked.end() :]
    guess = restore(Passage.read(hidden), sheets_of(inputs.tables), form_of_figure(shown))
    if guess is None:
        return _opinion("no cells are named by the passage", UNANSWERABLE)
    agrees = any(same_figure(shown, figure) for figure in find_figures(guess.answer))
    reasoning = f"{guess.operation} of {'; '.join(guess.references)} gives {guess.answer}"
    return _opinion(reasoning, ANSWERABLE if agrees else UNANSWERABLE)


def _figure(passage: str, marked: re.Match[str]) -> Figure | None:
    """Read the marked figure together with the words around it."""
    plain = passage[: marked.start()] + marked[1] + passage[marked.end() :]
    start, end = marked.start(), marked.start() + len(marked[1])
    return next(
        (each for each in find_figures(plain) if each.start_char < end and each.end_char > start),
        None,
    )


def _opinion(reasoning: str, verdict: str) -> str:
    return json.dumps({"reasoning": reasoning, "verdict": verdict}, ensure_ascii=False)


RULES: Rules = {
    "answer": Rule(reply_on_mask),
    "answer_markdown": Rule(reply_on_mask),
    "answerability": Rule(reply_on_answerability),
}
