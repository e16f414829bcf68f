"""The values that a play may name in braces, computed of the asked figure."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal
from random import Random

from tasks.baseline.refusalbench.question import NUMBER, Question
from tasks.quantities.figures import FULL_MONTHS, MONTHS, Figure, same_figure
from tasks.suites.refusalbench.figures import figures_of
from tasks.suites.refusalbench.proofs.clauses import Clause, around_aside, clause_of, owner_of
from tasks.suites.refusalbench.proofs.facts import company_of, fact_of
from tasks.suites.refusalbench.proofs.false_premise import causes, people
from tasks.suites.refusalbench.proofs.numbers import asked_number
from tasks.suites.shared.phrases import YEAR, capitalised, is_plural

_POINT_IN_TIME = re.compile(rf"(?:{MONTHS})\.? \d|year[- ]end|the end\b", re.IGNORECASE)
_HAS_PREPOSITION = re.compile(r"(?:as of|at|in|for|during|on|by)\b", re.IGNORECASE)
_NAMED = re.compile(r"(?:[A-Z]\S*[A-Z]|I\b)")  # a first word that keeps its capital: `IBM`
_CHANGE = re.compile(r"(?:increase|decrease|change|share|price|(?:fair )?value)\b", re.IGNORECASE)
_FACTORS = ("0.62", "0.71", "0.78", "0.83", "1.19", "1.27", "1.36", "1.44")
_PAST = {"employ": "employed", "own": "owned", "operate": "operated"}
_YEARLY = re.compile(r"(?:fiscal )?(?:year )?\d{4}|the (?:fiscal )?year ended .*")
_PARTS_TOLD = re.compile(
    r"\b(?:half|quarter\w*|month\w*|abroad|countries|foreign|domestic)\b", re.I
)
_STAFF = re.compile(r"(?:\w+[- ])*(?:employees|persons|people|associates|workers)")
# Measures that every company has, so that a peer, an office and the world have them, too.
_COMMON = re.compile(
    r"(?:(?:total|net|consolidated|operating|active|full-time|gross|capital|effective|short-term"
    r"|long-term|research and development) )*"
    r"(?:revenues?|sales|income|earnings|profits?|expenses?|employees|persons|inventor(?:y|ies)"
    r"|expenditures?(?: for R&D)?|margin(?: percentage)?|tax rate|debt|provision for income taxes"
    r"|cash(?: and cash equivalents)?|total assets|goodwill|stock-based compensation expense)"
)
_OF_OFFICE = re.compile(  # what an office has
    r".*\b(?:revenues?|sales|expenses?|employees|persons|inventor(?:y|ies)|expenditures?|margin.*"
    r"|expenditures for R&D|cash.*)"
)
_OF_FIRM = re.compile(
    r"(?:(?:total|net|consolidated|operating) )*(?:revenues?|sales|income|earnings)"
)
_MORE = re.compile(
    r".*\b(?:revenues?|sales|income|earnings|profits?|margin(?: percentage)?|cash.*)"
)
_LESS = re.compile(r".*\b(?:expenses?|costs|tax rate|debt|provision for income taxes|inventor\w+)")
_ABOUT = re.compile(
    r"\b(?:approximately|about|around|roughly|nearly|almost|over|under|than|some|least|most)"
    r"\s(?:U\.S\.)?\$?\Z"
)
# Measures of a thing that one company has alone.
_BOUND = re.compile(r"[A-Z,]|\b(?:its|segments?|customers?|plans?|investments? in|products?)\b")
_RATE = re.compile(r"\b(?:rate|percentage|margin|ratio|provision|benefit|loss|gain)\b")
_MOMENT = re.compile(r"(?:as of|at|on) ")
_STEPS = {3: "thousand", 6: "million"}
_YEAR_END = re.compile(
    rf"\A\[[^\]\n]*\bended (?P<month>{FULL_MONTHS}) \d{{1,2}}, (?P<year>(?:19|20)\d\d)\]"
)
_BACK = (3, 4, 2, 5)
_OTHER_WORDS = (
    *("Ohio", "Nevada", "Maryland", "Georgia", "Oregon"),
    *("Salem, Oregon", "Dayton, Ohio", "Tulsa, Oklahoma", "Boise, Idaho", "Topeka, Kansas"),
)


def fields_of(question: Question, draw: Random) -> dict[str, str]:
    """Return the values by name; what is not known is left out."""
    asked = question.asked
    first = question.query.partition(" ")[0]
    keeps = _NAMED.match(first) or first in asked.get("company", "").split()
    values = {
        **asked,
        "in_period": "",
        "hold": next((each for each in _PAST if f" {each} " in question.query), "have"),
        "question": question.query if keeps else question.query[:1].lower() + question.query[1:],
        **_figures(question, draw),
    }
    values["had"] = _PAST.get(values["hold"], "had")
    values |= _fact(question, draw)
    if company := company_of(question.base):
        values["company"] = company
        values["companys"] = owner_of(company)
        values["Company"] = capitalised(company)
    values |= _own_words(question)
    if measure := asked.get("measure", "").removeprefix("the "):
        values["measure"] = measure
        plural = is_plural(measure)
        # `What did it total?` does not tell whether the measure takes `was` or `were`
        if not _CHANGE.match(measure) and not question.query.startswith("What did "):
            values["level"] = measure
        values["were"] = "were" if plural else "was"
    values |= _source_dates(question)
    if period := asked.get("period"):
        preposition = "at" if _POINT_IN_TIME.match(period) else "in"
        has_one = _HAS_PREPOSITION.match(period)
        values["in_period"] = period if has_one else f"{preposition} {period}"
        if years := YEAR.findall(period):
            year = int(years[-1])
            values["next_year"] = str(year + 1)
            values["earlier_year"] = str(year - 1)
    return values


def _source_dates(question: Question) -> dict[str, str]:
    """Return two days of the month after the report's year, when sources give its figures."""
    end = _YEAR_END.search(question.signal[0]) if question.signal else None
    years = [int(year) for year in YEAR.findall(question.asked.get("period", ""))]
    if end is None or not years or max(years) > int(end["year"]):
        return {}
    months = FULL_MONTHS.split("|")
    place = months.index(end["month"]) + 1
    year = int(end["year"]) + place // 12
    month = months[place % 12]
    return {"first_date": f"{month} 20, {year}", "second_date": f"{month} 27, {year}"}


def _fact(question: Question, draw: Random) -> dict[str, str]:
    """Return what states a date, a state, a place or a symbol, with its value and another one."""
    fact = fact_of(question.base)
    if fact is None:
        return {}
    text = " ".join((*question.signal, *question.noise))
    values = {"kind": fact.kind, "value": fact.answer, "fact": fact.statement(fact.answer)}
    if fact.name:
        values["fact_name"] = fact.name
    years = YEAR.findall(fact.answer)
    others = [
        *(fact.answer.replace(year, str(int(year) - back)) for year in years for back in _BACK),
        *draw.sample(_OTHER_WORDS, len(_OTHER_WORDS)),
        fact.answer[::-1],
    ]
    for other in others:
        if fact.excludes(other) and other not in text:
            values |= {"other_value": other, "other_fact": fact.statement(other)}
            values["either_fact"] = fact.statement(f"either {fact.answer} or {other}")
            company = company_of(question.base)
            is_start = fact.kind != "date" or question.query.startswith(f"When was {company} ")
            if fact.subject.startswith(company) and company[-1:] not in ("", "s") and is_start:
                its = question.query.replace(owner_of(company), "its").replace(company, "it")
                values["rival_is"] = fact.statement(other).removeprefix(company)
                values |= {"Its_question": its, "its_question": its[:1].lower() + its[1:]}
                values["that_question"] = question.query.replace(company, "that company")
            break
    return values


def _own_words(question: Question) -> dict[str, str]:
    """Return how the passages call their company, whom they name and which causes they state."""
    company = company_of(question.base)
    selves = ("", "")
    for texts in (_paragraphs(question), question.signal):
        text = " ".join(texts)
        ours = re.findall(r"\b(?:we|our)\b", text, re.IGNORECASE)
        named = re.findall(r"\b[Tt]he (Company|Registrant|Corporation)\b", text)
        if ours or named:
            break
    if len(ours) > len(named):
        selves = ("we", "our")
    elif named:
        selves = (f"the {named[0]}", f"the {named[0]}'s")
    elif question.signal and question.signal[0].startswith("["):
        selves = ("the Company", "the Company's")  # which the head names
    elif company:
        selves = (company, owner_of(company))
    values = {"self": selves[0], "selfs": selves[1]} if selves[0] else {}
    values["own"] = "our" if selves[0] == "we" else "its"
    for person in people(question.signal):
        values["person"] = person.name
        if person.is_in_office:
            values |= {"officer": person.name, "title": person.title}
        if person.name.rpartition(" ")[2] in question.query:
            break
    for effect, cause in causes(question.signal):
        values |= {"effect": effect, "cause": cause}
    asked = question.base.asked
    clause = clause_of(question.query, asked)
    if asked is not None and question.query.count(company) == 1:
        before, _, after = question.query.partition(company)
        values |= {"before": before, "after": after}
        if split := around_aside(question.query, asked):
            values |= {"before_aside": split[0], "after_aside": split[1]}
    if clause is not None:
        values |= _clause(clause, question, selves)
    values |= {
        name.capitalize(): capitalised(values[name]) for name in ("self", "selfs") if selves[0]
    }
    return values


def _paragraphs(question: Question) -> list[str]:
    """Return the paragraphs that state the answer; what is added stands beside them."""
    return [
        paragraph
        for text in question.signal
        for paragraph in text.split("\n\n")
        if question.spans(paragraph)
    ]


def _clause(clause: Clause, question: Question, selves: tuple[str, str]) -> dict[str, str]:
    """Return the parts of what is asked, and uses that a measure may be put to."""
    asked, own = question.asked, clause.quantity
    company, measure = asked["company"], asked["measure"]
    if selves[0] == "we":
        own = own.replace(" of its ", " of our ")
    ours = own.replace(owner_of(company), selves[1]).replace(
        f" by {company}", f" by {_us(selves[0])}"
    )
    values = {
        "subject": clause.subject,
        "said": clause.past,
        "rest": clause.rest,
        "when": clause.when,
        "quantity": own,
        "ours": ours,
        "Ours": capitalised(ours),
        "was": "were" if clause.is_many else "was",
        "is": "are" if clause.is_many else "is",
        "Is": "Are" if clause.is_many else "Is",
        "does": "do" if clause.is_many else "does",
        "those": "those" if clause.is_many else "that",
    }
    if measure.endswith(", net"):
        del values["quantity"]  # it reads badly inside a sentence
    elif not clause.change:
        values["level_quantity"] = clause.quantity
    if clause.change:
        values["opposite"] = "decreased" if clause.change == "increase" else "increased"
    if clause.is_abstract:
        values["abstract"] = own
    if clause.whole and re.search(r"(?:revenues?|sales)\Z", clause.whole):
        values["share"] = own
    if not clause.change and not clause.whole:
        for name, pattern in {
            "common": _COMMON,
            "firm": _OF_FIRM,
            "staff": _STAFF,
        }.items():
            if pattern.fullmatch(measure):
                values[name] = measure
        if clause.past == "employed":  # how many persons a company employs, not has
            values.pop("staff", None)
        if "common" in values and _OF_OFFICE.fullmatch(measure):
            values["office"] = measure
        if "common" in values and _MORE.fullmatch(measure):
            values["aim"] = "increase"
        if "common" in values and _LESS.fullmatch(measure):
            values["aim"] = "reduce"
    if _YEARLY.fullmatch(asked["period"]) and not _MOMENT.match(clause.when):
        values["flow"] = asked["period"]
    if _MOMENT.match(clause.when) and not _BOUND.search(measure):
        values["moment"] = asked["period"]
    years = [int(year) for text in question.signal for year in YEAR.findall(text)]
    if years and 1 <= max(years) - min(years) <= 3 and "common" in values:
        values["short"] = measure
    values["large"] = "high" if _RATE.search(measure) else "large"
    if _RATE.search(measure) and "common" in values:
        values["rate"] = measure
    is_one = not clause.is_many and _RATE.search(measure)
    article = "an " if measure[0] in "aeiou" else "a "
    values["a_measure"] = article + measure if is_one else measure
    return values | _precise(clause, question)


def _is_about(question: Question) -> bool:
    """Whether a passage says that the figure is approximate."""
    return any(
        _ABOUT.search(passage[:start])
        for passage in question.signal
        for start, _ in question.spans(passage)
    )


def _us(name: str) -> str:
    return "us" if name == "we" else name


def _precise(clause: Clause, question: Question) -> dict[str, str]:
    """Return how precise the figure is, if it is exact, and two parts of it."""
    number, text = asked_number(question.base), question.figure
    found = NUMBER.search(text)
    if number is None or found is None or _is_about(question):
        return {}
    values = {}
    decimals = len(found[0].partition(".")[2])
    exponent = int(number.step.adjusted())
    if number.family == "share":
        if decimals == 1:
            values["nearest"] = "tenth of a percent"
        if question.query.startswith("What percentage"):
            values["exactly"] = question.query[:1].lower() + question.query[1:]
    elif text.startswith("$"):
        if number.n_digits >= 3 and exponent in _STEPS:
            values["nearest"] = f"{_STEPS[exponent]} dollars"
    elif number.n_digits >= 3 and exponent == 0 and question.query.startswith("How many"):
        values["exactly"] = question.query[:1].lower() + question.query[1:]
    is_sum = (  # of a year, so that it has halves; earnings per share of halves need not add up
        text.startswith("$")
        and "per share" not in question.asked["measure"]
        and _YEARLY.fullmatch(question.asked["period"])
        and not _MOMENT.match(clause.when)
    )
    is_told = any(_PARTS_TOLD.search(passage) for passage in question.signal)
    names = ("", "")
    if _STAFF.fullmatch(question.asked["measure"]):
        names = ("at_home", "abroad")
    elif is_sum:
        names = ("half", "other_half")
    if number.n_digits >= 3 and not is_told and names[0]:
        value = Decimal(found[0].replace(",", ""))
        part = (value * Decimal("0.46")).quantize(Decimal(1).scaleb(-decimals))
        values |= {
            name: _styled(text, each, decimals)
            for name, each in zip(names, (part, value - part), strict=True)
        }
    return values


def _figures(question: Question, draw: Random) -> dict[str, str]:
    """Return the figure and others made of it, in its style; none of them is in a passage."""
    text = question.figure
    found = figures_of(text)
    number = NUMBER.search(text)
    if len(found) != 1 or number is None or found[0].unit == "year":
        return {}
    value = Decimal(number[0].replace(",", ""))
    decimals = len(number[0].partition(".")[2])
    taken = [
        figure
        for passage in (question.query, *question.signal, *question.noise)
        for figure in figures_of(passage)
    ]
    values = {
        "figure": text,
        "kind": {"percent": "percent", "count": "number"}.get(found[0].unit, "money"),
    }
    rounded = _rounded(value, decimals)
    if rounded is not None and value and not _is_about(question):
        values["rounded"] = _styled(text, rounded[0], rounded[1]).strip("()")
    factors = [Decimal(factor) for factor in draw.sample(_FACTORS, len(_FACTORS))]
    others = [*(value * factor for factor in factors), value + 3, value + 7, value + 11]
    ceiling = 100 if values["kind"] == "percent" and value <= 100 else None
    for name in ("other", "another"):
        for other in others:
            candidate = _styled(text, other, decimals)
            if _is_new(candidate, found[0], taken) and (ceiling is None or other < ceiling):
                values[name] = candidate
                taken += figures_of(candidate)
                break
    factor = Decimal("0.1") if ceiling and value > 10 else Decimal(10)
    magnitude = _styled(text, value * factor, decimals + (1 if factor < 1 else 0))
    if _is_new(magnitude, found[0], taken):
        values["magnitude"] = magnitude
    if values["kind"] == "percent" or value:
        large = 10_000_000 if text.startswith("$") else 300
        written = f"${draw.randrange(110, 980)},000" if text.startswith("$") else "14"
        if values["kind"] == "percent":
            written = values.get("another", "")
        if written and (values["kind"] == "percent" or found[0].value >= large):
            values["site_figure"] = written
    if value > 1 and found[0].value:
        half = (value / 2).quantize(Decimal(1).scaleb(value.adjusted() - 1), ROUND_HALF_UP)
        threshold = _styled(text, half, max(0, 1 - value.adjusted()))
        if _is_new(threshold, found[0], taken):
            values["threshold"] = threshold
    return values


def _rounded(value: Decimal, decimals: int) -> tuple[Decimal, int] | None:
    """Return a value with one digit less, at least two, and its decimals; None if too short."""
    digits = len(value.normalize().as_tuple().digits)
    if decimals and value >= (1 if decimals > 1 else 10):
        return value.quantize(Decimal(1).scaleb(1 - decimals), ROUND_HALF_UP), decimals - 1
    if digits < 3 or decimals:
        return None
    places = value.adjusted() - 1
    return (value.scaleb(-places).quantize(Decimal(1), ROUND_HALF_UP)).scaleb(places), 0


def _styled(text: str, value: Decimal, decimals: int) -> str:
    """Write a value in a figure's style: its currency, grouping, scale and decimals."""
    number = NUMBER.search(text)
    assert number is not None  # the caller found it
    grouping = "," if "," in number[0] or ("," not in number[0] and value >= 1_000) else ""
    rounded = value.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
    return text[: number.start()] + f"{rounded:{grouping}.{decimals}f}" + text[number.end() :]


def _is_new(text: str, own: Figure, taken: list[Figure]) -> bool:
    found = figures_of(text)
    return (
        len(found) == 1
        and found[0].unit == own.unit
        and not same_figure(found[0], own)
        and bool(found[0].value)
        and not any(same_figure(found[0], figure) for figure in taken)
    )
