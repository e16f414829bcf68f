"""A reader by rule: the figure of the sentence that shares most words with the question.

It refuses if no sentence shares enough of them, if two that share as many state different figures,
or if the question has a word of judgement. It stands for no model.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from tasks.quantities.figures import Figure, same_figure
from tasks.suites.refusalbench.answer import Inputs
from tasks.suites.refusalbench.base.panel import BaseInputs
from tasks.suites.refusalbench.figures import figures_of
from tasks.suites.refusalbench.strata import CODE_OF
from tasks.text.sentences import split_sentences
from tasks.text.terms import content_terms

_ENOUGH = 0.6  # of the question's words
_SURE = 0.9
_JUDGEMENT = re.compile(
    r"\b(?:should|ought|worth|better|best|good|bad|fair|right|wrong|will|would|might|likely"
    r"|beautiful|expensive|moral\w*|ethical\w*)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Found:
    reply: str
    share: float  # of the question's words that a sentence has


def _find(inputs: Inputs, *, refuses: bool) -> _Found:
    if refuses and _JUDGEMENT.search(inputs.query):
        return _Found(CODE_OF["epistemic_mismatch"], 1.0)
    wanted = set(content_terms(inputs.query))
    best: list[Figure] = []
    share = 0.0
    for span in split_sentences(inputs.context):
        sentence = inputs.context[span.start_char : span.end_char]
        figures = [figure for figure in figures_of(sentence) if figure.unit != "year"]
        shared = len(wanted & set(content_terms(sentence))) / max(1, len(wanted))
        if figures and shared >= share:
            best = [*(best if shared == share else []), figures[0]]
            share = shared
    if not best or (refuses and share < _ENOUGH):
        return _Found(CODE_OF["missing_info"], 1 - share)
    if refuses and not all(same_figure(best[0], other) for other in best):
        return _Found(CODE_OF["contradiction"], share)
    return _Found(best[0].text, share)


def answer(inputs: Inputs) -> str:
    """Answer a question, or refuse with a code."""
    return _find(inputs, refuses=True).reply


def answer_of_panel(inputs: BaseInputs) -> str:
    """Answer an unperturbed question as a model of the panel would write it."""
    return json.dumps({"answer": answer(Inputs(inputs.context, inputs.query))})


def answer_boldly(inputs: Inputs) -> str:
    """Answer a question whenever a sentence has a figure."""
    return _find(inputs, refuses=False).reply


def answer_with_confidence(inputs: Inputs) -> str:
    """Answer a question or refuse, with a level of confidence by the share of shared words."""
    found = _find(inputs, refuses=True)
    level = (
        "VERY_CONFIDENT"
        if found.share >= _SURE
        else "CONFIDENT"
        if found.share >= _ENOUGH
        else "UNCERTAIN"
    )
    return f"ANSWER: {found.reply}\nCONFIDENCE: {level}"
