"""Compare an answer's figure with the true one, as a financial reader does.

The rules follow the description in paper 004, "Evaluation", with what it leaves open:

- Each text must be one figure, unless both are the same text. Ranges, bounds, dates and several
  numbers are refused. Equal figures are one: `$209 thousand ($0.209 million)`. A citation is none:
  `12% [Table 1]`, `12% ¹`.
- An answer must equal the truth within half a unit of the last place that the truth states, or
  that the answer states if it is rounded more coarsely, to two significant digits or more; three if
  the figure has to be calculated. With fewer, it must equal the truth at as many digits of that:
  `2%` is 1.96% and not 1.7%. There is no tolerance of 2 percent.
- The writing states the precision: `15.0 million` a tenth of a million. Whole groups of zeros only
  name a scale: `$168,000` is $168 thousand. Fewer zeros are digits: `$140` states one. Zero equals
  only zero.
- Scale, percent sign and unit symbol belong to the figure: `60.9` is not $60.9 billion.
- If one side omits a currency, a counted thing or a rate, it is taken from the other side. If both
  name one, they must agree. An unknown word after an amount without a scale may be a scale:
  `$5 dozen` is not $5. An unknown currency is another currency: `J$5`, `LKR 5`.
- Percent and basis points convert, and so do units of one kind (MBOE and MMBOE). Percent and
  percentage points differ. A bare number can be a percentage as a fraction, compared at one percent
  or finer: `0.62` is 62 percent, `0.6` and `1` are not.
- The sign counts, written as any minus, in brackets or as `negative`. `A decrease of 4%` is also
  -4%, and `a loss of $5` is -$5. If the question asks for a decrease, 4% and -4% are the same, but
  a negative cell is no positive one. An answer that says the other way than the question is wrong.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

from tasks.quantities.figures import MONTHS, Figure, find_figures
from tasks.quantities.units import CURRENCY_CODES, CURRENCY_NAMES, packaged_units, spelling

SAME_TEXT = "the same text"
SAME_FIGURE = "the same figure"
ANOTHER_NUMBER = "another number"
OPPOSITE_SIGN = "the opposite sign"
ANOTHER_CURRENCY = "another currency"
ANOTHER_UNIT = "another unit"
EMPTY = "no answer"
TOO_LONG = "too long to be one figure"
NO_FIGURE = "no figure"
A_DATE = "a date"
A_RANGE = "a range"
A_BOUND = "a bound"
SEVERAL_FIGURES = "several figures"
UNIT_APART = "a unit stands apart from its figure"
TRUTH_NOT_READ = "the truth is not read"

_MAX_CHARS = 200
_PERCENT = Fraction(1, 100)
# Significant digits of the truth at which an answer must be right, however coarsely it is rounded.
_DIGITS_READ, _DIGITS_CALCULATED = 2, 3

_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—―−⁻₋﹘﹣－", "-"))
_MARKUP = re.compile(r"\\(?:text|mathrm|textbf|mathbf)\s?\{([^{}]*)\}|[*_`\\]")
_SCALE_APART = re.compile(
    r"\(?\bin (thousands|millions|billions)\b\)?|\((thousands|millions|billions)\)", re.IGNORECASE
)
# The period of an answer, which is not part of its figure: `$47 million in fiscal 2023`.
_YEAR_AFTER = re.compile(
    r"(?<=\S)\s(?:in|for|during)\s(?:the\s)?(?:(?:fiscal|calendar)\s)?(?:year\s)?(?:19|20)\d\d\.?\Z",
    re.IGNORECASE,
)
_DATE = re.compile(
    rf"\b(?:{MONTHS})\.?\s+\d|\d(?:st|nd|rd|th)?\s+(?:{MONTHS})\b|\d[/.]\d{{1,2}}[/.]\d|\b\d{{4}}-\d\d-\d\d\b",
    re.IGNORECASE,
)
# A source behind a figure: `[1]`, `[Table 1, row 2]`, `(see Note 5)`; a raised mark, but no power.
_CITATION = re.compile(
    r"(?:(?<=[%)])|(?<=[^\W\d_]{3})|(?<=\S) )[⁰¹²³⁴-⁹]{1,2}(?![\w⁄/])"
    r"|(?<=\S) ?(?:[\[【]\d{1,3}(?:[,–-] ?\d{1,3})*(?:†[^\]】]{0,40})?[\]】]"
    r"|[\[(【](?:(?:see|from|source:?) )?(?:the )?(?:tables?|notes?|pages?|rows?|columns?|lines?"
    r"|items?|sections?|exhibits?|pp?\.|10-[KQ]),? [^\[\]()【】]{1,100}[\])】])",
    re.IGNORECASE,
)
_BRACKETED = re.compile(r"\(([^()]*)\)")
_BETWEEN_EQUALS = re.compile(r"[,;] |[=≈]|\bor\b")
_HEDGE = re.compile(r"\b(?:about|almost|approximately|around|nearly|roughly)\b", re.IGNORECASE)
_BETWEEN_ENDS = re.compile(r"\s*(?:-|(?:to|and|through|or)\b)", re.IGNORECASE)
# `0` stands for the figure.
_BOUND = re.compile(
    r"(?:\b(?:(?:more|less|greater|fewer|higher|lower) than|over|above|under|below|at least"
    r"|at most|up to)|[<>≤≥])\s*(?:an?\s+)?0"
    r"|0\s*(?:\+|(?:and|or) (?:more|less|above|below|over|higher|lower|fewer)\b)",
    re.IGNORECASE,
)
_LOSS = re.compile(r"\bloss(?:es)?(?: (?:of|was|is))?[:\s]*0|0 (?:net )?loss\b", re.IGNORECASE)
_NEGATIVE = re.compile(r"\b(?:negative|minus)\s+", re.IGNORECASE)
# Currency names beside a figure: a code, letters that touch its sign, or words.
_CODE_TOUCHES = re.compile(r"\b[A-Z]{3}(?=\d)")
_CODE_BEFORE = re.compile(r"(?<![^\W_])([A-Z]{3})(?=[\s:(]{0,3}\Z)")
_CODE_AFTER = re.compile(r"[\s(]{0,2}([A-Z]{3})(?![^\W_])")
_CURRENCY_AFTER = re.compile(rf"[\s-](?:{CURRENCY_NAMES})", re.IGNORECASE)
_LETTERS_BEFORE = re.compile(r"(?<![^\W_])[^\W\d_]{1,3}\Z")
# Digits after a point are stated even if they are zeros, and so are those of what may be a year.
_STATES_ZEROS = re.compile(r"\d\.\d|\A\d{4}\Z")
_SAYS_SCALE = re.compile(r"\d\D*[A-Za-z]")
_LETTERS = re.compile(r"[^\W\d_]+|%")
# A word right after a number names what it counts, unless it is one of these.
_NAMES_NOTHING = re.compile(
    r"an?|and|as|at|basic|by|cash|compared|decrease|diluted|during|for|from|gain|in|increase|loss|net|of|on|or|per|respectively|the|to"
    r"|total|versus|was|were|which|with"
)
UP = re.compile(
    r"(?<![\w-])(?:increas\w*|rise|rises|rose|risen|grow\w*|grew|growth|exceed\w*"
    r"|(?:more|higher|greater|larger)\b(?=.*\bthan))(?![\w-])",
    re.IGNORECASE,
)
DOWN = re.compile(
    r"(?<![\w-])(?:decreas\w*|declin\w*|fall|falls|fell|fallen|drop\w*|shr[iau]nk\w*|reduc\w*"
    r"|(?:less|lower|fewer|smaller)\b(?=.*\bthan))(?![\w-])",
    re.IGNORECASE,
)
_ASKS_HOW_FAR = re.compile(
    r"\b(?:by (?:how much|what)\b|(?:percent(?:age)?|what (?:is|was|are|were) the(?: \w+)?) "
    rf"(?={UP.pattern}|{DOWN.pattern}))(?P<change>.*)",
    re.IGNORECASE | re.DOTALL,
)
_ANY_CHANGE = re.compile(r"\b(?:chang|differ)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Match:
    """The verdict on an answer, and its reason: a constant of this module."""

    correct: bool
    reason: str


@dataclass(frozen=True, slots=True)
class StatedFigure:
    """A text's only figure, ready to compare."""

    kind: str  # money, ratio or number
    # the currency of money; percent, percentage point or basis point; what a number counts
    unit: str | None
    value: Fraction  # in ones of the unit, with the sign; ratios as fractions
    resolution: Fraction  # likewise
    word: str | None = None  # after money: unknown, and so perhaps a scale
    per: str | None = None
    factor: Fraction = Fraction(1)  # converts a counted unit to the base of its group
    has_symbol: bool = False  # whether the unit is written as part of the figure: MMBOE
    direction: int = 0  # 1 or -1 if the words beside it speak of an increase or a decrease


def match_figures(
    prediction: str, truth: str, *, question: str = "", is_calculated: bool = False
) -> Match:
    """Compare an answer with the true figure; never raise.

    Args:
        question: what was asked, if the truth is its answer; it may say a direction.
        is_calculated: whether the answer has to be calculated, and not only looked up.
    """
    if not prediction.strip():
        return Match(False, EMPTY)
    if " ".join(prediction.split()).casefold() == " ".join(truth.split()).casefold():
        return Match(True, SAME_TEXT)
    answer = _read(prediction)
    if isinstance(answer, str):
        return Match(False, answer)
    reference = _read(truth)
    if isinstance(reference, str):
        return Match(False, TRUTH_NOT_READ)
    return _compare(answer, reference, _asked_direction(question), is_calculated=is_calculated)


def read_figure(text: str) -> StatedFigure | None:
    """Read a text's only figure; None if the text is not one figure."""
    figure = _read(text)
    return None if isinstance(figure, str) else figure


def is_figure(text: str) -> bool:
    """Check whether a text is one figure with what it counts, and says nothing else.

    Further words would have to be compared, too: `$5 million in Europe`, `Level 3`.
    """
    parts = _only_figure(text)
    if isinstance(parts, str) or read_figure(text) is None:
        return False
    _, before, after = parts
    words = _LETTERS.findall(after)
    is_counted = not words or words[0] == "per" or not _NAMES_NOTHING.fullmatch(words[0])
    return len(words) <= 2 and is_counted and not _LETTERS.search(_HEDGE.sub("", before))


# --- read ------------------------------------------------------------------------------------


def _read(text: str) -> StatedFigure | str:
    """Read the figure of a text, which may state it several times, or return the problem."""
    text = _CITATION.sub("", " ".join(text.split()))
    whole = _read_one(text)
    if whole not in (SEVERAL_FIGURES, A_RANGE):
        return whole
    parts = [*_BETWEEN_EQUALS.split(_BRACKETED.sub(" ", text)), *_BRACKETED.findall(text)]
    figures = [_read_one(part) for part in parts if part.strip()]
    if any(isinstance(figure, str) for figure in figures):
        return whole
    finest = min(figures, key=lambda figure: figure.resolution)  # type: ignore[union-attr]
    is_same = all(_compare(figure, finest).correct for figure in figures)  # type: ignore[arg-type]
    return finest if is_same else whole


def _read_one(text: str) -> StatedFigure | str:
    """Read the only figure of a text, or return the problem."""
    parts = _only_figure(text)
    if isinstance(parts, str):
        return parts
    figure, before, after = parts
    units = packaged_units()
    for name in _currencies_beside(figure, before, after):
        group = units.names.get(spelling(name), "")
        if not group or units.groups[group].kind != "currency":
            return ANOTHER_CURRENCY
        if figure.currency or (figure.unit == "count" and figure.measure is None):
            figure = replace(figure, currency=units.base(group), unit="money")
    words = f"{before} {after}"
    # `B is lower than A by $5` says what `A exceeds B` does
    is_loss = _LOSS.search(f"{before}0{after}") is not None
    direction = 0 if " than " in words else _direction_of(words) or -is_loss
    return replace(_stated(figure, after), direction=direction)


def _only_figure(text: str) -> tuple[Figure, str, str] | str:
    """Return the only figure of a text, with the text before and after it, or the problem."""
    text = text.strip()
    if len(text) > _MAX_CHARS:
        return TOO_LONG
    text = _YEAR_AFTER.sub("", _plain(text))
    scale = None
    if apart := _SCALE_APART.search(text):
        scale = (apart[1] or apart[2]).lower()
        text = f"{text[: apart.start()]} {text[apart.end() :]}"
    if _DATE.search(text):
        return A_DATE
    figures = find_figures(text, scale, alone=True)
    if not figures:
        return NO_FIGURE
    if len(figures) == 2 and _BETWEEN_ENDS.match(text, figures[0].end_char):
        return A_RANGE
    figure, before, after = figures[0], text[: figures[0].start_char], text[figures[0].end_char :]
    if len(figures) > 1 or any(map(str.isnumeric, before + after)):
        return SEVERAL_FIGURES
    if after[:1].isalpha() and figure.measure is None:
        return NO_FIGURE  # part of a word or a code: `10Q`
    if _BOUND.search(f"{before}0{after}"):
        return A_BOUND
    if any(map(_is_scale_or_ratio, _LETTERS.findall(f"{before} {after}"))):
        return UNIT_APART
    return figure, before, after


def _currencies_beside(figure: Figure, before: str, after: str) -> Iterator[str]:
    """Yield currencies beside a figure, most specific last: `J` of `J$5`, `CAD` of `$5 (CAD)`."""
    if unicodedata.category(figure.text[0]) == "Sc" and (letters := _LETTERS_BEFORE.search(before)):
        yield letters[0]
    for sign in before[-2:] + after[:2]:
        if unicodedata.category(sign) == "Sc" and sign != "$":
            yield sign
    for code in (_CODE_BEFORE.search(before), _CODE_AFTER.match(after)):
        if code and code[1] in CURRENCY_CODES:
            yield code[1]


def _plain(text: str) -> str:
    """Remove markup and normalise digits, whitespace and signs."""
    text = _MARKUP.sub(r"\1", "".join(map(_plain_character, text.translate(_DASHES))))
    text = _NEGATIVE.sub("-", " ".join(text.split()))
    return _CODE_TOUCHES.sub(lambda code: code[0] + " " * (code[0] in CURRENCY_CODES), text)


def _plain_character(character: str) -> str:
    if character.isspace():
        return " "
    if character.isdecimal():
        return str(unicodedata.decimal(character))
    if unicodedata.category(character) == "Cf":
        return ""  # invisible marks of direction and joiners
    return chr(ord(character) - 0xFEE0) if "！" <= character <= "～" else character  # full width


def _is_scale_or_ratio(word: str) -> bool:
    units = packaged_units()
    name = units.names.get(spelling(word)) if len(word) > 1 or word == "%" else None
    return name is not None and units.groups[name].kind in ("magnitude", "ratio")


def _stated(figure: Figure, after: str) -> StatedFigure:
    units = packaged_units()
    value, resolution = Fraction(figure.value), _resolution(figure)
    if figure.unit in ("percent", "bps"):
        part = Fraction(1, 100 if figure.unit == "percent" else 10_000)
        is_points = figure.measure == "percentage point"
        unit = "basis point" if figure.unit == "bps" else figure.measure if is_points else "percent"
        per = None if is_points else figure.measure
        return StatedFigure("ratio", unit, value * part, resolution * part, per=per)
    if figure.currency:
        is_whole = figure.measure or _SAYS_SCALE.search(figure.text) or _CURRENCY_AFTER.match(after)
        word = None if is_whole else _unknown_word(after)
        return StatedFigure("money", figure.currency, value, resolution, word, figure.measure)
    measure = f" {figure.measure or ''}"
    counted, _, per = measure.partition(" per ")
    if figure.measure in units.groups:
        counted, per = measure, ""
    unit = counted.strip() or (None if per else _unknown_word(after))
    group = units.groups.get(unit or "")
    last = _LETTERS.findall(figure.text)[-1:]
    return StatedFigure(
        "number",
        units.base(unit) if unit and group else unit,
        value,
        resolution,
        per=per or None,
        factor=Fraction(group.times, group.parts) if group else Fraction(1),
        has_symbol=bool(last and unit and units.names.get(spelling(last[0])) == unit),
    )


def _resolution(figure: Figure) -> Fraction:
    """Return the size of the last digit that a figure states, in ones of its unit.

    `$168,000` states what `$168 thousand` does: groups of zeros only name a scale. The first two
    digits always count, so that `$4,000` is $4,012 and not $4,312.
    """
    stated = resolution = Fraction(10) ** -figure.decimals
    is_scaled = figure.unit not in ("percent", "bps") and not _STATES_ZEROS.search(figure.text)
    if figure.value and is_scaled:
        while Fraction(figure.value) % (1000 * resolution) == 0:
            resolution *= 1000
        resolution = max(stated, min(resolution, _place(Fraction(figure.value), 2)))
    return resolution


def _unknown_word(after: str) -> str | None:
    """Return an unknown word after a number that may name a unit."""
    word = re.match(r"[\s-]([^\W\d_]+)", after)
    name = word[1].casefold() if word else ""
    return name if name and not _NAMES_NOTHING.fullmatch(name) else None


# --- compare ---------------------------------------------------------------------------------


def _compare(
    answer: StatedFigure, truth: StatedFigure, direction: int = 0, *, is_calculated: bool = False
) -> Match:
    if problem := _unlike(answer, truth):
        return Match(False, problem)
    both_named = answer.unit is not None and truth.unit is not None
    (value, resolution), (true_value, true_resolution) = (
        (one.value * factor, one.resolution * factor)
        for one in (answer, truth)
        for factor in [one.factor if both_named or one.has_symbol else Fraction(1)]
    )
    is_ratio = answer.kind == "ratio"
    of_ratio = resolution if is_ratio else true_resolution
    n_digits = _DIGITS_CALCULATED if is_calculated else _DIGITS_READ
    if value and true_value and resolution > _place(value, n_digits):
        resolution = _place(true_value, n_digits)
    resolution = max(resolution, true_resolution)
    if is_ratio != (truth.kind == "ratio"):
        # Without a percent sign, a ratio has two more decimals: `140%` must not match 1.
        resolution = min(resolution, max(of_ratio, _PERCENT))
    is_same = abs(abs(value) - abs(true_value)) * 2 <= resolution
    if not is_same or (value == 0) != (true_value == 0):
        return Match(False, ANOTHER_NUMBER)
    if (value < 0) == (true_value < 0):
        is_opposite = answer.direction * direction < 0
    else:
        says_down = (answer if value > 0 else truth).direction < 0
        is_opposite = not (says_down or (direction < 0 and (is_calculated or true_value > 0)))
    return Match(False, OPPOSITE_SIGN) if is_opposite else Match(True, SAME_FIGURE)


def _place(value: Fraction, digit: int) -> Fraction:
    """Return the size of a value's n-th significant digit."""
    first = (Decimal(value.numerator) / Decimal(value.denominator)).adjusted()
    return Fraction(10) ** (first - digit + 1)


def _unlike(a: StatedFigure, b: StatedFigure) -> str | None:
    """Return why two figures cannot be compared, or None."""
    if a.kind != b.kind:  # only a number without a unit can be an amount or a ratio
        number, other = (a, b) if a.kind == "number" else (b, a)
        is_other = bool(number.kind != "number" or number.unit or other.word)
    elif a.kind == "money":
        if a.unit != b.unit:
            return ANOTHER_CURRENCY
        is_other = a.word != b.word
    else:
        converts = a.kind == "ratio" and "basis point" in (a.unit, b.unit)
        is_other = bool(a.unit and b.unit) and a.unit != b.unit and not converts
    return ANOTHER_UNIT if is_other or (a.per and b.per and a.per != b.per) else None


def _direction_of(text: str) -> int:
    """Return 1 if a text speaks of an increase, -1 of a decrease, and 0 of neither or both."""
    return bool(UP.search(text)) - bool(DOWN.search(text))


def _asked_direction(question: str) -> int:
    """Return the direction of the change that a question asks for: `by how much did it fall`.

    It is 0 if the question asks for something else, whatever changes it names, or for any change.
    """
    match = _ASKS_HOW_FAR.search(question)
    return _direction_of(match["change"]) if match and not _ANY_CHANGE.search(question) else 0
