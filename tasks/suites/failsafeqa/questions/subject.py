"""The subject of a context's questions: a company, and the year that its filing is about."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from tasks.core.rows import Context, Filing
from tasks.text.terms import words

_LEGAL = re.compile(
    r"(?<=\w)[\s,&]+(?:inc|incorporated|corp|corporation|co|company|companies|l\.?\s?p|llc|ltd|limited|plc|n\.?a"
    r"|s\.?a)\b\.?(?!\s(?:of|and|&)\s)",
    re.IGNORECASE,
)
# First words of many companies' names, which alone name none.
_COMMON = words("""
    the a first new united general american national international internet north south east west
    great global standard central pacific atlantic home bank city state old big best real energy
    renewable financial advanced
""")
_AROUND = " \t,.;:&/\\-"


@dataclass(frozen=True, slots=True)
class Subject:
    """What a query must name; an empty or missing part is unknown."""

    company: str = ""  # as in a sentence: `Apple Computer`
    year_end: date | None = None  # of the fiscal year
    # fiscal years of the release's earlier filings of this company, which are asked about there
    asked_elsewhere: frozenset[int] = frozenset()

    @property
    def period(self) -> str:
        """Write the period as in a sentence, or "" if it is unknown."""
        end = self.year_end
        return "" if end is None else f"the fiscal year ended {end:%B} {end.day}, {end.year}"


UNKNOWN = Subject()


def subjects_of(
    contexts: Iterable[Context], filing_ids: Mapping[str, str], filings: Iterable[Filing]
) -> dict[str, Subject]:
    """Find each context's subject, by context_id; `filing_ids` are by document_id."""
    known = {filing.filing_id: filing for filing in filings}
    years: dict[str, set[int]] = {}
    for filing in known.values():
        if filing.period_end is not None and (key := _company_key(filing)):
            years.setdefault(key, set()).add(fiscal_year(filing.period_end))
    subjects = {}
    for context in contexts:
        filing = known[filing_ids[context.document_ids[0]]]
        own, end = years.get(_company_key(filing), set()), filing.period_end
        subjects[context.context_id] = Subject(
            company=short_name(filing.company or "", context.text),
            year_end=end,
            asked_elsewhere=frozenset(year for year in own if end and year < fiscal_year(end)),
        )
    return subjects


def fiscal_year(end: date) -> int:
    """Return a fiscal year's number; one that ends in the first days of January is the last."""
    return (end - timedelta(days=7)).year


def short_name(company: str, text: str) -> str:
    """Write a company's name as sentences do: without legal form, in the text's own capitals."""
    name = re.split(r"[/\\(]", " ".join(company.split()))[0]
    bare = _LEGAL.split(name, maxsplit=1)[0].strip(_AROUND)
    if not bare:
        return ""
    if bare.lower().startswith("the "):
        bare = bare[4:]
    spaced = r"[\s-]+".join(map(re.escape, bare.split()))
    pattern = re.compile(rf"(?<!\w){spaced}(?!\w)", re.IGNORECASE)
    written = Counter(" ".join(found.group().split()) for found in pattern.finditer(text))
    mixed = Counter({form: n for form, n in written.items() if _is_name(form)})
    if mixed:
        return min(mixed, key=lambda form: (-mixed[form], form))
    if not bare.isupper():
        return bare
    return " ".join(
        word.lower()
        if word in ("OF", "AND", "FOR")
        else word.capitalize()
        if len(word) > 3
        else word
        for word in bare.split()
    )


def _is_name(form: str) -> bool:
    """Check whether each longer word has a capital, and not all words have only capitals."""
    parts = re.split(r"[\s-]", form)
    is_shouted = form.isupper() and len(parts) > 1
    return not is_shouted and all(part[:1].isupper() for part in parts if len(part) > 3)


def names_company(query: str, company: str) -> bool:
    """Check whether a query names a company: in full, by a telling first word or its initials.

    Accents do not count: Estée Lauder is ESTEE LAUDER on EDGAR.
    """
    query, company = _without_accents(query), _without_accents(company)
    parts = re.findall(r"[\w'’.-]+", company)
    forms = [r"\W+".join(map(re.escape, parts))]
    if len(parts) > 1 and len(parts[0]) > 2 and parts[0].lower() not in _COMMON:
        forms.append(re.escape(parts[0]))
    named = rf"(?<!\w)(?:{'|'.join(forms)})(?!\w)"
    for found in re.finditer(named, query, re.IGNORECASE):
        if found.group()[0].isupper() or found.group()[0] == company[0]:
            return True
    initials = "".join(part[0] for part in parts).upper()
    return len(initials) > 1 and bool(re.search(rf"(?<!\w){initials}(?!\w)", query))


def _without_accents(text: str) -> str:
    return "".join(char for char in unicodedata.normalize("NFKD", text) if char.isascii())


def _company_key(filing: Filing) -> str:
    return filing.cik or (filing.company or "").casefold()
