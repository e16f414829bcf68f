"""The levers, and how one is described to models."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tasks.suites.refusalbench.catalogue import read_catalogue
from tasks.suites.refusalbench.strata import CLASSES, CODE_OF, INTENSITIES, RELEASED_CLASS

PACKAGED = read_catalogue()
COUNTS = {
    "ambiguity": (10, 9, 10),
    "contradiction": (8, 10, 10),
    "missing_info": (9, 11, 10),
    "false_premise": (10, 10, 10),
    "granularity_mismatch": (10, 10, 10),
    "epistemic_mismatch": (9, 10, 10),
}


def test_holds_176_levers_in_18_strata() -> None:
    counts = {
        name: tuple(len(PACKAGED.levers[name, each]) for each in INTENSITIES) for name in CLASSES
    }
    assert counts == COUNTS
    assert sum(map(sum, counts.values())) == 176


def test_names_and_order_are_those_of_the_authors(shared: Path) -> None:
    path = shared / "reference" / "refusalbench" / "lever_names.json"
    names = json.loads(path.read_text(encoding="utf-8"))
    ours = {
        RELEASED_CLASS[name]: {
            each.upper(): [lever.name for lever in PACKAGED.levers[name, each]]
            for each in INTENSITIES
        }
        for name in CLASSES
    }
    assert ours == names


def test_low_examples_are_answered_by_their_context_and_the_others_by_a_code() -> None:
    for (name, intensity), levers in PACKAGED.levers.items():
        for lever in levers:
            shown = PACKAGED.describe("single", (name, intensity), lever)["lever"]
            assert (lever.answer is not None) == (intensity == "low")
            assert f"Right reply: {lever.answer or CODE_OF[name]}" in shown
            if lever.answer is None:
                continue
            # a choice between two words of the query may be answered by one of them
            known = words(lever.context) | words(lever.query) | {"the", "a", "yes", "no"}
            assert words(lever.answer) <= known, lever.name
            assert figures(lever.answer) <= figures(lever.context), lever.name


def words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]+", text.lower()))


def figures(text: str) -> set[str]:
    return set(re.findall(r"-?\d(?:[\d,.]*\d)?", text))
