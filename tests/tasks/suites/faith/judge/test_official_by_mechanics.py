"""The authors' scorer against a second reading of how it works, on 5,000 pairs over their units.

The second reading is written from the description in `../shared/papers/MECHANICS.md` and scans
characters, without the patterns of `numeric_official`.
"""

from __future__ import annotations

import json
import math
import tomllib
from collections import Counter
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import Any

from tasks.suites.faith.judge import numeric_official
from tasks.suites.faith.judge.numeric_official import judge_official

UNITS: dict[str, dict[str, Any]] = tomllib.loads(
    files("tasks.suites.faith.judge").joinpath("official_units.toml").read_text(encoding="utf-8")
)
CURRENCIES = ["usd", "USD", "US dollars", "dollars", "EUR", "euros", "pounds", "yen", "$", "€"]
N_PAIRS = 5_000


def test_our_units_are_the_authors(shared: Path) -> None:
    file = shared / "reference/faith/unit_aliases.json"
    theirs = json.loads(file.read_text(encoding="utf-8"))["units"]
    expected = {
        name: (unit["scale"], unit["aliases"])
        for name, unit in theirs.items()
        if not unit["is_currency"]
    }
    assert {name: (each.get("scale"), each["spellings"]) for name, each in UNITS.items()} == (
        expected
    )


def test_a_second_reading_gives_the_same_numbers_and_verdicts() -> None:
    decided: Counter[str] = Counter()
    for truth, answer in pairs(Random(20251024), N_PAIRS):
        correct, reason = judge_official(answer, truth)
        assert correct is is_right(answer, truth), (truth, answer, reason)
        for text in (truth, answer):
            parsed = numeric_official.parse(text)
            found = None if parsed is None else (parsed.value, parsed.resolution)
            assert found == read(text), text
        decided[reason] += 1
    assert decided.total() == N_PAIRS
    assert sum(n > 50 for n in decided.values()) == 8, decided  # every way to decide is tried


# --- the second reading -------------------------------------------------------------------

WORDS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    *("nineteen", "twenty"),
)


def is_right(answer: str, truth: str) -> bool:
    if answer.strip().lower() == truth.strip().lower():
        return True
    said, expected = read(answer), read(truth)
    if said is None or expected is None or said[0] < 0:
        return False
    target = abs(expected[0])
    off = abs(said[0] - target)
    coarser = said[1] if said[1] > expected[1] else expected[1]
    return off <= coarser / 2 or off / (1 if target == 0 else target) <= 0.02


def read(text: str) -> tuple[float, float] | None:
    """Return a text's number and its resolution, or None if the scorer cannot read it."""
    text = "".join(character for character in text if character != ",").strip()
    text = "".join(character for character in text if character not in "$€£¥")
    sign = 1
    for opening in (place for place, character in enumerate(text) if character == "("):
        start = past_space(text, opening + 1)
        end = past_number(text, start)
        closing = past_space(text, end) if end is not None else -1
        if end is not None and text[closing : closing + 1] == ")":
            text, sign = text[:opening] + text[start:end] + text[closing + 1 :], -1
            break
    if text[:1] == "-":
        text, sign = text[1:], -1
    text = in_digits(text)
    for start in range(len(text)):
        end = past_number(text, start)
        if end is not None:
            return sized(text[start:end], scale_of(text[end:]), sign)
    return None


def past_space(text: str, place: int) -> int:
    while text[place : place + 1].isspace():
        place += 1
    return place


def past_digits(text: str, place: int) -> int:
    while text[place : place + 1].isdecimal():
        place += 1
    return place


def past_number(text: str, place: int) -> int | None:
    """Return where the number that starts at a place ends; None if none starts there."""
    place += text[place : place + 1] in ("+", "-")
    end = past_digits(text, place)
    if text[end : end + 1] == "." and text[end + 1 : end + 2].isdecimal():
        end = past_digits(text, end + 1)
    if end == place:
        return None
    if text[end : end + 1] == "e":
        power = end + 1 + (text[end + 1 : end + 2] in ("+", "-"))
        if text[power : power + 1].isdecimal():
            end = past_digits(text, power)
    return end


def in_digits(text: str) -> str:
    """Write small-lettered words from zero to twenty in digits."""
    written, word = "", ""
    for character in f"{text}\0":
        if character.isalnum() or character == "_":
            word += character
        else:
            written += (str(WORDS.index(word)) if word in WORDS else word) + character
            word = ""
    return written[:-1]


def scale_of(rest: str) -> float | None:
    """Return what a unit multiplies by: 1 without one, None if it is unknown."""
    unit = rest.strip().lower()
    scales = {
        text: each["scale"]
        for name, each in UNITS.items()
        if "scale" in each
        for text in (name, *each["spellings"])
    }
    ones = [
        text.lower()
        for name, each in UNITS.items()
        if "scale" not in each
        for text in (name, *each["spellings"])
    ]
    if unit == "" or unit in ones:
        return scales.get(unit, 1.0)
    if unit in scales:
        return float(scales[unit])
    for one in ones:
        if unit.endswith(" " + one) and unit[: -len(one)].strip() in scales:
            return float(scales[unit[: -len(one)].strip()])
    return None


def sized(number: str, scale: float | None, sign: int) -> tuple[float, float] | None:
    if scale is None:
        return None
    if "." in number:
        decimals = number[number.index(".") + 1 :]
        while decimals.endswith("0"):
            decimals = decimals[:-1]
        size = scale * 10 ** -len(decimals)
    else:
        zeros = 0
        while zeros < len(number) - 1 and number[-1 - zeros] == "0":
            zeros += 1
        size = scale * 10**zeros
    return sign * (float(number) * scale), size


# --- the pairs ----------------------------------------------------------------------------

SPELLINGS = [text for name, each in UNITS.items() for text in (name, *each["spellings"])]
SCALES = [text for name, each in UNITS.items() if "scale" in each for text in each["spellings"]]
ONES = [text for each in UNITS.values() if "scale" not in each for text in each["spellings"]]
# Near the authors' spellings, but none of them; or none at all.
OTHERS = [
    *("thousands", "millions", "bp", "boe per day", "per boe", "basis_points", "sqft", "days", "x"),
    *("million dollars", "percentage points", "(bps)", "per  share", ".", ")", "and 6 million"),
]
LEADS = [
    *("", "", "", "", "$", "€", "US$", "USD ", "about ", "approximately $", "+", "negative "),
    *("-", "- ", "-$", "$-", "$ - ", "about -", "(", "($", "−", "–", "--", "a loss of -$"),
]


def pairs(random: Random, n: int) -> list[tuple[str, str]]:
    """Draw truths and answers, most of them a number near the truth in the same words."""
    drawn = []
    for _ in range(n):
        value = random.choice([0.0, random.uniform(0, 20), 10 ** random.uniform(-2, 6)])
        truth = written(random, value)
        near = value * random.choice([1, 1, 1, 1.004, 0.985, 1.0199, 1.0201, 1.3])
        answers = {
            same_unit(random, truth, near): 12,
            written(random, near): 4,
            written(random, random.uniform(0, 1_000)): 1,
            truth.swapcase(): 1,
            random.choice(["", " ", "unknown", "N/A", "five", "Five", "twenty-one"]): 1,
        }
        drawn.append((truth, random.choices(list(answers), list(answers.values()))[0]))
    return drawn


def written(random: Random, value: float) -> str:
    both = f"{random.choice(SCALES)}{random.choice([' ', ' ', '  ', ''])}{random.choice(ONES)}"
    unit = random.choice(
        [
            *("", "", "million", "%", random.choice(SCALES), random.choice(SPELLINGS)),
            *(random.choice(SPELLINGS), both, random.choice([*OTHERS, *CURRENCIES])),
        ]
    )
    unit = random.choice([unit, unit, unit, unit.upper(), unit.title()])
    gap = random.choice(["", " ", " ", "  "])
    return f"{random.choice(LEADS)}{digits(random, value)}{gap}{unit}"


def same_unit(random: Random, truth: str, value: float) -> str:
    """Write another number in place of the first digits of a text."""
    start = next((place for place, each in enumerate(truth) if each in "0123456789."), 0)
    end = start
    while end < len(truth) and truth[end] in "0123456789.,e":
        end += 1
    lead = random.choice([truth[:start], ""])
    return f"{lead}{digits(random, value)}{truth[end:]}"


def digits(random: Random, value: float) -> str:
    """Write a number in one of many ways."""
    places = random.choice([0, 1, 2, 3, 4, -1, -2, -3])
    rounded = round(value, places)
    plain = f"{rounded:.{max(places, 0)}f}"
    grouped = f"{rounded:,.{max(places, 0)}f}"
    small = math.floor(value) if 0 <= value < len(WORDS) else None
    return random.choice(
        [
            *(plain, plain, plain, grouped, grouped, grouped),
            *(plain + "0", plain.lstrip("0") or "0", "0" + plain),
            *(f"({plain})", f"( {grouped} )", f"{value:.1e}", f"{value:.0e}", f"{plain}."),
            *(f"{plain}({plain})", f"{plain.replace('5', '５')}"),
            plain if small is None else WORDS[small],
            plain if small is None else WORDS[small].capitalize(),
        ]
    )
