"""The free engine's demonstration: a template for each stratum, passed unchecked."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tasks.baseline.refusalbench import RULES
from tasks.baseline.refusalbench.answering import UNCHECKED
from tasks.baseline.refusalbench.templates import questions_on
from tasks.inference.client import Client
from tasks.inference.engines.extractive import Extractive
from tasks.suites.refusalbench.base.answers import holds
from tasks.suites.refusalbench.catalogue import target_of
from tasks.suites.refusalbench.generation import GENERATE, perturb
from tasks.suites.refusalbench.passages import perturbed_texts
from tasks.suites.refusalbench.rows import BaseQuestion, Perturbation
from tasks.suites.refusalbench.verification import VERIFY
from tasks.suites.shared.contexts import ContextInputs
from tests.perturbed import base_question, inputs_of, pair_of

TABLE = """[Acme Corp., annual report, fiscal year ended December 31, 2023]
(In millions) | 2023 | 2022
Net sales | $7,700 | $7,100
Inventories | $900 | $800
Segment income | $100 | $90
Net loss | $(5) | $(4)"""
QUERY, ANSWER = "What were Acme's inventories at the end of fiscal 2023?", "$900 million"


def fact(setting: Any) -> BaseQuestion:
    base = base_question(0, setting, n_signal=1)
    passages = tuple(replace(one, text=TABLE) if one.is_signal else one for one in base.passages)
    return replace(base, query=QUERY, answers=(ANSWER,), passages=passages)


BASES = [fact("single"), fact("multi")]


def engine() -> Client:
    operations = {each.name: each for each in (GENERATE, VERIFY)}
    return Client(Extractive(operations, RULES), part=None)


@pytest.fixture(scope="module")
def made() -> list[Perturbation]:
    rows = [*BASES, *map(pair_of, BASES)]
    return list(perturb(inputs_of(*rows, engines={"generator": [engine()]})))


def test_facts_are_certain_positive_cells_of_the_company_as_a_whole() -> None:
    assert dict(questions_on(TABLE)) == {
        "What were Acme's net sales in 2023?": "$7,700 million",
        "What were Acme's net sales in 2022?": "$7,100 million",
        "What were Acme's inventories at the end of fiscal 2023?": "$900 million",
        "What were Acme's inventories at the end of fiscal 2022?": "$800 million",
    }
    assert not [*questions_on(TABLE.partition("\n")[2])]


def test_each_stratum_is_perturbed_in_both_settings_as_its_class_says(
    made: list[Perturbation],
) -> None:
    assert len(made) == 2 * 18
    for each in made:
        assert each.unread_reason is None, (each.setting, each.perturbation_class, each.intensity)
        assert each.reasoning == UNCHECKED
        target = target_of(each.setting, each.perturbation_class)
        base = next(base for base in BASES if base.base_question_id == each.base_question_id)
        changed = [base.passages[change.index].is_signal for change in each.changes]
        assert target.query != "must" or each.query != QUERY
        assert target.signal != "all" or True in changed
        assert target.noise != "one" or changed == [False]


def test_the_answer_stays_at_low_intensity_and_goes_if_information_is_missing(
    made: list[Perturbation],
) -> None:
    for each in made:
        base = next(base for base in BASES if base.base_question_id == each.base_question_id)
        texts = perturbed_texts(base, each.changes)
        is_missing = each.perturbation_class == "missing_info" and each.intensity != "low"
        assert any(holds(text, ANSWER) for text in texts) != is_missing


def test_the_reader_answers_with_a_figure_or_refuses() -> None:
    assert RULES["answer"].reply(ContextInputs(TABLE, QUERY)) == ANSWER
    assert RULES["answer"].reply(ContextInputs(TABLE, "Who audits it?")).startswith("REFUSE_INFO")
    reply = RULES["answer_confidence"].reply(ContextInputs(TABLE, QUERY))
    assert reply.startswith(f"ANSWER: {ANSWER}")
    assert "CONFIDENCE: " in reply
    panel = json.loads(RULES["panel_answer"].reply(ContextInputs(TABLE, QUERY)))
    assert panel["answer"] == ANSWER
