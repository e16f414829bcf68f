"""Judgements: the query asks for what no text of facts says, and no sentence makes it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from tasks.suites.refusalbench.proofs.facts import asked_of
from tasks.suites.refusalbench.proofs.slots import YEAR, sentences_of, slotted, speaks_of
from tasks.suites.refusalbench.rows import AskedFigure, BaseQuestion, LabelProof
from tasks.text.terms import content_terms

_AMOUNT = r"\(?(?:us)?[$€£]? ?[\d,.]+%?(?: (?:thousand|million|billion|percent))?\)?"
_YEAR = r"(?:fiscal )?(?P<year>(?:19|20)\d\d)"
# A hypothesis about how figures are presented is arithmetic: `if it had reported in thousands`.
_PRESENTATION = re.compile(
    r"\b(?:report|stat|express|round|present|translat|measur|count|calculat|comput|includ|exclud"
    r"|add|subtract|adjust|restat|convert|disclos|record|book|defin|classif|us)(?:e?d|ted|ied|ing)\b"
)
# An event, of which a sentence says no effect.
_BARE = re.compile(
    r"In (?:[A-Z][a-z]+ )?(?:19|20)\d\d, (?:we|[Tt]he Company|[A-Z][\w&.,' -]+?) moved "
    r"(?:our|its) (?:[a-z]+ ){1,2}[a-z]+ to [A-Z][a-z]+\."
)
_EFFECT = re.compile(
    r"(?:this|that|these|it|as a result|the (?:move|relocation)|consequently|therefore|thus)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Judgement:
    name: str
    asked: tuple[re.Pattern[str], ...]
    made: str
    of: re.Pattern[str]
    always: re.Pattern[str]
    of_measure: bool
    is_of_future: bool


def prove(base: BaseQuestion, query: str, passages: Sequence[str]) -> LabelProof | None:
    """Prove that a query asks for a judgement of the closed list that no sentence makes."""
    asked = asked_of(base)
    if asked is None:
        return None
    text = slotted(base, query)
    sentences = list(sentences_of(base, passages))
    for judgement in _judgements():
        found = next((hit for form in judgement.asked if (hit := form.fullmatch(text))), None)
        if found is None:
            continue
        slots = found.groupdict()
        if not (
            (not judgement.is_of_future or _is_later(slots.get("year"), asked.period, sentences))
            and _is_unheard_of(slots.get("hypothesis"), sentences)
            and not _is_made(judgement, asked, slots.get("year"), sentences)
        ):
            return None
        detail = f"The query asks for {judgement.name}; no sentence of the passages says it."
        return LabelProof(kind="judgement", detail=detail)
    return None


def _is_later(year: str | None, period: str, sentences: Sequence[str]) -> bool:
    """Whether a time to come is after all years that the period and the passages name."""
    known = [int(each) for each in YEAR.findall(period)]
    named = [int(each) for sentence in sentences for each in YEAR.findall(sentence)]
    return bool(known) and max(known) == max([*known, *named]) < int(year or 9999)


def _is_unheard_of(hypothesis: str | None, sentences: Sequence[str]) -> bool:
    """Whether a hypothesis is of what no passage mentions, or only as having happened."""
    if hypothesis is None:
        return True
    terms = set(content_terms(hypothesis))
    for place, each in enumerate(sentences):
        if _BARE.fullmatch(each) and any(map(_EFFECT.match, sentences[place + 1 : place + 2])):
            return False
    return (
        len(terms) > 1
        and not _PRESENTATION.search(hypothesis)
        and all(
            len(terms.intersection(content_terms(each))) < 2 or _BARE.fullmatch(each)
            for each in sentences
        )
    )


def _is_made(
    judgement: _Judgement, asked: AskedFigure, year: str | None, sentences: Sequence[str]
) -> bool:
    """Whether a sentence makes the judgement, or may give a ground for it."""
    later = f"(?:fiscal )?{year}" if year else "(?!)"
    made = re.compile(rf"\b(?:{judgement.made.replace('LATERYEAR', later)})\b", re.IGNORECASE)
    return any(
        judgement.always.search(sentence)
        or (
            made.search(sentence)
            and (
                (judgement.of_measure and speaks_of(sentence, asked.measure))
                or judgement.of.search(made.sub(" ", sentence))
            )
        )
        for sentence in sentences
    )


@cache
def _judgements() -> tuple[_Judgement, ...]:
    folder = files("tasks.suites.refusalbench.proofs")
    content = tomllib.loads(folder.joinpath("judgements.toml").read_text(encoding="utf-8"))
    parts = {**content["parts"], "AMOUNT": _AMOUNT, "YEAR": _YEAR}
    part = re.compile(rf"(?<![A-Z])(?:{'|'.join(parts)})(?![A-Z])")
    return tuple(
        _Judgement(
            name=each["name"],
            asked=tuple(
                re.compile(part.sub(lambda found: parts[found[0]], form)) for form in each["asked"]
            ),
            made=each.get("made", "(?!)"),
            of=re.compile(rf"\b(?:{each.get('of', '(?!)')})\b", re.IGNORECASE),
            always=re.compile(rf"\b(?:{each.get('always', '(?!)')})\b", re.IGNORECASE),
            of_measure=each.get("of_measure", True),
            is_of_future=each.get("is_of_future", False),
        )
        for each in content["judgement"]
    )
