"""Hasty queries that leave out what makes a query complete."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tasks.core.rows import Case, Reject
from tasks.suites.failsafeqa.perturbations.incomplete import dropped_parts, perturb

QUERY = "What was Textron's consolidated net income in 2001?"


def test_the_part_makes_cases_and_rejects(cases, material):
    rows = list(perturb([cases[0], replace(cases[1], query="EBITDA?")], material))
    (case,) = (row for row in rows if isinstance(row, Case))
    (reject,) = (row for row in rows if isinstance(row, Reject))
    assert case.query == "net sales in 2017?"  # the context has two years
    assert json.loads(case.details)["dropped"] == ["company"]
    assert json.loads(case.details)["attempts"] == 2
    assert json.loads(case.details)["same_answer"]["verdict"] == "same"
    assert reject.reason == "the rewriting is the query itself"


def test_drops_a_period_if_the_document_states_one_value(cases, material):
    (row,) = perturb([cases[1]], material)  # research and development of two years
    assert isinstance(row, Reject)
    (row,) = perturb([cases[2]], material)
    assert row.query == "number of people employed?"
    assert json.loads(row.details)["dropped"] == ["company", "period"]


@pytest.mark.parametrize(
    ("rewritten", "dropped"),
    [
        ("consolidated net income in 2001?", ["company"]),
        ("Textron consolidated net income?", ["period"]),
        ("Textron's net income 2001", ["qualifier"]),
        ("net income?", ["company", "period", "qualifier"]),
        ("Textron consolidated net income 2001?", []),
    ],
)
def test_labels_say_what_is_left_out(rewritten, dropped):
    assert dropped_parts(QUERY, rewritten, "TEXTRON INC.") == dropped


def test_leaving_out_function_words_alone_is_not_enough(cases, material, canned):
    def said(operation, inputs):
        if operation == "check_same_answer":
            return "Verdict: same"
        if "leaves out neither" in inputs["earlier"]:
            return "Query: net sales 2017"
        return "Query: net sales of Harbor Lantern 2017"

    (row,) = perturb(cases[:1], replace(material, generators=[canned(said)]))
    assert row.query == "net sales 2017"
    assert json.loads(row.details)["attempts"] == 2
