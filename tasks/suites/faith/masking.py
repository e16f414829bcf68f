"""Mask a figure in a sentence and write its passage."""

from __future__ import annotations

from tasks.suites.faith.rows import MaskType

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
