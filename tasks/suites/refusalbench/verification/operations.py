"""The operations by which a verifier checks a perturbation (keys of replies: the authors')."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from tasks.inference.operation import Operation
from tasks.inference.replies import ParseError
from tasks.inference.schemas import TRUE_OR_FALSE, closed, listed, one_of, text
from tasks.suites.refusalbench.generation.operations import SAMPLING, one_object
from tasks.suites.refusalbench.strata import ANSWER, CODES

# The paper names seven questions; the authors' code has an eighth, and a ninth for ten passages.
QUESTIONS: dict[str, tuple[str, ...]] = {
    "single": (
        "lever_correctly_implemented",
        "intensity_correctly_achieved",
        "target_correctly_modified",
        "uncertainty_successfully_induced",
        "implementation_quality_sound",
        "answer_constraint_satisfied",
        "ground_truth_alignment",
        "refusal_class_correct",
    )
}
QUESTIONS["multi"] = (*QUESTIONS["single"][:3], "strategy_compliance", *QUESTIONS["single"][3:])
_VERDICTS = {"pass": True, "fail": False}
_BOOLEANS = {"true": True, "yes": True, "false": False, "no": False}


@dataclass(frozen=True, slots=True)
class CheckInputs:
    """The prompt's inputs: a stratum, a base question, and what was made of it."""

    stratum: str
    description: str
    criterion: str
    target: str
    constraint: str
    levers: str
    query: str
    answers: str
    passages: str
    new_query: str
    new_passages: str
    lever: str
    stated_intensity: str
    reasoning: str
    expected: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A verifier's verdict; `failed` are the questions that it answers with no."""

    passes: bool
    failed: tuple[str, ...]
    behavior: str
    issues: str


def parse_check(setting: str, reply: str) -> Check:
    """Read a verifier's reply.

    Raises:
        ParseError: a question has no answer; or a verdict that nobody asked for is neither PASS nor
            FAIL, or is PASS although a question is answered with no.
    """
    questions = QUESTIONS[setting]
    fields = one_object(reply, questions)
    answers = {name: _BOOLEANS.get(_said(fields[name])) for name in questions}
    if unclear := [name for name, answer in answers.items() if answer is None]:
        raise ParseError(f"{unclear[0]} is neither true nor false")
    failed = tuple(name for name, answer in answers.items() if not answer)
    passes = _VERDICTS.get(_said(fields.get("verification_result", "fail" if failed else "pass")))
    if passes is None:
        raise ParseError("verification_result is neither PASS nor FAIL")
    if passes and failed:
        raise ParseError(f"verification_result is PASS, and {failed[0]} is false")
    return Check(
        passes=passes,
        failed=failed,
        behavior=str(fields.get("predicted_rag_behavior") or ""),
        issues=_issues(fields.get("identified_issues")),
    )


def _said(value: Any) -> str:
    return str(value).strip(" .*`\"'").casefold()


def _issues(value: Any) -> str:
    """Return a reply's issues as lines; the field may be a list, a text or missing."""
    return "\n".join(map(str, value)) if isinstance(value, list) else str(value or "")


OPERATIONS: Mapping[str, Operation[CheckInputs, Check]] = {
    setting: Operation(
        name=f"verify_{setting}",
        template=f"refusalbench/verify_{setting}",
        inputs=CheckInputs,
        parse=partial(parse_check, setting),
        sampling=SAMPLING,
        schema=closed(
            identified_issues=listed(text(200), most=3),
            **dict.fromkeys(QUESTIONS[setting], TRUE_OR_FALSE),
            predicted_rag_behavior=one_of(ANSWER, *CODES),
        ),
    )
    for setting in QUESTIONS
}
