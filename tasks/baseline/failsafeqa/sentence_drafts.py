"""Questions that one sentence answers: amounts, shares, changes, causes, counts, prices."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from tasks.baseline.failsafeqa.drafts import Draft, is_many
from tasks.quantities.figures import FULL_MONTHS, find_figures
from tasks.suites.shared.clauses import (
    BASE_FORMS,
    BE,
    COUNT_VERBS,
    INDEFINITE,
    Clause,
    take_apart,
    without_connective,
)
from tasks.suites.shared.phrases import YEAR, capitalised, names_a_measure
from tasks.text.terms import content_terms, names_in

_CAUSE = re.compile(
    r"\b(?:due (?:primarily |mainly |principally |largely )?to|because|as a result of"
    r"|attribut(?:able|ed)|result(?:ed|ing) from|driven by|reflect(?:s|ed|ing)|owing to"
    r"|primarily from|caused by)\b"
)
_ABOUT = (
    r"(?:(?:approximately|about|nearly|over|more than|almost|roughly|a total of|an aggregate of"
    r"|only)\s)?"
)
_NUMBER = (
    r"(?:\d{1,3}(?:,\d{3})+|\d+|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen"
    r"|twenty)"
)
_AMOUNT = re.compile(rf"\s{_ABOUT}(?=[$\d(])")
_BY = re.compile(rf"(?:\s[a-z]+ly)?(?:\sby)?\s{_ABOUT}[$\d]")
# What is counted ends here: `200 stores at hotels` and `500 employees in research` are not all of
# them, and `5,000 shares, or 20%, of Wexcombe` are shares of something.
_COUNTED = (
    r"(?=[.;]|\Z|\s(?:worldwide|throughout)\b"
    rf"|\s(?:at|as of|on)\s(?:the end|(?:{FULL_MONTHS})\b)"
    r"|,(?![^,;]{1,50},\s(?:of|in|at)\b))"
)
_EMPLOYEES = re.compile(
    rf"\s{_ABOUT}{_NUMBER}\s(?P<things>(?:[a-z-]+\s){{0,3}}(?:employees|associates|persons|people))"
    rf"(?!-){_COUNTED}"
)
_THINGS = re.compile(
    rf"\s{_ABOUT}{_NUMBER}\s(?P<things>(?:(?!(?:in|of|at|on|for|with|has|have|to)\b)[a-zA-Z-]+\s)"
    rf"{{0,4}}?(?!years|months|days|dollars|shares)[a-zA-Z-]{{3,}}s){_COUNTED}"
)
_SHARE_OF = re.compile(
    rf"\s{_ABOUT}\d+(?:\.\d+)?(?:%|\spercent)(?:\sor more)?\sof\s(?P<whole>[^.;,()\d]{{6,90}}?)"
    r"(?=[.;,(]|\s(?:in|for|during|at|as of)\s(?:the\s)?(?:fiscal\s)?(?:years?\s)?(?:19|20|end)|\Z)"
)
_PRICE = re.compile(
    rf"\s(?P<what>[^.;,$]{{4,80}}?)\sfor\s(?:(?:an? )?(?:aggregate |total |purchase )*(?:price "
    rf"|consideration )?(?:of )?)?{_ABOUT}\$\d"
)
# An amount that is asked for is no share of something, and no difference.
_IS_RATE = re.compile(r"\b(?:rates?|ratios?|yields?|margins?|returns?|percent(?:age)?)\b", re.I)
_COMPARED = re.compile(
    r"\s?(?:lower|higher|more|less|greater|smaller|above|below|over|under)\b", re.IGNORECASE
)
# A time behind one of these is a cause's, a comparison's or another statement's.
_ELSEWHERE = re.compile(
    rf"{_CAUSE.pattern}|\b(?:and|which|that|while|compared|versus|from|than|including|recorded"
    r"|consisting)\b"
)
# Subjects that lean on the sentences before, or lose a limit with their brackets. Of `sales prior
# to November 1`, those sentences say whose they were until then.
_LEANS = re.compile(
    r"(?:\A|\b(?:the|and|our|its|their)\s)(?:related|remaining|resulting|corresponding|respective"
    r"|associated|applicable)\b|\Athe (?:joint venture|acquisition|merger|offering)\b|\Avolumes?\Z"
    rf"|\b(?:prior to|before|after|from|through|until|since|to)\s(?:{FULL_MONTHS})\b",
    re.IGNORECASE,
)
# Parts of a report, which say nothing about the company.
_OF_THE_REPORT = re.compile(r"\b(?:schedules|exhibits|financial statements|disclosures)\Z", re.I)
# `The receivable outstanding`, `the gain on the sale`: the sentence before says which.
_SAID_BEFORE = re.compile(
    r"\A(?:[Aa]ll\b|[Tt]he (?:.*\b(?:of|for|under|on|in) the [a-z]"
    r"|(?!.*(?:\b(?:of|for|under|on|in|to|from|by|with)\b|['’]s\b|[A-Z]))))"
)
# What an amount is compared with is not asked for.
_COMPARISON = re.compile(
    r",? (?:as )?(?:compared (?:with|to)|versus) (?:approximately )?"
    r"(?:\$[\d.,]+|[\d.]+(?:%| percent))[^,;]{0,60}(?=\.\Z)"
)
# A name within a subject: `net sales in Japan`, `the Retail segment`.
_NAME = re.compile(r"\b(?!(?:Company|Corporation)\b)[A-Z]")
_LIMITED = re.compile(r"\((?:excluding|including|before|after|net)\b")
_TRAILING = re.compile(r"(?:,|\s(?:either|both|most|in part|[a-z]+ly|and|or))+\Z")
_PREDICATE = re.compile(
    r"(?P<predicate>\s[^,;()]{6,110}?)(?:,|\s(?:[a-z]+ly\s)?)"
    r"(?P<cause>because|due to|as a result of)\s"
)
_SECOND_CLAUSE = re.compile(
    r"\band (?:the|our|its|their|we|it|they|is|are|was|were|has|have|had)\b"
)

# A heading before the subject, which may repeat it: `Segment Revenue Express segment revenue`.
_RUN_IN = re.compile(r"[A-Z]{3,} [A-Z]{3,}|\s[—–-]\s|\b(?=[A-Z])(?i:(\w{4,})\b.*\b\1)\b")
_OWN = re.compile(rf"{INDEFINITE.pattern}|\b(?:its|their|his|her|our)\b")


def sentence_draft(
    sentence: str,
    start_char: int,
    lower_words: frozenset[str],
    doubtful: frozenset[str] = frozenset(),
    before: Sequence[str] = (),
) -> Draft | None:
    """Draft the exchange that a sentence supports; None if there is none.

    Args:
        doubtful: words, in lower case, of which the context does not show if they are names.
        before: the sentences of its paragraph before it. The first may limit the others to a
            segment, and one that mentions the same measure may say whose it is.
    """
    said = " ".join(sentence.split())
    clause = take_apart(said, lower_words)
    if clause is None or _RUN_IN.search(clause.subject) or _LEANS.search(clause.subject):
        return None
    if _OF_THE_REPORT.search(clause.subject) or not _agrees(clause.verb, clause.subject):
        return None
    if names_a_measure(clause.subject) and _SAID_BEFORE.match(clause.subject):
        return None
    first = clause.subject.partition(" ")[0]
    is_doubtful = first.istitle() and first.lower() in doubtful
    if names_a_measure(clause.subject) and not _NAME.search(clause.subject):
        topic = take_apart(" ".join(before[0].split()), lower_words) if before else None
        is_limited = topic is not None and _NAME.search(topic.subject)
        if is_limited or any(_is_of_a_name(clause.subject, said) for said in before):
            return None
    limit = _LIMITED.search(said)
    if is_doubtful or (limit and limit.start() < said.find(f" {clause.verb}")):
        return None
    said = capitalised(without_connective(said))
    is_behind = clause.time in clause.rest and not said.lower().startswith(clause.time)
    if clause.time and is_behind and _ELSEWHERE.search(_before_time(clause)):
        return None
    for ask in _QUESTIONS:
        question = ask(clause)
        if question is not None:
            answer = _COMPARISON.sub("", said) if ask is _ask_amount else said
            return Draft(question, answer, start_char, "qa")
    return None


def _agrees(verb: str, subject: str) -> bool:
    """Check that a verb is of the subject's number; `expenses was` is the report's own mistake."""
    if verb in ("is", "was"):
        return not is_many(subject)
    is_several = is_many(subject) or " and " in subject or subject.lower() == "we"
    return verb not in ("are", "were") or is_several


def _is_of_a_name(measure: str, sentence: str) -> bool:
    """Check whether a sentence mentions a measure and a name: that of its owner, maybe."""
    terms = set(content_terms(measure))
    return terms <= set(content_terms(sentence)) and bool(names_in(sentence))


def _ask_share(clause: Clause) -> str | None:
    share = _SHARE_OF.match(_before_time(clause))
    if share is None or not clause.verb.startswith(("account", "represent")):
        return None
    if _ELSEWHERE.search(share["whole"]):
        return None  # `all staff and people of color were a quarter of managers`
    asked = f"what percentage of {share['whole']} {clause.auxiliary()} {clause.subject}"
    is_account = clause.verb.startswith("account") and not clause.time.startswith("for ")
    return clause.asked(f"{asked} {'account for' if is_account else 'represent'}")


def _before_time(clause: Clause) -> str:
    return clause.rest.partition(f" {clause.time}")[0] if clause.time else clause.rest


def _ask_change(clause: Clause) -> str | None:
    base = BASE_FORMS.get(clause.verb)
    if (
        base is None
        or not clause.time
        or not names_a_measure(clause.subject)
        or YEAR.search(clause.subject)
        or clause.time.startswith(("as of", "at "))  # nothing changes on one day
    ):
        return None
    if re.search(rf"\bfrom\b.*{re.escape(clause.time)}", clause.rest):
        return None  # the time belongs to the earlier value
    if _CAUSE.search(clause.rest):
        return clause.asked(f"why did {clause.subject} {base}")
    by = _BY.match(clause.rest)  # `to $1.5 million` is no change
    return clause.asked(f"by how much did {clause.subject} {base}") if by else None


def _ask_employees(clause: Clause) -> str | None:
    things = _EMPLOYEES.match(clause.rest)
    if things is None or clause.verb not in {"had", "has", "have", "employed", "employs", "employ"}:
        return None
    end = "employ" if clause.verb.startswith("employ") else "have"
    return clause.asked(f"how many {things['things']} {clause.auxiliary()} {clause.subject} {end}")


def _ask_count(clause: Clause) -> str | None:
    verb = COUNT_VERBS.get(clause.verb)
    things = _THINGS.match(clause.rest)
    if verb is None or things is None:
        return None
    return clause.asked(f"how many {things['things']} {clause.auxiliary()} {clause.subject} {verb}")


def _ask_amount(clause: Clause) -> str | None:
    if clause.verb not in {*BE, "totaled", "totalled", "amounted to"} or not clause.time:
        return None
    amount = _AMOUNT.match(clause.rest)
    if amount is None or not names_a_measure(clause.subject):
        return None
    figure = next(iter(find_figures(clause.rest[amount.end() : amount.end() + 40])), None)
    if figure is None or figure.start_char > 1 or figure.unit in ("count", "year", "bps"):
        return None
    if figure.unit == "percent" and not _IS_RATE.search(clause.subject):
        return None
    if _COMPARED.match(clause.rest, amount.end() + figure.end_char):
        return None
    past = "were" if is_many(clause.subject) else "was"
    return clause.asked(f"what {clause.verb if clause.verb in BE else past} {clause.subject}")


def _ask_price(clause: Clause) -> str | None:
    price = _PRICE.match(clause.rest)
    is_deal = clause.verb in {"acquired", "purchased", "repurchased", "sold"}
    if price is None or not is_deal or _OWN.search(price["what"]):
        return None
    what = price["what"].strip()
    if clause.verb == "sold":
        return clause.asked(f"for how much did {clause.subject} sell {what}")
    return clause.asked(f"how much did {clause.subject} pay for {what}")


def _ask_competitors(clause: Clause) -> str | None:
    is_with = re.match(r"\s(?:[a-z]+ly |also )?with\s", clause.rest)
    if not is_with or clause.verb not in {"competes", "compete"}:
        return None
    return f"who {clause.auxiliary()} {clause.subject} compete with"


def _ask_expiry(clause: Clause) -> str | None:
    is_end = clause.verb in {"expires", "expire", "matures", "mature"}
    if not is_end or not YEAR.search(clause.rest):
        return None
    return f"when {clause.auxiliary()} {clause.subject} {clause.verb.removesuffix('s')}"


def _ask_cause(clause: Clause) -> str | None:
    if clause.verb not in BE:  # what may be is no fact
        return None
    predicate = _PREDICATE.match(clause.rest)
    if predicate is None or INDEFINITE.search(predicate["predicate"]):
        return None
    said = _TRAILING.sub("", predicate["predicate"])
    if not said or _SECOND_CLAUSE.search(said):
        return None  # `The increase was primarily due to ...`
    question = f"why {clause.verb} {clause.subject}{said}"
    return question if clause.time in clause.rest else clause.asked(question)


_QUESTIONS: tuple[Callable[[Clause], str | None], ...] = (
    _ask_share,
    _ask_change,
    _ask_employees,
    _ask_count,
    _ask_amount,
    _ask_price,
    _ask_competitors,
    _ask_expiry,
    _ask_cause,
)
