"""Names of companies as sentences write them."""

from __future__ import annotations

import re

_SUFFIX = re.compile(r"\s*/[A-Z]{2,3}/?\Z")
_LEGAL = re.compile(r"\b(?:Inc|Incorporated|Corp|Corporation|L\.?P|LLC|Ltd|plc)\b", re.IGNORECASE)
_MOST_CHARS = 50


def company_name(company: str) -> str:
    """Write a company's name as in a sentence, or "" if it may be two names."""
    name = _SUFFIX.sub("", " ".join(company.split()))
    if len(name) > _MOST_CHARS or len(_LEGAL.findall(name)) > 1:
        return ""
    if name.isupper():
        name = " ".join(
            word.capitalize() if len(word) > 3 or _LEGAL.match(word) or word == "CO" else word
            for word in name.split()
        )
    return name
