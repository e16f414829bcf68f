"""The rule that reduces a query to search terms."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from tasks.suites.failsafeqa.perturbations.rewriting import QueryToRewrite, tagged

_SENTENCE = re.compile(r"(?<=[?!])\s+|(?<=[a-z]\.)\s+(?=[A-Z])")
_FIGURE = re.compile(r"[$€£(]?\d")
_YEAR_AFTER = re.compile(r"(?:19|20)\d\d\b")


def reply(inputs: QueryToRewrite) -> str:
    """Write the query's terms, tagged."""
    return tagged(query_terms(inputs.query))


def query_terms(query: str) -> str:
    """Drop a query's question frame and function words; keep figures and names.

    If nothing can be dropped, years move to the front.
    """
    sentences = _SENTENCE.split(query.strip())
    lists = _lists()
    terms = ""
    for dropped in (lists["dropped"] | lists["guessable"], lists["dropped"]):
        terms = " ".join(
            filter(None, (_sentence_terms(sentence, dropped) for sentence in sentences))
        )
        if " " in terms:
            break
    if not terms:
        return query
    if terms.casefold() == query.strip().rstrip("?.").casefold():
        return _years_first(terms)
    return terms


def _sentence_terms(sentence: str, dropped: frozenset[str]) -> str:
    lists = _lists()
    words = sentence.rstrip("?!. ").replace("’", "'")
    lead, task = "", ""
    for opening, term in lists["openings"].items():
        if words.lower().startswith(opening + " "):
            lead, words = term, words[len(opening) + 1 :]
            break
    tokens = words.split()
    kept: list[str] = []
    for i, token in enumerate(tokens):
        word = token.strip(',;:?!"“”()').lower()
        if word in lists["orders"] and not kept and not lead:
            task = lists["orders"][word]
            continue
        is_order = word in lists["empty_orders"] and not kept and not lead
        is_name = not token.islower() and i > 0  # `US` is not `us`
        is_dropped = word in dropped and not is_name and not _joins_terms(word, tokens, i)
        if is_order or is_dropped:
            continue
        kept.append(_term(token, tokens[i + 1] if i + 1 < len(tokens) else "", is_first=i == 0))
    while kept and kept[-1].lower() in {"and", "or", "to"}:
        kept.pop()
    while kept and kept[0].lower() in {"and", "or"}:
        kept.pop(0)
    return " ".join(part for part in [lead, *kept, task] if part) if kept else ""


def _joins_terms(word: str, tokens: list[str], i: int) -> bool:
    """Check whether a usually dropped word joins two terms: "cost of sales"."""
    if not 0 < i < len(tokens) - 1:
        return False
    before, after = tokens[i - 1], tokens[i + 1]
    if word == "to":
        return bool(_FIGURE.match(before) and _FIGURE.match(after))
    lists = _lists()
    return (
        word in lists["kept_between_terms"]
        and before.isalpha()
        and after.strip(",;:").islower()
        and not {before.lower(), after.lower().strip(",;:")} & lists["dropped"]
    )


def _term(token: str, after: str, is_first: bool) -> str:
    is_day = token.endswith(",") and token[0].isdigit() and _YEAR_AFTER.match(after)
    bare = token if is_day else token.strip(',;:?!"“”').removesuffix("'s").removesuffix("'")
    if is_first and bare[1:].islower():
        return bare.lower()  # only the sentence's start was capitalised
    return bare


def _years_first(terms: str) -> str:
    tokens = terms.split()
    years = [token for token in tokens if re.fullmatch(r"(?:19|20)\d\d", token)]
    return " ".join([*years, *(token for token in tokens if token not in years)])


@cache
def _lists() -> dict[str, Any]:
    source = files("tasks.baseline.failsafeqa").joinpath("query_terms.toml")
    lists = tomllib.loads(source.read_text(encoding="utf-8"))
    words = {name: frozenset(text.split()) for name, text in lists["words"].items()}
    return {"openings": lists["openings"], "orders": lists["orders"], **words}
