"""The maskable figures of a sentence, which measure something, and a sentence with one masked.

Years, periods ("the last three months"), numbers in words, list labels and numbers in names ("Intel
7") are not maskable, since no table gives them. The end of a range ("$60-$65") is not, since the
other end reveals too much.
"""

from __future__ import annotations

import re

from tasks.quantities.figures import Figure, find_figures
from tasks.quantities.units import SIGNS, packaged_units
from tasks.suites.faith.rows import MaskType

# Characters to check on each side of a figure. No pattern below reaches farther.
_CHARS_AROUND = 60
_PERIOD_AFTER = re.compile(
    r"[\s-](?:[a-z]+\s){0,2}?(?:months?|weeks?|quarters?|hours?|minutes?|periods?|years?)\b",
    re.IGNORECASE,
)
_HYPHEN_AFTER = re.compile(r"[-–](?:\s(?:and|or|to)\s)?[A-Za-z\d]")
_REFERENCE_BEFORE = re.compile(
    r"\b(?:notes?|pages?|items?|sections?|versions?)\b[^;]{0,30}\Z|[-–\[]\Z", re.IGNORECASE
)
# The ends of a range. A dash after a space is punctuation of the sentence.
_RANGE_BEFORE = re.compile(r"[\d%][-–]\s?\Z")
_RANGE_AFTER = re.compile(rf"[-–]\s?(?:[^\W\d_]{{0,2}}[{SIGNS}]\s?)?\d")
_NAME_BEFORE = re.compile(r"\b[A-Z][\w’'.]*\s\Z")


def maskable_figures(sentence: str) -> list[Figure]:
    """Return a sentence's maskable amounts, rates, amounts per share and counts, in order."""
    return [figure for figure in find_figures(sentence) if _is_maskable(sentence, figure)]


def unit_group(figure: Figure) -> str:
    """Return a unit's group: money, percent, bps, per_share, or a counted unit's: area."""
    group = packaged_units().groups.get(figure.measure or "")
    return group.kind if group is not None and figure.unit == "count" else figure.unit


def _is_maskable(sentence: str, figure: Figure) -> bool:
    before = sentence[max(0, figure.start_char - _CHARS_AROUND) : figure.start_char]
    after = sentence[figure.end_char : figure.end_char + _CHARS_AROUND]
    if figure.unit == "year" or _RANGE_BEFORE.search(before) or _RANGE_AFTER.match(after):
        return False
    if figure.unit != "count" or re.search(r"\d\D*[A-Za-z]", figure.text):
        return True  # `1.8 million units`, too
    first = figure.text[0]
    if first.isascii() and first.isalpha():  # in words, mostly counts of reasons, years or segments
        return False
    if figure.text.startswith("(") or (len(figure.text) <= 2 and after.startswith(")")):
        return False
    if (
        _REFERENCE_BEFORE.search(before)
        or _HYPHEN_AFTER.match(after)
        or (figure.decimals == 0 and _PERIOD_AFTER.match(after))
    ):
        return False
    if figure.text == "1" and before.endswith(" to "):  # part of a ratio
        return False
    named = _NAME_BEFORE.search(before)
    return not (named and named.start() > 0 and "," not in figure.text)


# The authors' letters, and how cells give a figure of each.
SCENARIOS: dict[MaskType, str] = {
    "A": "direct lookup",
    "B": "comparative",
    "C": "bivariate",
    "D": "multivariate",
}
NOT_STATED = "not stated"  # by a published file

MASK = "[MASK]"
# A longer sentence is a list or a table without line breaks, not a passage to ask about.
LONGEST = 4_000


def masked(sentence: str, start_char: int, end_char: int) -> str:
    """Mask the characters of a sentence from start to end."""
    return f"{sentence[:start_char]}{MASK}{sentence[end_char:]}"


def passage_text(before: str, masked_sentence: str, after: str) -> str:
    """Write a masked sentence and its neighbours, one per line, whitespace normalised."""
    lines = (" ".join(part.split()) for part in (before, masked_sentence, after))
    return "\n".join(line for line in lines if line)


def traits_of(mask_type: MaskType | None, unit: str) -> dict[str, str]:
    """Return the traits of a masked figure, by which metrics are sliced."""
    return {"scenario": SCENARIOS[mask_type] if mask_type else NOT_STATED, "unit": unit}
