"""What a base question for a date, a state, a place or a symbol asks, as the statement it wants.

`When did Acme acquire Borden?` wants `Acme acquired Borden in May 1990`. Only events that happen
once are read: a company may enter into two agreements, and a director is elected every year.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tasks.suites.refusalbench.base.sentences import STATES
from tasks.suites.refusalbench.proofs.numbers import sentence_spans
from tasks.suites.refusalbench.rows import AskedFigure, BaseQuestion
from tasks.suites.shared.clauses import EVENT_VERBS
from tasks.suites.shared.phrases import YEAR
from tasks.text.terms import words

_PAST = {
    base: past
    for past, base in EVENT_VERBS.items()
    if base in words("acquire complete introduce launch open adopt form sell")
}
_STARTED = "incorporated|organized|founded|established"
_HEAD = re.compile(r"\[(?P<company>[^\]\n]+?), annual report")
_DAY = re.compile(r"[A-Z][a-z]+ \d{1,2},? ")
# Kind, question, statement, and what has the value.
_FORMS: tuple[tuple[str, str, str, str], ...] = (
    (
        "date",
        rf"When did (?P<s>.+?) (?P<verb>{'|'.join(_PAST)}) (?P<rest>.+)",
        "{s} {past} {rest} {at} {value}",
        "the date on which {s} {past} {rest}",
    ),
    (
        "date",
        rf"When was (?P<s>.+) (?P<verb>{_STARTED})",
        "{s} was {verb} {at} {value}",
        "the date on which {s} was {verb}",
    ),
    (
        "date",
        r"When was (?P<s>.+?) (?P<verb>appointed|named|promoted to) (?P<rest>.+)",
        "{s} was {verb} {rest} {at} {value}",
        "the date on which {s} was {verb} {rest}",
    ),
    (
        "state",
        r"Under the laws of which state was (?P<s>.+) (?P<verb>incorporated|organized)",
        "{s} was {verb} under the laws of {value}",
        "the law under which {s} was {verb}",
    ),
    (
        "symbol",
        r"Under which ticker symbol is (?P<s>.+) traded",
        "{s} is traded solely under the ticker symbol {value}",
        "the ticker symbol under which {s} is traded",
    ),
    (
        "place",
        r"In which city and state (?P<verb>is|are) (?P<s>.+) located",
        "{s} {verb} located in {value}",
        "",
    ),
)
_VALUES = {
    "state": f"(?:{STATES})",
    "symbol": "[A-Z]{2,5}",
    "place": rf"[A-Z][a-z]+(?: [A-Z][a-z]+)*, (?:{STATES})",
}


@dataclass(frozen=True, slots=True)
class Fact:
    """The statement that answers a question, and the values that it may have."""

    kind: str  # date, state, place or symbol
    subject: str
    form: str  # with {value}, and {subject} for whom it is of
    name: str  # what has the value: `the date on which Acme was founded`; empty for a place
    answer: str
    values: str  # pattern of values of the answer's kind

    def statement(self, value: str, subject: str = "") -> str:
        """Write the statement with a value, perhaps of another subject."""
        return self.form.format(value=value, subject=subject or self.subject)

    def excludes(self, value: str) -> bool:
        """Whether a value is of the answer's kind, and cannot be right if the answer is."""
        if not re.fullmatch(self.values, value):
            return False
        years = set(YEAR.findall(self.answer))
        if years:
            return years.isdisjoint(YEAR.findall(value))
        return set(re.findall(r"\w+", value)).isdisjoint(re.findall(r"\w+", self.answer))

    def values_in(self, text: str) -> Iterator[str]:
        """Yield the values with which a text is the statement, word for word."""
        before, _, after = self.statement("\0").partition("\0")
        if text.startswith(before) and text.endswith(after):
            yield text[len(before) : len(text) - len(after)]


def fact_of(base: BaseQuestion) -> Fact | None:
    """Read a question for a date, a state, a place or a symbol; None if it has no known form."""
    answer, query = base.answers[0], base.query.removesuffix("?")
    for kind, question, statement, name in _FORMS:
        found = re.fullmatch(question, query)
        if found is None or "{" in query:
            continue
        if kind == "date" and re.match(r"an? ", found.groupdict().get("rest") or ""):
            return None  # perhaps one of several
        years = YEAR.findall(answer)
        if len(base.answers) > 1 or (kind == "date") != (len(years) == 1):
            return None
        values = _VALUES.get(kind) or re.escape(answer).replace(years[0], YEAR.pattern)
        part = found.groupdict()
        part["past"] = _PAST.get(part.get("verb", ""), "")
        part["at"] = "on" if _DAY.match(answer) else "in"
        form = statement.format_map({**part, "s": "{subject}", "value": "{value}"})
        return Fact(kind, part["s"], form, name.format_map(part), answer, values)
    return None


def company_of(base: BaseQuestion) -> str:
    """Return the company that is asked about or, if that is not known, that of the passage's head.

    It is empty if neither is known.
    """
    heads = [_HEAD.match(each.text) for each in base.passages if each.is_signal]
    if base.asked:
        return base.asked.company
    return heads[0]["company"] if heads and heads[0] else ""


def asked_of(base: BaseQuestion) -> AskedFigure | None:
    """Return what a base question asks for: a figure, or the fact with its passage's company."""
    fact, company = fact_of(base), company_of(base)
    if base.asked or fact is None or not company:
        return base.asked
    measure = fact.name.removeprefix("the ") or f"place of {fact.subject}"
    return AskedFigure(company=company, measure=measure, period="", figure=fact.answer)


def is_said(base: BaseQuestion, fact: Fact, passages: Sequence[str]) -> bool:
    """Whether a sentence of a signal passage still states the answer."""
    stated = re.compile(rf"(?<!\w){re.escape(fact.answer)}(?!\w)")
    return any(
        passage.is_signal
        and any(
            stated.search(text[slice(*each)]) and text[slice(*each)] in passage.text
            for each in sentence_spans(text)
        )
        for passage, text in zip(base.passages, passages, strict=True)
    )
