"""Plays of ambiguity, granularity and epistemic mismatches, on questions of several kinds."""

from __future__ import annotations

from collections import defaultdict
from types import SimpleNamespace
from typing import Any

import pytest

from tasks.baseline.refusalbench.plays import perturbations
from tasks.baseline.refusalbench.question import read_question
from tasks.suites.refusalbench.strata import INTENSITIES

OWN = ("ambiguity", "granularity_mismatch", "epistemic_mismatch")
HEAD = "[Brackwater Mills Inc., annual report, fiscal year ended December 31, 2018]\n"
QUESTIONS = [  # query, answer, measure, period, passage
    (
        "What were Brackwater Mills Inc.'s net sales in 2018?",
        "$412.6 million",
        "net sales",
        "2018",
        "In 2018, net sales were $412.6 million, compared with $398.1 million in 2017.",
    ),
    (
        "What was Brackwater Mills Inc.'s goodwill as of December 31, 2018?",
        "$31,204 thousand",
        "goodwill",
        "December 31, 2018",
        "(in thousands) | December 31, 2018 | December 31, 2017\nGoodwill | $31,204 | $30,017",
    ),
    (
        "What was Brackwater Mills Inc.'s effective tax rate in 2018?",
        "21.3%",
        "effective tax rate",
        "2018",
        "Our effective tax rate was 21.3% in 2018. A new law lowered it.",
    ),
    (
        "How many employees did Brackwater Mills Inc. have as of December 31, 2018?",
        "1,480",
        "employees",
        "December 31, 2018",
        "As of December 31, 2018, we had 1,480 employees. None of them is in a union.",
    ),
]


def _played(index: int, perturbation_class: str, intensity: str, *, is_single: bool) -> list[Any]:
    query, answer, measure, period, passage = QUESTIONS[index]
    passages = [f"[S1]\n{HEAD}{passage}"]
    if not is_single:
        passages += [f"[S2]\n{HEAD}A second part of the report repeats it: {passage}"]
        passages += ["[N1]\n[Tillamere Corp., annual report]\nOur lease ends in May."]
    inputs = SimpleNamespace(
        stratum=f"{perturbation_class}, {intensity}",
        query=query,
        answers=answer,
        asked=f"Company: Brackwater Mills Inc.\nMeasure: {measure}\nPeriod: {period}\n"
        f"Figure: {answer}",
        passages="\n\n".join(passages),
    )
    question = read_question(inputs, is_single=is_single)
    return [(question, *played) for played in perturbations(question)]


def _is_addition(old: str, new: str) -> bool:
    """Whether text was added in one place, and nothing else changed."""
    places = range(len(old) + 1)
    return any(new.startswith(old[:at]) and new.endswith(old[at:]) for at in places)


@pytest.mark.parametrize("is_single", [True, False])
@pytest.mark.parametrize("intensity", INTENSITIES)
@pytest.mark.parametrize("perturbation_class", OWN)
def test_each_kind_of_figure_is_played_with_a_proof_and_each_stratum_with_two_levers(
    perturbation_class: str, intensity: str, is_single: bool
) -> None:
    levers: defaultdict[int, set[str]] = defaultdict(set)
    for index in range(len(QUESTIONS)):
        for _, play, _, _ in _played(index, perturbation_class, intensity, is_single=is_single):
            levers[index].add(play.lever)
    least = 2 if perturbation_class == "ambiguity" else 1
    assert [len(levers[index]) >= least for index in range(len(QUESTIONS))] == [True] * 4
    assert len(set.union(*levers.values())) >= 2


@pytest.mark.parametrize("perturbation_class", OWN)
def test_plays_change_what_their_target_names_and_leave_no_brace(perturbation_class: str) -> None:
    for index in range(len(QUESTIONS)):
        for intensity in INTENSITIES:
            for question, play, changed, _ in _played(
                index, perturbation_class, intensity, is_single=False
            ):
                assert changed.noise == question.noise
                kept = [
                    old == new for old, new in zip(question.signal, changed.signal, strict=True)
                ]
                assert perturbation_class == "ambiguity" or not any(kept), play.lever
                for old, new in zip(question.signal, changed.signal, strict=True):
                    assert _is_addition(old, new), play.lever
                assert not set("{}") & set(changed.query + "".join(changed.signal))
