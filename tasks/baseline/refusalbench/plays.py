"""Plays: how the weightless generator applies a lever, as data, and the engine that plays them.

A play changes the query, adds sentences after the one that states the answer, or edits or replaces
the signal passages. Texts name values in braces (`fields.py`); a play whose values are not all
known is skipped.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any, Literal

from pydantic import ConfigDict, TypeAdapter

from tasks.baseline.refusalbench.edits import EDITS, added, blanked, pointed, replaced
from tasks.baseline.refusalbench.fields import fields_of
from tasks.baseline.refusalbench.question import Inputs, Question, read_question
from tasks.suites.refusalbench.proofs import prove
from tasks.suites.refusalbench.proofs.facts import company_of
from tasks.suites.refusalbench.proofs.numbers import is_row, sentence_spans
from tasks.suites.refusalbench.strata import expected_code
from tasks.text.terms import content_terms

_DRAWS = 3  # of other figures, until one does not clash with what else the passage says

Place = Literal["signal", "each signal", "noise"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Play:
    """One way to apply one lever."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    lever: str  # its name in the catalogue
    reasoning: str
    query: str = ""  # the new wording; "" keeps it
    add: str = ""  # sentences added to a passage
    # texts that stand in place of the signal passages, one for each, with no word of the query
    context: tuple[str, ...] = ()
    replace: str = ""  # replaces the figure wherever signal passages state it
    pointer: str = ""  # replaces the sentence that states the answer
    edit: str = ""  # name of an edit of signal passages (`edits.py`)
    kinds: tuple[str, ...] = ()  # of figures: money, percent, number; empty: any answer
    form: Literal["prose", "table", "any"] = "any"  # of what states the answer
    is_last: bool = False  # fits almost any question, so that it is tried after all others


@dataclass(frozen=True, slots=True, kw_only=True)
class Class:
    """The plays of one class."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    low: tuple[Play, ...] = ()
    medium: tuple[Play, ...] = ()
    high: tuple[Play, ...] = ()
    # in the multi setting, which passages sentences are added to: the signal passages that state
    # the answer, each signal passage, or one noise passage of the asked company
    multi: Place = "signal"
    words: dict[str, list[str]] = field(
        default_factory=dict
    )  # further values: one of the list that the passages do not name


@dataclass(frozen=True, slots=True)
class Perturbed:
    """A question as one play changes it."""

    query: str
    signal: tuple[str, ...]
    noise: tuple[str, ...]


def generate_single(inputs: Inputs) -> str:
    """Perturb a question on one passage."""
    return _reply(read_question(inputs, is_single=True))


def generate_multi(inputs: Inputs) -> str:
    """Perturb a question on several passages."""
    return _reply(read_question(inputs, is_single=False))


def perturbations(question: Question) -> Iterator[tuple[Play, Perturbed, dict[str, str]]]:
    """Yield what the plays make of a question with a proof, in an order drawn for it."""
    group = _plays(question.perturbation_class)
    plays: list[Play] = list(getattr(group, question.intensity))
    stratum = f"{question.perturbation_class} {question.intensity}"
    draw = Random(f"{stratum} {question.query} {question.signal}")
    seen = frozenset(content_terms(" ".join((question.query, *question.signal, *question.noise))))
    words = {}
    for name, listed in group.words.items():
        free = [word for word in listed if seen.isdisjoint(content_terms(word))]
        if free:
            words[name] = draw.choice(free)
    drawn = [{**fields_of(question, draw), **words} for _ in range(_DRAWS)]
    for play in sorted(draw.sample(plays, len(plays)), key=lambda play: play.is_last):
        for fields in drawn if play.add else drawn[:1]:
            perturbed = apply(play, question, fields, group.multi, draw)
            if perturbed is not None and prove(
                question.base,
                question.perturbation_class,
                question.intensity,
                perturbed.query,
                [*perturbed.signal, *perturbed.noise],
                play.lever,
            ):
                yield play, perturbed, fields
                break


def apply(
    play: Play, question: Question, fields: dict[str, str], place: Place, draw: Random
) -> Perturbed | None:
    """Apply a play; return None if it does not fit the question."""
    if play.kinds and fields.get("kind") not in play.kinds:
        return None
    try:
        query, add, replace, pointer = (
            " ".join(text.format_map(fields).split())
            for text in (play.query, play.add, play.replace, play.pointer)
        )
        play.reasoning.format_map(fields)
    except KeyError:
        return None  # a value is not known
    asked = set(content_terms(question.query))
    contexts = [text for text in play.context if asked.isdisjoint(content_terms(text))]
    if play.context and len(contexts) < len(question.signal):
        return None
    if play.form not in ("any", _form(question)):
        return None
    draw.shuffle(contexts)
    signal, noise = list(question.signal), list(question.noise)
    adds_to = "signal" if question.is_single and place == "noise" else place
    for index, text in enumerate(signal):
        spans = question.spans(text)
        if contexts:
            signal[index] = replaced(text, contexts[index])
        elif pointer:
            signal[index] = pointed(text, question, pointer)
        elif replace:
            signal[index] = blanked(text, question, replace)
        elif play.edit:
            signal[index] = EDITS[play.edit](text, question)
        elif add and (adds_to == "each signal" or (adds_to == "signal" and spans)):
            signal[index] = added(text, _stated_at(text, question), add)
        changes_each = (
            contexts or replace or pointer or play.edit or (add and adds_to == "each signal")
        )
        if changes_each and signal[index] in (text, ""):
            return None
    if add and adds_to == "noise":
        hosts = [index for index, text in enumerate(noise) if _is_own(text, question)]
        prose = [index for index in hosts if _ends_sentence(noise[index])]
        if not hosts:
            return None
        index = draw.choice(prose or hosts)
        noise[index] = added(noise[index], None, add)
    changed = Perturbed(query or question.query, tuple(signal), tuple(noise))
    return (
        None if changed == Perturbed(question.query, question.signal, question.noise) else changed
    )


def _stated_at(text: str, question: Question) -> int | None:
    """Return where a passage states the answer, in the sentence with most words of the query."""
    terms = set(content_terms(question.query))
    shared = {
        start: len(terms & set(content_terms(text[slice(*each)])))
        for each in sentence_spans(text)
        for start, _ in question.spans(text)
        if each.start_char <= start < each.end_char
    }
    return max(shared, key=lambda start: shared[start], default=None)


def _is_own(text: str, question: Question) -> bool:
    """Whether a passage is of the asked company, and a sentence can be added at its end."""
    company, head = company_of(question.base), text.partition("\n")[0]
    is_own = bool(company) and company in (head if head.startswith("[") else text)
    last = text.rstrip().rpartition("\n")[2]
    return is_own and (_ends_sentence(last) or is_row(last))


def _ends_sentence(text: str) -> bool:
    return text.rstrip().endswith((".", ".”", '."'))


def _form(question: Question) -> str:
    """Return `table` if only rows state the answer, else `prose`."""
    rows = {
        is_row(text[sentence.start_char : sentence.end_char])
        for text in question.signal
        for sentence in sentence_spans(text)
        if question.spans(text[sentence.start_char : sentence.end_char])
    }
    return "table" if rows == {True} else "prose"


def _reply(question: Question | None) -> str:
    """Write the first perturbation as an LLM would reply."""
    if question is None:
        return json.dumps({"lever_selected": "none"})
    for play, perturbed, fields in perturbations(question):
        reply: dict[str, Any] = {"perturbed_query": perturbed.query}
        if question.is_single:
            reply["perturbed_context"] = perturbed.signal[0]
        else:
            reply["perturbed_signal_passages"] = _changes(question.signal, perturbed.signal)
            reply["perturbed_noise_passages"] = _changes(question.noise, perturbed.noise)
        reply |= {
            "lever_selected": play.lever,
            "implementation_reasoning": play.reasoning.format_map(fields),
            "intensity_achieved": question.intensity.upper(),
            "answer_constraint_satisfied": True,
            "expected_rag_behavior": expected_code(question.perturbation_class, question.intensity),
        }
        return json.dumps(reply, ensure_ascii=False)
    return json.dumps({"lever_selected": "none"})


def _changes(old: Iterable[str], new: Iterable[str]) -> list[dict[str, Any]]:
    return [
        {"original_index": index, "perturbed_text": after}
        for index, (before, after) in enumerate(zip(old, new, strict=True))
        if after != before
    ]


@cache
def _plays(perturbation_class: str) -> Class:
    folder = files("tasks.baseline.refusalbench").joinpath("plays")
    text = folder.joinpath(f"{perturbation_class}.toml").read_text(encoding="utf-8")
    return TypeAdapter(Class).validate_python(tomllib.loads(text))
