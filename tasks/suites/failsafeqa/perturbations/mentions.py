"""Where a query names the company of its report."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from tasks.suites.failsafeqa.perturbations.absence import core_name
from tasks.text.terms import words as word_set

_STATE = re.compile(r"\s*[\\/](?:\w{2,3}[\\/]?)?\Z")  # EDGAR's `FEDEX CORP/DE/`
_LEGAL = (
    r"(?:,? (?:& )?(?:Inc|Incorporated|Corp|Corporation|Co|Company|Ltd|Limited|LLC|PLC|plc|L\.P"
    r"|Group|Holdings?)\b\.?)*"
)
# First words of names that alone name nobody.
_COMMON = word_set(
    "advanced american atlantic central first general global great home international internet "
    "national new north northern old pacific security south southern standard the united universal "
    "west western"
)
_ROLE = r"(?:[Tt]he (?:[Cc]ompany|[Cc]orporation|[Rr]egistrant|[Ff]irm))\b"


def company_mentions(query: str, company: str) -> list[tuple[int, int]]:
    """Find where a query names the company or says "the Company": (start, end), without `'s`.

    Part of its name counts if it stands for it: "FedEx", but not the "FedEx" of "FedEx Office".
    """
    folded = "".join(unicodedata.normalize("NFKD", char)[0] for char in query)
    return [found.span() for found in _pattern(company).finditer(folded)]


@lru_cache(maxsize=256)
def _pattern(company: str) -> re.Pattern[str]:
    words = re.findall(r"[\w&]+", core_name(_STATE.sub("", company)))
    if not words or not any(word[0].isalpha() for word in words):
        return re.compile(_ROLE)
    forms = []
    for count in range(len(words), 0, -1):
        if words[count - 1] in ("&", "and", "of", "the"):
            continue
        if count == 1 and len(words) > 1 and words[0] in _COMMON:
            continue  # the `First` of First Bancorp
        forms.append(r"[\s,.-]{1,2}".join(map(re.escape, words[:count])))
    # a capital, and no further capitalised word: that would be another name
    name = rf"(?:[Tt]he )?(?=[A-Z])(?i:{'|'.join(forms)}){_LEGAL}(?! (?:& )?[A-Z][a-z])(?![\w-])"
    return re.compile(rf"(?<![\w-])(?:{name}|{_ROLE})")
