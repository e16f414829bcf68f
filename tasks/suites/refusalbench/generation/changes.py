"""The parts of a base question that a generator's reply changes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from tasks.inference.replies import ParseError
from tasks.suites.refusalbench.catalogue import target_of
from tasks.suites.refusalbench.generation.operations import Written
from tasks.suites.refusalbench.rows import BaseQuestion, PassageChange
from tasks.suites.refusalbench.strata import PerturbationClass

CHANGES_NOTHING = "the reply changes nothing that its class may change"
_ANOTHERS = 0.5  # share of words above which a text is surely made of a passage
_WORD = re.compile(r"\w+")


def changes_of(
    base: BaseQuestion, written: Written, perturbation_class: PerturbationClass
) -> tuple[str, tuple[PassageChange, ...]]:
    """Return a reply's query, and the passages that it changes, in the order shown.

    A passage that differs in nothing but whitespace is unchanged. A part that the class keeps is
    the original, whatever the reply's copy of it is.

    Raises:
        ParseError: an index is that of no passage, or its text is that of another passage; or
            nothing changes.
    """
    target = target_of(base.setting, perturbation_class)
    texts: dict[int, str] = {}
    if target.signal != "keep" and base.setting == "single":
        texts[0] = written.context or ""
    elif target.signal != "keep":
        texts |= _placed(base, written.signal, is_signal=True)
    if target.noise != "keep":
        texts |= _placed(base, written.noise, is_signal=False)
    changes = tuple(
        PassageChange(index=index, text=text)
        for index, text in sorted(texts.items())
        if text.split() != base.passages[index].text.split()
    )
    query = base.query if target.query == "keep" else written.query
    if not changes and query.split() == base.query.split():
        raise ParseError(CHANGES_NOTHING)
    return query, changes


def _placed(base: BaseQuestion, texts: Mapping[int, str], *, is_signal: bool) -> dict[int, str]:
    """Return texts by their place among all passages, from 0."""
    places = [
        place for place, passage in enumerate(base.passages) if passage.is_signal == is_signal
    ]
    kind = "signal" if is_signal else "noise"
    placed = {}
    for index, text in texts.items():
        if not 0 <= index < len(places):
            raise ParseError(
                f"original_index {index}, which counts from 0, is none of {len(places)} "
                f"{kind} passages"
            )
        # A reply that counts from 1 gives the next passage's index with this passage's text.
        likeness = [_shared_words(text, passage.text) for passage in base.passages]
        if likeness[places[index]] < max(likeness) > _ANOTHERS:
            raise ParseError(
                f"the text of {kind} passage {index}, counted from 0, is that of another passage"
            )
        placed[places[index]] = text
    return placed


def _shared_words(text: str, other: str) -> float:
    words, others = Counter(_WORD.findall(text)), Counter(_WORD.findall(other))
    return (words & others).total() / max(1, (words | others).total())
