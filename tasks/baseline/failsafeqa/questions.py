"""Rules that ask about the facts of a context, and put a query in other forms.

Queries say `our` for the company until they are rewritten. Each form exists for each query by
construction: a shorter one without its small words, and one in a layman's words of the measure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, islice

from tasks.baseline.facts import Fact, capitalised, facts_of, is_plural, measures, owner_of
from tasks.core.ids import stable_rng
from tasks.suites.failsafeqa.perturbations.rewriting import QueryToRewrite
from tasks.suites.failsafeqa.questions import operations
from tasks.suites.failsafeqa.questions.operations import Turn
from tasks.text.query_task import task_of
from tasks.text.terms import words

_SMALL_WORDS = words("what which how was were is are did do does the a an in of as from to on our")
_QUERY = re.compile(r"^\[(\d+)\] USER: (.*)$", re.MULTILINE)
# How a text of a kind (`operations.WANTED`) is requested, and how it opens.
_TEXTS = {
    "summary": ("summarise", ""),
    "post": ("write a LinkedIn post on", "Our figures for {late}: "),
    "note": ("write a short note on", ""),
    "email": ("write an e-mail to the staff on", "Dear all, these are our figures for {late}: "),
    "table": ("create an HTML table of", ""),
    "long": ("write an article on", ""),
}


# --- conversations -----------------------------------------------------------------------


def write_dialogue(inputs: operations.DialogueInputs) -> str:
    """Ask about measures of the context: each conversation begins with another one."""
    rng = stable_rng(0, "dialogue", inputs.number, inputs.focus)
    facts = sorted(facts_of(inputs.context), key=lambda fact: fact.year, reverse=True)
    of_measures: dict[str, list[Fact]] = {}
    for fact in (fact for fact in facts if fact.is_of_company):
        of_measures.setdefault(fact.measure.name, []).append(fact)
    by_measure = list(of_measures.values())
    stable_rng(0, "measures", inputs.context).shuffle(by_measure)
    first = (int(inputs.number) - 1) % max(1, len(by_measure))
    turned = by_measure[first:] + by_measure[:first]
    kinds = {text: kind for some in operations.WANTED.values() for kind, text in some.items()}
    kind = kinds[inputs.wanted]
    turns = []
    for place, facts in enumerate(turned[: operations.MOST_EXCHANGES - 1]):
        questions = _questions(facts, turned[place - 1])
        of_kind = [turn for its_kind, turn in questions if its_kind == kind or kind in _TEXTS]
        turns += [rng.choice(of_kind)] if of_kind else []
    turns += _texts(turned, kind)
    return "\n".join(
        json.dumps({"USER": turn.user, "ASSISTANT": turn.assistant}, ensure_ascii=False)
        for turn in turns
    )


def _questions(facts: Sequence[Fact], others: Sequence[Fact]) -> Iterator[tuple[str, Turn]]:
    """Yield questions on a measure by kind: its figure, its change, its figure and another's."""
    for fact in facts:
        yield "fact", Turn(f"what {_be(fact)} our {fact.label} {fact.time}", _stated(fact))
    for late, early in combinations(facts, 2):
        if late.value != early.value:
            asked = f"how did our {late.label} change from {early.year} to {late.year}"
            yield "change", Turn(asked, _changed(early, late))
    for fact in facts:
        for other in others:
            if (other.time, other.measure.kind) == (fact.time, fact.measure.kind) and other != fact:
                first = f"what {_be(fact)} our {fact.label} {fact.time}"
                asked = f"{first}, and what {_be(other)} its {other.label}"
                yield "across", Turn(asked, f"{_stated(fact)} {_stated(other)}")


def _be(fact: Fact) -> str:
    return "were" if is_plural(fact.label) else "was"


def _stated(fact: Fact) -> str:
    return f"{capitalised(fact.label)} {_be(fact)} {fact.value} {fact.time}."


def _changed(early: Fact, late: Fact) -> str:
    change = f"from {early.value} {early.time} to {late.value} {late.time}"
    return f"{capitalised(late.label)} went {change}."


def _texts(by_measure: Sequence[Sequence[Fact]], kind: str) -> Iterator[Turn]:
    """Yield a request for a text of a kind on measures that changed in the same two years."""
    alike: dict[tuple[str, str], list[tuple[Fact, Fact]]] = {}
    for late, early in (facts[:2] for facts in by_measure if len(facts) > 1):
        if late.value != early.value:
            alike.setdefault((late.year, early.year), []).append((late, early))
    most = 5 if kind == "long" else 3
    for some in islice((some[:most] for some in alike.values() if len(some) >= 3), 1):
        (late, early), *_ = some
        named = f"{'; '.join(late.label for late, _ in some[:-1])} and {some[-1][0].label}"
        cells = "\n".join(
            f"<tr><td>{capitalised(late.label)}</td><td>{early.value}</td><td>{late.value}</td></tr>"
            for late, early in some
        )
        head = f"<tr><th></th><th>{early.year}</th><th>{late.year}</th></tr>"
        request, opening = _TEXTS.get(kind, _TEXTS["note"])
        text = opening.format(late=late.year) + " ".join(_changed(one[1], one[0]) for one in some)
        yield Turn(
            f"{request} how our {named} changed from {early.year} to {late.year}",
            f"<table>\n{head}\n{cells}\n</table>" if kind == "table" else text,
        )


def choose_query(inputs: operations.ChoiceInputs) -> str:
    """Choose the first request of the task that is wanted."""
    task = "tg" if inputs.wanted in operations.WANTED["tg"].values() else "qa"
    queries = _QUERY.findall(inputs.conversation)
    fitting = [number for number, query in queries if task_of(query) == task]
    return f"Number: {next(iter(fitting), '1')}"


# --- forms of a query --------------------------------------------------------------------


def rewrite_query(inputs: operations.RewritingInputs) -> str:
    """Name the company in place of `our`."""
    is_known = inputs.company != operations.NOT_KNOWN
    owner = owner_of(inputs.company) if is_known else "the company's"
    query = capitalised(re.sub(r"\bour\b", lambda _: owner, inputs.query.strip(" ?.")))
    return f"Query: {query}{'.' if task_of(query) == 'tg' else '?'}"


def shorten_query(inputs: QueryToRewrite) -> str:
    """Leave out the company, and the words that say nothing alone."""
    query = inputs.query.replace(f"{owner_of(inputs.company)} ", "").strip()
    words = [word for word in query.rstrip("?.").split() if word.lower() not in _SMALL_WORDS]
    return f"Query: {' '.join(words)}{'?' if query.endswith('?') else ''}"


def use_plain_words(inputs: QueryToRewrite) -> str:
    """Put each measure of a query in a layman's words; `was` fits them all."""
    query = _label().sub(lambda label: measures()[label[1]].plain, inputs.query)
    return "Query: " + re.sub(r"\b([Ww]hat) were\b", r"\1 was", query)


@cache
def _label() -> re.Pattern[str]:
    """Return a pattern that finds the labels of measures, the longest first."""
    forms = "|".join(map(re.escape, sorted(measures(), key=len, reverse=True)))
    return re.compile(rf"(?<![\w-])(?:total |consolidated )?({forms})(?![\w-])")
