"""Words that name a metric in sentences, rows and columns, spelled alike."""

from __future__ import annotations

import re
from functools import lru_cache

from tasks.text.terms import content_terms

_ABBREVIATED = (
    (re.compile(r"\bSG&A\b|\bSM&A\b"), "selling general and administrative"),
    (re.compile(r"\bMG&A\b"), "marketing general and administrative"),
    (re.compile(r"\bR&D\b"), "research and development"),
    (re.compile(r"\bG&A\b"), "general and administrative"),
    (re.compile(r"\bCOGS\b"), "cost of goods sold"),
    (re.compile(r"\bEPS\b"), "earnings per share"),
    (re.compile(r"\bO&M\b"), "operation and maintenance"),
    (re.compile(r"\bexcl\b\.?", re.IGNORECASE), "excluding"),
    (re.compile(r"[’'‘]\d\d\b|\bvs\b\.?", re.IGNORECASE), ""),  # of a column head's years
)
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
    for pattern, spelled in _ABBREVIATED:
        text = pattern.sub(spelled, text)
    return [_SAME.get(term, term) for term in content_terms(text) if term not in _FRAME]
