"""The rule that puts a query in everyday words.

It replaces finance terms by everyday words (`plain_words.csv`, written for this project), longest
term first. If it knows none of a query's terms, it rephrases the question's frame instead.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from tasks.suites.failsafeqa.perturbations.rewriting import QueryToRewrite, tagged

_VERBS = {
    "s": {"were": "was", "are": "is", "have": "has", "do": "does"},
    "p": {"was": "were", "is": "are", "has": "have", "does": "do"},
}
_VERB_BEFORE = re.compile(
    r"\b(was|were|is|are|has|have|does|do)(\s+(?:the|its|their|this|these|our|your)(?:\s+company's)?)?\s+\Z",
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
_JOINED_BEFORE = re.compile(r"(?:,|\b(?:and|or))\s+\Z")
_JOINED_AFTER = re.compile(r"\s*(?:,|\s(?:and|or)\b)")
_SENTENCE_START = re.compile(r"(?:\A|[.?!:]\s+)\Z")
# Frames for queries without known terms: a question, and a layman's version.
_FRAMES = {
    r"What (?:was|were) (?:the )?(?:amount|total|value) of (.+?)"
    r"( (?:in|for|during|at|as of|on) .+)?\?": r"How much \1 did they have\2?",
    r"What (was|were|is|are) (.+)\?": r"Can you tell me what \2 \1?",
    r"Where (was|were|is|are) (.+?) (?:located|based|situated)\?": r"In which place \1 \2?",
    r"Who (was|were|is|are) (.+)\?": r"Can you tell me who \2 \1?",
    r"How many (.+?) did (.+?) have\b(.*)\?": r"What number of \1 did \2 have\3?",
    r"(?:Describe|Explain) (.+)\.?": r"Tell me in simple words about \1",
    r"Summari[sz]e (.+)\.?": r"Tell me in a few simple words about \1",
    r"(?:Write|Draft|Prepare|Compose|Create) (an? .+?) (?:on|about) (.+)": (
        r"I need \1 that tells an outsider about \2"
    ),
    r"List (?:the )?(?:key|main) points (?:on|about) (.+)": (
        r"Tell me point by point what matters about \1"
    ),
    r"(?:List|Identify) (.+)\.?": r"Tell me all of \1",
    # nothing to rephrase: at least ask for an easy answer
    r"(what|how|why|which|when|who|where)\b(.+)\?": r"In simple words, \1\2?",
}


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
    """Put a query in everyday words, else in another frame.

    If neither is possible, it is returned unchanged. Terms inside names stay. Verbs and articles
    next to a replaced term are made to agree with its replacement.
    """
    lexicon, pattern = _lexicon()
    pieces: list[str] = []
    read = 0
    carried: tuple[str, str] | None = None  # a verb after the last term, and its agreeing form
    for match in pattern.finditer(query):
        term = match.group()
        starts_sentence = bool(_SENTENCE_START.search(query[: match.start()]))
        plain = lexicon[_key(term)]
        if not _is_term(term, plain.term, starts_sentence) or _POSSESSIVE.match(query, match.end()):
            continue
        if plain.number == "v" and not _VERB_HERE.search(query[: match.start()]):
            continue
        before = query[read : match.start()]
        if carried is not None:
            before = before.replace(carried[0], carried[1], 1)
            carried = None
        words, end = plain.words, match.end()
        change = _CHANGE_AFTER.match(query, end)
        if change and _DETERMINER_BEFORE.search(query[: match.start()]):
            words, end = f"{change[1]} in {words}", change.end()
        is_joined = bool(
            _JOINED_BEFORE.search(query[: match.start()]) or _JOINED_AFTER.match(query, end)
        )
        is_noun = plain.number in _VERBS
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
    if not pieces:
        return _reframed(query)
    rest = query[read:]
    if carried is not None:
        rest = rest.replace(carried[0], carried[1], 1)
    return "".join([*pieces, rest])


def _is_term(text: str, term: str, starts_sentence: bool) -> bool:
    """Check whether a text is spelled as the term, but for a capital that starts a sentence."""
    written, listed = _spaced(text), _spaced(term)
    return written == listed or (starts_sentence and written[1:] == listed[1:])


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


def _reframed(query: str) -> str:
    for question, frame in _FRAMES.items():
        match = re.fullmatch(question, query.strip(), re.IGNORECASE)
        if match:
            reframed = match.expand(frame)
            return re.sub(r"(?<=^In simple words, )\w", lambda first: first[0].lower(), reframed)
    return query


@cache
def _lexicon() -> tuple[dict[str, Plain], re.Pattern[str]]:
    """Load everyday words by term, and a pattern that finds the terms, the longest first."""
    source = files("tasks.baseline.failsafeqa").joinpath("plain_words.csv")
    lexicon: dict[str, Plain] = {}
    choices: list[str] = []
    for row in csv.DictReader(source.read_text(encoding="utf-8").splitlines()):
        term = row["term"]
        lexicon[_key(term)] = Plain(term, row["plain"], row["number"])
        loose = r"[\s-]".join(re.escape(part) for part in re.split(r"[\s-]", term))
        choices.append(loose.replace("'", "['’]") if not term.isupper() else f"(?-i:{loose})")
    choices.sort(key=lambda choice: (-len(choice), choice))
    return lexicon, re.compile(rf"(?<![\w-])(?:{'|'.join(choices)})(?![\w-])", re.IGNORECASE)
