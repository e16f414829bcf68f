"""FailSafeQA's judge: rates answers from 1 to 6 by rubric.

Paper 000, "Judging Criteria". A rating of 4 or more is compliant. For an answerable case, the judge
sees the pair's original query, not the perturbed one. A perturbation changes the wording, not the
question, so all five answers are judged alike (and share one prompt prefix).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tasks.core.rows import Judgement
from tasks.inference.client import ask_each
from tasks.inference.operation import Engine, Operation, Question, Reply
from tasks.inference.prompts import read_template
from tasks.suites.failsafeqa.judge.verdict import (
    SAMPLING,
    TEMPLATE,
    Inputs,
    parse_verdict,
    shown,
)
from tasks.suites.shared.judging import Answered, why_no_answer
from tasks.suites.shared.verdicts import unscored_reason


def _operation(rubric: str) -> Operation[Inputs, int]:
    return Operation(
        name=f"judge_{rubric}",
        template=TEMPLATE,
        inputs=Inputs,
        parse=parse_verdict,
        is_verdict=True,
        sampling=SAMPLING,
    )


JUDGE_ANSWERABLE = _operation("answerable")
JUDGE_MISSING_CONTEXT = _operation("missing_context")
JUDGE_IRRELEVANT_CONTEXT = _operation("irrelevant_context")
OPERATIONS = (JUDGE_ANSWERABLE, JUDGE_MISSING_CONTEXT, JUDGE_IRRELEVANT_CONTEXT)


def judge(answered: Iterable[Answered], engine: Engine) -> Iterator[Judgement]:
    """Yield one judgement per answered case, in order; the judge sees no failed answers."""
    things = list(answered)
    replies = ask_judge(
        engine,
        [(operation_of(each), _question(each)) for each in things if each.response.status == "ok"],
    )
    for thing in things:
        yield _judgement(thing, replies.get(thing.request.request_id))


def ask_judge(
    engine: Engine, questions: Sequence[tuple[Operation[Inputs, int], Question[Inputs]]]
) -> dict[str, Reply[int]]:
    """Ask questions, those of one operation together; return the replies by subject."""
    asked = [
        (operation, [question for of, question in questions if of is operation])
        for operation in OPERATIONS
    ]
    return {reply.subject_id: reply for some in ask_each(engine, asked) for reply in some}


def operation_of(thing: Answered) -> Operation[Inputs, int]:
    """Select the judge's operation for a case by its correct behaviour."""
    if thing.case.is_answerable:
        return JUDGE_ANSWERABLE
    return JUDGE_MISSING_CONTEXT if thing.case.context_id is None else JUDGE_IRRELEVANT_CONTEXT


def rubric_of(operation: Operation[Inputs, int]) -> str:
    """Return the text of an operation's rubric."""
    return read_template(f"failsafeqa/rubrics/{operation.name.removeprefix('judge_')}").strip()


def _question(thing: Answered) -> Question[Inputs]:
    case, pair = thing.case, thing.pair
    return thing.question(
        shown(
            rubric=rubric_of(operation_of(thing)),
            citation=pair.citation_text,
            query=pair.query if case.is_answerable else case.query,
            reference=case.target,
            answer=thing.text,
        )
    )


def _judgement(thing: Answered, reply: Reply[int] | None) -> Judgement:
    return thing.judgement(
        rating=None if reply is None else reply.value,
        unscored_reason=why_no_answer(thing.response) if reply is None else unscored_reason(reply),
        rationale=None if reply is None else reply.response.text,
        judge_request_id=None if reply is None else reply.request.request_id,
    )
