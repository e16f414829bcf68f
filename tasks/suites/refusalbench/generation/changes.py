"""What a generator changed, and what a rule finds wrong with it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from tasks.inference.replies import ParseError
from tasks.suites.refusalbench.catalogue import target_of, violations
from tasks.suites.refusalbench.generation.operations import Written
from tasks.suites.refusalbench.passages import perturbed_texts
from tasks.suites.refusalbench.proofs.numbers import is_same, numbers_in
from tasks.suites.refusalbench.rows import BaseQuestion, PassageChange
from tasks.suites.refusalbench.strata import Intensity, PerturbationClass

ANSWER_GONE = "the answer is no longer in the text"
_ANOTHERS = 0.5  # share of words above which a text is surely made of a passage
_WORD = re.compile(r"\w+")


def changes_of(
    base: BaseQuestion, written: Written, perturbation_class: PerturbationClass
) -> tuple[PassageChange, ...]:
    """Return the passages that a reply changes, in the order shown.

    A passage that differs in nothing but whitespace is unchanged, and so is one that the class
    keeps, whatever the reply's copy of it is.

    Raises:
        ParseError: an index is that of no passage, or its text is that of another passage.
    """
    target = target_of(base.setting, perturbation_class)
    new: dict[int, str] = {}
    if target.signal != "keep" and base.setting == "single":
        new[0] = written.context or ""
    elif target.signal != "keep":
        new |= _placed(base, written.signal, is_signal=True)
    if target.noise != "keep":
        new |= _placed(base, written.noise, is_signal=False)
    return tuple(
        PassageChange(index=index, text=text)
        for index, text in sorted(new.items())
        if text.split() != base.passages[index].text.split()
    )


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


def faults_of(
    base: BaseQuestion,
    perturbation_class: PerturbationClass,
    intensity: Intensity,
    query: str,
    changes: Sequence[PassageChange],
) -> tuple[str, ...]:
    """List what a rule finds wrong: parts changed that must not be, an answer gone at LOW."""
    signal = [place for place, passage in enumerate(base.passages) if passage.is_signal]
    noise = [place for place, passage in enumerate(base.passages) if not passage.is_signal]
    changed = {change.index for change in changes}
    found = violations(
        base.setting,
        perturbation_class,
        query_changed=query.split() != base.query.split(),
        changed_signal=[nth for nth, place in enumerate(signal) if place in changed],
        n_signal=len(signal),
        changed_noise=[nth for nth, place in enumerate(noise) if place in changed],
    )
    texts = perturbed_texts(base, changes)
    originals = [passage.text for passage in base.passages]
    if (
        intensity == "low"
        and _is_stated(base, [originals[place] for place in signal])
        and not _is_stated(base, [texts[place] for place in signal])
    ):
        found = (*found, ANSWER_GONE)
    return found


def _is_stated(base: BaseQuestion, texts: Sequence[str]) -> bool:
    """Return whether a passage has the values of an answer or, if it has none, its words."""
    return any(holds(text, answer) for text in texts for answer in base.answers)


def holds(text: str, answer: str) -> bool:
    """Return whether a text has the values of an answer or, if it has none, its words."""
    if values := numbers_in(answer):
        found = numbers_in(text)
        return all(any(is_same(value, other) for other in found) for value in values)
    return " ".join(_WORD.findall(answer.casefold())) in " ".join(_WORD.findall(text.casefold()))
