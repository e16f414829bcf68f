"""Proof that a question still has its answer, and only that one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from tasks.quantities.figures import MONTHS
from tasks.suites.refusalbench.proofs.numbers import (
    Number,
    agree,
    answer_places,
    asked_number,
    is_row,
    numbers_in,
    sentence_spans,
)
from tasks.suites.refusalbench.proofs.slots import asks_again
from tasks.suites.refusalbench.rows import BaseQuestion, LabelProof
from tasks.suites.shared.phrases import YEAR
from tasks.text.terms import content_terms

_WORDS = re.compile(r"\w+(?:[.,'’&/-]\w+)*%?|\$")
_DAY = re.compile(rf"(?:ended )?(?:{MONTHS})\.? \d{{1,2}}, (?=(?:19|20)\d\d\b)")
_LEANS = re.compile(
    r"(?:this|these|those|such|that|it|its|they|their|of (?:this|these)|both|the (?:former|latter)"
    r")\b",
    re.IGNORECASE,
)
_UNITS = re.compile(
    r"\b(?:thousands|millions|billions|in 000s?|000s|dollars|currency|euros?|unaudited|except)\b"
    r"|[€£¥]",
    re.IGNORECASE,
)
# Words of a sentence that may take another one back, refer to it or limit it.
_TOUCHES = re.compile(
    r"\b(?:not|never|no|none|nor|without|cannot|n[o']t|incorrect\w*|wrong\w*|error\w*|mistak\w*|misprint\w*|"
    r"misstat\w*|restat\w*|revis\w*|correct\w*|supersed\w*|withdr\w+|replac\w*|amend\w*|instead|"
    r"rather|actual\w*|really|false\w*|invalid\w*|unreliable|disregard\w*|double\w*|twice|half|"
    r"triple\w*|above|below|preceding|foregoing|previous\w*|following|figures?|amounts?|numbers?|values?|"
    r"statements?|table|data|refers?|relates?|latter|former)\b",
    re.IGNORECASE,
)
# Sources on which nobody relies.
_UNRELIABLE = re.compile(
    r"\b(?:anonymous|rumou?r\w*|message board|blog\w*|unverified|unconfirmed|gossip|hearsay|"
    r"speculat\w*|social media)\b",
    re.IGNORECASE,
)
_APPROXIMATE = re.compile(
    r"\b(?:approximately|about|around|roughly|nearly|almost|rounded(?: (?:up|down))? to|some|"
    r"in round numbers)\s\Z",
    re.IGNORECASE,
)
# `.. is considered large above $2 million.`
_THRESHOLD = re.compile(
    r"\b(?:is|are) (?:considered|regarded as) (?:large|high) above (?=[$\d])[^ ]+(?: \w+)?\.\Z"
)
_ITEM = re.compile(r"as follows: |; ")
_CLAIMS = re.compile(r"\b(?:claim|alleg|speculat|guess)\w*\b", re.IGNORECASE)
_CONFIRMS = re.compile(
    r"\b(?:contrary|confirm(?:s|ed)?|true|accurate|despite|unlike|fact|correct(?:ly)?|right(?:ly)?)\b",
    re.IGNORECASE,
)
# Words in a query that make it ask for more, for less or for something else.
_CHANGES_QUERY = re.compile(
    r"\b(?:not|never|no|without|exclud\w*|includ\w*|except\w*|only|per|average|adjust\w*|restat\w*|"
    r"net of|gross of|pro forma|assum\w*|if|suppos\w*|had|would|should|could|might|will|instead|"
    r"what|which|who|whom|whose|how|when|where|why|than|compar\w*|versus|change\w*|increas\w*|"
    r"decreas\w*|growth|quarter\w*|month\w*|segment|division|subsidiar\w+ of (?:its|their|the)|"
    r"before|after|since|until|converted|express\w*|following|previous|next|prior)\b|[?]",
    re.IGNORECASE,
)


def prove(base: BaseQuestion, query: str, passages: Sequence[str]) -> LabelProof | None:
    """Prove that the answer is still stated, and that nothing that was changed touches it."""
    if not (_asks_the_same(base, query) or asks_again(base, query, passages)):
        return None
    asked = asked_number(base)
    stated = [
        index
        for index, passage in enumerate(base.passages)
        if passage.is_signal and answer_places(passage.text, base.answers, asked)
    ]
    kept = [index for index in stated if keeps(base, base.passages[index].text, passages[index])]
    changed = [index for index, old in enumerate(base.passages) if old.text != passages[index]]
    if not kept or (not changed and query == base.query):
        return None
    if not all(
        _is_harmless(base, asked, sentence)
        for index in changed
        for sentence in _added(base.passages[index].text, passages[index])
    ):
        return None
    return LabelProof(
        kind="derivable",
        detail=f"Passage {kept[0] + 1} still states {asked.text if asked else base.answers[0]}; "
        "no added sentence states another value as certain.",
    )


def _asks_the_same(base: BaseQuestion, query: str) -> bool:
    """Whether a query is the old one, word for word, with a harmless statement before it."""
    old = base.query
    if query == old:
        return True
    if not query.endswith(old[1:]):
        return False
    before, first = query[: -len(old)], query[-len(old)]
    if first.lower() != old[0].lower() or not before.endswith((". ", ", ")):
        return False
    is_statement = before.startswith((base.asked.company if base.asked else "The ", "The "))
    limits = _CHANGES_QUERY.search(before) or _TOUCHES.search(before) or _UNITS.search(before)
    return is_statement and not limits and not numbers_in(before) and not YEAR.search(before)


def sentences_of(text: str) -> list[str]:
    """Return the sentences and rows of a text."""
    return [text[start:end] for start, end in sentence_spans(text)]


def keeps(base: BaseQuestion, old: str, new: str) -> bool:
    """Whether a passage still states the answer, if it did, and what the statement needs."""
    asked = asked_number(base)
    if old == new or not answer_places(old, base.answers, asked):
        return True
    sentences = sentences_of(old)
    kept = dict.fromkeys(sentences_of(new))  # in order, so that rows never depend on hashes
    named = set(content_terms(base.asked.measure if base.asked else base.query))
    if base.asked and base.asked.company not in new:
        named |= set(content_terms(base.asked.company))
    years = set(YEAR.findall(base.asked.period if base.asked else base.query))
    found = [
        place for place, each in enumerate(sentences) if answer_places(each, base.answers, asked)
    ]
    if not found:
        return False  # the answer runs over the end of a sentence
    place = max(found, key=lambda at: len(named & set(content_terms(sentences[at]))))
    statement = sentences[place]
    if statement not in kept:
        shortened = [each for each in kept if _is_within(each, statement)]
        if not shortened or not answer_places(shortened[0], base.answers, asked):
            return False
        if re.search(r"\brespectively\b", statement):
            return False
        statement = shortened[0]
    if place and _LEANS.match(statement) and sentences[place - 1] not in kept:
        return False
    if is_row(statement):  # heads of columns and of sections stay
        heads = [each for each in sentences[:place] if not numbers_in(each) or _UNITS.search(each)]
        if any(head not in kept and not _is_trimmed(head, kept) for head in heads):
            return False
    before = sentences[place - 1] if place and sentences[place - 1] in kept else ""
    terms, stated_years = set(content_terms(statement)), set(YEAR.findall(before + statement))
    for piece in _removed(sentences, kept):
        is_needed = (named - terms) & set(content_terms(piece)) or (
            (years - stated_years) & set(YEAR.findall(piece))
        )
        if is_needed or _UNITS.search(piece):
            return False
    return True


def _removed(old: Sequence[str], kept: Collection[str]) -> Iterator[str]:
    """Yield what was taken out: whole sentences, or words of a shortened one."""
    for sentence in old:
        if sentence not in kept:
            shortened = [each for each in kept if each not in old and _is_within(each, sentence)]
            left = set(shortened[0].split()) if shortened else ()
            yield " ".join(word for word in sentence.split() if word not in left)


def _is_trimmed(head: str, kept: Collection[str]) -> bool:
    """Whether a row of heads has only lost months and days."""
    bare = _DAY.sub("", head)
    return bare in kept and len(set(YEAR.findall(head))) == len(YEAR.findall(head))


def _added(old: str, new: str) -> list[str]:
    """Return the sentences that are new, unless words were only taken out of an old one."""
    known = sentences_of(old)
    return [
        sentence
        for sentence in sentences_of(new)
        if sentence not in known and not any(_is_within(sentence, each) for each in known)
    ]


def _is_within(short: str, whole: str) -> bool:
    """Whether a sentence has only words of another one, in order, and lost no word that counts."""
    lost = Counter(_WORDS.findall(whole.lower()))
    lost.subtract(_WORDS.findall(short.lower()))
    words = iter(_WORDS.findall(whole.lower()))
    is_cut = all(any(word == other for other in words) for word in _WORDS.findall(short.lower()))
    return is_cut and not _TOUCHES.search(" ".join(word for word, n in lost.items() if n > 0))


def _is_harmless(base: BaseQuestion, asked: Number | None, sentence: str) -> bool:
    """Whether an added sentence leaves the answer as it is."""
    sentence = sentence.replace("the number of ", "")
    terms = set(content_terms(sentence))
    measure = set(content_terms(base.asked.measure if base.asked else base.query))
    if asked is None:
        return not measure & terms and not _TOUCHES.search(sentence)
    figures = [each for each in numbers_in(sentence) if each.family == asked.family]
    if _is_defined(sentence) or (figures and _is_listed(base, asked, sentence, figures)):
        return True
    if figures and all(_restates(each, asked, sentence) for each in figures):
        return not re.search(r"\b(?:not|never|no|instead|incorrect\w*)\b", sentence, re.IGNORECASE)
    if _UNRELIABLE.search(sentence) and not _CONFIRMS.search(sentence):
        claim = _CLAIMS.search(sentence)
        return claim is not None and all(claim.end() < each.start_char for each in figures)
    if _TOUCHES.search(sentence) or _UNITS.search(sentence):
        return False
    if not figures:
        return not YEAR.search(sentence) or len(measure & terms) * 2 < len(measure)
    years = set(YEAR.findall(sentence))
    asked_years = set(YEAR.findall(base.asked.period if base.asked else base.query))
    return not (measure & terms) or bool(years and asked_years and years.isdisjoint(asked_years))


def _is_defined(sentence: str) -> bool:
    """Whether a sentence only says from where on something counts as large."""
    return bool(_THRESHOLD.search(sentence)) and len(numbers_in(sentence)) == 1


def _is_listed(base: BaseQuestion, asked: Number, sentence: str, figures: Sequence[Number]) -> bool:
    """Whether a sentence gives the asked figure and its parts, or those of other companies."""
    own = [each for each in figures if each.value == asked.value]
    if (
        len(own) != 1
        or base.asked is None
        or set(YEAR.findall(sentence)) - set(YEAR.findall(base.asked.period))
    ):
        return False
    others = [each for each in figures if each is not own[0]]
    if re.search(r"for a total of \Z", sentence[: own[0].start_char]):
        return len(others) > 1 and sum(each.value for each in others) == asked.value
    before, *items = _ITEM.split(sentence)
    named = [item for item in items if item.startswith(f"{base.asked.company}, ")]
    is_own = len(named) == 1 and own[0].text in named[0]
    return is_own and not numbers_in(before) and len(items) == len(figures) > 1


def _restates(figure: Number, asked: Number, sentence: str) -> bool:
    """Whether a figure is the asked one, or a rounding of it that says so."""
    if not agree(figure, asked):
        return False
    is_approximate = bool(_APPROXIMATE.search(sentence[: figure.start_char]))
    return figure.value == asked.value or is_approximate or figure.n_digits >= asked.n_digits
