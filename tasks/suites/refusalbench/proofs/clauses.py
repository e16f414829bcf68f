"""What a base question asks, taken apart, so that plays and proofs can say it in other words.

`What were Acme's net sales in 2023?` asks what completes `Acme's net sales were .. in 2023`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tasks.suites.refusalbench.rows import AskedFigure
from tasks.suites.shared.phrases import is_plural

_FORMS = (
    r"What (?P<past>was|were) (?P<subject>.+?)",
    r"What did (?P<subject>.+?) (?P<total>total|amount to)",
    r"How many (?P<things>.+?) did (?P<subject>.+?) (?P<had>have|employ|own|operate)",
    r"What percentage of (?P<whole>.+?) did (?P<subject>.+?) represent",
    r"By what percentage did (?P<subject>.+?) (?P<change>increase|decrease)",
)
_HAD = {"have": "had", "employ": "employed", "own": "owned", "operate": "operated"}
_TOTAL = {"total": "totaled", "amount to": "amounted to"}
# Nouns of quantities that are no things: they have no color, no weight and no will.
_ABSTRACT = re.compile(
    r"sales|revenues?|income|earnings|profits?|losses|loss|expenses?|costs?|provision|gains?|tax(?:es)?"
    r"|margin|percentage|rate|value|volume|proceeds|expenditures?|spending|debt|benefits?"
    r"|carryforwards|charges?|share|increase|decrease|preference|interest|compensation"
)
_HEAD = re.compile(r" (?:of|in|for|from|on|before|after|per|to|outside|associated|classified)\b|,")


@dataclass(frozen=True, slots=True)
class Clause:
    """The parts of the statement that answers a question."""

    subject: str  # Acme's net sales
    past: str  # were, had, represented, increased by
    rest: str  # what follows the value: ` employees`, ` of Acme's net sales`
    when: str  # in 2023
    quantity: str  # Acme's net sales, the number of Acme's employees
    is_many: bool  # whether the quantity takes `were`
    whole: str  # what a share is a share of; else empty
    change: str  # increase, decrease; else empty
    is_abstract: bool  # whether the quantity is one of no things: of sales, not of cash or people

    def statement(self, value: str) -> str:
        """Write the statement with a value."""
        return f"{self.subject} {self.past} {value}{self.rest} {self.when}"


def owner_of(name: str) -> str:
    """Write a name as an owner: `Acme's`, `Textiles'`."""
    return f"{name}'" if name.endswith("s") else f"{name}'s"


def clause_of(query: str, asked: AskedFigure | None) -> Clause | None:
    """Take a question for a figure apart; None if it has no known form."""
    if asked is None or not asked.period or not asked.company:
        return None
    when = (
        r"(?P<when>(?:(?:in|for|at|as of|as at|during|on|by) )?(?:the )?"
        + re.escape(asked.period)
        + r")\?"
    )
    for form in _FORMS:
        found = re.fullmatch(f"{form} {when}", query)
        if found is None or asked.company not in query:
            continue
        part = {name: value or "" for name, value in found.groupdict().items()}
        subject, things, whole = part["subject"], part.get("things", ""), part.get("whole", "")
        had, change, total = part.get("had", ""), part.get("change", ""), part.get("total", "")
        past, rest, quantity = part.get("past", ""), "", subject
        if had:
            past, rest = _HAD[had], f" {things}"
            of_it = (
                f"{owner_of(subject)} {things}"
                if had == "have"
                else f"{things} {past} by {subject}"
            )
            quantity = f"the number of {of_it}"
        elif whole:
            past, rest = "represented", f" of {whole}"
            quantity = f"the share of {subject} in {whole}"
        elif change:
            past, quantity = f"{change}d by", f"the {change} in {subject}"
        elif total:
            past = _TOTAL[total]
        return Clause(
            subject=subject,
            past=past,
            rest=rest,
            when=part["when"],
            quantity=quantity,
            is_many=past == "were" or (bool(total) and is_plural(_HEAD.split(asked.measure)[0])),
            whole=whole,
            change=change,
            is_abstract=not had and bool(whole or change or _is_abstract(asked.measure)),
        )
    return None


def around_aside(query: str, asked: AskedFigure) -> tuple[str, str] | None:
    """Split a question after its company, if an aside on the company can stand there."""
    company, clause = asked.company, clause_of(query, asked)
    owned = f"{owner_of(company)} "
    if clause is None or query.count(company) != 1:
        return None
    before, _, after = query.partition(company)
    if after.startswith(" "):
        return before + company, after
    if clause.subject.startswith(owned) and query.startswith(("What was ", "What were ")):
        measure = clause.subject.removeprefix(owned)
        return f"What {clause.past} the {measure} of {company}", f" {clause.when}?"
    return None


def head_of(phrase: str) -> str:
    """Return a phrase up to its noun, without what is of, in or for it."""
    return phrase if phrase.startswith("the number of ") else _HEAD.split(phrase, maxsplit=1)[0]


def _is_abstract(measure: str) -> bool:
    """Whether a measure is no thing, by its noun before a preposition."""
    return bool(_ABSTRACT.fullmatch(head_of(measure).rpartition(" ")[2]))
