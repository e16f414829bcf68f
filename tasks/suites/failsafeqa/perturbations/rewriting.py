"""Queries that a model rewrites: incomplete ones, and those in a layman's words.

From the paper (000): "Extract the numbers related to the Nylon Segment's performance in 2018."
becomes "numbers for Nylon Segment, 2018?", and "Was the net income for 2018 higher than that of
2017?" becomes "Did we make more money in 2018 than in 2017?".

A rewriting must differ from the original and bring no amount or year of its own: a reply that adds
a figure has begun to answer. Then the model must find the same answer to both in the context,
whatever was left out. What fails is asked for again with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from tasks.core.ids import canonical_json
from tasks.core.rows import Case, Context, Reject, Sampling
from tasks.inference.client import ask
from tasks.inference.operation import Operation, ParseError, Question, Reply
from tasks.inference.replies import read_choice
from tasks.inference.schemas import REASON, closed, one_of
from tasks.quantities.figures import find_figures, same_figure
from tasks.suites.failsafeqa.perturbations.material import Material, rejected
from tasks.suites.failsafeqa.questions import operations
from tasks.suites.shared.cases import varied
from tasks.text.json_replies import objects

MOST_CHARS = 1000
MOST_ATTEMPTS = 2
UNKNOWN_COMPANY = "the company whose report the document is"

# --- the check ---------------------------------------------------------------------------

SAME, SEVERAL, ANOTHER = "same", "several", "another"
_FAULTS = {
    SEVERAL: "the document has several answers to the rewriting",
    ANOTHER: "the rewriting asks for something else",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SameAnswerInputs:
    """The inputs of the check's prompt."""

    context: str
    company: str
    query: str
    answer: str
    rewritten: str


CHECK: Operation[SameAnswerInputs, str] = Operation(
    name="check_same_answer",
    template="failsafeqa/check_same_answer",
    inputs=SameAnswerInputs,
    parse=partial(read_choice, key="verdict", options=(SAME, SEVERAL, ANOTHER)),
    sampling=Sampling(temperature=0.0, max_tokens=256),
    schema=closed(reason=REASON, verdict=one_of(SAME, SEVERAL, ANOTHER)),
)

# --- the rewriting -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryToRewrite:
    """The prompt's inputs."""

    company: str = UNKNOWN_COMPANY
    earlier: str = ""  # a rewriting that cannot be used, and why
    query: str


@dataclass(frozen=True, slots=True)
class Rewriting:
    """How a perturbation rewrites a query, to `times` its length and `more` at most."""

    name: str
    operation: Operation[QueryToRewrite, str]
    times: int
    more: int

    def fault_of(self, query: str, rewritten: str) -> str:
        """Explain why a rewriting cannot replace the query; "" if it can."""
        if _words_of(query) == _words_of(rewritten):
            return "the rewriting is the query itself"
        if len(rewritten) > self.times * len(query) + self.more:
            return "the rewriting is too long"
        known = find_figures(query)
        brought = [
            figure.text
            for figure in find_figures(rewritten)
            # a bare number may be a name
            if figure.unit != "count" and not any(same_figure(figure, other) for other in known)
        ]
        if brought:
            return f"the rewriting brings an amount or a year of its own: {', '.join(brought)}"
        return ""


def _words_of(query: str) -> list[str]:
    return re.findall(r"\w+", query.casefold())


def read_rewriting(reply: str) -> str:
    """Read one rewritten query of a limited length; see `operations.parse_query`."""
    query = operations.parse_query(reply)
    if len(query) > MOST_CHARS:
        raise ParseError(f"the rewritten query has more than {MOST_CHARS} characters")
    return query


def _operation(name: str) -> Operation[QueryToRewrite, str]:
    return Operation(
        name=f"perturb_{name}",
        template=f"failsafeqa/{name}",
        inputs=QueryToRewrite,
        parse=read_rewriting,
        sampling=Sampling(temperature=0.0, max_tokens=256),
        schema=operations.QUERY,
    )


INCOMPLETE = Rewriting("incomplete", _operation("incomplete"), 1, 0)
# everyday words are longer
OUT_OF_DOMAIN = Rewriting("out_of_domain", _operation("out_of_domain"), 3, 60)


# --- cases -------------------------------------------------------------------------------


@dataclass(slots=True)
class _Attempt:
    """A case, its last rewriting, and why that cannot be used; "" once the case is decided."""

    case: Case
    company: str
    rewritten: str = ""
    fault: str = ""

    def question(self) -> Question[QueryToRewrite]:
        so_far = f"Rewriting so far: {self.rewritten}\nIt cannot be used: {self.fault}"
        earlier = f"{so_far}\nWrite another." if self.fault else ""
        inputs = QueryToRewrite(query=self.case.query, company=self.company, earlier=earlier)
        return Question(self.case.case_id, inputs, self.case.case_id)

    def check(self, material: Material) -> Question[SameAnswerInputs]:
        inputs = SameAnswerInputs(
            context=material.contexts[self.case.context_id or ""].text,
            company=self.company,
            query=self.case.query,
            answer=self.case.target,
            rewritten=self.rewritten,
        )
        return Question(self.case.case_id, inputs, self.case.case_id)


def rewrite_cases(
    how: Rewriting, cases: Iterable[Case], material: Material
) -> Iterator[Case | Context | Reject]:
    """Rewrite each case's query, or reject it if two rewritings cannot be used."""
    attempts = [
        _Attempt(case, material.company_names.get(case.context_id or "", UNKNOWN_COMPANY))
        for case in cases
    ]
    for number in range(1, MOST_ATTEMPTS + 1):
        replies = ask(material.engine, how.operation, [one.question() for one in attempts])
        to_check: list[tuple[_Attempt, Reply[str]]] = []
        for attempt, reply in zip(attempts, replies, strict=True):
            attempt.fault = ""
            if reply.value is None:
                reason = "no rewriting could be read from the reply"
                yield rejected(how.name, attempt.case, reason, reply.error or "")
                continue
            attempt.rewritten = reply.value
            attempt.fault = how.fault_of(attempt.case.query, reply.value)
            if not attempt.fault:
                to_check.append((attempt, reply))
        checks = ask(material.engine, CHECK, [one.check(material) for one, _ in to_check])
        for (attempt, reply), check in zip(to_check, checks, strict=True):
            if check.value == SAME:
                details = {
                    "query": attempt.case.query,
                    "request_id": reply.request.request_id,
                    "attempts": number,
                    "same_answer": {"request_id": check.request.request_id, "verdict": SAME},
                }
                query, recorded = attempt.rewritten, canonical_json(details)
                yield varied(attempt.case, how.name, query=query, details=recorded)
            elif check.value is None:
                reason = "no verdict on the same answer could be read"
                yield rejected(how.name, attempt.case, reason, check.error or "")
            else:
                why = [str(item.get("reason", "")) for item in objects(check.response.text or "")]
                attempt.fault = ": ".join(filter(None, (_FAULTS[check.value], *why)))
        attempts = [attempt for attempt in attempts if attempt.fault]
    for attempt in attempts:
        reason, _, which = attempt.fault.partition(": ")
        detail = f"{attempt.case.query} -> {attempt.rewritten}"
        yield rejected(how.name, attempt.case, reason, f"{which}: {detail}" if which else detail)
