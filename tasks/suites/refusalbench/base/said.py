"""One sentence on a company, and what in it surely belongs to the company."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tasks.quantities.figures import Figure, find_figures
from tasks.suites.refusalbench.base.statements import is_name_of
from tasks.suites.refusalbench.proofs.clauses import owner_of
from tasks.suites.shared.clauses import Clause
from tasks.suites.shared.phrases import YEAR

_PART = re.compile(
    r"(?P<part>(?:[a-z-]+\s){0,2}(?:value|balance|amounts?|portion|preference|benefit|cost))\sof\s"
    r"(?:the\s|its\s|our\s)?(?P<whole>.+)"
)
OURS = re.compile(r"(?:our|its|the (?:[Cc]ompany|[Cc]orporation|[Rr]egistrant)[’']s)\s")
_SELF = re.compile(
    r"(?:we|the (?:[Cc]ompany|[Cc]orporation|[Rr]egistrant|[Pp]artnership))"
    r"(?:\sand\sits\s(?:\w+\s)?subsidiaries)?\Z"
)
# Figures of others, and of parts that only a neighbouring sentence names.
OF_OTHERS = re.compile(
    r"\b(?:industry|market|markets|competitors?|econom\w+|world|consumers?|growth|increase|decrease"
    r"|decline|change|remaining|other|their|his|her|these|those|segment[’']s|related|prior"
    r"|respective)\b",
    re.IGNORECASE,
)
_LIMITS = re.compile(
    r"\s*,?\s*(?:excluding|including|net of|before|after|on an?|adjusted|per|or less"
    r"|or more|of|to)\b"
)
_LEAD = re.compile(r"(?:in|during|for|as of|at|on|since)\s")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a filing, with its clause."""

    company: str
    said: str
    clause: Clause

    @property
    def owned(self) -> str:
        """The company's name as an owner."""
        return owner_of(self.company)

    @property
    def period(self) -> str:
        """The clause's time without its preposition."""
        return _LEAD.sub("", self.clause.time, count=1)

    @property
    def is_own(self) -> bool:
        """Whether the company is the subject."""
        subject = self.clause.subject
        return bool(_SELF.match(subject)) or self._is_name(subject)

    def _is_name(self, words: str) -> bool:
        return words[:1].isupper() and is_name_of(words, self.company)

    def measure(self, phrase: str) -> str | None:
        """Return a phrase without its owner and time, if it can only be the company's measure."""
        for time in (self.clause.time, f"for {self.period}", f"of {self.period}"):
            phrase = phrase.removesuffix(f" {time}") if self.clause.time else phrase
        whose, mark, rest = phrase.partition("’s " if "’s " in phrase else "'s ")
        if mark and self._is_name(whose):
            phrase = rest
        phrase = OURS.sub("", phrase, count=1).removeprefix("the ")
        is_plain = phrase[:1].islower() and not OF_OTHERS.search(phrase)
        is_plain = is_plain and not phrase.startswith(("a ", "an ", "such "))
        return phrase if is_plain and not YEAR.search(phrase) else None

    def figure_at(self, rest: str, place: int) -> Figure | None:
        """Return the figure that starts at a place, if nothing after it limits what it is of."""
        figure = figure_next(rest[place:])
        if figure is None:
            return None
        after = rest[place + figure.end_char :]
        time = self.clause.time
        if time and after.startswith(f" {time}"):
            after = after[len(time) + 1 :]
        if _LIMITS.match(after):
            return None
        return figure if re.match(r"[.,;]|\Z|\s(?:compared|versus|and|from|or)\b", after) else None


def figure_next(text: str) -> Figure | None:
    """Return the amount, percentage or count that a text starts with, if its scale is certain."""
    figure = next(iter(find_figures(text)), None)
    if figure is None or figure.start_char or figure.unit not in ("money", "percent", "count"):
        return None
    return None if "$" in figure.text and "%" in figure.text else figure


def owned(owner: str, measure: str) -> str:
    """Write whose measure it is: `the fair value of Apple's securities`, `Apple's net sales`."""
    part = _PART.match(measure)
    return f"the {part['part']} of {owner} {part['whole']}" if part else f"{owner} {measure}"
