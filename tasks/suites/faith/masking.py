"""A figure hidden in a sentence, and the passage in which a model sees it."""

from __future__ import annotations

from bisect import bisect_right

MASK = "[MASK]"
# Characters of a sentence beyond which it is a list or a table run together, and no passage to ask about.
LONGEST = 4_000

# The scenario of a figure that no derivation gives: so the scenarios' figures add up to the whole.
NO_DERIVATION = "no derivation"

_BANDS = ("1-5", "6-10", "11-20", "21 and more")
_BAND_STARTS = (6, 11, 21)


def masked(sentence: str, start_char: int, end_char: int) -> str:
    """The sentence with the characters from start to end hidden."""
    return f"{sentence[:start_char]}{MASK}{sentence[end_char:]}"


def passage_text(before: str, masked_sentence: str, after: str) -> str:
    """A masked sentence between its neighbours, a line each; a neighbour that is empty is left out.

    Blanks and line breaks inside a sentence become one blank.
    """
    lines = (" ".join(part.split()) for part in (before, masked_sentence, after))
    return "\n".join(line for line in lines if line)


def traits_of(
    scenario: str | None, mask_type: str | None, unit: str, n_tables: int, *, is_in_sentence: bool
) -> dict[str, str]:
    """What metrics of a masked figure are sliced by; a mask type that is not known is left out.

    Args:
        is_in_sentence: the sentence's other figures give the figure by themselves. Where they do not, nothing is said of
            what does: tables may, or nothing that the model is shown.
    """
    known = {
        "scenario": scenario or NO_DERIVATION,
        "mask_type": mask_type,
        "unit": unit,
        "tables": _BANDS[bisect_right(_BAND_STARTS, n_tables)],
        "given_by": "its own sentence" if is_in_sentence else "not its own sentence",
    }
    return {name: value for name, value in known.items() if value is not None}
