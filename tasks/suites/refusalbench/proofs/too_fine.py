"""Levels: the query asks for a finer or another level than any that the passages give."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from tasks.suites.refusalbench.proofs.facts import asked_of
from tasks.suites.refusalbench.proofs.numbers import asked_number
from tasks.suites.refusalbench.proofs.slots import (
    YEAR,
    has_quantity,
    is_stated,
    sentences_of,
    slotted,
)
from tasks.suites.refusalbench.rows import BaseQuestion, LabelProof
from tasks.text.terms import words

# Words of a query that ask for nothing besides. `Average` is none: a year's figure gives it.
_FRAME = words("""
    what was were is are how much many high large did do does the a in of for during on at by <c>
    <c>'s <c>' <m> <p> it its company company's report reported have had record going given based
    <f>
""")
# Words with which a query may ask for a larger whole.
_WHOLE_FRAME = _FRAME | words("""
    growth grow grew rise rose change changed develop developed trend average annual number stable
    steady rate per year
    to up until before ending ended account accounted for represent behave vary varied
    share percentage all companies describe room with records
""")
_MIDDLE = re.compile(
    r"what (?:was|were) the (?:median|average|mean) (?:number of )?<m> of the three companies"
    r"(?: <p>)?"
)
_RULE = re.compile(
    r"for how many years does <c> keep (?:its records|the records of (?:the number of )?<c>'s? <m>)"
    r" companywide"
)
_LOCAL = re.compile(
    r"office in \w+ keeps (?:its|the) records(?: of [^.;\n]+(?:\.[^.;\n]+)*?)? for \w+ years"
    r" and the office in \w+ for \w+ years; there is no companywide rule\."
)
_LIST = re.compile(r"[^.\n]*\bas follows: .*?; .*?; [^;\n]*?(?=\.(?:\s|\Z))")
_MISSING = re.compile(r"(?P<name>[A-Z]\w+)[\w ,.]*, not (?:disclosed|known|published|available)")
# `Going by the office on Calder Street, what ..`
_SITE = re.compile(r"\Agoing by the (?:office|shop|facility) on \w+ (?:street|avenue), ")
_SPANS = {
    "one": 1,
    "two": 2,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "twenty": 20,
}
_SPANS |= {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "eighty": 80, "hundred": 100}


@dataclass(frozen=True, slots=True)
class _Level:
    name: str
    asked: re.Pattern[str]
    given: re.Pattern[str]
    is_part: bool
    of: str | None


def prove(base: BaseQuestion, query: str, passages: Sequence[str]) -> LabelProof | None:
    """Prove that a query asks for a level for which no sentence of the passages has a figure."""
    asked = asked_of(base)
    if asked is None or not is_stated(base, passages):
        return None
    own, text = asked_number(base), slotted(base, query)
    if _MIDDLE.fullmatch(text) and (gap := _gap(asked.measure, asked.company, passages)):
        return LabelProof(kind="too_fine", detail=f"A member of the group has no value: “{gap}”.")
    known = f"{base.query} {asked.measure} {asked.period}"
    if _RULE.fullmatch(text) and _has_only_local_rules(passages):
        return LabelProof(
            kind="too_fine", detail="Rules are of single offices, not of the company."
        )
    for level in _levels():
        found = level.asked.search(text)
        if (
            found is None
            or (level.of == "money" and not (own and own.currency))
            or level.asked.search(known.lower())
            or (level.is_part and level.given.search(known))
            or not _is_understood(text, found, is_part=level.is_part)
            or not _is_longer(found.groupdict(), asked.period, passages)
        ):
            continue
        sentences = sentences_of(base, passages, of_others=not level.is_part)
        if any(level.given.search(each) and has_quantity(each) for each in sentences):
            return None
        asked_for = found[0].replace("<m>", asked.measure)
        return LabelProof(
            kind="too_fine",
            detail=f"The query asks for {level.name}: “{asked_for}”; no sentence gives it.",
        )
    return None


def _has_only_local_rules(passages: Sequence[str]) -> bool:
    """Whether the passages have rules of single offices, and say that there is no other."""
    local = [found for text in passages for found in _LOCAL.finditer(text)]
    rest = [_LOCAL.sub(" ", text) for text in passages]
    return bool(local) and not any(
        re.search(r"companywide|(?:all|each|every) offices?", each) for each in rest
    )


def _gap(measure: str, company: str, passages: Sequence[str]) -> str | None:
    """Find a list of three companies of which one has no value, and no other word on that one."""
    text = "\n\n".join(passages)
    for listed in _LIST.finditer(text):
        before, *items = re.split(r"as follows: |; ", listed[0])
        missing = [found for item in items if (found := _MISSING.fullmatch(item))]
        valued = [item for item in items if has_quantity(item)]
        if len(items) == 3 and len(missing) == 1 and len(valued) == 2 and measure in before:
            name = missing[0]["name"]
            if name != company and text.count(name) == listed[0].count(name):
                return missing[0][0]
    return None


def _is_understood(text: str, level: re.Match[str], *, is_part: bool) -> bool:
    """Whether a query asks for the measure at the level, and for nothing else."""
    rest = f"{_SITE.sub('', text[: level.start()])} {text[level.end() :]}"
    # One level inside another: `in the second week of the third month of <p>`.
    rest = " ".join(each.sub(" ", rest) for each in [_part_of_year()]) if is_part else rest
    left = set(rest.replace(",", " ").split())
    if is_part:
        return left <= _FRAME and "<m>" in left
    return left <= _WHOLE_FRAME and ("<m>" in text or "<c>'s records" in text)


def _is_longer(slots: dict[str, str | None], period: str, passages: Sequence[str]) -> bool:
    """Whether a span of years begins before every year that the passages name."""
    if slots.get("whole"):  # `over a century`
        years = [year for text in passages for year in YEAR.findall(text)]
        return not years or int(max(years)) - int(min(years)) < 50
    span, unit, years = slots.get("span"), slots.get("unit"), YEAR.findall(period)
    if unit is None:
        return True
    n_units = _SPANS.get(span or "one")
    if n_units is None or not years:
        return False
    first = int(max(years)) - n_units * {"years": 1, "decades": 10, "century": 100}[unit]
    return all(int(year) > first + 1 for text in passages for year in YEAR.findall(text))


@cache
def _part_of_year() -> re.Pattern[str]:
    return _levels()[0].asked


@cache
def _levels() -> tuple[_Level, ...]:
    folder = files("tasks.suites.refusalbench.proofs")
    content = tomllib.loads(folder.joinpath("levels.toml").read_text(encoding="utf-8"))
    part = re.compile("|".join(content["parts"]))

    def pattern(form: str) -> str:
        return part.sub(lambda found: content["parts"][found[0]], form)

    return tuple(
        _Level(
            name=each["name"],
            asked=re.compile(rf"(?<!\w)(?:{pattern(each['asked'])})(?!\w)"),
            given=re.compile(rf"\b(?:{pattern(each['given'])})\b", re.IGNORECASE),
            is_part=each.get("is_part", False),
            of=each.get("of"),
        )
        for each in content["level"]
    )
