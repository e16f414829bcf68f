"""FAITH's scorer as its authors run it, quirks included (paper 004).

It is written from a description of the scorer. The tests have the known cases. Like the original,
it uses binary floating point, which decides verdicts at exactly half a resolution.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

SAME_TEXT = "the same text"
SAME_AT_RESOLUTION = "equal at the coarser resolution"
WITHIN_TOLERANCE = "within 2 percent"
TOO_FAR = "another number"
NEGATIVE_ANSWER = "a negative answer"
ANSWER_NOT_READ = "the answer is not read"
TRUTH_NOT_READ = "the truth is not read"
EMPTY = "no answer"
TOO_LARGE = "a number that no machine holds"

_TOLERANCE = 0.02
# A float has at most 309 digits before its point; beyond that, no scorer can read it.
_MAX_DIGITS = 290

_NUMBER_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty"
)
_WORDS = {word: str(number) for number, word in enumerate(_NUMBER_WORDS.split())}
_WORD = re.compile(rf"\b(?:{'|'.join(_WORDS)})\b")  # lower case only
_DROPPED = str.maketrans("", "", ",$€£¥")
_NUMBER = r"(?:\d++(?:\.\d++)?+|\.\d++)(?:e[+-]?\d++)?+"
_BRACKETED = re.compile(rf"\(\s*+({_NUMBER})\s*+\)")
_FIRST = re.compile(_NUMBER)

_SCALES = {
    "": 1.0,
    **dict.fromkeys(("thousand", "thousands", "k"), 1e3),
    **dict.fromkeys(("million", "millions", "m", "mn", "mio"), 1e6),
    **dict.fromkeys(("billion", "billions", "bn", "bln"), 1e9),
    **dict.fromkeys(("trillion", "trillions", "tn"), 1e12),
    **dict.fromkeys(
        ("%", "pct", "percent", "-percent", "percentage", "per cent", "p.c.", "pc", "%age"),
        1e-2,
    ),
    **dict.fromkeys(
        ("bps", "bp", "basis point", "basis points", "basis-point", "basis-points"), 1e-4
    ),
}
# Units with a factor of one, alone or after a scale and a space. The scorer does not compare them.
_POSTFIXES = frozenset(
    {
        *("per share", "/share", "cents per share", "cps"),
        *("per annum", "per year", "annually"),
        *("boe", "mboe", "mmboe", "boe per day", "mboe per day", "mmboe per day"),
        *("per barrel", "/barrel", "per boe", "/boe", "btu", "kwh", "square feet"),
    }
)


@dataclass(frozen=True, slots=True)
class Parsed:
    """A number as the authors read it, scaled by its unit."""

    value: float
    resolution: float


def judge_official(prediction: str, truth: str) -> tuple[bool, str]:
    """Return the verdict and its reason; an answer on which the authors' scorer fails is wrong."""
    if prediction.strip().lower() == truth.strip().lower():
        return True, SAME_TEXT
    if not prediction.strip():
        return False, EMPTY
    answer, reference = parse(prediction), parse(truth)
    if answer is None:
        return False, ANSWER_NOT_READ
    if reference is None:
        return False, TRUTH_NOT_READ
    if answer.value < 0:
        return False, NEGATIVE_ANSWER
    if not all(
        math.isfinite(part) for one in (answer, reference) for part in (one.value, one.resolution)
    ):
        return False, TOO_LARGE
    stated = abs(reference.value)
    difference = abs(answer.value - stated)
    if difference <= 0.5 * max(answer.resolution, reference.resolution):
        return True, SAME_AT_RESOLUTION
    if stated and difference / stated <= _TOLERANCE:
        return True, WITHIN_TOLERANCE
    return False, TOO_FAR


def parse(text: str) -> Parsed | None:
    """Parse a text's first number, with the rest as its unit; None if either is unknown."""
    text = _WORD.sub(lambda match: _WORDS[match[0]], text.translate(_DROPPED)).strip()
    if bracketed := _BRACKETED.search(text):
        found, digits, is_negative = bracketed, bracketed[1], True
    elif first := _FIRST.search(text):
        found, digits, is_negative = first, first[0], text.startswith("-")
    else:
        return None
    scale = _scale(text[found.end() :].strip().lower())
    if scale is None:
        return None
    if len(digits) > _MAX_DIGITS:
        return Parsed(math.inf, math.inf)
    value = float(digits) * scale
    return Parsed(-value if is_negative else value, _resolution(digits, scale))


def _scale(unit: str) -> float | None:
    if unit in _SCALES:
        return _SCALES[unit]
    if unit in _POSTFIXES:
        return 1.0
    for postfix in _POSTFIXES:
        scale = unit.removesuffix(f" {postfix}")
        if scale != unit and scale in _SCALES:
            return _SCALES[scale]
    return None


def _resolution(digits: str, scale: float) -> float:
    """Return the size of the last nonzero digit: `100` hundreds, `15.0` ones."""
    whole, point, fraction = digits.partition(".")
    if point:
        return scale * 10 ** -len(fraction.rstrip("0"))
    n_zeros = len(whole) - len(whole.rstrip("0")) if whole.strip("0") else 0
    return scale * 10**n_zeros
