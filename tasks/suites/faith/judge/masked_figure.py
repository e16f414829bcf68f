"""FAITH's judges: compare a reply's figure with the masked one (paper 004, "Evaluation").

`official` is the authors' scorer (`numeric_official.py`). `strict` is what a financial reader
expects (`tasks/suites/shared/figure_match.py`). Each kind of difference between them has an example
in `tests/tasks/suites/faith/judge/numeric_deviations.toml`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any, Literal

from tasks.core.ids import canonical_json
from tasks.core.rows import Judgement, QAPair
from tasks.inference.operation import Engine, ParseError
from tasks.quantities.figures import find_figures
from tasks.suites.faith.answer import parse
from tasks.suites.faith.judge.numeric_official import judge_official
from tasks.suites.faith.maskable import MASK
from tasks.suites.judge import Answered, why_no_answer
from tasks.suites.shared.figure_match import OPPOSITE_SIGN, Match, match_figures, read_figure

Mode = Literal["strict", "official"]

CORRECT, WRONG = "correct", "wrong"
CUT_OFF = "the answer was cut off"
WITHOUT_ITS_SIGN = "the same figure without its minus, as the prompt asks for it"
SIGN_OF_THE_SENTENCE = "the same figure, with the sign that it has in the sentence"


def judge(
    answered: Sequence[Answered], _: Engine | None, __: Any, *, mode: Mode
) -> Iterator[Judgement]:
    """Yield one judgement per answered case, in order: `correct`, `wrong` or `unreadable`.

    The reason is its rationale. An unreadable reply counts as wrong in both modes, as by the
    authors' scorer; only a missing response has no verdict but an `unscored_reason`. `details`
    holds the answer and scenario that the reply names, the numbers of the answer and of the
    target, and whether the answer is what the sentence has at the mask.
    """
    for thing in answered:
        if (missing := why_no_answer(thing.response)) is not None:
            yield thing.judgement(unscored_reason=missing)
            continue
        try:
            restored = parse(thing.text)
        except ParseError as error:
            is_cut_off = thing.response.finish_reason == "length"
            yield thing.unreadable(CUT_OFF if is_cut_off else str(error))
            continue
        written = written_figure(thing.pair)
        verdict = compared(restored.answer, thing.case.target, written, mode)
        yield thing.judgement(
            label=CORRECT if verdict.correct else WRONG,
            rationale=verdict.reason,
            details=canonical_json(asdict(restored) | _numbers(restored.answer, thing, written)),
        )


def match(answer: str, truth: str, mode: Mode) -> Match:
    """Compare an answer with the true figure; never raise."""
    if mode == "official":
        return Match(*judge_official(answer, truth))
    return match_figures(answer, truth)


def _numbers(answer: str, thing: Answered, written: str | None) -> dict[str, Any]:
    """Return values in ones of their unit, and the digits after their points, for `wrong_answers`.

    If the answer says what the sentence has at the mask, only the target can be wrong.
    """
    said, expected = (
        next(iter(find_figures(text, alone=True)), None) for text in (answer, thing.case.target)
    )
    return {
        "value": said and f"{said.value:f}",
        "decimals": said and said.decimals,
        "expected": expected and f"{expected.value:f}",
        "expected_decimals": expected and expected.decimals,
        "is_written": written is not None and compared(answer, written, written, "strict").correct,
    }


def compared(answer: str, truth: str, written: str | None, mode: Mode) -> Match:
    """Judge an answer; accept a sign from the truth, prompt or sentence.

    The prompt asks for a positive value, even for a decrease or a loss. A truth of `(14)%` or -3.5%
    therefore matches 14% or 3.5%. A minus that the truth lacks is right if the sentence has it at
    the mask; `written` is what stands there, if known.
    """
    comparison = match(answer, truth, mode)
    if comparison.reason == OPPOSITE_SIGN:
        figure, original = read_figure(answer), read_figure(written or "")
        if figure is not None and figure.value >= 0:
            return Match(True, WITHOUT_ITS_SIGN)
        if original is not None and original.value < 0:
            return Match(True, SIGN_OF_THE_SENTENCE)
    return comparison


def written_figure(pair: QAPair) -> str | None:
    """Return what a pair's sentence has at the mask of its query; None if they do not agree."""
    sentence = " ".join(pair.citation_text.split())
    masked = next((line for line in pair.query.split("\n") if MASK in line), "")
    left, _, right = masked.partition(MASK)
    if not masked or not sentence.startswith(left) or not sentence.endswith(right):
        return None
    return sentence[len(left) : len(sentence) - len(right)].strip() or None
