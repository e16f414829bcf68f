"""FAITH's judge: a rule that compares the figure of a model's reply with the one that was hidden (paper 004).

It is run once for each way of comparing: `strict` and `official` are two judges of the same answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from tasks.core.ids import canonical_json, stable_id
from tasks.core.rows import Judgement, QAPair
from tasks.inference.operation import ParseError
from tasks.quantities.units import Units
from tasks.suites.faith.judge.numeric_match import OPPOSITE_SIGN, Match, Mode, is_negative, match
from tasks.suites.faith.masking import MASK
from tasks.suites.shared.judging import Answered, why_no_answer

CORRECT, WRONG = "correct", "wrong"
CUT_OFF = "the answer was cut off"
WITHOUT_ITS_SIGN = "the same figure without its minus, as the prompt asks for it"
SIGN_OF_THE_SENTENCE = "the same figure, with the sign that it has in the sentence"


class Read(Protocol):
    """What is read out of a model's reply."""

    @property
    def answer(self) -> str: ...
    @property
    def scenario(self) -> str | None: ...
    @property
    def metrics(self) -> tuple[str, ...]: ...
    @property
    def reference(self) -> tuple[str, ...]: ...


def judge(
    answered: Iterable[Answered], *, mode: Mode, read: Callable[[str], Read], units: Units | None = None
) -> Iterator[Judgement]:
    """One judgement per answered case, in order: `correct` or `wrong`, with the reason as its rationale.

    A reply that cannot be read has no verdict but an `unscored_reason`; `official` finds it wrong, as the authors'
    scorer finds a missing answer, so that no model gains by replies that nobody can read. A response that never came
    has no verdict by either. `details` holds the answer, the scenario, the metrics and the references that the reply
    names.

    Args:
        mode: how figures are compared, and the judge's name.
        read: a reply's text -> what it says; raises ParseError, whose message is from a closed set.
        units: see `numeric_match.match`.
    """
    for thing in answered:
        reason = why_no_answer(thing.response)
        said, verdict = None, None
        if reason is None:
            try:
                said = read(thing.response.text or "")
            except ParseError as error:
                reason = CUT_OFF if thing.response.finish_reason == "length" else str(error)
                if mode == "official":
                    verdict, reason = Match(False, reason), None
            else:
                written = written_figure(thing.pair)
                verdict = compared(said.answer, thing.case.target, written, mode, units)
        yield Judgement(
            judgement_id=stable_id("judgement", thing.request.request_id, mode),
            request_id=thing.request.request_id,
            case_id=thing.case.case_id,
            model=thing.request.model,
            judge=mode,
            label=None if verdict is None else CORRECT if verdict.correct else WRONG,
            unscored_reason=reason,
            rationale=None if verdict is None else verdict.reason,
            details=None if said is None else _details(said),
            judge_request_id=None,
        )


def compared(answer: str, truth: str, written: str | None, mode: Mode, units: Units | None = None) -> Match:
    """The verdict on an answer; a sign is wrong only where neither truth, prompt nor sentence has it.

    The prompt asks for one positive value, even for a decrease or a loss, so that a truth of `(14)%` or -3.5% is right
    as 14% or 3.5%. A minus that the truth lacks is right where the sentence writes it at the blank.

    `written` is what stands at the blank of the sentence, where that is known.
    """
    found = match(answer, truth, mode, units)
    if found.reason == OPPOSITE_SIGN:
        if is_negative(answer, units) is False:
            return Match(True, WITHOUT_ITS_SIGN)
        if written is not None and is_negative(written, units):
            return Match(True, SIGN_OF_THE_SENTENCE)
    return found


def written_figure(pair: QAPair) -> str | None:
    """What stands in a pair's sentence where its query has the mask; None where the two do not agree."""
    sentence = " ".join(pair.citation_text.split())
    masked = next((line for line in pair.query.split("\n") if MASK in line), "")
    left, _, right = masked.partition(MASK)
    if not masked or not sentence.startswith(left) or not sentence.endswith(right):
        return None
    return sentence[len(left) : len(sentence) - len(right)].strip() or None


def _details(said: Read) -> str:
    return canonical_json(
        {
            "answer": said.answer,
            "scenario": said.scenario,
            "metrics": said.metrics,
            "reference": said.reference,
        }
    )
