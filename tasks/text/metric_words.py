"""Words that name a metric in sentences, rows and columns, spelled alike."""

from __future__ import annotations

import re
from functools import lru_cache

from tasks.text.terms import content_terms

_FULL = {
    "SG&A": "selling general and administrative",
    "SM&A": "selling general and administrative",
    "MG&A": "marketing general and administrative",
    "R&D": "research and development",
    "G&A": "general and administrative",
    "COGS": "cost of goods sold",
    "EPS": "earnings per share",
    "O&M": "operation and maintenance",
}
_ABBREVIATED = re.compile(rf"\b(?:{'|'.join(_FULL)})\b")
# An abbreviation in any case, or, in a column's head, a short year or what links two years.
_IN_HEADS = re.compile(r"\b(excl)\b\.?|[’'‘]\d\d\b|\bvs\b\.?", re.IGNORECASE)
_SAME = {
    "revenu": "sal",
    "earn": "incom",
    "profit": "margin",
    "percentag": "percent",
    "expenditur": "expens",
    "invent": "inventory",
    "inventori": "inventory",
    "taxe": "tax",
    "indebted": "debt",
    "indebtedness": "debt",
}
# Words about movement, time and comparison: they name no row.
_FRAME = frozenset(
    content_terms(
        "increase increased increasing decrease decreased decreasing compare compared comparison "
        "year years fiscal ended period periods prior quarter quarters month months million "
        "billion thousand thousands millions percent percentage change changed higher lower due "
        "primarily approximately result resulted resulting partially offset respectively reflect "
        "reflecting reflects represent represented representing attributable driven following "
        "summarize table growth grew rose declined decline december january february march april "
        "june july august september october november including included includes amount amounts "
        "company point points versus fell dropped related recorded recognized consisted totaled "
        "rise risen was were basis dollars data mask"
    )
)


@lru_cache(maxsize=1 << 12)
def term_set(text: str) -> frozenset[str]:
    """Collect the terms of a text."""
    return frozenset(terms_of(text))


def terms_of(text: str) -> list[str]:
    """Find the words that can name a row or column: stemmed, synonyms alike."""
    text = _ABBREVIATED.sub(lambda match: _FULL[match[0]], text)
    text = _IN_HEADS.sub(lambda match: "excluding" if match[1] else "", text)
    return [_SAME.get(term, term) for term in content_terms(text) if term not in _FRAME]
