"""Shared parts of the perturbations that rewrite a query.

A reply is one query between `<query>` and `</query>`. It is accepted only if it differs from the
original and has exactly the original's figures. A reply that loses a year asks for another fact,
and one that adds a figure has begun to answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from tasks.core.ids import canonical_json
from tasks.core.rows import Case, Context, Reject, Sampling
from tasks.inference.client import ask
from tasks.inference.operation import Operation, ParseError, Question
from tasks.suites.failsafeqa.perturbations.material import Material, rejected
from tasks.suites.failsafeqa.questions import rewriting
from tasks.suites.shared.cases import varied

MOST_CHARS = 1000

_FIGURE = re.compile(r"\d(?:[\d,.]*\d)?")
_FORM = re.compile(r"\b(?:10|20|8|6)-?[KQF](?:SB|405)?\b|\bK-10\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryToRewrite:
    """The prompt's inputs."""

    query: str


def tagged(query: str) -> str:
    """Tag a query as a reply does."""
    return f"<query>{query}</query>"


def read_rewriting(reply: str, *, are_terms: bool = False) -> str:
    """Read one rewritten query of a limited length; see `rewriting.parse`."""
    query = rewriting.parse(reply, are_terms=are_terms)
    if len(query) > MOST_CHARS:
        raise ParseError(f"the rewritten query has more than {MOST_CHARS} characters")
    return query


def fault_of(query: str, rewritten: str, most_chars: int) -> str | None:
    """Explain why a rewriting cannot replace the query, or return None."""
    if _bare(query) == _bare(rewritten):
        return "the rewriting is the query itself"
    if len(rewritten) > most_chars:
        return "the rewriting is too long"
    before, after = _figures(query), _figures(rewritten)
    if before - after:
        return "the rewriting loses a figure of the query"
    if after - before:
        return "the rewriting brings a figure that the query does not have"
    return None


def rewriting_of(name: str, *, are_terms: bool = False) -> Operation[QueryToRewrite, str]:
    """Make the operation of the perturbation of this name, which may give search terms."""
    return Operation(
        name=f"perturb_{name}",
        template=f"failsafeqa/{name}",
        inputs=QueryToRewrite,
        parse=partial(read_rewriting, are_terms=are_terms),
        sampling=Sampling(temperature=0.0, max_tokens=256),
    )


def rewrite_cases(
    name: str,
    operation: Operation[QueryToRewrite, str],
    longest: Callable[[str], int],
    cases: Iterable[Case],
    material: Material,
) -> Iterator[Case | Context | Reject]:
    """Rewrite each case's query, in at most `longest(query)` characters, or reject it."""
    listed = list(cases)
    questions = [
        Question(case.case_id, QueryToRewrite(query=case.query), case.case_id) for case in listed
    ]
    for case, reply in zip(listed, ask(material.engine, operation, questions), strict=True):
        rewritten = reply.value
        if rewritten is None:
            reason = "no rewriting could be read from the reply"
            yield rejected(name, case, reason, reply.error or "")
            continue
        fault = fault_of(case.query, rewritten, longest(case.query))
        if fault is not None:
            yield rejected(name, case, fault, f"{case.query} -> {rewritten}")
            continue
        details = canonical_json({"query": case.query, "request_id": reply.request.request_id})
        yield varied(case, name, query=rewritten, details=details)


def _bare(query: str) -> str:
    return " ".join(re.findall(r"\w+", query.casefold()))


def _figures(query: str) -> set[str]:
    return {figure.replace(",", "") for figure in _FIGURE.findall(_FORM.sub(" ", query))}
