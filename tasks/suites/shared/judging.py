"""What judges are given: an answered case, or two models' answers to it.

Judges are tested too: by the same answers again, by other judges, and by a set of attacks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any, Literal

from tasks.core.ids import stable_id
from tasks.core.rows import Case, Judgement, QAPair, Request, Response
from tasks.inference.operation import NOT_IMPORTED_TYPE, Question

_NO_ANSWER = "the model did not answer"
# Label of a reply that no judge could read: it counts as wrong in every suite and every metric.
UNREADABLE = "unreadable"
NO_IMPORTED_ANSWER = f"{_NO_ANSWER}: {NOT_IMPORTED_TYPE}"  # why an unanswered case is unscored


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """One case, its pair, and a model's answer or failure to answer.

    Attributes:
        judge: name of the judge to which it is given.
        context: the text that the judge reads (`Judge.reads_contexts`): what the model was shown,
            or the pair's context.
        occasion: 0 when the judge first sees it, 1 when it judges again.
    """

    case: Case
    pair: QAPair
    request: Request
    response: Response
    judge: str
    context: str = ""
    occasion: int = 0

    @property
    def text(self) -> str:
        """The answer's text; empty if the model gave none."""
        return self.response.text or ""

    @property
    def subject_id(self) -> str:
        """Subject id of a judge's call about it."""
        return self.request.request_id

    def question(self, inputs: Any) -> Question[Any]:
        """Ask a judge about it; when it judges again, that is a call of its own."""
        return Question(self.subject_id, inputs, self.case.case_id, self.occasion)

    @property
    def models(self) -> tuple[str, ...]:
        """Name of the model that answered."""
        return (self.request.model,)

    def judgement(self, **verdict: Any) -> Judgement:
        """Make the judge's row about it; `verdict` is the rest of the row's columns."""
        return Judgement(
            judgement_id=stable_id("judgement", self.request.request_id, self.judge),
            request_id=self.request.request_id,
            case_id=self.case.case_id,
            model=self.request.model,
            judge=self.judge,
            **verdict,
        )

    def unreadable(self, reason: str, details: str | None = None) -> Judgement:
        """Judge an empty or unreadable reply wrong, with the reason as its rationale."""
        return self.judgement(label=UNREADABLE, rationale=reason, details=details)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredPair:
    """Two models' answers to one case, in the order in which a judge is shown them."""

    first: Answered
    second: Answered

    @property
    def case(self) -> Case:
        """The case of both answers."""
        return self.first.case

    @property
    def pair(self) -> QAPair:
        """The pair of the case."""
        return self.first.pair

    @property
    def context(self) -> str:
        """The text that both models were shown, if the judge reads it."""
        return self.first.context

    @property
    def occasion(self) -> int:
        """The occasion of both answers."""
        return self.first.occasion

    @property
    def subject_id(self) -> str:
        """Subject id of a judge's call about them, in their order."""
        return f"{self.first.subject_id} {self.second.subject_id}"

    def question(self, inputs: Any) -> Question[Any]:
        """Ask a judge about them; when it judges again, that is a call of its own."""
        return Question(self.subject_id, inputs, self.case.case_id, self.occasion)

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models that answered, in the order shown."""
        return (self.first.request.model, self.second.request.model)

    def judgement(self, **verdict: Any) -> Judgement:
        """Make the judge's row about them; `verdict` is the rest of the row's columns."""
        first, second, judge = self.first.request, self.second.request, self.first.judge
        return Judgement(
            judgement_id=stable_id("judgement", first.request_id, second.request_id, judge),
            request_id=first.request_id,
            other_request_id=second.request_id,
            case_id=self.case.case_id,
            model=first.model,
            other_model=second.model,
            judge=judge,
            **verdict,
        )


Unit = Literal["answer", "two answers"]


def units_of(unit: Unit, answered: Sequence[Answered]) -> list[Answered] | list[AnsweredPair]:
    """List what a judge is given: answers, or each two answers to one case in both orders."""
    if unit == "answer":
        return list(answered)
    same_case: dict[str, list[Answered]] = {}
    for each in answered:
        same_case.setdefault(each.case.case_id, []).append(each)
    return [
        AnsweredPair(first=first, second=second)
        for same in same_case.values()
        for first, second in permutations(same, 2)
    ]


def why_no_answer(response: Response) -> str | None:
    """Return why there is nothing to judge, from a closed set; None if the model answered."""
    if response.status == "ok":
        return None
    return f"{_NO_ANSWER}: {response.error_type or response.status}"


def right(_: Case, judgement: Judgement) -> float | None:
    """Return 1 for a right answer, 0 for a wrong one, or a score; None if the judge says neither.

    A rating is good from 4. The warehouse counts alike (`staging.judged_answers`).
    """
    if judgement.rating is not None:
        return float(judgement.rating >= 4)
    if judgement.label is not None:
        return {"correct": 1.0, "wrong": 0.0, UNREADABLE: 0.0}.get(judgement.label)
    return judgement.score
