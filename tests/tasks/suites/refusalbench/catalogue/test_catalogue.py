"""The levers, and the search for a lever that a model named."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from tasks.suites.refusalbench.catalogue import read_catalogue
from tasks.suites.refusalbench.strata import (
    CLASSES,
    CODE_OF,
    INTENSITIES,
    RELEASED_CLASS,
    Intensity,
    PerturbationClass,
)

PACKAGED = read_catalogue()
STRATA: list[tuple[PerturbationClass, Intensity]] = [
    (perturbation_class, intensity) for perturbation_class in CLASSES for intensity in INTENSITIES
]
COUNTS = {
    "ambiguity": (10, 9, 10),
    "contradiction": (8, 10, 10),
    "missing_info": (9, 11, 10),
    "false_premise": (10, 10, 10),
    "granularity_mismatch": (10, 10, 10),
    "epistemic_mismatch": (9, 10, 10),
}


def test_holds_176_levers_in_18_strata() -> None:
    counts = Counter((lever.perturbation_class, lever.intensity) for lever in PACKAGED.levers)
    expected = {
        (name, intensity): count
        for name, row in COUNTS.items()
        for intensity, count in zip(INTENSITIES, row, strict=True)
    }
    assert counts == expected
    assert len(PACKAGED.levers) == 176


def test_names_and_order_are_those_of_the_authors(shared: Path) -> None:
    path = shared / "reference" / "refusalbench" / "lever_names.json"
    names = json.loads(path.read_text(encoding="utf-8"))
    ours = {
        RELEASED_CLASS[perturbation_class]: {
            intensity.upper(): [lever.name for lever in PACKAGED.of(perturbation_class, intensity)]
            for intensity in INTENSITIES
        }
        for perturbation_class in CLASSES
    }
    assert ours == names


def test_low_examples_are_answered_by_their_context_and_the_others_by_a_code() -> None:
    for lever in PACKAGED.levers:
        if lever.intensity != "low":
            assert lever.answer is None
            assert lever.example.endswith(CODE_OF[lever.perturbation_class])
            continue
        assert lever.answer is not None
        assert lever.example.endswith(lever.answer)
        # a choice between two words of the query may be answered by one of them
        shown = words(lever.context) | words(lever.query) | {"the", "a", "yes", "no"}
        assert words(lever.answer) <= shown, lever.name
        assert figures(lever.answer) <= figures(lever.context), lever.name


def words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]+", text.lower()))


def figures(text: str) -> set[str]:
    return set(re.findall(r"-?\d(?:[\d,.]*\d)?", text))


@pytest.mark.parametrize(
    "written_name",
    [
        "Either/Or Coordination Scope",
        "either/or coordination scope",
        ' "Either/Or Coordination Scope." ',
        "4. Either/Or Coordination Scope",
        "**4) Either or Coordination-Scope**",
        "#4: EitherOr coordination scope",
    ],
)
def test_finds_a_lever_however_its_name_is_written(written_name: str) -> None:
    found = PACKAGED.find(written_name, "ambiguity", "medium")
    assert found is not None
    assert found.name == "Either/Or Coordination Scope"
