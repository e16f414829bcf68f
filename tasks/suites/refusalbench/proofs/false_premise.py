"""Proof that a query takes for granted what the passages contradict or what cannot be."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tasks.suites.refusalbench.proofs.clauses import Clause, clause_of, head_of
from tasks.suites.refusalbench.proofs.facts import fact_of
from tasks.suites.refusalbench.proofs.numbers import Number, agree, asked_number, numbers_in
from tasks.suites.refusalbench.proofs.slots import has_only
from tasks.suites.refusalbench.rows import BaseQuestion, LabelProof
from tasks.suites.shared.phrases import YEAR, in_running_text, lower_words_of
from tasks.text.terms import content_terms, words

# A query that takes a value for granted has no other words than these and those of what is asked.
_PLAIN = words("""
    why how what which who did do does was were is are has have had made make led caused explain
    explains explained reason reasons drove come came reach reached amount amounted total totaled
    totalled stand stood fall fell drop dropped rise rose climb climbed be the a an of for in at as
    to on its their it only just low high little much and that by end year ended fiscal report
    reported reporting management company company's despite fact so during happen happened regret
    from     disappoint disappointed please pleased surprise surprised part share portion percentage
    proportion many
""")
_ASKS_WHY = re.compile(
    r"(?:why (?:did|do|does|was|were|is|are|has|have)\b"
    r"|what (?:made|led|caused|drove|explains?|explained)\b"
    r"|how come\b|which reasons?\b|who (?:made|caused)\b)",
    re.IGNORECASE,
)
_TAKES_VALUE = re.compile(
    r"\b(?:to|at|of|was|were|be|reach(?:ed)?|total(?:led|ed)?|only|just|amount(?:ed)? to)\s\Z",
    re.IGNORECASE,
)
# `Why did X report no net sales in 2008?`
_NONE = re.compile(
    r"\b(?:have|report|earn|record|state|disclose|show) (?:no|zero|not any) (?P<what>[^?]+)\?",
    re.IGNORECASE,
)
_REALIZES = re.compile(
    r"When did (?:the company's )?management (?:realize|discover|learn|notice|find out) that "
    r"(?P<said>.+)\?"
)
_OPPOSITE = {"increase": "decrease", "decrease": "increase"}
_GROSS = re.compile(r"\b(?:revenues?|sales)\Z", re.IGNORECASE)
# What is counted or owned, and so cannot be below zero.
_NEVER_NEGATIVE = re.compile(
    r"the number of .+|.*\b(?:sales|revenues?|inventor(?:y|ies)|assets|liabilities|deposits|loans"
    r"|securities|equivalents|property|goodwill|debt)"
)
# `The decline in volume was principally due to reduced demand.`
_CAUSE = re.compile(
    r"(?:\A|(?<=[.\n] )|(?<=\n))(?:The|This) (?P<effect>(?:increase|decrease|decline|growth"
    r"|reduction|improvement|rise|drop) in [a-z][^.;:,]{2,70}?)(?: (?:of|from|during|for|compared)"
    r" [^.;:]{3,60}?)??"
    r" (?:was|is|were|resulted)(?: (?:primarily|mainly|principally|largely))*"
    r" (?:due(?: (?:primarily|mainly|principally|largely))? to|attributable to|from|caused by"
    r"|(?:the|a) result of)(?: primarily)? (?P<cause>(?![^.]*several factors)[^.;:]{10,110}?)"
    r"(?=(?:, (?:both |all )?(?:reflecting|which)[^.]*)?\.(?:\s|\Z))"
)
# `Interest income rose to $22 million in 2023 because of higher market rates.`
_CHANGED = re.compile(
    r"(?:\A|(?<=[.\n] )|(?<=\n))(?P<what>(?!If |When|Whether|Had |Although|Unless|No |Neither)"
    r"[A-Z][a-z]+ [^.;:,$\d]{2,50}?)(?: also)? "
    r"(?P<verb>rose|increased|grew|declined|decreased|fell)\b"
    r"(?:(?! (?:not|never|nor|rather|instead|despite|but|and|if|would|could|may|might)\b)"
    r"(?:[^.;:]|\.(?=\d))){0,90}?,? "
    r"(?:because of|as a result of|due (?:(?:primarily|mainly|principally|largely) )?to)"
    r" (?P<cause>[^.;:]{10,110}?)(?=(?:, (?:both |all )?(?:reflecting|which)[^.]*)?\.(?:\s|\Z))"
)
_CHANGE_OF = {
    **dict.fromkeys(("rose", "increased", "grew"), "increase"),
    **dict.fromkeys(("declined", "decreased", "fell"), "decline"),
}
_PERSON = re.compile(
    r"(?P<name>[A-Z][a-z]+(?: [A-Z]\.| [A-Z][a-z]+){0,2} [A-Z][a-z]+)(?:, Jr\.)?,? "
    r"\(?(?:age )?\d\d\)?,? (?:(?:is|has been|has served as|serves as) (?:our |the )?"
    r"(?P<title>[A-Z][\w-]*(?: (?:[A-Z][\w-]*|and|of))* of the Company"
    r"|(?:Chief|President|Chairman|Vice|Senior|Executive)(?: [A-Z][\w-]*)*(?= of|,| since))?"
    r"|was|joined)"
)
_LEFT = re.compile(
    r"\b(?:died|death|deceased|late|passed away|resign\w*|retire\w*|step\w* down|until|former\w*"
    r"|depart\w*|leaves?|leaving|succe\w+|remov\w+|terminat\w+|buried|estate)\b"
)


@dataclass(frozen=True, slots=True)
class Person:
    """An officer who, as a passage says, is alive and perhaps in office."""

    name: str
    title: str  # empty if it is not told
    is_in_office: bool


def prove(base: BaseQuestion, query: str, passages: Sequence[str]) -> LabelProof | None:
    """Prove that a premise of the query is false, if the passages are the base question's."""
    if query == base.query or [passage.text for passage in base.passages] != list(passages):
        return None
    signal = [passage.text for passage in base.passages if passage.is_signal]
    detail = (
        _contradicted(base, query, passages)
        or _denied(base, query)
        or _realized(base, query, passages)
        or _impossible(base, query)
        or _impossible_fact(base, query)
        or _fallen(base, query)
        or _gone(query, signal)
        or _reversed(query, signal)
    )
    return LabelProof(kind="false_premise", detail=detail) if detail else None


def _is_about(base: BaseQuestion, query: str) -> bool:
    """Whether a query names the measure, and the period's years and no other."""
    if base.asked is None:
        return False
    terms = set(content_terms(query))
    return set(content_terms(base.asked.measure)) <= terms and set(YEAR.findall(query)) == set(
        YEAR.findall(base.asked.period)
    )


def _is_plain(base: BaseQuestion, said: str) -> bool:
    """Whether a text has only plain words and those of what is asked."""
    assert base.asked is not None  # the caller checked it
    return has_only(said, f"{base.asked.company} {base.asked.measure} {base.asked.period}", _PLAIN)


def _is_other(value: Number, asked: Number, passages: Sequence[str]) -> bool:
    """Whether a value is not the asked one, in no rounding, and that of nothing else."""
    return (
        value.family == asked.family
        and not agree(value, asked)
        and not any(agree(each, value) for text in passages for each in numbers_in(text))
    )


def _contradicted(base: BaseQuestion, query: str, passages: Sequence[str]) -> str | None:
    """Find a value that the query takes for granted and the passages state otherwise."""
    asked, found = asked_number(base), numbers_in(query)
    if asked is None or len(found) != 1 or not _ASKS_WHY.match(query) or not _is_about(base, query):
        return None
    value = found[0]
    before, after = query[: value.start_char], query[value.end_char :]
    if not _TAKES_VALUE.search(before) or not _is_plain(base, f"{before} {after}"):
        return None
    if not _is_other(value, asked, passages):
        return None
    return f"The query takes {value.text} for granted; the passages state {asked.text}."


def _denied(base: BaseQuestion, query: str) -> str | None:
    """Find a denial of what the passages state a value of."""
    asked, found = asked_number(base), _NONE.search(query)
    if asked is None or not asked.value or found is None or numbers_in(query):
        return None
    said = query[: found.start()] + found["what"]
    if (
        not _ASKS_WHY.match(query)
        or not _is_about(base, found["what"])
        or not _is_plain(base, said)
    ):
        return None
    return f"The query takes for granted that there was none; the passages state {asked.text}."


def _realized(base: BaseQuestion, query: str, passages: Sequence[str]) -> str | None:
    """Find another value, or the opposite change, as the object of `realize`."""
    found, asked = _REALIZES.fullmatch(query), asked_number(base)
    fact = fact_of(base)
    if found and fact:
        values = [each for each in fact.values_in(found["said"]) if fact.excludes(each)]
        if values:
            return f"The query takes {values[0]} for granted; the passages state {fact.answer}."
    clause = clause_of(base.query, base.asked)
    if found is None or asked is None or clause is None or not asked.value:
        return None
    said = found["said"]
    if clause.change and said == f"{clause.subject} {_OPPOSITE[clause.change]}d {clause.when}":
        return f"The query takes the opposite of an {clause.change} of {asked.text} for granted."
    form = re.escape(clause.statement("\0")).replace("\0", "(?P<value>.+)")
    stated = re.fullmatch(form, said)
    numbers = numbers_in(stated["value"]) if stated else []
    if stated is None or len(numbers) != 1 or numbers[0].text != stated["value"]:
        return None
    if not _is_other(numbers[0], asked, passages):
        return None
    return f"The query takes {numbers[0].text} for granted; the passages state {asked.text}."


def _fallen(base: BaseQuestion, query: str) -> str | None:
    """Find a fall to zero of what the passages state a value of."""
    clause, asked = clause_of(base.query, base.asked), asked_number(base)
    if clause is None or asked is None or not asked.value or clause.change:
        return None
    if query != f"How did the fall of {clause.quantity} to zero {clause.when} come about?":
        return None
    return f"The query takes a fall to zero for granted; the passages state {asked.text}."


def _impossible_fact(base: BaseQuestion, query: str) -> str | None:
    """Find what no date, law or symbol can be or do."""
    fact = fact_of(base)
    if fact is None or not fact.name:
        return None
    if query not in (
        f"What color is {fact.name}?",
        f"At what temperature does {fact.name} melt?",
        f"Why did {fact.name} want to be {fact.answer}?",
    ):
        return None
    return "The query asks of a date, a law or a symbol what none is or does."


def _impossible_queries(clause: Clause, figure: str) -> Iterator[str]:
    """Yield queries that ask of a quantity what no quantity is or does."""
    quantity, when = clause.quantity, clause.when
    if clause.is_abstract:
        be = "were" if clause.is_many else "was"
        yield f"What color {be} {quantity} {when}?"
        yield f"At what temperature did {quantity} melt {when}?"
        yield f"Why did {quantity} decide to amount to {figure} {when}?"
        yield f"Why did {quantity} want to amount to {figure} {when}?"
    if _NEVER_NEGATIVE.fullmatch(head_of(clause.quantity)) and re.match(r"[$\d]", figure):
        be = "were" if clause.is_many else "was"
        yield f"How far below zero {be} {quantity} {when}?"
    if _GROSS.search(clause.whole):
        yield f"By how many percentage points was {quantity} above 100% {when}?"


def _impossible(base: BaseQuestion, query: str) -> str | None:
    """Find what no quantity can be or do."""
    clause = clause_of(base.query, base.asked)
    if clause is None or base.asked is None:
        return None
    if query not in _impossible_queries(clause, base.asked.figure):
        return None
    return f"The query asks of {base.asked.measure} what no quantity is or does."


def people(passages: Sequence[str]) -> Iterator[Person]:
    """Yield the officers of whom the passages give an age and nothing of an end."""
    text = "\n\n".join(passages)
    for found in _PERSON.finditer(text):
        surname = found["name"].rpartition(" ")[2]
        said = [each for each in re.split(r"(?<=\.)\s+(?=[A-Z])|\n\n", text) if surname in each]
        if not any(_LEFT.search(each) for each in said):
            yield Person(found["name"], found["title"] or "", bool(found["title"]))


def _gone(query: str, passages: Sequence[str]) -> str | None:
    """Find an officer whom the query takes for dead or gone, and the passages do not."""
    for person in people(passages):
        if query == f"In which city was {person.name} buried?":
            return f"The query takes {person.name} for dead; a passage gives the present age."
        if person.is_in_office and query == (
            f"Who took over when {person.name} resigned as {person.title}?"
        ):
            return f"The query takes {person.name} for gone; a passage says “is”."
    return None


def causes(passages: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield effects and their causes, as the passages state them."""
    for text in passages:
        for found in _CAUSE.finditer(text):
            yield f"the {' '.join(found['effect'].split())}", " ".join(found["cause"].split())
        lower_words = lower_words_of(text)
        for found in _CHANGED.finditer(text):
            what = in_running_text(" ".join(found["what"].split()), lower_words)
            effect = f"the {_CHANGE_OF[found['verb']]} in {what}"
            yield effect, " ".join(found["cause"].split())


def _reversed(query: str, passages: Sequence[str]) -> str | None:
    """Find a query that takes an effect for the cause of its cause."""
    for effect, cause in causes(passages):
        if query == f"How did {effect} bring about {cause}?":
            return f"The passages say that {cause} brought about {effect}, not the reverse."
    return None
