"""The words in which a stratum and a base question are put to generators and verifiers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tasks.suites.refusalbench.catalogue import Catalogue, describe
from tasks.suites.refusalbench.rows import BaseQuestion
from tasks.suites.refusalbench.strata import (
    ANSWER,
    CLASSES,
    INTENSITIES,
    Intensity,
    PerturbationClass,
    Setting,
    expected_code,
)

STRATA: tuple[tuple[PerturbationClass, Intensity], ...] = tuple(
    (perturbation_class, intensity) for perturbation_class in CLASSES for intensity in INTENSITIES
)


def described(
    catalogue: Catalogue,
    setting: Setting,
    perturbation_class: PerturbationClass,
    intensity: Intensity,
) -> Mapping[str, str]:
    """Describe a stratum: the inputs `stratum`, `description`, `criterion` and so on."""
    expected = expected_code(perturbation_class, intensity)
    levers = catalogue.of(perturbation_class, intensity)
    return {
        "stratum": f"{perturbation_class}, {intensity}",
        "description": catalogue.descriptions[perturbation_class],
        "criterion": catalogue.criteria[perturbation_class, intensity],
        "target": describe(setting, perturbation_class),
        "levers": "\n".join(
            f"{number}. {lever.name}: {lever.definition}\n{lever.example}"
            for number, lever in enumerate(levers, start=1)
        ),
        "expected": expected,
        "constraint": (
            "it must still follow from the text, unchanged."
            if expected == ANSWER
            else f"a sound system must not give it any more, but refuse with {expected}."
        ),
    }


def numbered(base: BaseQuestion, texts: Sequence[str] | Mapping[int, str]) -> str:
    """Return passages as generators and verifiers see them: the text, or `[S1]`, `[N1]` and on.

    Args:
        texts: the passages' texts by their place among all passages, from 0; only they are shown.
    """
    if base.setting == "single":
        return texts[0]
    shown = texts if isinstance(texts, Mapping) else dict(enumerate(texts))
    names = passage_names(base)
    by_kind = sorted(shown, key=lambda index: (not base.passages[index].is_signal, index))
    return "\n\n".join(f"[{names[index]}]\n{shown[index]}" for index in by_kind)


def passage_names(base: BaseQuestion) -> list[str]:
    """Name each passage: S1 is the first signal passage, N1 the first noise passage."""
    counts = {True: 0, False: 0}
    names = []
    for passage in base.passages:
        counts[passage.is_signal] += 1
        names.append(f"{'S' if passage.is_signal else 'N'}{counts[passage.is_signal]}")
    return names
