"""What a question asks for: its company, measure and period, where its words decide them.

A question is read by its form. It is known what it asks for only if it names its company and one
period, and a sentence or cell of its passages has the answer with the same measure and period.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tasks.quantities.figures import FULL_MONTHS
from tasks.quantities.text_tables import stated_value
from tasks.suites.refusalbench.base.answers import figure_of, kind_of, states
from tasks.suites.refusalbench.base.statements import is_name_of
from tasks.suites.refusalbench.proofs.clauses import owner_of
from tasks.suites.refusalbench.rows import AskedFigure
from tasks.suites.shared.figure_match import match_figures
from tasks.suites.shared.phrases import YEAR, is_plural, names_a_measure
from tasks.text.retrieval import Index, Passage
from tasks.text.terms import content_terms

_DAY = rf"(?:{FULL_MONTHS}) \d{{1,2}},? (?:19|20)\d\d"
_TIME = re.compile(
    r"(?P<body>.+?),? (?P<when>(?:in|for|as of|as at|at|during|on) (?:the (?=(?:fiscal |calendar )?"
    r"(?:year )?\d))?)"
    rf"(?P<period>(?:fiscal |calendar )?(?:year )?(?:19|20)\d\d|{_DAY}"
    rf"|the (?:fiscal )?year ended {_DAY})\?"
)
_SELF = r"the (?:company|corporation|registrant|partnership)"
_NAME = r"[a-z]?[A-Z\d][\w.,&'-]*(?: (?:[A-Z\d&][\w.,&'-]*|of|and|the))*"
_WHO = re.compile(rf"(?P<who>(?i:{_SELF})|{_NAME}?)(?: and its (?:\w+ )?subsidiaries)?")
_OWNED = re.compile(rf"(?P<who>(?i:{_SELF})|{_NAME}?)(?:'s|(?<=s)') (?P<rest>\S.*)")
_OF = re.compile(rf"(?:the )?(?P<rest>.+?) of (?P<who>(?i:{_SELF})|{_NAME})")
# Forms of a question without its period. What they ask of is `of`; a company itself is `who`.
_FORMS = (
    r"(?P<ask>What (?:was|were)) (?P<of>.+)",
    r"(?P<ask>What did) (?P<of>.+) (?P<end>total|amount to)",
    r"(?P<ask>How many (?P<things>[a-z].+?) did) (?P<who>.+) (?P<end>have|employ|own|operate)",
    r"What percentage of (?P<of>.+) did (?P<part>.+) (?P<end>represent|account for)",
    r"(?P<ask>By (?:what (?:percentage|amount)|how much) did) (?P<of>.+) "
    r"(?P<change>increase|decrease)",
)
_LEGAL = r"(?:Inc|Incorporated|Corp|Corporation|Company|Co|Ltd|Limited|LLC|L\.?P|plc)\b"
# Measures that are not the company's alone, or that only another text explains.
_UNCLEAR = re.compile(r"[“”\"]|'s |\b(?:its|their|our|this|that|these|those|such)\b")
_RATE = re.compile(
    r"\b(?:rates?|ratios?|percent\w*|margins?|yields?)\b|\A(?:share|increase|decrease)\b",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"\s*\([^()]*\)")
_SAYS_NOTHING = {"total", "consolid"}  # stems, as in `statements`


@dataclass(frozen=True, slots=True)
class ReadQuery:
    """A question for one figure of one period."""

    who: str  # as it names the company: `Acme`, `the Company`; "" if it does not
    measure: str
    period: str
    naming: str  # the question, with `{company}` or `{owner}` where the company is named

    def of(self, company: str) -> str:
        """Write the question so that it names its company."""
        return self.naming.replace("{owner}", owner_of(company)).replace("{company}", company)


def read_query(query: str, measure: str = "") -> ReadQuery | None:
    """Read a question by its form; None if it has none of the known ones, or several periods.

    Args:
        measure: what it asks for, if that is known, whatever its form.
    """
    query = " ".join(query.split()).replace("’", "'")
    timed = _TIME.fullmatch(query)
    if timed is None or len(YEAR.findall(query)) != 1:
        return None
    body = timed["body"]
    if measure:
        body = f"What {'were' if is_plural(measure) else 'was'} {measure}"
    for form in _FORMS:
        if found := re.fullmatch(form, body):
            return _read(found.groupdict(""), f"{timed['when']}{timed['period']}?", timed["period"])
    return None


def restated(query: str, company: str, measure: str = "") -> str:
    """Name the company in a question of its filing, if the question's form is known.

    Of ten passages, those of other companies have the same measure.
    """
    read = read_query(query, measure)
    if read is None or not company:
        return query
    is_own = (
        not read.who
        or re.fullmatch(_SELF, read.who, re.IGNORECASE)
        or is_name_of(read.who, company)
    )
    return read.of(company) if is_own else query


def asked_of(
    query: str,
    answer: str,
    passages: Sequence[str],
    *,
    filer: str = "",
    company: str = "",
    measure: str = "",
    period: str = "",
) -> AskedFigure | None:
    """Return what a question asks for; None if its words and its passages do not decide it.

    Args:
        passages: the signal passages.
        filer: whose filing they are of; if it is unknown, a passage has to say that a name is a
            company's.
        company, measure, period: what the question is known to ask for, in its words.
    """
    read, figure = read_query(query) or ReadQuery("", "", "", ""), figure_of(answer)
    read = replace(
        read,
        who=company or read.who,
        measure=measure or read.measure,
        period=period or read.period,
    )
    is_amount = figure is not None and figure.value > 0 and kind_of(answer) != "date"
    if not is_amount or not read.measure or not read.period:
        return None
    if kind_of(answer) == "percent" and not is_rate(read.measure):
        return None
    is_company = company or (
        is_name_of(read.who, filer) if filer else _is_company(read.who, passages)
    )
    if not is_company or not any(_is_stated(read, answer, text) for text in passages):
        return None
    return AskedFigure(company=read.who, measure=read.measure, period=read.period, figure=answer)


def is_rate(measure: str) -> bool:
    """Whether a measure is a percentage by its own words: one of `net income` is of something."""
    return bool(_RATE.search(measure))


def measure_terms(measure: str) -> set[str]:
    """Return the terms that tell a measure from others."""
    plain = _ASIDE.sub("", measure.removeprefix("share of "))
    return {*content_terms(plain)} - _SAYS_NOTHING


def _read(part: dict[str, str], time: str, period: str) -> ReadQuery | None:
    """Read the parts of a form: whose measure it is, and the question with the name left open."""
    if things := part.get("things"):
        subject = _WHO.fullmatch(part["who"])
        naming = f"{part['ask']} {{company}} {part['end']} {time}"
        return ReadQuery(subject["who"], things, period, naming) if subject else None
    owned = _OWNED.fullmatch(part["of"]) or _OF.fullmatch(part["of"])
    who, measure = (owned["who"], owned["rest"]) if owned else ("", part["of"])
    measure = measure.removeprefix("the ")
    if _UNCLEAR.search(measure) or not names_a_measure(measure):
        return None
    of = f"{{owner}} {measure}"
    if part.get("part"):
        naming = f"What percentage of {of} did {part['part']} represent {time}"
        return ReadQuery(who, f"share of {part['part']} in {measure}", period, naming)
    if part.get("change"):
        naming = f"{part['ask']} {of} {part['change']} {time}"
        return ReadQuery(who, f"{part['change']} in {measure}", period, naming)
    end = f"{part['end']} " if part.get("end") else ""
    return ReadQuery(who, measure, period, f"{part['ask']} {of} {end}{time}")


def _is_company(name: str, passages: Sequence[str]) -> bool:
    """Whether a passage says that a name is a company's: by its head, or with its legal form."""
    if not name or re.fullmatch(_SELF, name, re.IGNORECASE):
        return False
    named = rf"(?<!\w){re.escape(name.rstrip('.'))}"
    says = named if re.search(_LEGAL, name) else rf"{named}(?:,? {_LEGAL}|, annual report)"
    return any(re.search(says, text) for text in passages)


def _is_stated(read: ReadQuery, answer: str, text: str) -> bool:
    """Whether one sentence or cell of a text has the answer for the measure and period."""
    return any(
        _sentence_states(read, answer, each)
        if each.row is None
        else any(match_figures(value, answer).correct for value in _cells(read, each))
        for each in Index(text).passages
    )


def _sentence_states(read: ReadQuery, answer: str, sentence: Passage) -> bool:
    is_of_period = set(YEAR.findall(read.period)) <= set(YEAR.findall(sentence.text))
    return (
        is_of_period
        and measure_terms(read.measure) <= sentence.terms.keys()
        and states(sentence.text, answer)
    )


def _cells(read: ReadQuery, passage: Passage) -> Iterator[str]:
    """Yield the values of a row in columns of the period, if its label is the measure."""
    row, table = passage.row, passage.table
    assert row is not None
    assert table is not None
    label, measure = measure_terms(row.label), measure_terms(read.measure)
    around = content_terms(f"{row.label} {row.section} {table.caption}")
    if not label <= measure <= label.union(around):
        return
    day = re.search(_DAY, read.period)
    for column, head in enumerate(row.heads):
        other = re.search(_DAY, head)
        is_of_day = day is None or other is None or day[0] == other[0]
        if is_of_day and YEAR.findall(head) == YEAR.findall(read.period):
            yield stated_value(table, row, column) or row.values[column]  # as written
