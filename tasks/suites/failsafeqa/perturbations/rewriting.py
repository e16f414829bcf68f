"""Queries that a model rewrites: incomplete ones, and those in a layman's words.

From the paper (000): "Extract the numbers related to the Nylon Segment's performance in 2018."
becomes "numbers for Nylon Segment, 2018?", and "Was the net income for 2018 higher than that of
2017?" becomes "Did we make more money in 2018 than in 2017?".

A rewriting must differ from the original and keep its amounts and years, though an incomplete one
may lose the period: a reply that adds a figure has begun to answer. Then a check (`same_answer`)
must find the same answer in the context. What fails is asked for once more with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from tasks.core.ids import canonical_json
from tasks.core.rows import Case, Context, Reject, Sampling
from tasks.inference.client import ask
from tasks.inference.operation import Operation, ParseError, Question, Reply
from tasks.quantities.figures import Figure, find_figures, same_figure
from tasks.suites.failsafeqa.perturbations.material import Material, rejected
from tasks.suites.failsafeqa.perturbations.same_answer import (
    FAULTS,
    SAME,
    UNKNOWN_COMPANY,
    check_same_answer,
)
from tasks.suites.failsafeqa.questions import rewriting
from tasks.suites.shared.cases import varied

MOST_CHARS = 1000
MOST_ATTEMPTS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryToRewrite:
    """The prompt's inputs."""

    company: str = UNKNOWN_COMPANY
    earlier: str = ""  # a rewriting that cannot be used, and why
    query: str


@dataclass(frozen=True, slots=True)
class Rewriting:
    """How a perturbation rewrites a query."""

    name: str
    operation: Operation[QueryToRewrite, str]
    fault: Callable[[str, str], str | None]  # (query, rewritten) -> why it cannot be used


@dataclass(slots=True)
class _Attempt:
    """A case, its last rewriting, and why that cannot be used."""

    case: Case
    company: str
    rewritten: str = ""
    fault: str = ""

    @property
    def inputs(self) -> QueryToRewrite:
        earlier = ""
        if self.fault:
            earlier = (
                f"Rewriting so far: {self.rewritten}\n"
                f"It cannot be used: {self.fault}. Write another."
            )
        return QueryToRewrite(query=self.case.query, company=self.company, earlier=earlier)


def tagged(query: str) -> str:
    """Write a query as a reply does."""
    return f"Query: {query}"


def read_rewriting(reply: str) -> str:
    """Read one rewritten query of a limited length; see `rewriting.parse`."""
    query = rewriting.parse(reply)
    if len(query) > MOST_CHARS:
        raise ParseError(f"the rewritten query has more than {MOST_CHARS} characters")
    return query


def fault_of(
    query: str, rewritten: str, most_chars: int, *, may_lose_years: bool = False
) -> str | None:
    """Explain why a rewriting cannot replace the query, or return None."""
    if bare(query) == bare(rewritten):
        return "the rewriting is the query itself"
    if len(rewritten) > most_chars:
        return "the rewriting is too long"
    lost = [
        figure.text
        for figure in _lost_figures(query, rewritten)
        if not (may_lose_years and figure.unit == "year")
    ]
    if lost:
        return f"the rewriting loses an amount or a year of the query: {', '.join(lost)}"
    if brought := [figure.text for figure in _lost_figures(rewritten, query)]:
        return f"the rewriting brings an amount or a year of its own: {', '.join(brought)}"
    return None


def _lost_figures(query: str, rewritten: str) -> list[Figure]:
    """Return the amounts and years of a query that a rewriting does not state as exactly.

    Bare numbers may be names (Chapter 11), which a layman has other words for.
    """
    stated = find_figures(rewritten)
    return [
        figure
        for figure in find_figures(query)
        if figure.unit != "count"
        and not any(
            same_figure(figure, other) and other.decimals >= figure.decimals for other in stated
        )
    ]


def bare(query: str) -> str:
    """Return a query's words in lower case, without punctuation."""
    return " ".join(re.findall(r"\w+", query.casefold()))


def rewrite_cases(
    how: Rewriting, cases: Iterable[Case], material: Material
) -> Iterator[Case | Context | Reject]:
    """Rewrite each case's query, or reject it if two rewritings cannot be used."""
    attempts = [
        _Attempt(case, material.company_names.get(case.context_id or "", UNKNOWN_COMPANY))
        for case in cases
    ]
    for number in range(1, MOST_ATTEMPTS + 1):
        usable = []
        for attempt, reply in _asked(how, attempts, material):
            if reply.value is None:
                reason = "no rewriting could be read from the reply"
                yield rejected(how.name, attempt.case, reason, reply.error or "")
            elif reply.value == attempt.rewritten:
                yield _reject(how, attempt)
            else:
                attempt.rewritten = reply.value
                attempt.fault = how.fault(attempt.case.query, reply.value) or ""
                usable.append((attempt, reply))
        to_check = [(attempt, reply) for attempt, reply in usable if not attempt.fault]
        checks = check_same_answer(
            [(attempt.case, attempt.rewritten) for attempt, _ in to_check], material
        )
        for (attempt, reply), check in zip(to_check, checks, strict=True):
            if check.value == SAME:
                yield _case(how, attempt, reply, check, number)
            elif check.value is None:
                reason = "no verdict on the same answer could be read"
                yield rejected(how.name, attempt.case, reason, check.error or "")
            else:
                attempt.fault = FAULTS[check.value]
        checked_off = {
            id(attempt)
            for (attempt, _), check in zip(to_check, checks, strict=True)
            if check.value in (SAME, None)
        }
        attempts = [attempt for attempt, _ in usable if id(attempt) not in checked_off]
    for attempt in attempts:
        yield _reject(how, attempt)


def _asked(
    how: Rewriting, attempts: Sequence[_Attempt], material: Material
) -> list[tuple[_Attempt, Reply[str]]]:
    questions = [
        Question(attempt.case.case_id, attempt.inputs, attempt.case.case_id) for attempt in attempts
    ]
    replies = ask(material.engine, how.operation, questions)
    return list(zip(attempts, replies, strict=True))


def _case(
    how: Rewriting, attempt: _Attempt, reply: Reply[str], check: Reply[str], number: int
) -> Case:
    case, rewritten = attempt.case, attempt.rewritten
    details = {
        "query": case.query,
        "request_id": reply.request.request_id,
        "attempts": number,
        "same_answer": {"request_id": check.request.request_id, "verdict": check.value},
    }
    return varied(case, how.name, query=rewritten, details=canonical_json(details))


def _reject(how: Rewriting, attempt: _Attempt) -> Reject:
    reason, _, which = attempt.fault.partition(": ")
    rewriting = f"{attempt.case.query} -> {attempt.rewritten}"
    return rejected(how.name, attempt.case, reason, f"{which}: {rewriting}" if which else rewriting)


def _operation(name: str) -> Operation[QueryToRewrite, str]:
    return Operation(
        name=f"perturb_{name}",
        template=f"failsafeqa/{name}",
        inputs=QueryToRewrite,
        parse=read_rewriting,
        sampling=Sampling(temperature=0.0, max_tokens=256),
        schema=rewriting.QUERY,
    )


def _fault_of_incomplete(query: str, rewritten: str) -> str | None:
    return fault_of(query, rewritten, len(query), may_lose_years=True)


def _fault_of_out_of_domain(query: str, rewritten: str) -> str | None:
    return fault_of(query, rewritten, 3 * len(query) + 60)  # everyday words are longer


INCOMPLETE = Rewriting("incomplete", _operation("incomplete"), _fault_of_incomplete)
OUT_OF_DOMAIN = Rewriting("out_of_domain", _operation("out_of_domain"), _fault_of_out_of_domain)
