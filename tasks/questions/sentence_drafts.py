"""Questions that a single sentence answers: amounts, changes and their causes, shares, counts, places, dates.

A sentence is used only if it stands alone: no pronoun for a subject, no pointer to a table or a note.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from tasks.questions.drafts import Draft, is_plural, names_a_measure
from tasks.text.figures import find_figures

_SHORTEST, _LONGEST = 45, 420

_DEPENDENT = re.compile(
    r"(?:it|its|this|these|those|they|their|such|that|he|she|his|her|there|here|both|each|another|others?|"
    r"the (?:following|above|foregoing|same|former|latter|increase|decrease|change|decline|agreement|plan|"
    r"transaction|amount|table|result|remaining|balance|other)|as|accordingly|for|in|if|unless|although|while|"
    r"when|see|refer|note|item|because|since|after|before|upon|under|during|at|on|by|with|to|from|through|among|"
    r"of|all of|most of|some of|any|no|consequently|therefore|thus|similarly|conversely|also|same|one of|"
    r"neither|state|what|which|who|where|how|why|if|even|rather|instead|until|given|based)\b|[^A-Z]",
    re.IGNORECASE,
)
_POINTER = re.compile(
    r"\b(?:see\s|refer to|set forth|incorporated (?:herein )?by reference|as follows|following|table|"
    r"described|discussed|respectively|forward-looking|foregoing|hereof|herein|hereby|exhibit|page \d|note \d|"
    r"item \d|above|below|aforementioned|the former|the latter|this (?:report|form|filing|annual)|contact|"
    r"such (?:amount|date|period|agreement|transaction|plan)s?)\b|:\s",
    re.IGNORECASE,
)
_CONNECTIVE = re.compile(
    r"\A(?:however|in addition|additionally|moreover|furthermore|also|currently|historically|generally|finally|"
    r"further|overall|to date|presently|as a result),\s+",
    re.IGNORECASE,
)
_DATE = (
    r"(?:(?:January|February|March|April|May|June|July|August|September|October|November|December)\s(?:\d{1,2},?\s)?"
    r"(?:19|20)\d\d|(?:fiscal(?:\syear)?\s)?(?:19|20)\d\d|"
    r"the (?:fiscal )?year end(?:ed|ing) [A-Z][a-z]+ \d{1,2}, ?(?:19|20)\d\d)"
)
_TIME = re.compile(
    rf"\b(?:in|during|for|as of|at|on|since) {_DATE}(?!\s?(?:and|or|to|through)\s(?:\w+\s)?(?:19|20))"
)
_LEADING_TIME = re.compile(rf"(?P<time>(?:In|During|For|As of|At|On|Since) {_DATE}),?\s+")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_CAUSE = re.compile(
    r"\b(?:due (?:primarily |mainly |principally |largely )?to|because|as a result of|attribut(?:able|ed)|result(?:ed|ing) from|"
    r"driven by|reflect(?:s|ed|ing)|owing to|primarily from|caused by)\b"
)
_BASE_FORMS = {
    **{
        "increased": "increase",
        "decreased": "decrease",
        "declined": "decline",
        "grew": "grow",
        "rose": "rise",
    },
    **{"fell": "fall", "improved": "improve"},
}
_OBJECT_VERBS = {
    **{"includes": "include", "include": "include", "requires": "require", "require": "require"},
    **{
        "consists of": "consist of",
        "consist of": "consist of",
        "depends on": "depend on",
        "depend on": "depend on",
    },
    **{"manufactures": "manufacture", "produces": "produce", "distributes": "distribute", "offers": "offer"},
    **{"provides": "provide", "designs": "design"},
}
_EVENT_VERBS = {
    **{"acquired": "acquire", "completed": "complete", "announced": "announce", "introduced": "introduce"},
    **{"launched": "launch", "opened": "open", "issued": "issue", "adopted": "adopt", "signed": "sign"},
    **{"purchased": "purchase", "repurchased": "repurchase", "recorded": "record", "received": "receive"},
    **{"approved": "approve", "established": "establish", "formed": "form", "declared": "declare"},
    **{
        "paid": "pay",
        "sold": "sell",
        "entered into": "enter into",
        "authorized": "authorize",
        "filed": "file",
    },
}
_COUNT_VERBS = {
    **{"owns": "own", "owned": "own", "own": "own", "operates": "operate", "operated": "operate"},
    **{
        "leases": "lease",
        "leased": "lease",
        "lease": "lease",
        "serves": "serve",
        "served": "serve",
        "serve": "serve",
    },
    "operate": "operate",
}
_BE = ("is", "are", "was", "were")
_MODALS = ("may", "could", "can", "will", "would", "must", "should")
_OTHER_VERBS = [
    "has",
    "have",
    "had",
    "totaled",
    "totalled",
    "represents",
    "represented",
    "represent",
    "employs",
    "employed",
    "employ",
    "competes",
    "compete",
    "expires",
    "expire",
    "expired",
    "matures",
    "mature",
    "believes",
    "believe",
    "expects",
    "expect",
    "intends",
    "intend",
    "uses",
    "use",
    "used",
    "plans",
    "plan",
    "do",
    "does",
    "did",
    "remains",
    "remained",
    "continues",
    "continued",
    "contains",
    "holds",
    "held",
    "became",
    "conducts",
    "engages",
    "participates",
    "covers",
    "performs",
    "reduced",
    "contributed",
    "exceeded",
    "approximated",
    "resulted",
    "occurred",
    "reported",
    "incurred",
    "provided",
    "granted",
    "terminated",
    "agreed",
    "permits",
    "allows",
    "began",
    "made",
    "seeks",
    "seek",
    "relies",
    "rely",
    "maintains",
    "maintain",
    "recognizes",
    "recognized",
    "determined",
    "estimated",
    "evaluates",
    "reviews",
    "considers",
    "takes",
    "gives",
    "needs",
    "derives",
    "derived",
    "estimates",
]
_VERB = re.compile(
    r"\s(?P<verb>amounted to|accounted for|accounts for|account for|"
    + "|".join(
        re.escape(verb)
        for verb in sorted(
            {*_BASE_FORMS, *_OBJECT_VERBS, *_EVENT_VERBS, *_COUNT_VERBS, *_BE, *_MODALS, *_OTHER_VERBS},
            key=lambda verb: (-len(verb), verb),
        )
    )
    + r")\b(?!-)"
)
_INDEFINITE = re.compile(
    r"\b(?:that|which|who|whom|whose|where|when|if|it|this|these|those|such|they|them|there|what|not|certain)\b|"
    r"(?<=\s)(?:Our|The|We|This|In|A|An|As|For|Because|we)\b|[,;:$%]|\b(?:audit|also|we\s.*)\Z|\A(?:the|our|a)\Z|"
    r"\s(?:to|and|or|of|by)\Z|\b[a-z]+ed\s(?:a|an|the|its|our|to|that|by|in|on)\b"
)
_ADVERB = re.compile(
    r"\s(?:currently|now|then|often|not|never|(?!family|supply|assembly|reply|subsidy)[a-z]{3,}ly)\Z"
)
_ABOUT = (
    r"(?:(?:approximately|about|nearly|over|more than|almost|roughly|a total of|an aggregate of|only)\s)?"
)
_NUMBER = (
    r"(?:\d{1,3}(?:,\d{3})+|\d+|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty)"
)
_AMOUNT = re.compile(rf"\s{_ABOUT}(?=[$\d(])")
_EMPLOYEES = re.compile(
    rf"\s{_ABOUT}{_NUMBER}\s(?P<things>(?:[a-z-]+\s){{0,3}}(?:employees|associates|persons|people))\b"
)
_THINGS = re.compile(
    rf"\s{_ABOUT}{_NUMBER}\s(?P<things>(?:[a-zA-Z-]+\s){{0,4}}?(?!years|months|days|dollars)[a-z-]{{3,}}s)"
    r"(?=[,.;]|\s(?:in|at|with|located|throughout|across|that|which|on|for|under|worldwide|as)\b)"
)
_SHARE_OF = re.compile(
    rf"\s{_ABOUT}\d+(?:\.\d+)?(?:%|\spercent)(?:\sor more)?\sof\s(?P<whole>[^.;,()]{{6,90}}?)"
    r"(?=[.;,(]|\s(?:in|for|during|at|as of)\s(?:the\s)?(?:fiscal\s)?(?:years?\s)?(?:19|20|end)|\Z)"
)
_PLACE = re.compile(
    r"\s(?:principally |currently |all )?(?:located|headquartered|situated)\s(?:in|at|on)\s[A-Z\d]"
)
_FOUNDED = re.compile(
    r"\s(?:(?:originally|first|initially)\s)?(?P<how>incorporated|organized|formed|founded)\s(?:in|on|under|as)\b"
    r"[^.;]{0,60}?\b(?:18|19|20)\d\d\b"
)
_PRICE = re.compile(
    rf"\s(?P<what>[^.;,$]{{4,80}}?)\sfor\s(?:(?:an? )?(?:aggregate |total |purchase )*(?:price |consideration )?(?:of )?)?{_ABOUT}\$\d"
)
_PARTICIPLE = re.compile(r"\s(?:on|in|for|by|to|under|at|from|and|or|as|with|through)\b|,")
_TRAILING = re.compile(r"(?:,|\s(?:either|both|most|in part|[a-z]+ly|and|or))+\Z")
_PREDICATE = re.compile(
    r"(?P<predicate>\s[^,;()]{10,110}?)(?:,|\s(?:[a-z]+ly\s)?)(?P<cause>because|due to|as a result of)\s"
)


@dataclass(frozen=True, slots=True)
class _Clause:
    """A sentence taken apart: subject as in running text, first verb, rest, and its time (`in 2017`, or empty)."""

    subject: str
    verb: str
    rest: str
    time: str

    def auxiliary(self) -> str:
        """`do`, `does` or `did`, as the verb's tense and the subject's number ask."""
        if self.verb.endswith("ed") or self.verb in {"had", "sold", "paid", "accounted for", "entered into"}:
            return "did"
        return "do" if is_plural(self.subject) or self.subject == "we" or " and " in self.subject else "does"

    def asked(self, question: str) -> str:
        """The question with the sentence's time."""
        return f"{question} {self.time}" if self.time and self.time not in question else question


def sentence_draft(sentence: str, start_char: int, lower_words: frozenset[str]) -> Draft | None:
    """The exchange that a sentence supports, or None where it does not stand alone or fits no question."""
    said = " ".join(sentence.split())
    clause = _take_apart(said, lower_words)
    if clause is None:
        return None
    for ask in _QUESTIONS:
        question = ask(clause)
        if question is not None:
            answer = _CONNECTIVE.sub("", said)
            return Draft(question, answer[:1].upper() + answer[1:], start_char, "qa")
    return None


def stands_alone(sentence: str) -> bool:
    """Whether a sentence can be understood without those around it."""
    said = _CONNECTIVE.sub("", sentence)
    leading = _LEADING_TIME.match(said)
    start = said[leading.end() :] if leading else said
    return (
        _SHORTEST <= len(said) <= _LONGEST
        and said.endswith(".")
        and not said.endswith("..")
        and " | " not in said
        and not _DEPENDENT.match(start[:1].upper() + start[1:])
        and not _POINTER.search(said)
        and said.count("(") == said.count(")")
        and not re.search(r"[A-Z][A-Z ,]{24}", said)
    )


def _take_apart(said: str, lower_words: frozenset[str]) -> _Clause | None:
    if not stands_alone(said):
        return None
    body = _CONNECTIVE.sub("", said)
    leading = _LEADING_TIME.match(body)
    body = body[leading.end() :] if leading else body
    body = re.sub(r"\s\([^()]{1,80}\)", "", body)
    verb = _VERB.search(body)
    if verb is None or not 2 <= verb.start() <= 90:
        return None
    subject = _ADVERB.sub("", body[: verb.start()].strip())
    first, _, others = subject.partition(" ")
    if (first.lower() in lower_words and not others[:1].isupper()) or first in ("The", "Our", "We", "A"):
        subject = f"{first.lower()} {others}".strip()
    if _INDEFINITE.search(subject) or len(subject.split()) > 11:
        return None
    time = _time_of(leading["time"] if leading else "", body)
    return None if time is None else _Clause(subject, verb["verb"], body[verb.end() :], time)


def _time_of(leading: str, body: str) -> str | None:
    """The time that the sentence's first figure belongs to; None where that is not certain."""
    if leading:
        return leading[:1].lower() + leading[1:]
    years = [match.start() for match in _YEAR.finditer(body)]
    time = _TIME.search(body)
    if not years:
        return ""
    return time.group() if time and time.start() < years[0] < time.end() else None


def _ask_share(clause: _Clause) -> str | None:
    if not clause.verb.startswith(("account", "represent")):
        return None
    share = _SHARE_OF.match(clause.rest)
    end = "account for" if clause.verb.startswith("account") else "represent"
    if share is None:
        return None
    return clause.asked(f"what percentage of {share['whole']} {clause.auxiliary()} {clause.subject} {end}")


def _ask_change(clause: _Clause) -> str | None:
    base = _BASE_FORMS.get(clause.verb)
    if base is None or not clause.time or not names_a_measure(clause.subject):
        return None
    if re.search(rf"\bfrom\b.*{re.escape(clause.time)}", clause.rest):
        return None  # the time is the one that it changed from
    if _CAUSE.search(clause.rest):
        return clause.asked(f"why did {clause.subject} {base}")
    has_figure = any(figure.unit != "year" for figure in find_figures(clause.rest))
    return clause.asked(f"by how much did {clause.subject} {base}") if has_figure else None


def _ask_employees(clause: _Clause) -> str | None:
    if clause.verb not in {"had", "has", "have", "employed", "employs", "employ"}:
        return None
    things = _EMPLOYEES.match(clause.rest)
    end = "employ" if clause.verb.startswith("employ") else "have"
    if things is None:
        return None
    return clause.asked(f"how many {things['things']} {clause.auxiliary()} {clause.subject} {end}")


def _ask_count(clause: _Clause) -> str | None:
    verb = _COUNT_VERBS.get(clause.verb)
    things = _THINGS.match(clause.rest) if verb else None
    return (
        clause.asked(f"how many {things['things']} {clause.auxiliary()} {clause.subject} {verb}")
        if things
        else None
    )


def _ask_amount(clause: _Clause) -> str | None:
    if clause.verb not in {*_BE, "totaled", "totalled", "amounted to"} or not clause.time:
        return None
    amount = _AMOUNT.match(clause.rest)
    if amount is None or not names_a_measure(clause.subject):
        return None
    figures = find_figures(clause.rest[amount.end() : amount.end() + 40])
    if not figures or figures[0].start_char > 1 or figures[0].unit not in ("money", "percent", "per_share"):
        return None
    past = "were" if is_plural(clause.subject) else "was"
    return clause.asked(f"what {clause.verb if clause.verb in _BE else past} {clause.subject}")


def _ask_place(clause: _Clause) -> str | None:
    if clause.verb not in _BE or not _PLACE.match(clause.rest):
        return None
    return f"where {clause.verb} {clause.subject} located"


def _ask_founding(clause: _Clause) -> str | None:
    how = _FOUNDED.match(clause.rest) if clause.verb in ("was", "were") else None
    return f"when {clause.verb} {clause.subject} {how['how']}" if how else None


def _ask_price(clause: _Clause) -> str | None:
    price = (
        _PRICE.match(clause.rest) if clause.verb in {"acquired", "purchased", "repurchased", "sold"} else None
    )
    if price is None or _INDEFINITE.search(price["what"]):
        return None
    if clause.verb == "sold":
        return clause.asked(f"for how much did {clause.subject} sell {price['what'].strip()}")
    return clause.asked(f"how much did {clause.subject} pay for {price['what'].strip()}")


def _ask_event(clause: _Clause) -> str | None:
    base = _EVENT_VERBS.get(clause.verb)
    if base is None or not clause.time or _PARTICIPLE.match(clause.rest):
        return None
    return clause.asked(f"what did {clause.subject} {base}")


def _ask_competitors(clause: _Clause) -> str | None:
    if clause.verb not in {"competes", "compete"} or not re.match(
        r"\s(?:[a-z]+ly |also )?with\s", clause.rest
    ):
        return None
    return f"who {clause.auxiliary()} {clause.subject} compete with"


def _ask_object(clause: _Clause) -> str | None:
    base = _OBJECT_VERBS.get(clause.verb)
    is_own = clause.subject in ("we", "the Company", "the company")  # who does much else besides
    is_vague = clause.subject.count(" ") == clause.subject.startswith(("the ", "a ", "our "))  # `the rules`
    if (
        base is None
        or clause.time
        or len(clause.rest) < 40
        or is_own
        or (is_vague and clause.subject.islower())
    ):
        return None
    return f"what {clause.auxiliary()} {clause.subject} {base}"


def _ask_expiry(clause: _Clause) -> str | None:
    if clause.verb not in {"expires", "expire", "matures", "mature"} or not _YEAR.search(clause.rest):
        return None
    return f"when {clause.auxiliary()} {clause.subject} {clause.verb.removesuffix('s')}"


def _ask_cause(clause: _Clause) -> str | None:
    if clause.verb not in {*_BE, *_MODALS}:
        return None
    predicate = _PREDICATE.match(clause.rest)
    if predicate is None or _INDEFINITE.search(predicate["predicate"]):
        return None
    question = f"why {clause.verb} {clause.subject}{_TRAILING.sub('', predicate['predicate'])}"
    return question if clause.time in clause.rest else clause.asked(question)


_QUESTIONS: tuple[Callable[[_Clause], str | None], ...] = (
    _ask_share,
    _ask_change,
    _ask_employees,
    _ask_count,
    _ask_amount,
    _ask_place,
    _ask_founding,
    _ask_price,
    _ask_event,
    _ask_competitors,
    _ask_expiry,
    _ask_cause,
    _ask_object,
)
