"""A sentence with a masked figure, read for what its other words say of it.

What kind of quantity is hidden (a level, a change, a part of a whole), of which period, in which direction, and
which words name it. Only the passage is read: never the figure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tasks.derivations.cells import years_in
from tasks.text.figures import Figure, find_figures
from tasks.text.masking import MASK
from tasks.text.terms import content_terms

Role = Literal["level", "change", "share", "average"]

_UP = r"increas(?:e[sd]?|ing)|grew|grow(?:th|ing|n)?|rose|ris(?:e[sn]?|ing)|up|higher|improve(?:d|ment|s)?|gained|expan(?:ded|sion)|additional|incremental|greater|more|favorable"
_DOWN = r"decreas(?:e[sd]?|ing)|declin(?:e[sd]?|ing)|fell|fall(?:en|ing)?|drop(?:ped|s)?|down|lower|reduc(?:ed?|es|tion|tions|ing)|less|contract(?:ed|ion)|fewer|unfavorable"
_FILL = r"(?:\s+(?:by|of|about|approximately|nearly|almost|over|an?|another|roughly|only|the|was|were|or|operational|the\s+equivalent\s+of))*"
_NOUN = (
    r"(?:increases?|decreases?|declines?|growth|reductions?|change|changes|improvement|rise|drop|variance)"
)
_JUST_CHANGED = re.compile(
    rf"\b(?P<up>{_UP})\b{_FILL}\s*\(?\Z|\b(?P<down>{_DOWN})\b{_FILL}\s*\(?\Z", re.IGNORECASE
)
_CHANGED_NOUN = re.compile(
    rf"\b(?P<noun>{_NOUN})\s+(?:in|to|for|from)\s+(?P<what>[^.;:,]{{3,110}}?)\s+(?:of|by|was|were|totaled|is)\s*(?:approximately|about)?\s*\Z",
    re.IGNORECASE,
)
_CHANGED_KIND = re.compile(
    r"\b(?:(?P<up>higher|incremental|increased|additional|greater)|(?P<down>lower|decreased|reduced|fewer))\s+(?P<what>[^.;:,]{3,90}?)\s+of\s*(?:approximately|about)?\s*\Z",
    re.IGNORECASE,
)
_CHANGED_VERB = re.compile(
    r"\b(?P<verb>increased|decreased|grew|rose|declined|fell|dropped|improved|was up|were up|was down)\b(?P<what>[^.;:]{0,60}?)\s+by\s*(?:approximately|about)?\s*\Z",
    re.IGNORECASE,
)
_CHANGE_AFTER = re.compile(
    rf"\A\)?\s*(?:(?!(?:and|or|to|from|of|in|compared|respectively)\b)[\w-]+\s+){{0,3}}?(?P<word>{_UP}|{_DOWN}|changes?)\b",
    re.IGNORECASE,
)
_TO = re.compile(r"\bto\s+(?:an?\s+)?(?:approximately\s+|about\s+|nearly\s+)?\Z", re.IGNORECASE)
_FROM = re.compile(
    r"\bfrom\s+(?:an?\s+)?(?:approximately\s+|about\s+)?(?:\w+\s+){0,6}?(?:of\s+)?\Z", re.IGNORECASE
)
_COMPARED = re.compile(
    r"\b(?:compared|comparable|versus|vs\.?|against|relative|opposed)\b(?:\s+(?:to|with))?(?P<between>[^.;]{0,90})\Z",
    re.IGNORECASE,
)
_COMPARES = re.compile(r"\b(?:compared|versus|vs\.?|against|from|up|down)\b", re.IGNORECASE)
_OR = re.compile(r"(?:,?\s*\bor|,|\()\s*(?:an?\s+)?(?:approximately\s+|about\s+)?\Z")
_SHARE_AFTER = re.compile(r"\A\)?\s*(?:\([^)]*\)\s*)?of\s+(?!fiscal|the year|20|19)", re.IGNORECASE)
_SHARE_BEFORE = re.compile(
    r"\b(?:as\s+an?\s+(?:percentage|percent|%)\s+(?:of|to)|represent\w*|account\w*\s+for|compris\w*|constitut\w*)\b[^.;]{0,80}\Z",
    re.IGNORECASE,
)
_AVERAGE = re.compile(r"\baverag\w*\b[^.;]{0,60}\Z", re.IGNORECASE)
_SUM = re.compile(r"\b(?:total\w*|combined|aggregate\w*|together|sum|collectively)\b", re.IGNORECASE)
_POINTS = re.compile(r"\A\)?\s*(?:percentage\s+|percent\s+)?points?\b", re.IGNORECASE)
_PRIOR = re.compile(
    r"\b(?:prior|previous|preceding|last)[\s-](?:fiscal\s+)?(?:year|period)|\byear[\s-]ago\b|\ba\s+year\s+(?:ago|earlier)\b|\bsame\s+period\s+(?:of|in)\s+the\s+prior\b",
    re.IGNORECASE,
)
_BASE = re.compile(
    r"\b(?:from|over|than|versus|vs\.?|against|(?:compared|comparable|relative)\s+(?:to|with)|since)\s+(?:the\s+|that\s+of\s+|same\s+)*(?:(?:fiscal|calendar)\s+)?(?:years?\s+)?(?:ended\s+)?(?:[A-Z][a-z]+\s+\d{1,2},\s+)?\Z",
    re.IGNORECASE,
)
_PART_OF_YEAR = re.compile(r"\b(?:three|six|nine) months|\bquarter\w*", re.IGNORECASE)
_YEAR = re.compile(r"(?<![\d,.$])(?:19|20)\d\d(?![\d%]|[,.]\d)")
_RESPECTIVELY = re.compile(r"\brespectively\b", re.IGNORECASE)
_CLAUSE = re.compile(
    r"[;:]|,\s(?:and|which|while|whereas|but|as|partially|resulting|reflecting|primarily|compared|up|down)\b|\bwhile\b|\bwhereas\b|\bcompared\b|\bpartially\b|\boffset\b|\bdue to\b|\bresult(?:ing|ed) (?:in|from)\b|\bwhich\b",
    re.IGNORECASE,
)
_ABBREVIATED = (
    (re.compile(r"\bSG&A\b|\bSM&A\b|\bMG&A\b"), "selling general and administrative"),
    (re.compile(r"\bR&D\b"), "research and development"),
    (re.compile(r"\bG&A\b"), "general and administrative"),
    (re.compile(r"\bCOGS\b"), "cost of goods sold"),
    (re.compile(r"\bEPS\b"), "earnings per share"),
    (re.compile(r"\bO&M\b"), "operation and maintenance"),
)
_SAME = {
    "revenu": "sale",
    "earn": "incom",
    "profit": "margin",
    "percentag": "percent",
    "expenditur": "expens",
    "invent": "inventory",
    "inventori": "inventory",
    "taxe": "tax",
}
# Words about movement, time and comparison: they name no row.
_FRAME = frozenset(
    content_terms(
        "increase increased increasing decrease decreased decreasing compare compared comparison year years fiscal "
        "ended period periods prior quarter quarters month months million billion thousand thousands millions percent percentage change "
        "changed higher lower due primarily approximately result resulted resulting partially offset respectively "
        "reflect reflecting reflects represent represented representing attributable driven following summarize table "
        "growth grew rose declined decline december january february march april june july august september "
        "october november including included includes amount amounts company point points versus fell dropped "
        "related recorded recognized consisted totaled was were basis dollars data mask"
    )
)


@dataclass(frozen=True, slots=True)
class Passage:
    """A masked sentence and its neighbours, each "" where there is none.

    masked    holds `[MASK]` once, where the figure stood
    """

    before: str
    masked: str
    after: str

    @classmethod
    def read(cls, text: str) -> Passage:
        """The passage of a query: its lines, of which the one with the mask is the sentence.

        Raises:
            ValueError: no line has a mask.
        """
        lines = text.split("\n")
        place = next((index for index, line in enumerate(lines) if MASK in line), None)
        if place is None:
            raise ValueError(f"no {MASK} in the passage {text[:80]!r}")
        return cls("\n".join(lines[:place]), lines[place], "\n".join(lines[place + 1 :]))


@dataclass(frozen=True, slots=True)
class When:
    """The period of the masked figure: how well each year fits, from 0 to 1.

    fits      for the years that the passage speaks of
    others    for any other year
    base      the year with which a change compares, if it is named
    is_named  whether the sentence or its neighbours name the period
    is_prior  whether it is the period before the latest
    is_part_of_year  whether the sentence speaks of a quarter or of months
    """

    fits: dict[int, float]
    others: float
    base: int | None
    is_named: bool
    is_prior: bool
    is_part_of_year: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """What a passage says of its masked figure.

    terms      stem -> how near it stands to the mask, 0 to 1, of the sentence and its neighbours
    beside     the same for the words that stand right at the mask and name what is counted
    figures    the other figures of the sentence, with places in `masked`
    direction  1 up, -1 down, 0 nothing is said
    sums, points, shared  whether words speak of a sum, of percentage points, of a part of a whole
    """

    passage: Passage
    mask: int
    terms: dict[str, float]
    figures: tuple[Figure, ...]
    role: Role
    direction: int
    when: When
    sums: bool
    points: bool
    averages: bool
    order: tuple[int, int] | None  # place of the mask in a list that ends with `respectively`, and its length


def terms_of(text: str) -> list[str]:
    """The words of a text that can name a row or a column, stemmed, synonyms alike."""
    for pattern, spelled in _ABBREVIATED:
        text = pattern.sub(spelled, text)
    return [_SAME.get(term, term) for term in content_terms(text) if term not in _FRAME]


def read_passage(passage: Passage) -> Reading:
    """What the words around the mask say.

    Raises:
        ValueError: the sentence has no mask.
    """
    masked = " ".join(passage.masked.split())
    mask = masked.find(MASK)
    if mask < 0:
        raise ValueError(f"no {MASK} in the sentence {passage.masked[:80]!r}")
    left, right = masked[:mask], masked[mask + len(MASK) :]
    figures = tuple(figure for figure in find_figures(masked) if figure.unit != "year")
    role, direction = _role(left, right, figures)
    order = _order(masked, mask, figures)
    when = _when(passage, masked, mask, figures, order, role)
    return Reading(
        passage=passage,
        mask=mask,
        terms=_weighed(passage, masked, mask, figures),
        figures=figures,
        role=role,
        direction=direction,
        when=when,
        sums=bool(_SUM.search(masked)),
        points=bool(_POINTS.match(right)),
        averages=bool(_AVERAGE.search(left)),
        order=order,
    )


def _role(left: str, right: str, figures: Sequence[Figure]) -> tuple[Role, int]:
    """Whether the figure is a level, a change or a share, and the direction of the change."""
    tail = left[-160:]
    share = bool(_SHARE_AFTER.match(right))
    if found := _JUST_CHANGED.search(tail):
        return "change", 1 if found["up"] else -1
    if _TO.search(tail):
        return "level", 0
    if (found := _OR.search(tail)) and not share:
        stop = len(left) - len(tail) + found.start()
        before = [figure for figure in figures if figure.end_char <= stop and stop - figure.end_char <= 2]
        if before:
            role, direction = _role(left[: before[-1].start_char], left[before[-1].end_char :] + MASK, ())
            after = _CHANGE_AFTER.match(right)
            if role == "change":
                return role, direction
            if after:
                return "change", _direction(after["word"])
            return role, direction
    if found := _CHANGE_AFTER.match(right):
        return "change", _direction(found["word"])
    if share or _SHARE_BEFORE.search(tail):
        return "share", 0
    if (found := _CHANGED_NOUN.search(tail)) and not _YEAR.search(found["what"][-5:]):
        return "change", _direction(found["noun"])
    if found := _CHANGED_KIND.search(tail):
        return "change", 1 if found["up"] else -1
    if found := _CHANGED_VERB.search(tail):
        return "change", _direction(found["verb"].split()[-1])
    if re.search(r"\band\s*\Z", tail) or re.search(r",\s*\Z", tail):
        # a list: what holds for its first figure
        stop = len(tail.rstrip().removesuffix("and").rstrip().rstrip(","))
        near = [figure for figure in figures if 0 <= (len(left) - len(tail) + stop) - figure.end_char <= 12]
        if near:
            return _role(left[: near[-1].start_char], "", figures)
    return "level", 0


def _direction(word: str) -> int:
    word = word.lower()
    if word.startswith(("chang", "varianc")):
        return 0
    return 1 if re.fullmatch(_UP, word) else -1


def _order(masked: str, mask: int, figures: Sequence[Figure]) -> tuple[int, int] | None:
    """The mask's place among the figures that stand in one list, and their number."""
    places = sorted([(figure.start_char, figure.end_char) for figure in figures] + [(mask, mask + len(MASK))])
    index = next(k for k, place in enumerate(places) if place[0] == mask)
    first = last = index
    while first > 0 and _is_listed(masked[places[first - 1][1] : places[first][0]]):
        first -= 1
    while last + 1 < len(places) and _is_listed(masked[places[last][1] : places[last + 1][0]]):
        last += 1
    return (index - first, last - first + 1) if last > first else None


def _is_listed(between: str) -> bool:
    return bool(
        re.fullmatch(
            r"\)?\s*(?:,|,?\s*and|,?\s*or)\s*(?:(?:an?|approximately|decreased|increased|declined|grew|up|down|rose|of|by|the)\s*)*\(?",
            between,
            re.IGNORECASE,
        )
    )


def _when(
    passage: Passage,
    masked: str,
    mask: int,
    figures: Sequence[Figure],
    order: tuple[int, int] | None,
    role: Role,
) -> When:
    """How well each year fits as the period of the masked figure."""
    found = [(match.start(), int(match[0])) for match in _YEAR.finditer(masked)]
    tail = masked[:mask][-120:]
    compared = _is_compared(masked[:mask], figures)
    is_prior = compared and role != "change"
    is_part = bool(_PART_OF_YEAR.search(masked))
    bases = {place for place, _ in found if _BASE.search(masked[:place]) and not (compared and place > mask)}
    base_years = [year for place, year in found if place in bases]
    if order and (year := _year_in_order(masked, found, mask, order)):
        return When({y: 1.0 if y == year else 0.3 for _, y in found}, 0.2, None, True, False, is_part)
    levels = [(place, year) for place, year in found if role != "change" or place not in bases]
    if role == "level" and _FROM.search(tail) is None and not compared:
        levels = [(place, year) for place, year in levels if place not in bases] or levels
    later = _base_of_level(masked, mask, levels, figures) if role == "level" and not compared else None
    if later is not None:
        return When({later: 0.4, later + 1: 1.0}, 0.25, None, True, False, is_part)
    if levels:
        rated = sorted((_distance(masked, mask, place, figures), year) for place, year in levels)
        fits: dict[int, float] = {year: 0.4 for _, year in found}
        fits[rated[0][1]] = 1.0
        return When(fits, 0.25, base_years[0] if base_years else None, True, is_prior, is_part)
    if role == "change" and base_years:
        return When({base_years[0] + 1: 1.0}, 0.3, base_years[0], True, False, is_part)
    around = years_in(passage.before) or years_in(passage.after)
    if around:
        year = max(around) - 1 if is_prior else max(around)
        return When({year: 0.9}, 0.45, None, True, is_prior, is_part)
    return When({}, 0.5, None, False, is_prior, is_part)


def _base_of_level(
    masked: str, mask: int, years: Sequence[tuple[int, int]], figures: Sequence[Figure]
) -> int | None:
    """The year with which a level is compared, where the sentence names no other: `of [MASK], compared with $5 for 2022`."""
    if len({year for _, year in years}) != 1 or years[0][0] < mask:
        return None
    place, year = years[0]
    compares = _COMPARES.search(masked, mask)
    is_others = any(mask < figure.start_char < place for figure in figures)
    return year if is_others and compares and compares.start() < place else None


def _is_compared(left: str, figures: Sequence[Figure]) -> bool:
    """Whether the mask is what the sentence compares with: the earlier period, unless a year says otherwise."""
    found = _COMPARED.search(left)
    if found and not any(figure.start_char >= found.start() for figure in figures):
        return True
    return bool(_FROM.search(left[-60:])) or bool(_PRIOR.search(left[-45:]))


def _year_in_order(
    masked: str, found: Sequence[tuple[int, int]], mask: int, order: tuple[int, int]
) -> int | None:
    """The year of the mask where as many years as figures stand in a list."""
    index, length = order
    runs: list[list[tuple[int, int]]] = []
    for place, year in found:
        if runs and re.fullmatch(
            r"(?:\s*,|,?\s*and|,?\s*or|\s*(?:fiscal|[A-Z][a-z]+ \d{1,2},|years?))*\s*",
            masked[runs[-1][-1][0] + 4 : place],
        ):
            runs[-1].append((place, year))
        else:
            runs.append([(place, year)])
    fitting = [run for run in runs if len(run) == length]
    if not fitting:
        return None
    return min(fitting, key=lambda run: abs(run[0][0] - mask))[index][1]


def _distance(masked: str, mask: int, place: int, figures: Sequence[Figure]) -> float:
    """How far a word is from the mask: in characters, more over figures and clauses."""
    first, last = sorted((mask, place))
    between = masked[first:last]
    crossed = sum(first < figure.start_char < last for figure in figures)
    before = 12 if place < mask else 0  # a period mostly follows its figure
    return len(between) + before + 150 * crossed + 40 * len(_CLAUSE.findall(between))


def _weighed(passage: Passage, masked: str, mask: int, figures: Sequence[Figure]) -> dict[str, float]:
    """Each term of the passage with how near it stands to the mask."""
    weights: dict[str, float] = {}
    position = 0
    for piece in re.split(r"(\s+)", masked):
        place = position
        position += len(piece)
        if piece.isspace() or MASK in piece:
            continue
        nearness = _nearness(masked, mask, place, figures)
        for term in terms_of(piece):
            weights[term] = max(weights.get(term, 0.0), nearness)
    for text, weight in ((passage.before, 0.25), (passage.after, 0.1)):
        for term in terms_of(text[-400:] if text is passage.before else text[:250]):
            weights[term] = max(weights.get(term, 0.0), weight)
    return weights


def _nearness(masked: str, mask: int, place: int, figures: Sequence[Figure]) -> float:
    first, last = sorted((mask, place))
    between = masked[first:last]
    crossed = sum(first < figure.start_char < last for figure in figures)
    clauses = len(_CLAUSE.findall(between))
    return 0.85**crossed * 0.8**clauses * max(0.4, 1 - len(between) / 400)
