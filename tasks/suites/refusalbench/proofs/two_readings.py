"""Two readings: two companies or two periods satisfy the query and give different answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tasks.quantities.figures import FULL_MONTHS
from tasks.suites.refusalbench.proofs.clauses import owner_of
from tasks.suites.refusalbench.proofs.facts import Fact, asked_of, fact_of
from tasks.suites.refusalbench.proofs.numbers import Number, agree, asked_number, numbers_in
from tasks.suites.refusalbench.proofs.slots import (
    YEAR,
    company_names,
    is_stated,
    measure_pattern,
    sentences_of,
    with_slots,
)
from tasks.suites.refusalbench.rows import AskedFigure, BaseQuestion, LabelProof
from tasks.text.terms import words

_LEGAL = (
    r"(?:Inc|Corp|Corporation|Company|Co|Ltd|Limited|LLC|plc|Holdings|Group|Industries|Bank"
    r"|Partners|Brothers|Enterprises)"
)
_NAME = rf"(?P<name>[A-Z][\w&'-]*(?: (?:& )?[A-Z][\w&'-]*){{0,3}}? {_LEGAL})\b\.?"
_VERB = r"(?:was|were|is|are|totaled|amounted to|came to|stood at)"
_HAD = r"(?:which )?(?:reported|posted|recorded|had|published|disclosed)"
_ABOUT = r"(?: (?:about|approximately|roughly))?"
_ASIDE = r"(?:, [^,;.$]{3,70},)?"
_WHEN = r"(?:,? (?:for|in|at|during|as of|on) (?:[^,;$]|, (?=\d{4})){3,40}?,?)?"
# Words that may take a statement back, or make it one about something else.
_HEDGES = re.compile(
    r"\b(?:not|no|nor|neither|never|false\w*|incorrect\w*|unverified|rumou?r\w*|claim\w*|alleg\w+"
    r"|estimat\w+|would|could|may|might|if|expect\w*|plans?|planned|formerly|pro forma|except"
    r"|excluding|quarter\w*|months?|half|segment|division|respectively|unlike)\b",
    re.IGNORECASE,
)

# A query that points at a company without naming it, after `with_slots`.
_ONE = r"(?:it|(?:that|this) (?:company|corporation|firm|one))"
_ONES = r"(?:its|(?:that|this) (?:company|corporation|firm|one)'s)"
_REPORT = r"(?:report|have|employ|own|operate|post|record|disclose|state|show)"
_POINTING = [
    rf"what (?:was|were|is|are) {_ONES} (?:reported )?<m>(?: <p>)?",
    rf"what (?:was|were|is|are) <m> of {_ONE}(?: <p>)?",
    rf"(?:what|how (?:much|many)) (?:in |was the )?<m> did {_ONE} {_REPORT}(?: <p>)?",
    rf"what did {_ONE} {_REPORT} (?:as|for) (?:its )?<m>(?: <p>)?",
    rf"how (?:much|many|high|large) (?:was|were|is|are) {_ONES} <m>(?: <p>)?",
    r"one of (?:the|these)(?: two| three)? companies (?:reported|had|stated) (?:its )?<m>(?: <p>)?"
    r",? but (?:how much|how many|how high)(?: was it| were they)?",
]
_QUERY_OF_ONE = re.compile(rf"(?P<lead>.*[,.:;] )?(?:<p>, )?(?:and )?(?:{'|'.join(_POINTING)})")
# A clause before it may name the companies, with words that say nothing of which is meant.
_LEAD = words("""
    <c> <r> <m> <p> after before when once as of and both each the a an it its their that with to
    had has have was were signed agreed met reported published announced audited reviewed closed
    renewed completed told informed agreement contract accounts books results report audit
    would renew close compete for same customers
""")
# Neither company may stand out: they are joined, or pronouns follow that fit both.
_LEVEL = re.compile(
    r"<c>(?:, <r>)* and <r>|<r>(?:,? and <r>)*,? and <c>"
    r"|(?:<c> (?:told|informed) <r>|<r> (?:told|informed) <c>) that it "
)
# A query that names the company, with or without a time.
_QUERY_OF_COMPANY = re.compile(
    r"what (?:was|were|is|are) <c>'s? <m>( .+)?|what (?:was|were|is|are) <m> of <c>( .+)?"
    rf"|(?:what|how (?:much|many)) (?:in )?<m> did <c> {_REPORT}( .+)?"
)
_POINTS_AT_PERIOD = re.compile(r" (?:in|for|during|at the end of) (?:that|this) (?:year|period)")
# Words of a plain statement of figures by period: no segment, product or place among them.
_PLAIN = words("""
    <c> s our its we the total consolidated had reported recorded was were is are totaled amounted
    came to of at in for during as and compared with versus year years ended fiscal respectively or
    approximately about while but stood
""") | words(FULL_MONTHS.lower().replace("|", " "))


def prove(base: BaseQuestion, query: str, passages: Sequence[str]) -> LabelProof | None:
    """Prove that two companies or periods fit a query, which does not tell them apart."""
    if not is_stated(base, passages):
        return None
    if fact := fact_of(base):
        return _two_facts(base, fact, query, passages)
    own = asked_number(base)
    if base.asked is None or own is None:
        return None
    return _two_companies(base, base.asked, own, query, passages) or _two_periods(
        base, base.asked, own, query, passages
    )


def _two_facts(
    base: BaseQuestion, fact: Fact, query: str, passages: Sequence[str]
) -> LabelProof | None:
    """Find another company with another place, state, date or symbol, where the query fits both."""
    asked = asked_of(base)
    if asked is None or not re.fullmatch(rf"{re.escape(asked.company)}(?:'s? .+)?", fact.subject):
        return None
    lead, own = re.fullmatch(r"(.*[,.] )?(.+)", query), owner_of(asked.company)
    forms = [
        base.query.replace(own, f"{one}{its}").replace(asked.company, one)
        for one, its in (("that company", "'s"), ("it", "s"))
    ]
    if lead is None or lead[2].lower() not in map(str.lower, forms):
        return None
    for sentence in sentences_of(base, passages, of_others=True):
        for name in dict.fromkeys(re.findall(_NAME, sentence)):
            rival = fact.subject.replace(asked.company, name)
            before, _, after = fact.statement("\0", rival).partition("\0")
            value = sentence.removeprefix(before).removesuffix(".").removesuffix(after)
            said = re.sub(rf"\b{re.escape(name)}\b", "<r>", with_slots(lead[1] or "", asked))
            said = said.replace(name.lower(), "<r>")
            is_level = not lead[1] or (
                set(re.findall(r"<.>|\w+", said)) <= _LEAD and _LEVEL.search(said)
            )
            if sentence.startswith(before) and fact.excludes(value) and is_level:
                return LabelProof(
                    kind="two_readings",
                    detail=f"{asked.company}: {fact.answer}; {name}: {value}; the query fits both.",
                )
    return None


def _two_companies(
    base: BaseQuestion, asked: AskedFigure, own: Number, query: str, passages: Sequence[str]
) -> LabelProof | None:
    """Find another company with another figure, where the query only points at one of them."""
    if re.search(r"[A-Z]", asked.measure):
        return None  # what has a name is one company's: `Series B Preferred Stock`
    sentences = list(sentences_of(base, passages, of_others=True))
    rivals = dict(_rivals(asked, own, sentences))
    text = with_slots(query, asked)
    for name in rivals:
        text = re.sub(rf"\b{re.escape(name.lower())}\b\.?", "<r>", text)
    found = _QUERY_OF_ONE.fullmatch(text)
    if not rivals or found is None:
        return None
    lead = set(re.sub(r"[,.:;]", " ", found["lead"] or "").split())
    if "<r>" in text and text.count("<r>") < len(rivals):
        return None
    if not lead <= _LEAD or (lead and not _LEVEL.search(found["lead"])):
        return None
    name, figure = next(iter(rivals.items()))
    return LabelProof(
        kind="two_readings",
        detail=f"{asked.company}: {asked.figure}; {name}: {figure.text}; the query fits both.",
    )


def _rivals(
    asked: AskedFigure, own: Number, sentences: Sequence[str]
) -> Iterator[tuple[str, Number]]:
    """Yield companies beside which the asked one is named, with their figure of its measure."""
    what = rf"(?i:{measure_pattern(asked)}){_WHEN}"
    forms = [
        re.compile(rf"{form}{_ABOUT} ?\Z")
        for form in (
            rf"{_NAME}(?:{_ASIDE}|,) {_HAD} {what} of",
            rf"{_NAME}{_ASIDE} whose {what} {_VERB}",
            rf"{_NAME}'s? {what} {_VERB}",
            rf"{what} of {_NAME}{_ASIDE}{_WHEN} {_VERB}",
        )
    ]
    holder = re.compile(rf"{_NAME} (?:had|employed|owned|operated){_ABOUT} ?\Z")
    counted = re.compile(rf" (?i:{measure_pattern(asked)})")
    names = [each.lower() for each in company_names(asked.company)]
    for before, sentence in zip(["", *sentences], sentences, strict=False):
        near = f"{before} {sentence}".lower()
        if _HEDGES.search(_without_measure(sentence, asked)) or not any(
            name in near for name in names
        ):
            continue
        if not _is_of(asked.period, sentence):
            continue
        for figure in numbers_in(sentence):
            said = sentence[: figure.start_char]
            found = next((hit for form in forms if (hit := form.search(said))), None)
            if found is None and counted.match(sentence[figure.end_char :]):
                found = holder.search(said)
            if found is None or not _is_rival(figure, own):
                continue
            if not any(each in found["name"].lower() for each in names):
                yield found["name"], figure


def _is_like(one: Number, other: Number) -> bool:
    return one.family == other.family and bool(one.currency) == bool(other.currency)


def _is_rival(one: Number, other: Number) -> bool:
    return _is_like(one, other) and not agree(one, other)


def _without_measure(sentence: str, asked: AskedFigure) -> str:
    return re.sub(measure_pattern(asked), " ", sentence, flags=re.IGNORECASE)


def _is_of(period: str, sentence: str) -> bool:
    """Whether a sentence speaks of a period and of no other one."""
    years = set(YEAR.findall(sentence))
    return period.lower() in sentence.lower() and years <= set(YEAR.findall(period))


def _two_periods(
    base: BaseQuestion, asked: AskedFigure, own: Number, query: str, passages: Sequence[str]
) -> LabelProof | None:
    """Find the company's figures of two periods, where the query tells neither."""
    found = _QUERY_OF_COMPANY.fullmatch(with_slots(query, asked))
    years = YEAR.findall(asked.period)
    if found is None or len(set(years)) != 1:
        return None
    when = next((each for each in found.groups() if each), "")
    if when and not _POINTS_AT_PERIOD.fullmatch(when):
        return None
    stated: dict[str, list[Number]] = {}
    for sentence in sentences_of(base, passages):
        for year, figure in _by_year(sentence, asked, own):
            stated.setdefault(year, []).append(figure)
    if any(not agree(each[0], other) for each in stated.values() for other in each):
        return None  # a contradiction
    (mine,) = set(years)
    others = [year for year, each in stated.items() if not agree(each[0], own)]
    if mine not in stated or mine in others or not others:
        return None
    detail = "; ".join(f"{year}: {stated[year][0].text}" for year in (mine, others[0]))
    return LabelProof(kind="two_readings", detail=f"{detail}; the query fits both.")


def _by_year(sentence: str, asked: AskedFigure, own: Number) -> list[tuple[str, Number]]:
    """Read a sentence's figures of the measure, each with its year."""
    measure = re.search(measure_pattern(asked), sentence, re.IGNORECASE)
    rest = _without_measure(sentence, asked).replace("respectively", "")
    if measure is None or _HEDGES.search(rest):
        return []
    names = company_names(asked.company)
    before = re.sub("|".join(map(re.escape, names)), "<c>", sentence[: measure.start()])
    figures = [each for each in numbers_in(sentence) if each.start_char >= measure.end()]
    tail = sentence[measure.end() :]
    for figure in reversed(figures):
        start, end = (at - measure.end() for at in (figure.start_char, figure.end_char))
        tail = tail[:start] + " " + tail[end:]
    if not {*_word_list(before), *_word_list(tail)} <= _PLAIN:
        return []
    events = [
        *((each.start_char, None, each) for each in figures if _is_like(each, own)),
        *((each.start(), each[0], None) for each in YEAR.finditer(sentence)),
    ]
    events.sort(key=lambda event: event[0])
    values = [figure for _, _, figure in events if figure]
    labels = [name for _, name, _ in events if name]
    order = "".join("v" if figure else "p" for _, _, figure in events)
    one_by_one = order in ("vp", "pv", "vpvp", "pvpv")
    if one_by_one or (order in ("vvpp", "ppvv") and "respectively" in sentence):
        return list(zip(labels, values, strict=True))
    return []


def _word_list(text: str) -> list[str]:
    return re.findall(r"<c>|[a-z]+", text.lower())
