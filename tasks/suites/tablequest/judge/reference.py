"""A rule compares answers with the reference (paper 001, "Evaluation Framework" and appendix D).

Only the reference decides whether a rule can judge, so all models have the same cases judged: those
of easy and medium questions whose reference is one figure. Words need a model (`accuracy.py`).

EM stands beside the label if the reference is a figure: $1,234 million is $1.234 billion. Token F1
(SQuAD, Rajpurkar et al. 2016) and ROUGE-L, the F-measure of the package rouge-score without
stemming, stand beside it for every question.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from tasks.core.ids import canonical_json
from tasks.core.rows import Judgement
from tasks.inference.operation import Engine
from tasks.suites.judge import Answered, why_no_answer
from tasks.suites.shared.figure_match import Match, is_figure, match_figures, read_figure
from tasks.suites.tablequest.judge.reading import (
    ANALYSIS,
    CORRECT,
    EMPTY,
    WORDS,
    WRONG,
    is_empty,
    read_answer,
)

# Levels whose answers are right or wrong.
REFERENCED = frozenset({"easy", "medium"})

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def judge(answered: Sequence[Answered], _: Engine | None, __: Any) -> Iterator[Judgement]:
    """Yield one judgement per answer, in order: `correct`, `wrong`, or why not.

    `details` has the reply's class, the answer that was read, whether the reference is a figure,
    and the scores. Of a call that failed it says only whether the reference is a figure.
    """
    for thing in answered:
        reference = thing.case.target
        about: dict[str, Any] = {"is_number": is_figure(reference)}
        if reason := why_no_answer(thing.response):
            yield thing.judgement(unscored_reason=reason, details=canonical_json(about))
            continue
        reading = read_answer(thing.text)
        match = match_of(thing)
        about |= {
            "reply": reading.reply,
            "answer": reading.answer,
            "em": exact_match(reading.answer, reference),
            "f1": token_f1(reading.answer, reference),
            "rouge_l": rouge_l(reading.answer, reference),
        }
        details = canonical_json(about)
        if match is None:
            reason = WORDS if thing.pair.task in REFERENCED else ANALYSIS
            yield thing.judgement(unscored_reason=reason, details=details)
            continue
        if is_empty(thing):
            yield thing.unreadable(EMPTY, details)
            continue
        label = CORRECT if match.correct else WRONG
        yield thing.judgement(label=label, rationale=match.reason, details=details)


def match_of(thing: Answered) -> Match | None:
    """Compare an answer's figure with the reference's; None if a rule cannot judge the case."""
    reference = thing.case.target
    if thing.pair.task not in REFERENCED or not is_figure(reference):
        return None
    return match_figures(
        read_answer(thing.text).answer,
        reference,
        question=thing.case.query,
        is_calculated=thing.pair.task == "medium",
    )


def normalised(text: str) -> str:
    """Return a text in small letters, without punctuation, articles and extra whitespace."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def exact_match(answer: str, reference: str) -> int | None:
    """Return 1 if both are the same figure, else 0; None if the reference is none."""
    if not is_figure(reference):
        return None
    figure, wanted = read_figure(answer), read_figure(reference)
    is_same = figure is not None and wanted is not None and figure.value == wanted.value
    return int(is_same and match_figures(answer, reference).correct)


def token_f1(answer: str, reference: str) -> float:
    """Return the F1 of the tokens that both normalised texts share.

    Two texts without a token are the same, as in SQuAD 2.0.
    """
    words, wanted = normalised(answer).split(), normalised(reference).split()
    if not words or not wanted:
        return float(words == wanted)
    n_same = sum((Counter(words) & Counter(wanted)).values())
    return 2 * n_same / (len(words) + len(wanted))


def rouge_l(answer: str, reference: str) -> float:
    """Return ROUGE-L's F-measure (Lin 2004)."""
    return float(_scorer().score(reference, answer)["rougeL"].fmeasure)


@cache
def _scorer() -> Any:
    from rouge_score.rouge_scorer import RougeScorer  # loads NLTK, which takes a second

    return RougeScorer(["rougeL"])
