"""Questions on the facts of a passage: measures that its tables state."""

from __future__ import annotations

import json
from collections.abc import Iterator

from tasks.baseline.facts import facts_of, is_plural, owner_of
from tasks.core.ids import stable_id
from tasks.suites.refusalbench.base.excerpts import HEAD
from tasks.suites.refusalbench.base.questions import MOST_FACTS, FactInputs


def write_facts(inputs: FactInputs) -> str:
    """Ask for a few figures of a passage: the same ones of all passages that state them."""
    facts = [{"query": query, "answer": answer} for query, answer in questions_on(inputs.passage)]
    facts.sort(key=lambda fact: stable_id("fact", fact["query"]))
    return json.dumps({"questions": facts[:MOST_FACTS]})


def questions_on(passage: str) -> Iterator[tuple[str, str]]:
    """Yield question and figure for the facts of a passage that says whose it is."""
    if (head := HEAD.match(passage)) is None:
        return
    for fact in facts_of(passage):
        verb = "were" if is_plural(fact.label) else "was"
        time = f"in {fact.year}" if fact.measure.kind == "flow" else fact.time
        yield f"What {verb} {owner_of(head['company'])} {fact.label} {time}?", fact.value
