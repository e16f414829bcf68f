"""The check that a rewritten query has the same answer as its original, in the same document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tasks.core.rows import Case, Sampling
from tasks.inference.client import ask
from tasks.inference.operation import Operation, Question, Reply
from tasks.inference.replies import read_choice
from tasks.inference.schemas import REASON, closed, one_of
from tasks.suites.failsafeqa.perturbations.material import Material

SAME, SEVERAL, ANOTHER = "same", "several", "another"
FAULTS = {
    SEVERAL: "the document has several answers to the rewriting",
    ANOTHER: "the rewriting asks for something else",
}
UNKNOWN_COMPANY = "the company whose report the document is"


@dataclass(frozen=True, slots=True, kw_only=True)
class SameAnswerInputs:
    """The prompt's inputs."""

    context: str
    company: str
    query: str
    answer: str
    rewritten: str


def check_same_answer(
    rewritten: Sequence[tuple[Case, str]], material: Material
) -> list[Reply[str]]:
    """Ask of each case and rewriting whether the context answers both alike."""
    questions = [
        Question(
            case.case_id,
            SameAnswerInputs(
                context=material.contexts[case.context_id or ""].text,
                company=material.company_names.get(case.context_id or "", UNKNOWN_COMPANY),
                query=case.query,
                answer=case.target or "",
                rewritten=query,
            ),
            case.case_id,
        )
        for case, query in rewritten
    ]
    return ask(material.engine, OPERATION, questions)


def read_verdict(reply: str) -> str:
    """Read whether a reply finds the same answer, several or another; see `read_choice`."""
    return read_choice(reply, "verdict", (SAME, SEVERAL, ANOTHER))


OPERATION = Operation(
    name="check_same_answer",
    template="failsafeqa/check_same_answer",
    inputs=SameAnswerInputs,
    parse=read_verdict,
    sampling=Sampling(temperature=0.0, max_tokens=256),
    schema=closed(reason=REASON, verdict=one_of(SAME, SEVERAL, ANOTHER)),
)
