"""The rule that writes a conversation from drafts found in the context."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from tasks.baseline.failsafeqa.cell_drafts import cell_drafts
from tasks.baseline.failsafeqa.drafts import Draft
from tasks.baseline.failsafeqa.labels import named_rows
from tasks.baseline.failsafeqa.sentence_drafts import sentence_draft
from tasks.core.ids import stable_rng
from tasks.quantities.text_tables import find_tables
from tasks.suites.failsafeqa.questions.dialogue import Inputs, Turn
from tasks.suites.shared.clauses import BASE_FORMS
from tasks.suites.shared.phrases import YEAR, lower_words_of
from tasks.text.sentences import split_sentences

# As many exchanges as give the paper's ratio of four questions to one request for a text.
_N_QUESTIONS, _N_WRITINGS = 8, 2
_NEAR = 16  # how many drafts of a kind count as near a passage


def reply(inputs: Inputs) -> str:
    """Write a conversation of drafts, those nearest to the passage first."""
    rng = stable_rng(0, "dialogue", inputs.number, inputs.focus)
    place = max(inputs.context.find(inputs.focus), 0)
    chosen: dict[str, list[Draft]] = {}
    for kind, drafts in _drafts(inputs.context).items():
        rows: dict[int, list[Draft]] = {}
        for draft in drafts:
            rows.setdefault(draft.start_char, []).append(draft)
        nearest = sorted(rows, key=lambda start: (abs(start - place), start))
        near, far = nearest[:_NEAR], nearest[_NEAR:]
        chosen[kind] = [rng.choice(rows[start]) for start in [*rng.sample(near, len(near)), *far]]
    cells, sentences = chosen["cells"], chosen["sentences"]
    n_cells = min(len(cells), max(_N_QUESTIONS // 2, _N_QUESTIONS - len(sentences)))
    questions = cells[:n_cells] + sentences[: _N_QUESTIONS - n_cells]
    rng.shuffle(questions)
    n_writings = max(1, len(questions) // (_N_QUESTIONS // _N_WRITINGS))
    writings = [Turn(draft.terse, draft.answer) for draft in chosen["texts"][:n_writings]]
    turns: list[Turn] = []
    for number, draft in enumerate(questions, start=1):
        turns.append(Turn(_hurried(draft, rng.random()), draft.answer))
        if number == 2 and (follow := _follow_up(draft, _drafts(inputs.context)["cells"])):
            turns.append(follow)
        if number % 4 == 0 and writings:
            turns.append(writings.pop(0))
    turns += writings
    return "\n".join(
        json.dumps({"USER": turn.user, "ASSISTANT": turn.assistant}, ensure_ascii=False)
        for turn in turns
    )


@lru_cache(maxsize=4)
def _drafts(context: str) -> dict[str, list[Draft]]:
    """Draft what a context can be asked, by kind, without questions that have two answers."""
    lower_words = lower_words_of(context)
    no_names = _no_names(context)
    label_words = lower_words | no_names
    tables = find_tables(context)
    times_led_in = Counter(table.caption for table in tables)
    from_tables = [
        draft
        for table, rows in named_rows(tables)
        if times_led_in[table.caption] == 1  # else of parts of the company, such as its segments
        for draft in cell_drafts(table, rows, label_words)
    ]
    from_sentences = [
        sentence_draft(context[start:end], start, lower_words, no_names - lower_words, before)
        for start, end, before in _with_sentences_before(context)
    ]
    drafts = {
        "cells": [draft for draft in from_tables if draft.task == "qa"],
        "sentences": [draft for draft in from_sentences if draft],
        "texts": [draft for draft in from_tables if draft.task == "tg"],
    }
    times_asked = Counter(_asked(draft) for kind in drafts.values() for draft in kind)
    return {
        kind: [draft for draft in found if times_asked[_asked(draft)] == 1]
        for kind, found in drafts.items()
    }


def _asked(draft: Draft) -> str:
    """Return a question without the direction of a change: of two, one is a segment's."""
    return re.sub(rf"\b(?:{'|'.join({*BASE_FORMS.values()})})\b", "change", draft.terse)


def _with_sentences_before(context: str) -> Iterator[tuple[int, int, list[str]]]:
    """Yield the sentences of a text, each with those of its paragraph before it."""
    last, before = 0, list[str]()
    for start, end in split_sentences(context):
        if "\n\n" in context[last:start]:
            before = []
        yield start, end, before
        before, last = [*before, context[start:end]], end


def _no_names(context: str) -> frozenset[str]:
    """Find the words, in lower case, that no sentence writes with a capital: labels' own capitals.

    Names in labels also occur in sentences.
    """
    word = r"[A-Z][a-z]+(?:-[a-z]+)*\b"
    capitalised = {found.lower() for found in re.findall(rf"\b{word}", context)}
    names = {found.lower() for found in re.findall(rf"(?<=[a-z,] ){word}", context)}
    owners = {f"{word}{mark}" for word in ("stockholders", "shareholders") for mark in "'’"}
    return frozenset(capitalised - names) | owners


def _hurried(draft: Draft, mood: float) -> str:
    """Phrase the question as a hurried user of a tool would."""
    is_phrase = not re.match(r"(?:what|who|why|how|when|where|by how|for how)\b", draft.terse)
    if mood < 0.3:
        return f"{draft.terse}?"
    if mood < 0.5 and is_phrase:
        return f"need {draft.terse}"
    if mood < 0.6 and is_phrase:
        return f"give me {draft.terse} pls"
    return draft.terse


def _follow_up(draft: Draft, cells: Sequence[Draft]) -> Turn | None:
    """Ask for the same row's other year, as a follow-up."""
    year = YEAR.search(draft.terse)
    if year is None:
        return None
    for other in cells:
        other_year = YEAR.search(other.terse)
        is_same_row = other.start_char == draft.start_char and other.terse != draft.terse
        if is_same_row and other_year and not other.terse.startswith("how"):
            return Turn(f"and {other_year.group()}?", other.answer)
    return None
