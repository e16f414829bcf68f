"""FailSafeQA's judge: rates answers from 1 to 6 by rubric.

Paper 000, "Judging Criteria". A rating of 4 or more is compliant. For an answerable case, the judge
sees the pair's original query, not the perturbed one. A perturbation changes the wording, not the
question, so all five answers are judged alike (and share one prompt prefix).

What else the judge sees differs by judge (`Evidence`): the cited passages, as in the paper; the
pair's whole context, clean also where the model saw a scan; or the reference only. The source of
paper 000 compares the three with ratings by people, in a part that was not printed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, get_args

from tasks.core.rows import Judgement
from tasks.inference.client import ask_each
from tasks.inference.operation import Engine, Operation, Question, Reply
from tasks.inference.prompts import read_template
from tasks.inference.schemas import REASON, closed, one_of
from tasks.suites.failsafeqa.judge.verdict import (
    HIGHEST,
    LOWEST,
    SAMPLING,
    TEMPLATE,
    Inputs,
    parse_verdict,
    shown,
)
from tasks.suites.shared.judging import Answered, why_no_answer
from tasks.suites.shared.verdicts import unscored_reason

Evidence = Literal["citations", "full_context", "reference_only"]
NO_EVIDENCE = "(none are shown)"
_SCHEMA = closed(reason=REASON, rating=one_of(*range(LOWEST, HIGHEST + 1)))


def _operation(rubric: str, evidence: Evidence) -> Operation[Inputs, int]:
    return Operation(
        name=f"judge_{rubric}" + ("" if evidence == "citations" else f"_by_{evidence}"),
        template=TEMPLATE,
        inputs=Inputs,
        parse=parse_verdict,
        is_verdict=True,
        sampling=SAMPLING,
        schema=_SCHEMA,
    )


RUBRICS = ("answerable", "missing_context", "irrelevant_context")
# By what the judge sees, in the order of the rubrics.
OPERATIONS: Mapping[Evidence, tuple[Operation[Inputs, int], ...]] = {
    evidence: tuple(_operation(rubric, evidence) for rubric in RUBRICS)
    for evidence in get_args(Evidence)
}


def judge(
    answered: Iterable[Answered], engine: Engine, evidence: Evidence = "citations"
) -> Iterator[Judgement]:
    """Yield one judgement per answered case, in order; the judge sees no failed or empty answers.

    An empty answer is no refusal, so it is wrong in every variant.
    """
    things = list(answered)
    replies = ask_judge(
        engine,
        [
            (operation_of(thing, evidence), _question(thing, evidence))
            for thing in things
            if thing.response.status == "ok" and not _is_empty(thing)
        ],
    )
    for thing in things:
        if thing.response.status == "ok" and _is_empty(thing):
            yield thing.unreadable("the reply has no letter and no digit")
        else:
            yield _judgement(thing, replies.get(thing.request.request_id))


def ask_judge(
    engine: Engine, questions: Sequence[tuple[Operation[Inputs, int], Question[Inputs]]]
) -> dict[str, Reply[int]]:
    """Ask questions, those of one operation together; return the replies by subject."""
    asked = [
        (operation, [question for of, question in questions if of is operation])
        for operations in OPERATIONS.values()
        for operation in operations
        if any(of is operation for of, _ in questions)
    ]
    return {reply.subject_id: reply for some in ask_each(engine, asked) for reply in some}


def operation_of(thing: Answered, evidence: Evidence = "citations") -> Operation[Inputs, int]:
    """Select the judge's operation for a case by its correct behaviour."""
    answerable, missing_context, irrelevant_context = OPERATIONS[evidence]
    if thing.case.is_answerable:
        return answerable
    return missing_context if thing.case.context_id is None else irrelevant_context


def rubric_of(operation: Operation[Inputs, int]) -> str:
    """Return the text of an operation's rubric."""
    rubric = operation.name.removeprefix("judge_").partition("_by_")[0]
    return read_template(f"failsafeqa/rubrics/{rubric}").strip()


def _question(thing: Answered, evidence: Evidence) -> Question[Inputs]:
    case, pair = thing.case, thing.pair
    passages = {"citations": pair.citation_text, "full_context": thing.context}
    return thing.question(
        shown(
            rubric=rubric_of(operation_of(thing)),
            citation=passages.get(evidence, NO_EVIDENCE),
            query=pair.query if case.is_answerable else case.query,
            reference=case.target,
            answer=thing.text,
        )
    )


def _is_empty(thing: Answered) -> bool:
    return not any(map(str.isalnum, thing.text))


def _judgement(thing: Answered, reply: Reply[int] | None) -> Judgement:
    return thing.judgement(
        rating=None if reply is None else reply.value,
        unscored_reason=why_no_answer(thing.response) if reply is None else unscored_reason(reply),
        rationale=None if reply is None else reply.response.text,
        judge_request_id=None if reply is None else reply.request.request_id,
    )
