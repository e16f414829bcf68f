"""FailSafeQA's judge: rates answers from 1 to 6 by rubric.

Paper 000, "Judging Criteria". A rating of 4 or more is compliant. For an answerable case, the judge
sees the pair's original query, not the perturbed one. A perturbation changes the wording, not the
question, so all five answers are judged alike (and share one prompt prefix).

What else the judge sees differs by judge (`Evidence`): the cited passages, as in the paper; the
pair's whole context, clean also where the model saw a scan; or the reference only. The source of
paper 000 compares the three with ratings by people, in a part that was not printed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal, get_args

from tasks.core.rows import Judgement, Sampling
from tasks.inference.operation import Engine, Operation
from tasks.inference.prompts import read_template
from tasks.inference.replies import read_rating
from tasks.inference.schemas import REASON, closed, one_of
from tasks.suites import judge as judging
from tasks.suites.judge import Answered

Evidence = Literal["citations", "full_context", "reference_only"]
NO_EVIDENCE = "(none are shown)"
LOWEST, HIGHEST = 1, 6
SCHEMA = closed(reason=REASON, rating=one_of(*range(LOWEST, HIGHEST + 1)))


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricInputs:
    """The judge's inputs; all answers to a question share all but fence and answer."""

    rubric: str
    citation: str
    query: str
    reference: str
    fence: str
    answer: str


def shown(rubric: str, citation: str, query: str, reference: str, answer: str) -> RubricInputs:
    """Return a judge's inputs, of which none can fake a verdict or end the answer."""
    texts = {"rubric": rubric, "citation": citation, "query": query, "reference": reference}
    return judging.shown(RubricInputs, SCHEMA, None, **texts, answer=answer)


def _operation(rubric: str, evidence: Evidence) -> Operation[RubricInputs, int]:
    return Operation(
        name=f"judge_{rubric}" + ("" if evidence == "citations" else f"_by_{evidence}"),
        template="failsafeqa/verdict",
        inputs=RubricInputs,
        parse=partial(read_rating, lowest=LOWEST, highest=HIGHEST),
        sampling=Sampling(temperature=0.0, max_tokens=256),  # paper 000, "Evaluation"
        schema=SCHEMA,
        beside=("failsafeqa/rubrics",),
    )


RUBRICS = ("answerable", "missing_context", "irrelevant_context")
# By what the judge sees, in the order of the rubrics.
OPERATIONS: Mapping[Evidence, tuple[Operation[RubricInputs, int], ...]] = {
    evidence: tuple(_operation(rubric, evidence) for rubric in RUBRICS)
    for evidence in get_args(Evidence)
}


def judge(
    answered: Iterable[Answered], engine: Engine | None, evidence: Evidence = "citations"
) -> Iterator[Judgement]:
    """Yield one judgement per answered case, in order; the judge sees no failed or empty answers.

    An empty answer is no refusal, so it is wrong in every variant.
    """
    return judging.judged(
        [*answered],
        engine,
        lambda thing: _asked(thing, evidence),
        lambda thing, reply: {"rating": reply.value},
    )


def operation_of(thing: Answered, evidence: Evidence = "citations") -> Operation[RubricInputs, int]:
    """Select the judge's operation for a case by its correct behaviour."""
    answerable, missing_context, irrelevant_context = OPERATIONS[evidence]
    if thing.case.is_answerable:
        return answerable
    return missing_context if thing.case.context_id is None else irrelevant_context


def rubric_of(operation: Operation[RubricInputs, int]) -> str:
    """Return the text of an operation's rubric."""
    rubric = operation.name.removeprefix("judge_").partition("_by_")[0]
    return read_template(f"failsafeqa/rubrics/{rubric}").strip()


def _asked(
    thing: Answered, evidence: Evidence
) -> tuple[Operation[RubricInputs, int], RubricInputs] | Judgement:
    case, pair = thing.case, thing.pair
    if thing.response.status == "ok" and not any(map(str.isalnum, thing.text)):
        return thing.unreadable("the reply has no letter and no digit")
    operation = operation_of(thing, evidence)
    passages = {"citations": pair.citation_text, "full_context": thing.context}
    return operation, shown(
        rubric=rubric_of(operation),
        citation=passages.get(evidence, NO_EVIDENCE),
        query=pair.query if case.is_answerable else case.query,
        reference=case.target,
        answer=thing.text,
    )
