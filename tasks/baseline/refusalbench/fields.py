"""The values that a play may name in braces, computed of the asked figure."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal
from random import Random

from tasks.baseline.refusalbench.question import NUMBER, Question
from tasks.quantities.figures import MONTHS, Figure, same_figure
from tasks.suites.refusalbench.figures import figures_of
from tasks.suites.shared.phrases import YEAR, capitalised, is_plural

_POINT_IN_TIME = re.compile(rf"(?:{MONTHS})\.? \d|year[- ]end|the end\b", re.IGNORECASE)
_HAS_PREPOSITION = re.compile(r"(?:as of|at|in|for|during|on|by)\b", re.IGNORECASE)
_NAMED = re.compile(r"(?:[A-Z]\S*[A-Z]|I\b)")  # a first word that keeps its capital: `IBM`
_CHANGE = re.compile(r"(?:increase|decrease|change|share|price|(?:fair )?value)\b", re.IGNORECASE)
_REVENUE = re.compile(r"\b(?:revenues?|sales)\b", re.IGNORECASE)
_FACTORS = ("0.62", "0.71", "0.78", "0.83", "1.19", "1.27", "1.36", "1.44")
_PAST = {"employ": "employed", "own": "owned", "operate": "operated"}
_NEXT_SCALE = {"thousand": "million", "million": "billion", "billion": "trillion"}


def fields_of(question: Question, draw: Random) -> dict[str, str]:
    """Return the values by name; what is not known is left out."""
    asked = question.asked
    first = question.query.partition(" ")[0]
    keeps = _NAMED.match(first) or first in asked.get("company", "").split()
    values = {
        **asked,
        "in_period": "",
        "query": question.query,
        "hold": next((each for each in _PAST if f" {each} " in question.query), "have"),
        "question": question.query if keeps else question.query[:1].lower() + question.query[1:],
        **_figures(question, draw),
    }
    values["had"] = _PAST.get(values["hold"], "had")
    if company := asked.get("company"):
        values["companys"] = company + ("'" if company.endswith("s") else "'s")
        values["Company"] = capitalised(company)
        values["Companys"] = capitalised(values["companys"])
    if measure := asked.get("measure", "").removeprefix("the "):
        values["measure"] = measure
        plural = is_plural(measure)
        values["Measure"] = capitalised(measure)
        if not _CHANGE.match(measure):
            values["level"] = measure
        if _REVENUE.search(measure):
            values["revenue"] = measure
        values["were"] = "were" if plural else "was"
        values["are"] = "are" if plural else "is"
        values["have"] = "have" if plural else "has"
        values["do"] = "do" if plural else "does"
        values["they"] = "they" if plural else "it"
    if period := asked.get("period"):
        preposition = "at" if _POINT_IN_TIME.match(period) else "in"
        has_one = _HAS_PREPOSITION.match(period)
        values["in_period"] = period if has_one else f"{preposition} {period}"
        if preposition == "in" and not has_one:
            values["in_year"] = values["in_period"]
        if years := YEAR.findall(period):
            year = int(years[-1])
            values["year"], values["next_year"] = str(year), str(year + 1)
            values["earlier_year"], values["founded"] = str(year - 1), str(year - 140)
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
    if rounded is not None and value:
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
    for scale, larger in _NEXT_SCALE.items():
        swapped = re.sub(rf"\b{scale}\b", larger, text)
        if swapped != text and _is_new(swapped, found[0], taken):
            values["thousandfold"] = swapped
    return values


def _rounded(value: Decimal, decimals: int) -> tuple[Decimal, int] | None:
    """Return a value with one digit less, at least two, and its decimals; None if too short."""
    digits = len(value.normalize().as_tuple().digits)
    if decimals and value >= 1:
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
