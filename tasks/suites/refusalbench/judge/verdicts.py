"""Read what a judge says of a reply, as it should be read or as the authors' code reads it.

Two settings, two verdicts: `read_verdict` for one passage, `read_garage_verdict` for several.

- `strict` reads a verdict in its one possible reading. Without one it is unscored, with a reason.
- `official` does what the authors' code does: brackets stay in the class, which then matches no
  code. A verdict that it cannot read is the first known code anywhere in it, or else an answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tasks.inference.replies import ParseError, read_value
from tasks.suites.refusalbench.judge.codes import ATTEMPT
from tasks.suites.refusalbench.strata import ALIASES, ANSWER, CODES
from tasks.text.json_replies import objects

ReadingMode = Literal["official", "strict"]

LOWEST, HIGHEST, GOOD = 1, 5, 4  # the scale of quality, and the least of a correct answer
_SCORES = tuple(f"{half / 2:g}" for half in range(2 * LOWEST, 2 * HIGHEST + 1))
_FLAGS = ("ELIGIBILITY", "FACTUALITY_ALL", "FACTUALITY_RELEVANT")


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalVerdict:
    """What a judge says of a reply on one passage, in the fields of the authors' results.

    Attributes:
        model_predicted_type: a code or `answer_attempt`; None if the verdict is unread.
        answer_quality_score: 1 to 5, of an answer to an answerable case.
        refusal_match_correct: whether the code is the expected one; None for such an answer.
        unscored_reason: why a strict reading failed.
    """

    model_predicted_type: str | None
    answer_quality_score: float | None = None
    refusal_match_correct: bool | None = None
    unscored_reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GarageVerdict:
    """What a judge says of a reply on several passages, in the fields of the authors' results.

    Attributes:
        refusal_classification: a code or `answer_attempt`; None if the verdict is unread.
        eligibility_score: whether an answer to an answerable case addresses the query, 1 or 0.
        unadjusted_factuality_score: whether all passages support all of it.
        raf_score: whether the relevant passages do, and in a strict reading whether it is eligible,
            too (paper, appendix D); 0 for a false refusal.
        refusal_match_correct: whether an unanswerable case got its code.
        false_refusal: whether an answerable case was refused.
        missed_refusal: whether an unanswerable case was answered.
        unscored_reason: why a strict reading failed.
    """

    refusal_classification: str | None
    eligibility_score: float | None = None
    unadjusted_factuality_score: float | None = None
    raf_score: float | None = None
    refusal_match_correct: bool | None = None
    false_refusal: bool | None = None
    missed_refusal: bool | None = None
    unscored_reason: str | None = None


def read_verdict(text: str, expected: str, mode: ReadingMode) -> RefusalVerdict:
    """Read a judge's CLASSIFICATION and QUALITY_SCORE of a reply on one passage.

    Args:
        expected: the code that the case demands, or ANSWER_CORRECTLY.
    """
    _check(expected, mode)
    try:
        predicted, quality = (
            _official(text) if mode == "official" else parse_verdict(text, expected == ANSWER)
        )
    except ParseError as error:
        return RefusalVerdict(model_predicted_type=None, unscored_reason=str(error))
    is_answer = predicted == ATTEMPT and expected == ANSWER
    return RefusalVerdict(
        model_predicted_type=predicted,
        answer_quality_score=quality if is_answer else None,
        refusal_match_correct=None if is_answer else predicted == expected,
    )


def read_garage_verdict(text: str, expected: str, mode: ReadingMode) -> GarageVerdict:
    """Read a judge's CLASSIFICATION, ELIGIBILITY and both FACTUALITY flags of a reply.

    Args:
        expected: the code that the case demands, or ANSWER_CORRECTLY.
    """
    _check(expected, mode)
    try:
        predicted, flags = (
            _official_garage(text)
            if mode == "official"
            else parse_garage_verdict(text, expected == ANSWER)
        )
    except ParseError as error:
        return GarageVerdict(refusal_classification=None, unscored_reason=str(error))
    if expected != ANSWER:
        return GarageVerdict(
            refusal_classification=predicted,
            refusal_match_correct=predicted == expected,
            missed_refusal=predicted == ATTEMPT,
        )
    is_refused = predicted != ATTEMPT
    if is_refused:
        # the authors score what was not answered as 0; only RAF is defined so
        flags = (0, 0, 0) if mode == "official" else (None, None, 0)
    eligibility, of_all, of_relevant = flags
    if mode == "strict" and not is_refused:
        of_relevant = min(eligibility or 0, of_relevant or 0)
    return GarageVerdict(
        refusal_classification=predicted,
        eligibility_score=eligibility,
        unadjusted_factuality_score=of_all,
        raf_score=of_relevant,
        false_refusal=is_refused,
    )


def as_lines(reply: str) -> str:
    """Write a verdict in JSON as the labelled lines that the authors' code reads."""
    verdicts = [each for each in objects(reply) if "classification" in each]
    if len(verdicts) != 1:
        return reply
    return "\n".join(f"{label.upper()}: {value}" for label, value in verdicts[0].items())


def parse_verdict(text: str, is_answerable: bool) -> tuple[str, float | None]:
    """Read a class and a quality score strictly.

    Raises:
        ParseError: one of them has no reading, or several; an answer to an answerable case needs a
            score, and none may be off the scale. Beside a code a score says nothing.
    """
    predicted = _class_of(text)
    if predicted != ATTEMPT:
        return predicted, None
    return predicted, _number_of(text, "QUALITY_SCORE", _SCORES, is_needed=is_answerable)


def parse_garage_verdict(text: str, is_answerable: bool) -> tuple[str, Sequence[float | None]]:
    """Read a class and three flags strictly; see `parse_verdict`."""
    predicted = _class_of(text)
    if predicted != ATTEMPT:
        return predicted, (None, None, None)
    return predicted, [
        _number_of(text, flag, ("0", "1"), is_needed=is_answerable) for flag in _FLAGS
    ]


def _class_of(text: str) -> str:
    classes = {name: name for name in (ATTEMPT, *CODES)} | ALIASES
    return read_value(text, "classification", classes)


def _number_of(text: str, label: str, scores: Sequence[str], *, is_needed: bool) -> float | None:
    options: dict[str, float | None] = {score: float(score) for score in scores}
    options |= {f"{score}/{scores[-1]}": number for score, number in options.items()}
    options["N/A"] = None
    number = read_value(text, label.casefold(), options)
    if is_needed and number is None:
        raise ParseError(f"the verdict has no {label} for an answer")
    return number


def _check(expected: str, mode: str) -> None:
    if expected not in (ANSWER, *CODES):
        raise ValueError(
            f"No case expects {expected!r}. Give {ANSWER!r} or a code of the released data, such "
            f"as {CODES[0]!r}."
        )
    if mode not in ("official", "strict"):
        raise ValueError(f"There is no way {mode!r} to read verdicts. Use 'official' or 'strict'.")


def _official(text: str) -> tuple[str, float | None]:
    predicted, quality = _after(text, "CLASSIFICATION"), _after(text, "QUALITY_SCORE")
    if predicted is not None and quality is not None:
        try:
            return predicted, None if quality == "N/A" else float(quality)
        except ValueError:  # an unread score loses the class, too
            pass
    return next((code for code in CODES if code in text.upper()), ATTEMPT), None


def _official_garage(text: str) -> tuple[str, Sequence[float | None]]:
    predicted = _after(text, "CLASSIFICATION")
    return ATTEMPT if predicted is None else predicted, [_flag(_after(text, f)) for f in _FLAGS]


def _flag(value: str | None) -> int | None:
    if value is not None and value.upper() == "N/A":
        return None
    try:
        return int(value or 0)
    except ValueError:
        return 0


def _after(text: str, label: str) -> str | None:
    """Return what follows a label at the start of a line, up to the same label."""
    for line in text.strip().split("\n"):
        if line.startswith(f"{label}:"):
            return line.split(f"{label}:")[1].strip()
    return None
