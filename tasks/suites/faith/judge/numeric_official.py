"""FAITH's scorer as its authors run it, quirks included (paper 004).

It is written from a description of the scorer, with the authors' own units
(`official_units.toml`). The tests have the known cases. Like the original, it uses binary floating
point, which decides verdicts at exactly half a resolution.
"""

from __future__ import annotations

import math
import re
import tomllib
from dataclasses import dataclass
from importlib.resources import files

from tasks.suites.shared.figure_match import ANOTHER_NUMBER, EMPTY, SAME_TEXT, TRUTH_NOT_READ

SAME_AT_RESOLUTION = "equal at the coarser resolution"
WITHIN_TOLERANCE = "within 2 percent"
NEGATIVE_ANSWER = "a negative answer"
ANSWER_NOT_READ = "the answer is not read"
TOO_LARGE = "a number that no machine holds"

_TOLERANCE = 0.02

_NUMBER_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty"
)
_WORDS = {word: str(number) for number, word in enumerate(_NUMBER_WORDS.split())}
_WORD = re.compile(rf"\b(?:{'|'.join(_WORDS)})\b")  # lower case only
_SIGNS = str.maketrans("", "", "$€£¥")
_NUMBER = r"[+-]?(?:\d++(?:\.\d++)?+|\.\d++)(?:e[+-]?\d++)?+"
_BRACKETED = re.compile(rf"\(\s*+({_NUMBER})\s*+\)")
_FIRST = re.compile(_NUMBER)

_UNITS = tomllib.loads(
    files(__package__).joinpath("official_units.toml").read_text(encoding="utf-8")
)
_SCALES: dict[str, float] = {
    spelling: float(unit["scale"])
    for name, unit in _UNITS.items()
    if "scale" in unit
    for spelling in (name, *unit["spellings"])
}
# Units with a factor of one, alone or after a scale and a space; the longest decides. The scorer
# does not compare them. Unlike scales, they match in any capitals.
_POSTFIXES = sorted(
    {
        spelling.lower()
        for name, unit in _UNITS.items()
        if "scale" not in unit
        for spelling in (name, *unit["spellings"])
    },
    key=len,
    reverse=True,
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
    if difference / (stated or 1) <= _TOLERANCE:
        return True, WITHIN_TOLERANCE
    return False, ANOTHER_NUMBER


def parse(text: str) -> Parsed | None:
    """Parse a text's first number, with the rest as its unit; None if either is unknown.

    A minus in front of the text and brackets around a number negate the number, which may have a
    sign of its own. Brackets may join digits: `12(5)` is -125.
    """
    text = text.replace(",", "").strip().translate(_SIGNS)
    is_negated = False
    if bracketed := _BRACKETED.search(text):
        text = text[: bracketed.start()] + bracketed[1] + text[bracketed.end() :]
        is_negated = True
    if text.startswith("-"):
        text, is_negated = text[1:], True
    text = _WORD.sub(lambda match: _WORDS[match[0]], text)
    first = _FIRST.search(text)
    scale = _scale(text[first.end() :].strip().lower()) if first else None
    if first is None or scale is None:
        return None
    value = float(first[0]) * scale
    return Parsed(-value if is_negated else value, _resolution(first[0], scale))


def _scale(unit: str) -> float | None:
    if not unit:
        return 1.0
    if unit in _SCALES:
        return _SCALES[unit]
    for postfix in _POSTFIXES:
        if unit == postfix:
            return 1.0
        if unit.endswith(f" {postfix}"):
            scale = _SCALES.get(unit.removesuffix(postfix).rstrip())
            if scale is not None:
                return scale
    return None


def _resolution(number: str, scale: float) -> float:
    """Return the size of the last nonzero digit: `100` hundreds, `15.0` ones.

    An exponent counts as further digits: `8.7e5` has three after its point.
    """
    whole, point, fraction = number.partition(".")
    if point:
        return scale * 10 ** -len(fraction.rstrip("0"))
    n_zeros = len(whole) - max(1, len(whole.rstrip("0")))
    try:
        return scale * 10**n_zeros
    except OverflowError:
        return math.inf
