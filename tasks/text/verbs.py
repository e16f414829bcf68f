"""Find the root verb and direct object of a query's first sentence.

Paper 000 shows the variety of its queries by root verb and direct object, found by spaCy's parser.
Its model cannot be downloaded everywhere, so a rule may replace it. The answer says which of the
two was used, since they do not agree on every query.
"""

from __future__ import annotations

import importlib.util
import re
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from tasks.text.sentences import split_sentences
from tasks.text.terms import words as word_set

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

SPACY_MODEL = "en_core_web_sm"
RULE = "rule"

VerbAndObject = tuple[str | None, str | None, str]

# --- words ----------------------------------------------------------------------------

_WORDS = tomllib.loads(files("tasks.text").joinpath("verbs.toml").read_text(encoding="utf-8"))


_BE, _DO, _HAVE, _MODAL = (word_set(_WORDS[kind]) for kind in ("be", "do", "have", "modals"))
_WH, _PREPOSITIONS = word_set(_WORDS["wh"]), word_set(_WORDS["prepositions"])
_DETERMINERS, _PRONOUNS = word_set(_WORDS["determiners"]), word_set(_WORDS["pronouns"])
_ADJECTIVES = word_set(_WORDS["adjectives"])
_HELPERS = _BE | _DO | _HAVE | _MODAL
_BEFORE_NOUN = _DETERMINERS | _PREPOSITIONS | _ADJECTIVES
_ENDS_PHRASE = _PREPOSITIONS | _WH | _HELPERS | word_set("and or but that , ; : ( )")
# Phrases with a conjunction that name one thing.
_FUSED = re.compile(
    r"\b(research and development|selling, general,? and administrative|general and administrative|"
    r"sales and marketing|property, plant,? and equipment|property and equipment|"
    r"mergers and acquisitions|"
    r"profit and loss|oil and gas)\b",
    re.IGNORECASE,
)
_COURTESY = re.compile(
    r"^(?:(?:please|kindly|now|next|then|also|hi|hello|hey|thanks|ok|okay)\b[,!]?\s*)+",
    re.IGNORECASE,
)
# Verbs that double their last letter before -ed and -ing.
_DOUBLING = re.compile(
    r"[^aeiou]*[aeiou][^aeiouwxy]|(?:sub|per|com|o)mit|.*cur|(?:re|pre|trans)fer"
)
_TOKEN = re.compile(r"[A-Za-z][\w&/.-]*\w(?=['’])|['’]s\b|[A-Za-z][\w&/-]*|\$?\d[\d,.]*%?|[,;:()]")


@cache
def _lemmas() -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """Map forms to lemmas: present; past and participle; -ing."""
    present: dict[str, str] = {}
    past: dict[str, str] = {}
    continuous: dict[str, str] = {}
    irregular = {base: forms.split() for base, forms in _WORDS["irregular"].items()}
    for base in dict.fromkeys([*_WORDS["bases"].split(), *irregular]):
        present[base] = base
        sibilant = base.endswith(("s", "x", "z", "ch", "sh", "o"))
        is_y = base.endswith("y") and base[-2] not in "aeiou"
        present[base[:-1] + "ies" if is_y else base + ("es" if sibilant else "s")] = base
        if base.endswith("e") and not base.endswith(("ee", "oe", "ye")):
            stem = base[:-1]
        else:
            stem = base + base[-1] if _DOUBLING.fullmatch(base) else base
        continuous[stem + "ing"] = base
        if base in irregular:
            past.update(dict.fromkeys(irregular[base], base))
        else:
            past[base[:-1] + "ied" if is_y else stem + "ed"] = base
    return present, past, continuous


# --- the rule -------------------------------------------------------------------------


class _Found(NamedTuple):
    verb: str | None = None
    noun: str | None = None


def _words(query: str) -> list[str]:
    sentences = split_sentences(query)
    first = query[sentences[0].start_char : sentences[0].end_char] if sentences else query
    first = _COURTESY.sub("", first.strip().lstrip("\"'“‘-•* "))
    first = _FUSED.sub(lambda match: re.sub(r",? ", "_", match.group()), first)
    words = [word.lower().replace("’", "'") for word in _TOKEN.findall(first)]
    return ["is" if word == "'s" and words[i - 1] in _WH else word for i, word in enumerate(words)]


def _parse(query: str) -> _Found:
    words = _main_clause(_words(query))
    if not words:
        return _Found()
    present, _, _ = _lemmas()
    if words[0] in ("can", "could", "would", "will") and words[1:2] == ["you"]:
        words = [word for word in words[2:] if word not in ("please", "kindly")]
        is_order = bool(words) and words[0] in present
        return _Found(present[words[0]], _object_after(words, 1)) if is_order else _Found()
    if _is_order(words):
        return _Found(words[0], _object_after(words, 1))
    if words[0] in _WH or words[0] in _PREPOSITIONS:
        return _question(words)
    if words[0] in _HELPERS:
        return _question(["", *words])
    return _statement(words)


def begins_with_order(query: str) -> bool:
    """Tell whether a query's main clause begins with a verb in its base form."""
    return _is_order(_main_clause(_words(query)))


def _is_order(words: Sequence[str]) -> bool:
    present, _, _ = _lemmas()
    return bool(words) and present.get(words[0]) == words[0] not in _HAVE | _DO | _BE


def _main_clause(words: Sequence[str]) -> Sequence[str]:
    """Return the words after `In 2018,` or `Based on the filing,`."""
    opens = _PREPOSITIONS | {"according", "based", "given", "using", "considering", "looking"}
    if words and words[0] in opens:
        present, _, _ = _lemmas()
        for index, word in enumerate(words[:-1]):
            following = words[index + 1]
            if word == "," and (
                following in _WH | _DO | _MODAL | _BE or present.get(following) == following
            ):
                return words[index + 1 :]
    return words


def _statement(words: Sequence[str]) -> _Found:
    present, past, _ = _lemmas()
    for index, word in enumerate(words):
        lemma = present.get(word) or past.get(word)
        if lemma and index and words[index - 1] not in _BEFORE_NOUN:
            return _Found(lemma, _object_after(words, index + 1))
    return _Found()


def _question(words: Sequence[str]) -> _Found:
    """Parse a question: `[wh-phrase] auxiliary subject verb ...` or `wh-phrase verb ...`."""
    present, past, _ = _lemmas()
    helper = next((i for i, word in enumerate(words) if i and word in _HELPERS), None)
    finite = _finite_verb(words, helper)
    if finite is not None:
        verb = present.get(words[finite]) or past[words[finite]]
        return _Found(verb, _object_after(words, finite + 1))
    if helper is None:
        return _Found()
    asked = _asked_noun(words[:helper])
    kind = words[helper]
    if kind in _DO | _MODAL:
        for index in range(helper + 1, len(words)):
            word = words[index]
            if word == "be" and kind in _MODAL:
                participle = index + 1 < len(words) and words[index + 1] in past
                return _Found(past[words[index + 1]] if participle else "be", None)
            if present.get(word) == word and not _is_noun_here(words, index, helper):
                return _Found(word, _object_after(words, index + 1) or asked)
        return _Found("do" if kind in _DO else None, None)
    if kind in _HAVE:
        for index in range(helper + 1, len(words)):
            if (
                words[index] in past
                and not _is_noun_here(words, index, helper)
                and words[index] not in _BE
            ):
                return _Found(past[words[index]], _object_after(words, index + 1) or asked)
        return _Found("have", _object_after(words, helper + 1))
    return _with_be(words, helper, asked)


def _with_be(words: Sequence[str], helper: int, asked: str | None) -> _Found:
    """Parse `be` itself, a passive (`were repurchased`), or a continuous form (`is doing`)."""
    _, past, continuous = _lemmas()
    if helper + 1 < len(words) and words[helper + 1] in past:
        following = words[helper + 2 : helper + 3]
        if not following or following[0] in _PREPOSITIONS | {","}:
            return _Found(past[words[helper + 1]], None)
    asks_manner = words[0] in ("how", "when", "where", "why")
    for index in range(helper + 2, len(words)):
        word, before, following = words[index], words[index - 1], words[index + 1 : index + 2]
        ends_clause = not following or following[0] in _PREPOSITIONS | {","}
        if before in _PREPOSITIONS | _DETERMINERS:
            continue
        if word in continuous and ends_clause:
            return _Found(continuous[word], asked)
        if asks_manner and word in past and ends_clause:
            return _Found(past[word], None)
    return _Found("be", None)


def _finite_verb(words: Sequence[str], helper: int | None) -> int | None:
    """Return the verb of a question whose wh-phrase is its subject: `Which segment grew ...`."""
    present, past, _ = _lemmas()
    for index in range(1, len(words) if helper is None else helper):
        word = words[index]
        before = words[index - 1]
        if before in _BEFORE_NOUN or before in ("which", "whose"):
            continue
        is_past = word in past
        is_third = (
            word in present
            and word != present[word]
            and words[0] != "how"
            and before not in _WH - {"who", "what"}
        )
        following = words[index + 1] if index + 1 < len(words) else ""
        # `factors contributed`, `costs are`: a plural noun before its verb, not a verb
        is_plural_noun = is_third and (following in past or following in _HELPERS)
        if (is_past or is_third) and not is_plural_noun:
            return index
    return None


def _is_noun_here(words: Sequence[str], index: int, helper: int) -> bool:
    before = words[index - 1]
    return index == helper + 1 or before in _BEFORE_NOUN or before == "'s" or before[:1].isdigit()


def _asked_noun(phrase: Sequence[str]) -> str | None:
    """Return the noun of `how many employees`, `which standard`, `what kinds of products`."""
    if not phrase or phrase[0] not in _WH:
        return None
    return _object_after(phrase, 2 if phrase[0] == "how" else 1)


def _object_after(words: Sequence[str], index: int) -> str | None:
    """Return the head of the noun phrase that begins at a word, in the singular."""
    _, past, continuous = _lemmas()
    run: list[str] = []
    for position in range(index, len(words)):
        word = words[position]
        if not run and word in ("me", "us", "out", "please", "not"):
            continue
        if word in _ENDS_PHRASE:
            break
        run.append(word)
    while run and (
        run[-1][0] in "$0123456789'"
        or (len(run) > 1 and (run[-1] in past or run[-1].endswith("ly")))
    ):
        run.pop()
    if not run or run[-1] in _PRONOUNS | _DETERMINERS or (run[-1] in continuous and len(run) == 1):
        return None
    return singular(run[-1].rsplit("_", 1)[-1])


def singular(noun: str) -> str:
    """Return a noun's singular, by its ending."""
    if noun in ("series", "earnings", "news", "headquarters") or noun.endswith(("ss", "us", "is")):
        return noun
    if noun in ("analyses", "bases", "crises"):
        return noun[:-2] + "is"
    if noun.endswith("ies") and len(noun) > 4:
        return noun[:-3] + "y"
    if noun.endswith(("sses", "xes", "ches", "shes")):
        return noun[:-2]
    return noun[:-1] if noun.endswith("s") and len(noun) > 2 else noun


# --- spaCy's parser -------------------------------------------------------------------


@cache
def _parser() -> Language | None:
    """Return the parser, or None if its model is not installed."""
    if importlib.util.find_spec(SPACY_MODEL) is None:
        return None
    import spacy

    return spacy.load(SPACY_MODEL, exclude=["ner"])


def root_and_object(parsed: Doc) -> tuple[str | None, str | None]:
    """Return the lemmas of the first sentence's root verb and of its direct object, if a noun."""
    sentence = next(iter(parsed.sents), None)
    if sentence is None or sentence.root.pos_ not in ("VERB", "AUX"):
        return None, None
    objects = (
        child.lemma_.lower()
        for child in sentence.root.children
        if child.dep_ in ("dobj", "obj") and child.pos_ in ("NOUN", "PROPN")
    )
    return sentence.root.lemma_.lower(), next(objects, None)


# --- for callers ----------------------------------------------------------------------


def verbs_and_objects(queries: Sequence[str]) -> list[VerbAndObject]:
    """Return root verb (lemma) and direct object of each query's first sentence, and the method.

    The method is the same for all: "spacy:en_core_web_sm" and the model's version with the parser
    (paper 000, analysis of the dataset), else "rule".
    """
    parser = _parser()
    if parser is None:
        return [(found.verb, found.noun, RULE) for found in map(_parse, queries)]
    method = f"spacy:{SPACY_MODEL} {parser.meta['version']}"
    return [(*root_and_object(parsed), method) for parsed in parser.pipe(queries)]
