"""Queries with slots: what a base question asks for stands as a mark, so that few forms fit many.

`What were Acme's net sales in fiscal 2023?` is `what were <c>'s <m> <p>`. A proof accepts only
queries of which it understands every word: a word that it does not know may change the label.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from tasks.suites.refusalbench.proofs.clauses import Clause, around_aside, clause_of, owner_of
from tasks.suites.refusalbench.proofs.facts import asked_of, fact_of
from tasks.suites.refusalbench.proofs.numbers import answer_places, asked_number, numbers_in
from tasks.suites.refusalbench.rows import AskedFigure, BaseQuestion
from tasks.text.sentences import split_sentences
from tasks.text.terms import content_terms, stem

YEAR = re.compile(r"\b(?:18|19|20)\d\d\b")
_POSSESSIVE = re.compile(r"['’]s?(?!\w)")
_WORD = re.compile(r"[A-Za-z]+(?:['’&.-][A-Za-z]+)*|\d[\d,.]*")
_HEAD = re.compile(r"\[[^\]\n]*, annual report[^\]\n]*\]\s*")
# Words that say how much without a number.
_FEW = re.compile(
    r"\b(?:one|only|single|sole\w*|half|halves|equal\w*|entirely|exclusively)\b", re.I
)
_SUFFIX = re.compile(
    r",? (?:Inc|Incorporated|Corp|Corporation|Company|Co|Ltd|Limited|LLC|L\.P|LP|plc)\.?\Z"
)
_PLAIN_YEAR = re.compile(r"(?:(?:the )?(?:fiscal |calendar )?(?:year )?)?((?:19|20)\d\d)", re.I)
# The question with a pronoun, whose only antecedent is the company.
_BY_PRONOUN = re.compile(
    r"<c> (?:published|filed|released|issued|presented) its (?:annual )?(?:report|results|accounts)"
    r"(?P<one> <p>)?[.,;] (?:and )?"
    r"(?:what (?:was|were) its <m>|how many <m> did it (?:have|employ|own|operate))"
    r"(?(one)(?: <p>)?| <p>)"
)
# The question with a word of several senses, of which the passage has one.
_BY_FIGURE = re.compile(
    r"(?:what|which) (?:number|figure) (?:does|did) <c> (?:give|state|report) for"
    r" (?:its <m>|the number of <m> that it (?:had|employed|owned|operated)) <p>"
)
# Words before a question that neither limit it nor ask for anything else: <q> is what it asks.
_LEAD = re.compile(
    r"(?:according to|going by) (?:its|the company's|<c>'s?) (?:own |audited )*"
    r"(?:filing|books|report)"
    r"|according to the annual report that won the [a-z ]+ (?:prize|award|medal)"
    r"|(?:in|as a) total|for this one company alone"
)
# Words before it that ask how precise it is, and the words of a sentence that evaluates it.
_PRECISE = re.compile(
    r"exactly|to the nearest (?P<unit>tenth of a percent|(?:thousand|million) dollars)"
)
_EVALUATES = {
    r"(?:is|are) <q> an? (?P<word>major) or a minor item, and": r"<o> (?:is|are) a major item",
    r"(?:is|are) <q> (?P<word>large|high), and": (
        r"<o> (?:is|are) (?:considered|regarded as) {word} above <v>"
    ),
    r"would you say that <q> (?:is|are) one of its key (?P<word>indicators), and": (
        r"all items of [^.;]{2,60} scorecard are key indicators.*"
        r"<o> (?:is|are) an? item of the scorecard"
    ),
}
# What a query may say of its company in passing, true or not.
_PARENT = re.compile(r"[A-Z]\w+(?: [A-Z]\w+)? (?:subsidiary|unit) ")
_ASIDE = re.compile(
    r", (?:founded in 1[67]\d\d|an? (?:subsidiary|unit) of [A-Z]\w+(?: [A-Z]\w+)?"
    r"|winner of the [A-Z]\w+(?: [A-Z]\w+){0,3}),"
)
_ABOUT = re.compile(
    r"\b(?:approximately|about|around|roughly|nearly|almost|over|under|than|some|least|most)"
    r"\s(?:U\.S\.)?\Z",
    re.IGNORECASE,
)
_PREPOSITION = r"(?:(?:in|for|at|during|as of|as at|on|by|of) )?"


def slotted(base: BaseQuestion, query: str) -> str:
    """Write a query with slots, as if the company owned what is asked: `<c>'s <m>`."""
    asked, fact, clause = asked_of(base), fact_of(base), clause_of(base.query, base.asked)
    assert asked is not None  # callers have checked it
    if fact and fact.name:
        query = query.replace(fact.name, f"{owner_of(asked.company)} {asked.measure}")
    if clause and clause.quantity in query:
        owned = f"{owner_of(asked.company)} {asked.measure}"
        is_count = clause.quantity.startswith("the number of ")
        query = query.replace(clause.quantity, f"the number of {owned}" if is_count else owned)
    return with_slots(query, asked)


def with_slots(query: str, asked: AskedFigure) -> str:
    """Write a query in small letters, with `<c>`, `<m>`, `<p>` and `<f>` for what is asked.

    A preposition before the period is part of its mark.
    """
    text = " ".join(query.split()).replace("’", "'").rstrip(" ?.!")
    periods = [re.escape(asked.period)]
    if plain := _PLAIN_YEAR.fullmatch(asked.period):
        kind = "fiscal" if "fiscal" in asked.period.lower() else "calendar"
        periods = [rf"(?:the )?(?:{kind} )?(?:year )?{plain[1]}(?! and| to|-)", *periods]
    slots = {  # the measure first, as it may name the company
        "m": _phrases([asked.measure]),
        "c": _phrases(company_names(asked.company)),
        "f": _phrases([asked.figure]),
        "p": rf"\b{_PREPOSITION}(?:{'|'.join(periods)})(?!\w)" if asked.period else "(?!)",
    }
    for mark, pattern in slots.items():
        text = re.sub(pattern, f"<{mark}>", text, flags=re.IGNORECASE)
    return text.lower().replace("the <c>", "<c>").replace("the <m>", "<m>")


def asks_again(base: BaseQuestion, query: str, passages: Sequence[str] = ()) -> bool:
    """Whether a query asks for the same, with words that limit nothing.

    Args:
        passages: as perturbed; they have to settle an evaluation that the query asks for.
    """
    if base.asked:
        slotted = with_slots(query, base.asked)
        if _BY_PRONOUN.fullmatch(slotted) or _BY_FIGURE.fullmatch(slotted):
            return True
    if base.asked and _has_aside(base, base.asked, query):
        return True
    if query[-len(base.query) + 1 :] != base.query[1:]:
        return False
    lead = query[: -len(base.query)].rstrip(" .,:")
    clause = clause_of(base.query, base.asked)
    if base.asked and clause:
        lead = lead.replace(clause.quantity, "<q>")
        lead = re.sub(_phrases(company_names(base.asked.company)), "<c>", lead)
    lead = lead[:1].lower() + lead[1:]
    if _LEAD.fullmatch(lead.lower()):
        return True
    if found := _PRECISE.fullmatch(lead):
        return _is_precise(base, found["unit"])
    return clause is not None and _is_evaluated(base, clause, lead, passages)


def _has_aside(base: BaseQuestion, asked: AskedFigure, query: str) -> bool:
    """Whether a query is the base question with an aside on its company."""
    if (split := around_aside(base.query, asked)) and query.startswith(split[0]):
        aside = query[len(split[0]) :].removesuffix(split[1])
        if query.endswith(split[1]) and _ASIDE.fullmatch(aside):
            return True
    before, _, after = base.query.partition(asked.company)  # `Overton Steel subsidiary Acme`
    parent = query.removeprefix(before).removesuffix(asked.company + after)
    return query == before + parent + asked.company + after and bool(_PARENT.fullmatch(parent))


def _is_precise(base: BaseQuestion, unit: str | None) -> bool:
    """Whether the passages state the answer as precisely as a unit, and not about."""
    asked = asked_number(base)
    steps = {None: 0, "tenth of a percent": -1, "thousand dollars": 3, "million dollars": 6}
    if asked is None or (unit and asked.step > Decimal(1).scaleb(steps[unit])):
        return False
    if unit and (asked.family == "share") != ("percent" in unit):
        return False
    return not any(
        _ABOUT.search(passage.text[:start])
        for passage in base.passages
        if passage.is_signal
        for start, _ in answer_places(passage.text, base.answers, asked)
    )


def _is_evaluated(base: BaseQuestion, clause: Clause, lead: str, passages: Sequence[str]) -> bool:
    """Whether a query first asks for an evaluation that a signal passage settles."""
    assert base.asked is not None  # a clause needs it
    asked, owner = asked_number(base), owner_of(base.asked.company)
    ours = "|".join(
        re.escape(clause.quantity.replace(owner, own)).replace(
            re.escape(f" by {base.asked.company}"), " by (?:us|the Company)"
        )
        for own in ("our", "the Company's", owner)
    )
    for asks, says in _EVALUATES.items():
        found = re.fullmatch(asks, lead)
        if found is None:
            continue
        says = says.replace("{word}", found["word"]).replace("<o>", f"(?:{ours})")
        for passage, text in zip(base.passages, passages, strict=False):
            said = re.search(
                says.replace("<v>", r"(?P<value>\S+(?: \w+)?)"), text, re.IGNORECASE | re.DOTALL
            )
            if not passage.is_signal or said is None:
                continue
            values = numbers_in(said["value"]) if "<v>" in says else [asked]
            if len(values) == 1 and values[0] and asked and values[0].value <= asked.value:
                return True
    return False


def company_names(company: str) -> list[str]:
    """Return a company's name as given, without a last full stop, and without its legal form."""
    return list(dict.fromkeys((company, company.rstrip("."), _SUFFIX.sub("", company))))


def measure_pattern(asked: AskedFigure) -> str:
    """Return a pattern of the measure, for sentences of `sentences_of`."""
    return _phrases([asked.measure])


def _phrases(texts: Sequence[str]) -> str:
    escaped = (re.escape(" ".join(text.split()).replace("’", "'")) for text in texts)
    return rf"(?<!\w)(?:{'|'.join(escaped)})(?!\w)"


def sentences_of(
    base: BaseQuestion, passages: Sequence[str], *, of_others: bool = False
) -> Iterator[str]:
    """Yield the sentences that may bear on a question, with single spaces and no passage's head.

    Args:
        of_others: whether to yield what noise passages that a head assigns to another company say
            of the measure.
    """
    asked = asked_of(base)
    assert asked is not None  # callers have checked it
    names = company_names(asked.company)
    for passage, text in zip(base.passages, passages, strict=True):
        head = _HEAD.match(text)
        is_foreign = not passage.is_signal and head and not any(name in head[0] for name in names)
        if is_foreign and not of_others:
            continue
        body = text[head.end() :] if head else text
        for start, end in split_sentences(body):
            sentence = " ".join(body[start:end].split()).replace("’", "'")
            if not is_foreign or speaks_of(sentence, asked.measure):
                yield sentence


def is_stated(base: BaseQuestion, passages: Sequence[str]) -> bool:
    """Whether a signal passage still states the answer."""
    return any(
        passage.is_signal and answer_places(text, base.answers, asked_number(base))
        for passage, text in zip(base.passages, passages, strict=True)
    )


def has_quantity(sentence: str) -> bool:
    """Whether a sentence states a quantity; a year or a date is none."""
    return bool(_FEW.search(sentence) or numbers_in(sentence))


def has_only(said: str, known: str, plain: frozenset[str]) -> bool:
    """Whether a text has no other words than plain ones and those of a known text."""
    return _stems(said) <= _stems(f"{known} {' '.join(plain)}")


def _stems(text: str) -> frozenset[str]:
    bare = _POSSESSIVE.sub("", text)
    return frozenset(stem(word.rstrip(".,")) for word in _WORD.findall(bare))


def speaks_of(sentence: str, measure: str) -> bool:
    """Whether a sentence has a word of a measure."""
    return not set(content_terms(measure)).isdisjoint(content_terms(sentence))
