"""The rule that puts a query in everyday words.

It replaces finance terms by everyday words (`plain_words.csv`, written for this project), longest
term first. A query is left as it is, and so rejected, if it has no term of finance that the list
knows, or one that it knows only in part.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from tasks.suites.failsafeqa.perturbations.rewriting import QueryToRewrite, tagged
from tasks.suites.failsafeqa.perturbations.word_lists import KNOWN_WORD_COUNT, word_counts
from tasks.text.terms import STOP_WORDS, content_terms, stem
from tasks.text.terms import words as word_set

_VERBS = {
    "s": {"were": "was", "are": "is", "have": "has", "do": "does"},
    "p": {"was": "were", "is": "are", "has": "have", "does": "do"},
}
_VERB_BEFORE = re.compile(
    r"\b(was|were|is|are|has|have|does|do)"
    r"(\s+(?:the|its|their|this|these|our|your)(?:\s+company's)?|(?:\s+[\w&.’'-]+){1,5}?['’]s?)?\s+\Z",
    re.IGNORECASE,
)
_VERB_AFTER = re.compile(r"\s+(was|were|is|are|has|have)\b")
_ARTICLE_BEFORE = re.compile(r"\b(an?)\s+\Z", re.IGNORECASE)
# "the revenue increase": the noun before the change has to move behind it.
_CHANGE_AFTER = re.compile(r"\s+(increases?|decreases?|growth|declines?|changes?|rise|drop)\b")
_DETERMINER_BEFORE = re.compile(
    r"(?:\b(?:the|a|an|its|their|this|any)|['’]s?)(?:\s+\w+)?\s+\Z", re.IGNORECASE
)
# A bare verb follows its subject and an auxiliary; after an article it is a noun.
_VERB_HERE = re.compile(
    r"\b(?:did|does|do|to|will|would|can|could|may|not)\b(?:[^.?!]*\s(?!(?:the|an?|its|their|any|of|in|for|new)\s)\S+)?\s+\Z",
    re.IGNORECASE,
)
# Here a noun needs an article, before any modifier.
_ARTICLE_WANTED = re.compile(
    r"\b(?:was|were|is|are|did|does|do|in|for|about|from|of|to|compare|describe|explain|list|summari[sz]e)\s+"
    r"((?:(?:total|net|gross|other|average|basic|diluted|annual|consolidated)\s+)*)\Z",
    re.IGNORECASE,
)
_NO_ARTICLE = re.compile(r"(?:all|everything|everyday|interest|what|the|rivals|workers|buyers)\b")
_POSSESSIVE = re.compile(r"['’]s?\b")
_VERB_CLAUSE = re.compile(r"\b(?:did|does|do|will|would)\b", re.IGNORECASE)
_JOINED_BEFORE = re.compile(r"(?:,|\b(?:and|or))\s+\Z")
_JOINED_AFTER = re.compile(r"\s*(?:,|\s(?:and|or)\b)")
_SENTENCE_START = re.compile(r"(?:\A|[.?!:]\s+)\Z")
# Words beside a term that make it part of another: "franchise sales", "amortization expense".
# A unit's name before a term moves behind it: "money from sales of the nylon business".
_UNIT_BEFORE = re.compile(
    r"((?:[\w&’'-]+ )+(?:segment|division|franchise|business|unit|group|brand|region)) \Z",
    re.IGNORECASE,
)
_IN_A_NAME = re.compile(r"\b[Tt]he (?!Company\b|Corporation\b|Registrant\b)[A-Z]\w+\Z")
# What is sold moves between: "money from advertising sales". Before it stands no other word of it.
_SOLD_BEFORE = re.compile(r"(?:\A|['’]s? |\b(?:the|its|their|was|were|is|are|did) )([a-z-]+) \Z")
_SALES = re.compile(r"\b(money (?:brought in )?from )(sales)\b")
_FROM = re.compile(r"\b(?:from|on|upon) \Z")
_SOLD = re.compile(r"\b(money (?:brought in )?from )([a-z-]+) (sales)\b")
_IS_UNIT = re.compile(r"(?:segments?|divisions?)\b", re.I)  # "the nylon part of the business"
_WORD_BEFORE = re.compile(r"([\w’'-]+) \Z")
_WORD_AFTER = re.compile(r"\s+([\w’'-]+)")
_TO_A_PERIOD = re.compile(r"\s+to (?:\d|fiscal|[A-Z])")  # else a ratio: "cash flow to debt"
_LOOSE = re.compile(r"(?:\A|[,;:]\s)\Z")  # at the start, or after a mark
_LOOSE_AFTER = re.compile(r"[?.,;:!]|\Z")
_EITHER_SIGN = re.compile(r" \((?:loss|deficit|decrease|expense|income|benefit|gain)\)", re.I)
_ADJECTIVE = re.compile(r"\w{3,}(?:ive|ous|lar|nal|ign|stic|ary|able|ed)")
_BARE_YEAR = re.compile(r"\b(in|for|during|of|at|from|to) (?=financial year\b)")
_EVERYDAY = 20_000  # times in the word list's film subtitles: `income` has 10,000
_BEFORE_TERMS = STOP_WORDS | word_set(
    """compare describe explain list summarize summarise discuss outline analyze identify show tell
    percentage amount higher lower total overall average annual yearly new domestic foreign
    worldwide full-time part-time active regular temporary permanent maximum minimum"""
)
_AFTER_TERMS = STOP_WORDS | word_set(
    """increase increased decrease decreased decline declined change changed growth grow grew rise
    rose drop dropped fall fell compare compared develop developed represent represented higher
    lower greater exceed exceeded due related outstanding available total outside inside worldwide
    account"""
)


def reply(inputs: QueryToRewrite) -> str:
    """Write the query in everyday words, tagged."""
    return tagged(in_plain_words(inputs.query))


@dataclass(frozen=True, slots=True)
class Plain:
    """Everyday words for a term."""

    term: str
    words: str
    number: str  # s or p for a possible subject of a verb, v for a bare verb, else empty


def in_plain_words(query: str) -> str:
    """Put a query in everyday words.

    It is returned unchanged if one of its terms cannot be replaced, or none is a term of finance.
    Terms inside names stay. Verbs and articles next to a replaced term are made to agree with its
    replacement.
    """
    lexicon, pattern = _lexicon()
    original, query = query, _EITHER_SIGN.sub("", query)
    pieces: list[str] = []
    read = 0
    is_translated = False
    carried: tuple[str, str] | None = None  # a verb after the last term, and its agreeing form
    for match in pattern.finditer(query):
        term, head = match.group(), query[: match.start()]
        starts_sentence = bool(_SENTENCE_START.search(head))
        plain = lexicon[_key(term)]
        if not _is_term(term, plain.term, starts_sentence):
            continue
        if plain.number == "v" and not _VERB_HERE.search(head):
            continue
        if _IS_UNIT.match(term) and pattern.match(query, match.end() + 1):
            continue  # it moves behind the term that it stands before
        before = query[read : match.start()]
        if carried is not None:
            before = before.replace(carried[0], carried[1], 1)
            carried = None
        words, end = plain.words, match.end()
        is_noun = plain.number in _VERBS
        if is_noun:
            if _SALES.search(words) and _FROM.search(before):
                return original  # "gains from sales of land": selling, not money from sales
            before, words = _unit_behind(*_sold_within(before, words))
            if _is_part_of_another_term(query, before, match.start(), end):
                return original
            is_translated = True
        change = _CHANGE_AFTER.match(query, end)
        if change and _DETERMINER_BEFORE.search(head) and not _VERB_CLAUSE.search(head):
            words, end = f"{change[1]} in {words}", change.end()
        is_joined = bool(_JOINED_BEFORE.search(head) or _JOINED_AFTER.match(query, end))
        if is_noun and not is_joined:
            before = _agree_before(before, plain.number)
            verb = _VERB_AFTER.match(query, end)
            if verb and verb[1] in _VERBS[plain.number]:
                carried = verb[1], _VERBS[plain.number][verb[1]]
        wanted = _ARTICLE_WANTED.search(before)
        if wanted and is_noun and not _NO_ARTICLE.match(words):
            before = f"{before[: wanted.start(1)]}the {wanted[1]}"
        if article := _ARTICLE_BEFORE.search(before):
            before = f"{before[: article.start()]}{_article(article[1], words)} "
        pieces += [before, words[0].upper() + words[1:] if starts_sentence else words]
        read = end
        is_translated = is_translated or plain.number == "v"
    rest = query[read:]
    if carried is not None:
        rest = rest.replace(carried[0], carried[1], 1)
    plain_query = "".join([*pieces, rest])
    if not is_translated or _jargon() & set(_lower_stems(plain_query)):
        return original
    return _BARE_YEAR.sub(r"\1 the ", plain_query)


def _sold_within(before: str, words: str) -> tuple[str, str]:
    """Move what is sold behind: "advertising revenues" -> "money ... from advertising sales"."""
    found = _SOLD_BEFORE.search(before)
    if not found or found[1] in _BEFORE_TERMS or not _SALES.search(words):
        return before, words
    if stem(found[1]) in _jargon() or word_counts().get(found[1], 0) < KNOWN_WORD_COUNT:
        return before, words
    return before[: found.start(1)], _SALES.sub(rf"\1{found[1]} \2", words)


def sold_before(query: str) -> str:
    """Move what is sold back before everyday words for sales: they can be looked up then."""
    return _SOLD.sub(r"\2 \1\3", query)


def _unit_behind(before: str, words: str) -> tuple[str, str]:
    """Move a unit's name behind the term: "nylon segment sales" -> "sales of the nylon ..."."""
    found = _UNIT_BEFORE.search(before)
    if not found:
        return before, words
    owned = [
        mark
        for mark in re.finditer(r"['’]s? ", found[1])
        if not _IN_A_NAME.search(found[1], 0, mark.start())
    ]
    unit = found[1][owned[0].end() if owned else 0 :].split(" ")
    while unit and unit[0].lower() in STOP_WORDS:
        unit.pop(0)
    if len(unit) < 2:
        return before, words  # "Acme's segment assets" names no unit
    head = before[: len(before) - len(" ".join(unit)) - 1]
    if unit[-1].lower() in ("segment", "division"):  # jargon of reports
        unit[-1] = "part of the business"
    link = "by" if words.endswith("sales") else "of"  # "sales of the unit" would sell it
    return head, f"{words} {link} the {' '.join(unit)}"


def _is_part_of_another_term(query: str, before: str, start: int, end: int) -> bool:
    """Whether a word beside a term belongs to it, so that the list does not know the whole."""
    earlier, later = _WORD_BEFORE.search(before), _WORD_AFTER.match(query, end)
    if earlier:
        word = earlier[1].lower()
        is_loose = word.endswith(("'s", "’s", "s'", "s’")) or word in _BEFORE_TERMS
        is_known = word_counts().get(word, 0) >= KNOWN_WORD_COUNT
        is_loose = is_loose or bool(is_known and _ADJECTIVE.fullmatch(word))
    else:
        is_loose = not before.strip() or bool(_LOOSE.search(before))
    if not (is_loose or _IS_UNIT.match(query, start)):
        return True
    if query[start:end].endswith((" of", " from")):
        return False
    if later:
        word = later[1].lower()
        is_ratio = word == "to" and not _TO_A_PERIOD.match(query, end)
        return is_ratio or not (word in _AFTER_TERMS or _ADJECTIVE.fullmatch(word))
    return not _LOOSE_AFTER.match(query, end)


def _lower_stems(query: str) -> list[str]:
    """List the stems of a query's words in lower case: the others are names."""
    return content_terms(" ".join(re.findall(r"(?<![\w’'-])[a-z]+(?![\w])", query)))


@cache
def _jargon() -> frozenset[str]:
    """Return the stems of words that the list has in terms, and that few people say."""
    nouns = [plain.term for plain in plain_terms() if plain.number in _VERBS]
    said = {term for plain in plain_terms() for term in content_terms(plain.words)}
    said.update(stem(word) for word, n in word_counts().items() if n >= _EVERYDAY)
    said.update(map(stem, _AFTER_TERMS))
    return frozenset(content_terms(" ".join(nouns))) - said


def _is_term(text: str, term: str, starts_sentence: bool) -> bool:
    """Check whether a text is spelled as the term, not as a name.

    A capital may start a sentence, or a label of several words: "Stockholders' equity".
    """
    written, listed = _spaced(text), _spaced(term)
    may_be_capital = starts_sentence or " " in listed
    return written == listed or (may_be_capital and written[1:] == listed[1:])


def _key(term: str) -> str:
    return term if term.isupper() else _spaced(term).lower()


def _spaced(text: str) -> str:
    return re.sub(r"[\s-]+", " ", text.replace("’", "'"))


def _agree_before(before: str, number: str) -> str:
    def agree(found: re.Match[str]) -> str:
        verb = _VERBS[number].get(found[1].lower(), found[1])
        if found[1][0].isupper():
            verb = verb.capitalize()
        return verb + found.group()[len(found[1]) :]

    return _VERB_BEFORE.sub(agree, before)


def _article(article: str, words: str) -> str:
    fitting = "an" if words[0].lower() in "aeiou" and not words.startswith(("one", "us")) else "a"
    return fitting.capitalize() if article[0].isupper() else fitting


@cache
def plain_terms() -> tuple[Plain, ...]:
    """Load everyday words by term."""
    source = files("tasks.baseline.failsafeqa").joinpath("plain_words.csv")
    rows = csv.DictReader(source.read_text(encoding="utf-8").splitlines())
    return tuple(Plain(row["term"], row["plain"], row["number"]) for row in rows)


@cache
def _lexicon() -> tuple[dict[str, Plain], re.Pattern[str]]:
    """Load everyday words by term, and a pattern that finds the terms, the longest first."""
    lexicon = {_key(plain.term): plain for plain in plain_terms()}
    choices: list[str] = []
    for term in (plain.term for plain in plain_terms()):
        loose = r"[\s-]".join(re.escape(part) for part in re.split(r"[\s-]", term))
        choices.append(loose.replace("'", "['’]") if not term.isupper() else f"(?-i:{loose})")
    choices.sort(key=lambda choice: (-len(choice), choice))
    return lexicon, re.compile(rf"(?<![\w-])(?:{'|'.join(choices)})(?![\w-])", re.IGNORECASE)
