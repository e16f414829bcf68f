"""The laws of every perturbation."""

from __future__ import annotations

import dataclasses
import json
import random

import pytest

from tasks.core.ids import canonical_json, stable_id
from tasks.core.rows import Case, Context, Reject
from tasks.suites.failsafeqa.perturbations import PERTURBATIONS
from tests.some import some

QUERY_SIDE = ["misspelled", "incomplete", "out_of_domain"]


@pytest.mark.parametrize("name", PERTURBATIONS)
def test_each_case_becomes_one_case_or_one_reject(name, cases, material):
    rows = list(PERTURBATIONS[name](cases, material))
    of_cases = [row for row in rows if isinstance(row, Case)]
    of_rejects = [row for row in rows if isinstance(row, Reject)]
    assert len(of_cases) + len(of_rejects) == len(cases)
    outcomes = {row.qa_pair_id for row in of_cases} | {
        case.qa_pair_id for case in cases for row in of_rejects if row.parent_id == case.case_id
    }
    assert outcomes == {case.qa_pair_id for case in cases}
    assert of_cases, "no case at all came through"


@pytest.mark.parametrize("name", PERTURBATIONS)
def test_changed_case_keeps_its_pair_and_records_the_change(name, cases, material):
    before = {case.qa_pair_id: case for case in cases}
    for row in some(PERTURBATIONS[name](cases, material)):
        if not isinstance(row, Case):
            continue
        was = before[row.qa_pair_id]
        assert row.case_id == stable_id("case", row.qa_pair_id, row.suite, name)
        assert (row.variant, row.suite) == (name, was.suite)
        assert (row.query, row.context_id) != (was.query, was.context_id)
        assert row.details == canonical_json(json.loads(row.details))
        assert json.loads(row.details)
        if name in QUERY_SIDE:
            assert (row.context_id, row.target) == (was.context_id, was.target)
            assert row.is_answerable


@pytest.mark.parametrize("name", PERTURBATIONS)
def test_order_and_partitioning_change_nothing(name, cases, material):
    whole = {_id(row): row for row in PERTURBATIONS[name](cases, material)}
    shuffled = list(cases)
    random.Random(3).shuffle(shuffled)
    again = {_id(row): row for row in PERTURBATIONS[name](shuffled, material)}
    parts = {
        _id(row): row
        for part in (shuffled[:2], shuffled[2:])
        for row in PERTURBATIONS[name](iter(part), material)
    }
    assert whole == again == parts


@pytest.mark.parametrize("name", ["misspelled", "ocr", "irrelevant_context"])
def test_the_seed_matters(name, cases, material):
    other = dataclasses.replace(material, seed=material.seed + 1)
    assert list(PERTURBATIONS[name](cases, material)) != list(PERTURBATIONS[name](cases, other))


def _id(row: Case | Context | Reject) -> str:
    if isinstance(row, Case):
        return row.case_id
    return row.context_id if isinstance(row, Context) else row.reject_id
