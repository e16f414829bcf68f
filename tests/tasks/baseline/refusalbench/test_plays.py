"""The weightless generator applies levers of a stratum, and only with a proof."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest

from tasks.baseline.refusalbench import RULES
from tasks.baseline.refusalbench.edits import added
from tasks.baseline.refusalbench.plays import perturbations
from tasks.baseline.refusalbench.question import read_question
from tasks.suites.refusalbench.catalogue import violations
from tasks.suites.refusalbench.rows import BaseQuestion
from tests.refusal_questions import COUNT, MULTI, PERCENT, PROSE, ROWS, base_question

CLASSES = ("contradiction", "missing_info", "false_premise")


def inputs(base: BaseQuestion, stratum: str) -> SimpleNamespace:
    asked = base.asked
    assert asked is not None
    names = ("company", "measure", "period", "figure")
    marked = [
        f"[{'S' if index == 0 else f'N{index}'}]\n".replace("[S]", "[S1]") + passage.text
        for index, passage in enumerate(base.passages)
    ]
    return SimpleNamespace(
        stratum=stratum,
        query=base.query,
        answers=" OR ".join(base.answers),
        asked="\n".join(f"{name.capitalize()}: {getattr(asked, name)}" for name in names),
        passages=base.passages[0].text if base.setting == "single" else "\n\n".join(marked),
    )


def reply(base: BaseQuestion, stratum: str) -> dict:
    return json.loads(RULES[f"generate_{base.setting}"].reply(inputs(base, stratum)))


def levers(base: BaseQuestion, stratum: str) -> set[str]:
    question = read_question(inputs(base, stratum), is_single=base.setting == "single")
    return {play.lever for play, _, _ in perturbations(question)}


HEAD = "[Kestrel Freight, annual report, fiscal year ended December 31, 2021]\n"


def dated(base: BaseQuestion) -> BaseQuestion:
    """Return a question whose first passage has a head, as those of filings have."""
    first, *rest = base.passages
    return replace(base, passages=(replace(first, text=HEAD + first.text), *rest))


@pytest.mark.parametrize("intensity", ["low", "medium", "high"])
@pytest.mark.parametrize("name", CLASSES)
def test_plays_two_levers_of_each_stratum(name, intensity):
    stratum = f"{name}, {intensity}"
    bases = (PROSE, ROWS, PERCENT, COUNT)
    assert len(set().union(*(levers(dated(base), stratum) for base in bases))) >= 2
    assert len(levers(dated(MULTI), stratum)) >= 2


@pytest.mark.parametrize("name", CLASSES)
def test_changes_only_what_the_class_may_change(name):
    for intensity in ("low", "medium", "high"):
        got = reply(MULTI, f"{name}, {intensity}")
        faults = violations(
            "multi",
            name,
            query_changed=got["perturbed_query"] != MULTI.query,
            changed_signal=[each["original_index"] for each in got["perturbed_signal_passages"]],
            n_signal=1,
            changed_noise=[each["original_index"] for each in got["perturbed_noise_passages"]],
        )
        assert faults == ()


def test_replies_the_same_to_the_same_question():
    assert reply(PROSE, "contradiction, medium") == reply(PROSE, "contradiction, medium")


def test_says_that_no_play_fits():
    bare = SimpleNamespace(
        **{**vars(inputs(PROSE, "contradiction, high")), "asked": "not known", "answers": "Toledo"}
    )
    assert json.loads(RULES["generate_single"].reply(bare)) == {"lever_selected": "none"}


def test_an_officer_and_a_stated_cause_give_further_levers():
    text = (
        "Ada M. Royce, 51, is Vice President of the Company. Ms. Royce was elected in 2015. The "
        "decline in volume was principally due to reduced demand for coal."
    )
    base = base_question(text, "railway revenues", "2021", "$7.7 billion")
    question = read_question(inputs(base, "false_premise, medium"), is_single=True)
    assert {play.lever for play, _, _ in perturbations(question)} == {
        "Abdication Falsehood",
        "Burial for a Living Person",
        "Reversed Causality",
        "Factive Verb Contradiction",
        "Fabricated Historic Event",
    }


def test_adds_no_sentence_before_one_that_leans_back():
    text = "Sales rose to $9 million. This followed a decline. The plant has two lines."
    assert added(text, 14, "We sell coal.") == (
        "Sales rose to $9 million. This followed a decline. We sell coal. The plant has two lines."
    )


def test_blanks_a_date_or_a_place():
    text = "Kestrel Freight was organized in Ohio in March 1985. It hauls coal."
    for query, answer in (("When", "March 1985"), ("Under the laws of which state", "Ohio")):
        bare = SimpleNamespace(
            stratum="missing_info, medium",
            query=f"{query} was Kestrel Freight organized?",
            answers=answer,
            asked="not known",
            passages=text,
        )
        got = json.loads(RULES["generate_single"].reply(bare))
        assert answer not in got["perturbed_context"]
