"""Questions that one sentence answers in a few words: amounts, shares, counts, dates, places.

Only sentences that are understood alone are read (`clauses`), only what they say of the company
itself, and only if figure and time are next to what they belong to.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from tasks.quantities.figures import FULL_MONTHS, Figure
from tasks.suites.refusalbench.base.said import OF_OTHERS, OURS, Sentence, figure_next, owned
from tasks.suites.refusalbench.base.statements import Kind, Statement
from tasks.suites.refusalbench.proofs.clauses import owner_of
from tasks.suites.shared.clauses import (
    BASE_FORMS,
    BE,
    COUNT_VERBS,
    EVENT_VERBS,
    INDEFINITE,
    take_apart,
)
from tasks.suites.shared.phrases import YEAR, is_plural, names_a_measure

_ABOUT = r"(?:(?:approximately|about|nearly|almost|roughly|a total of|an aggregate of|a record)\s)?"
_FIGURE_NEXT = re.compile(rf"\s{_ABOUT}(?=\(?[$\d])")
_TO = re.compile(rf"\sto\s{_ABOUT}(?=\$?\d)")
_HAD = re.compile(rf"\s(?:an? )?(?P<measure>[a-z][a-z ’'-]{{4,60}}?)\sof\s{_ABOUT}(?=\$?\d)")
_SHARE = re.compile(
    rf"\s{_ABOUT}(?=\d[\d.]*(?:%|\spercent)\sof\s(?P<whole>[^.;,()$%\d]{{6,60}}?)"
    r"(?=[.;,(]|\s(?:in|for|during|at|as of|and|compared)\s|\Z))"
)
_THINGS = re.compile(
    rf"\s{_ABOUT}(?P<number>\d[\d,]*)\s(?P<things>[a-z][\w’'-]*(?:\s[\w’'-]+){{0,6}}?)"
    r"(?=[.,;(]|\s(?:in|at|with|worldwide|throughout|located|as|on|that|which|who|and|compared"
    r"|including|under|across|for|outstanding|open)\b)"
)
_MORE_THINGS = re.compile(r"\band\b[^.;]*?\s\d[\d,]*\s(?!%|percent)[a-z]")
_COUNTING = {
    **dict.fromkeys(("had", "has", "have"), "have"),
    **dict.fromkeys(("employed", "employs", "employ"), "employ"),
    **{verb: base for verb, base in COUNT_VERBS.items() if base in ("own", "operate")},
}
_HOLDERS = re.compile(
    rf"\A(?P<time>(?:As of|At|On) (?P<date>(?:{FULL_MONTHS}) \d{{1,2}}, (?:19|20)\d\d)),? there "
    rf"were {_ABOUT}(?P<number>\d[\d,]*) (?P<things>(?:share|stock)?holders of record"
    r"|record holders) of (?P<whose>our|its|the (?:[Cc]ompany|[Rr]egistrant)[’']s) "
    r"(?P<what>[Cc]ommon [Ss]tock|[Cc]ommon [Ss]hares)\b"
)
_NO_THINGS = re.compile(
    r"(?:of|to|or|million|billion|thousand|percent|years?|months?|days?|weeks?|hours?|basis)\b"
)
_STARTED = re.compile(
    r"\s(?:(?:originally|first|initially)\s)?(?P<how>incorporated|organized|founded|established)\b"
    r"(?P<rest>[^.;]{0,90})"
)
_DATE = rf"(?:(?:{FULL_MONTHS})\s(?:\d{{1,2}},?\s)?)?(?:18|19|20)\d\d"
_WHEN = re.compile(rf"\b(?:in|on)\s(?P<date>{_DATE})\b")
STATES = (
    "Alabama|Alaska|Arizona|Arkansas|California|Colorado|Connecticut|Delaware|Florida|Georgia"
    "|Hawaii|Idaho|Illinois|Indiana|Iowa|Kansas|Kentucky|Louisiana|Maine|Maryland|Massachusetts"
    "|Michigan|Minnesota|Mississippi|Missouri|Montana|Nebraska|Nevada|New Hampshire|New Jersey"
    "|New Mexico|New York|North Carolina|North Dakota|Ohio|Oklahoma|Oregon|Pennsylvania"
    "|Rhode Island|South Carolina|South Dakota|Tennessee|Texas|Utah|Vermont|Virginia|Washington"
    "|West Virginia|Wisconsin|Wyoming"
)
_STATE = re.compile(rf"\b(?:in|of)\s(?:the )?(?P<state>{STATES})\b(?! County)")
_MOVED = re.compile(r"\b(?:re-?incorporated|merged|successor|predecessor|reorgani[sz]ed)\b")
_EVENTS = {
    past: EVENT_VERBS[past]
    for past in (
        *("acquired", "completed", "announced", "introduced", "launched"),
        *("opened", "adopted", "formed", "sold", "entered into"),
    )
}
_OBJECT = re.compile(
    r"\s(?P<object>(?:[^.,;:()$%]|[.,](?=\w)|, (?=Inc|Ltd|LLC|L\.P)){8,90}?)"
    r"(?=\.?\Z|[.;]\s|,\s(?!Inc|Ltd|LLC|L\.P)|\s(?:in|on|for|from|which|that|who|pursuant|whereby)\s)"
)
# Objects that are cut, or that only another sentence names.
_CUT = re.compile(
    r"\b(?:and|to(?: \w+)?|up|with|by|as|of|featuring|\w+ed|the(?: [a-z]+)?|an?|[A-Z]\.[A-Z])\Z"
    r"|\b(?:one of|existing)\b|ompany"
)
_PRICE = re.compile(
    rf"\s(?P<object>[^.;,$()]{{8,80}}?)\sfor\s(?:an? )?(?:(?:aggregate|total|cash|purchase)\s)*"
    rf"(?:price of |consideration of )?{_ABOUT}(?=\$\d)"
)
_APPOINTED = re.compile(
    r"\s(?P<how>appointed|named|elected|promoted to)\s(?:as |to be )?(?:the )?"
    r"(?P<title>[A-Z][^.;()]{4,80}?)(?=\.?\Z|[;.]|,? (?:in|on|effective) |, and )"
)
_PERSON = re.compile(r"(?:Mr|Ms|Mrs|Dr)\.\s[A-Z][\w’'-]+|[A-Z][\w’'-]+(?:\s[A-Z][\w’'.-]*){1,3}")
_SYMBOL = re.compile(
    r"\b[Cc]ommon [Ss](?:tock|hares)\b[^.]{0,60}?\b(?:listed|traded|quoted|trades)\b"
    r"[^.]{0,90}?\b(?:ticker |trading )?symbols?,? [“\"'‘]?(?P<symbol>[A-Z]{2,5})\b"
)
_OFFICES = re.compile(r"headquarters|executive offices|principal offices")
_PLACE = re.compile(
    r"\slocated\s(?:in|at)\s(?:[\w .,#-]{0,60}?,\s)?"
    rf"(?P<place>[A-Z][a-z]+(?:\s[A-Z][a-z]+){{0,2}},\s(?:{STATES}))\b"
)
# Others of the kind may have another figure: `one customer accounted for 13%`.
_SOME = re.compile(
    r"\b(?:one|an?|another|any|no|two|three|four|five|several|some|single|each|largest)\s"
    r"(?:\w+\s){0,2}(?:customers?|suppliers?|vendors?|clients?|distributors?|tenants?"
    r"|wholesalers?|compan(?:y|ies)|purchasers?|partners?|resellers?)\b",
    re.IGNORECASE,
)
_QUALIFIED = re.compile(r"\((?:excluding|including|net of|before|other than|defined)\b")


def statements_of_sentence(
    sentence: str, company: str, lower_words: frozenset[str], start_char: int, end_char: int
) -> Iterator[Statement]:
    """Yield what a sentence of a company's filing states for certain."""
    said = " ".join(sentence.split())
    asked = [each for ask in _ASKED_AS_WRITTEN for each in ask(company, said)]
    clause = None if _QUALIFIED.search(said) else take_apart(said, lower_words)
    if clause:
        read = Sentence(company, said, clause)
        asked += [each for ask in _ASKED for each in ask(read)]
    for query, answer, kind, measure, period in asked:
        if answer in sentence:
            yield Statement(
                query=f"{query[:1].upper()}{query[1:]}?",
                answer=answer,
                kind=kind,
                measure=measure,
                period=period,
                start_char=start_char,
                end_char=end_char,
            )


_Asked = Iterator[tuple[str, str, Kind, str, str]]  # query, answer, kind, measure, period


def _kind(figure: Figure) -> Kind:
    return "money" if figure.unit == "money" else "percent"


def _level(read: Sentence, measure: str, figure: Figure) -> _Asked:
    """Ask for a measure's value."""
    if not names_a_measure(measure) or figure.unit == "count":
        return
    verb, noun = read.clause.verb, owned(read.owned, measure)
    if verb.startswith(("total", "amount")):
        query = f"what did {noun} {'total' if verb[0] == 't' else 'amount to'} {read.clause.time}"
    else:
        is_many = verb in ("are", "were") or (verb not in BE and is_plural(measure))
        query = f"what {'were' if is_many else 'was'} {noun} {read.clause.time}"
    yield query, figure.text, _kind(figure), measure, read.period


def _ask_amount(read: Sentence) -> _Asked:
    clause = read.clause
    if not clause.time or clause.verb not in {*BE, "totaled", "totalled", "amounted to"}:
        return
    start, measure = _FIGURE_NEXT.match(clause.rest), read.measure(clause.subject)
    if start and measure and (figure := read.figure_at(clause.rest, start.end())):
        yield from _level(read, measure, figure)


def _ask_had(read: Sentence) -> _Asked:
    had = _HAD.match(read.clause.rest)
    if not had or not read.is_own or read.clause.verb != "had" or not read.clause.time:
        return
    measure, figure = read.measure(had["measure"]), read.figure_at(read.clause.rest, had.end())
    if measure and figure and not INDEFINITE.search(measure):
        yield from _level(read, measure, figure)


def _ask_change(read: Sentence) -> _Asked:
    clause = read.clause
    base, measure = BASE_FORMS.get(clause.verb), read.measure(clause.subject)
    if not (base and measure and clause.time and names_a_measure(measure)):
        return
    if re.search(rf"\bfrom\b.*{re.escape(clause.time)}", clause.rest):
        return  # the time belongs to the earlier value
    rest = clause.rest.removeprefix(" by")
    start = _FIGURE_NEXT.match(rest)
    figure = figure_next(rest[start.end() :]) if start else None
    if start and figure and figure.unit in ("percent", "money"):
        after = rest[start.end() + figure.end_char :]
        if re.match(rf"[.,;]|\Z|\s(?:to\s|{re.escape(clause.time)})", after):
            how = "percentage" if figure.unit == "percent" else "amount"
            noun = owned(read.owned, measure)
            query = f"by what {how} did {noun} {base} {clause.time}"
            changed = f"{base} in {measure}"
            yield query, figure.text, _kind(figure), changed, read.period
    first = re.split(r",\s(?:and|while|but)\s|;", rest, maxsplit=1)[0]
    to = _TO.search(first)
    if to and not re.search(r"\bpoints?\b", first) and (level := read.figure_at(rest, to.end())):
        yield from _level(read, measure, level)


def _ask_share(read: Sentence) -> _Asked:
    clause = read.clause
    share = _SHARE.match(clause.rest)
    is_share = clause.verb.startswith(("account", "represent"))
    if not (share and is_share and clause.time):
        return
    whole = read.measure(share["whole"])
    figure = figure_next(clause.rest[share.end() :])
    subject = OURS.sub("its ", clause.subject, count=1)
    is_vague = (
        OF_OTHERS.search(subject)
        or _SOME.search(subject)
        or YEAR.search(subject)
        or clause.rest.count("%") > 2
    )
    if whole and names_a_measure(whole) and figure and not is_vague:
        query = f"what percentage of {read.owned} {whole} did {subject} represent {clause.time}"
        yield query, figure.text, "percent", f"share of {subject} in {whole}", read.period


def _ask_count(read: Sentence) -> _Asked:
    clause = read.clause
    base = _COUNTING.get(clause.verb)
    things = _THINGS.match(clause.rest)
    if not (base and things and read.is_own and clause.time):
        return
    named = things["things"]
    is_list = re.match(r"\s(?:and|or)\s\D", clause.rest[things.end() :])
    is_list = is_list or _MORE_THINGS.search(clause.rest, things.end())
    if _NO_THINGS.match(named) or is_list or named == "shares":
        return
    if clause.rest[things.end() :].startswith(" outstanding"):
        named += " outstanding"
    yield (
        f"how many {named} did {read.company} {base} {clause.time}",
        things["number"],
        "number",
        named,
        read.period,
    )


def _ask_start(read: Sentence) -> _Asked:
    started = _STARTED.match(read.clause.rest)
    if not started or not read.is_own or read.clause.verb not in ("was", "were"):
        return
    if _MOVED.search(read.said):
        return
    when, where = _WHEN.search(started["rest"]), _STATE.search(started["rest"])
    if when:
        yield f"when was {read.company} {started['how']}", when["date"], "date", started["how"], ""
    if where and started["how"] in ("incorporated", "organized"):
        query = f"under the laws of which state was {read.company} {started['how']}"
        yield query, where["state"], "text", f"state {started['how']}", ""


def _ask_event(read: Sentence) -> _Asked:
    clause = read.clause
    base, found = _EVENTS.get(clause.verb), _OBJECT.match(clause.rest)
    if not (base and found and read.is_own and clause.time.startswith(("in ", "on "))):
        return
    named = re.sub(r"\bour\b", "its", found["object"])
    is_named = re.search(r"\b[A-Z]", named) and not _CUT.search(named)
    if INDEFINITE.search(re.sub(r"\bits\b|, ", " ", named)) or not is_named or YEAR.search(named):
        return
    after = clause.rest[found.end("object") :]
    is_led = clause.time not in clause.rest
    if is_led or after.startswith(f" {clause.time}"):
        query = f"when did {read.company} {base} {named}"
        yield query, read.period, "date", f"{base} {named}", ""


def _ask_price(read: Sentence) -> _Asked:
    clause, found = read.clause, _PRICE.match(read.clause.rest)
    if not (found and read.is_own and clause.verb in ("acquired", "purchased", "sold")):
        return
    named = found["object"]
    if INDEFINITE.search(named) or not re.search(r"\b[A-Z]", named) or not clause.time:
        return
    figure = read.figure_at(clause.rest, found.end())
    if figure and figure.unit == "money":
        is_sale = clause.verb == "sold"
        asks = f"sell {named} for" if is_sale else f"pay for {named}"
        query = f"how much did {read.company} {asks} {clause.time}"
        yield query, figure.text, "money", f"price of {named}", read.period


def _ask_appointment(read: Sentence) -> _Asked:
    clause, found = read.clause, _APPOINTED.match(read.clause.rest)
    if not (found and clause.verb == "was" and _PERSON.fullmatch(clause.subject)):
        return
    title, after = found["title"].removesuffix(","), clause.rest[found.end() :]
    is_next = clause.time not in clause.rest or after.lstrip(",").startswith(f" {clause.time}")
    if (
        not clause.time.startswith(("in ", "on "))
        or not is_next
        or "ompany" in title
        or len(title.split()) < 3
    ):
        return
    about = f"{clause.subject} {found['how']} {title}"
    yield f"when was {about}", read.period, "date", about, ""
    asked = f"{clause.subject} {found['how'].removesuffix(' to')}"
    yield f"to which position was {asked} {clause.time}", title, "text", asked, read.period


def _ask_symbol(company: str, said: str) -> _Asked:
    found = _SYMBOL.search(said)
    if found and "Class " not in said and len(re.findall(r"\bsymbols?\b", said)) == 1:
        query = f"under which ticker symbol is {owner_of(company)} common stock traded"
        yield query, found["symbol"], "text", "ticker symbol", ""


def _ask_holders(company: str, said: str) -> _Asked:
    if found := _HOLDERS.search(said):
        things = f"{found['things']} of its {found['what'].lower()}"
        time = found["time"][:1].lower() + found["time"][1:]
        query = f"how many {things} did {company} have {time}"
        yield query, found["number"], "number", things, found["date"]


def _ask_place(read: Sentence) -> _Asked:
    clause, found = read.clause, _PLACE.match(read.clause.rest)
    measure = read.measure(clause.subject)
    if found and measure and clause.verb in BE and _OFFICES.search(measure):
        verb = "are" if is_plural(measure) else "is"
        query = f"in which city and state {verb} {read.owned} {measure} located"
        yield query, found["place"], "text", measure, ""


_ASKED: tuple[Callable[[Sentence], _Asked], ...] = (
    _ask_amount,
    _ask_had,
    _ask_change,
    _ask_share,
    _ask_count,
    _ask_start,
    _ask_event,
    _ask_price,
    _ask_appointment,
    _ask_place,
)
_ASKED_AS_WRITTEN = (_ask_symbol, _ask_holders)
