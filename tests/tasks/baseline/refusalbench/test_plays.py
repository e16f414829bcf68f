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


def test_adds_no_sentence_between_a_person_and_a_pronoun():
    for later in ("In March 1991, he joined Tillamere.", "Effective 1991 he was named Director."):
        text = f"Mr. Poe was named Buyer in 1983. {later}"
        assert added(text, 27, "Ms. Roe spoke.") == f"{text} Ms. Roe spoke."


@pytest.mark.parametrize(
    "table",
    [
        "(In thousands) | 2021 | 2020\nCost of sales | 242 | 188\nOther expense:\nRent | 7 | 5",
        "Cost of sales........   $ 242     $ 188\n\nTax rate.............     11%       10%",
    ],
)
def test_adds_sentences_below_the_whole_table(table: str):
    text = f"{table}\n\nOur lease ends in May."
    assert added(text, text.find("242"), "We sell coal.") == (
        f"{table}\n\nWe sell coal.\n\nOur lease ends in May."
    )
    assert added(table, table.find("242"), "We sell coal.") == f"{table}\n\nWe sell coal."


def test_an_addition_speaks_as_the_paragraph_that_states_the_answer():
    text = "The Company earned $9.1 million in 2021.\n\nWe expect that our costs and our debt rise."
    base = base_question(text, "net income", "2021", "$9.1 million")
    question = read_question(inputs(base, "epistemic_mismatch, high"), is_single=True)
    added_texts = [
        perturbed.signal[0].replace(text.partition("\n")[0], "").partition("\n")[0]
        for _, perturbed, _ in perturbations(question)
    ]
    assert added_texts
    assert not any("our " in each.lower() for each in added_texts)


def test_a_play_of_the_asked_figure_comes_before_one_that_fits_any_question():
    for stratum in ("granularity_mismatch, medium", "epistemic_mismatch, medium"):
        question = read_question(inputs(PROSE, stratum), is_single=True)
        order = [play.is_last for play, _, _ in perturbations(question)]
        assert order == sorted(order)
        assert set(order) == {False, True}


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
