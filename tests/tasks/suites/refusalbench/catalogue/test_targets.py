"""What a perturbation of each class may change, in both settings."""

from __future__ import annotations

from collections.abc import Collection
from itertools import chain, combinations, product

import pytest

from tasks.suites.refusalbench.catalogue import describe, violations
from tasks.suites.refusalbench.strata import CLASSES, SETTINGS, PerturbationClass, Setting

SINGLE: dict[PerturbationClass, set[tuple[bool, bool]]] = {
    # whether the query and whether the context changed: all that is allowed
    "ambiguity": {(True, False), (False, True), (True, True)},
    "contradiction": {(False, True)},
    "missing_info": {(False, True)},
    "false_premise": {(True, False)},
    "granularity_mismatch": {(True, False), (False, True), (True, True)},
    "epistemic_mismatch": {(True, False), (False, True), (True, True)},
}


def found(
    setting: Setting,
    perturbation_class: PerturbationClass,
    query: bool,
    signal: Collection[int],
    noise: Collection[int] = (),
) -> tuple[str, ...]:
    return violations(
        setting,
        perturbation_class,
        query_changed=query,
        changed_signal=signal,
        n_signal=1 if setting == "single" else 3,
        changed_noise=noise,
    )


@pytest.mark.parametrize("perturbation_class", CLASSES)
def test_single_allows_changes_of_the_target_only(perturbation_class: PerturbationClass) -> None:
    allowed = {
        (query, context)
        for query, context in product([False, True], repeat=2)
        if not found("single", perturbation_class, query, [0] if context else [])
    }
    assert allowed == SINGLE[perturbation_class]


@pytest.mark.parametrize("perturbation_class", CLASSES)
def test_multi_allows_changes_of_the_target_only(perturbation_class: PerturbationClass) -> None:
    parts = [set(some) for n in range(4) for some in combinations(range(3), n)]
    for query, signal, noise in product([False, True], parts, parts):
        expected = {
            "ambiguity": (query or bool(signal)) and not noise,
            "contradiction": not query and not signal and len(noise) == 1,
            "missing_info": not query and len(signal) == 3 and not noise,
            "false_premise": query and not signal and not noise,
            "granularity_mismatch": len(signal) == 3 and not noise,
            "epistemic_mismatch": len(signal) == 3 and not noise,
        }[perturbation_class]
        wrong = found("multi", perturbation_class, query, signal, noise)
        assert (not wrong) == expected, (query, signal, noise, wrong)


def test_counts_a_passage_once() -> None:
    assert found("multi", "contradiction", False, [], [4, 4]) == ()


@pytest.mark.parametrize(
    ("perturbation_class", "query", "signal", "noise", "sentences"),
    [
        ("false_premise", False, [], [], ["The query did not change, but it must."]),
        ("missing_info", False, [0, 2], [], ["S2 did not change, but must."]),
        (
            "contradiction",
            True,
            [1],
            [0, 6],
            [
                "The query changed, but it must not.",
                "S2 changed, but must not.",
                "One noise passage must change, and only one: N1, N7 changed.",
            ],
        ),
        (
            "contradiction",
            False,
            [],
            [],
            ["One noise passage must change, and only one: none changed."],
        ),
        ("false_premise", True, [], [3], ["N4 changed, but must not."]),
        (
            "ambiguity",
            False,
            [],
            [],
            ["Nothing changed: the query, the signal passages or both must."],
        ),
    ],
)
def test_names_each_part_that_misses_the_target(
    perturbation_class: PerturbationClass,
    query: bool,
    signal: list[int],
    noise: list[int],
    sentences: list[str],
) -> None:
    assert list(found("multi", perturbation_class, query, signal, noise)) == sentences


def test_describes_each_target_by_the_parts_of_its_setting() -> None:
    said = {(setting, name): describe(setting, name) for setting in SETTINGS for name in CLASSES}
    assert said["single", "missing_info"] == "Change the context. Keep the query word for word."
    assert said["single", "false_premise"] == "Change the query. Keep the context word for word."
    assert said["multi", "contradiction"] == (
        "Keep every signal passage word for word. Keep the query word for word. "
        "Change exactly one noise passage, so that it clashes with the signal passages."
    )
    assert said["multi", "granularity_mismatch"] == (
        "Change every signal passage. You may change the query, too. "
        "Keep every noise passage word for word."
    )
    single = chain.from_iterable(
        text.split() for (each, _), text in said.items() if each == "single"
    )
    assert not {"signal", "noise", "passage"} & set(single)
