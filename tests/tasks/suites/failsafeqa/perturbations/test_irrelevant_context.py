"""Queries borrowed from another filing are out of scope."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import pytest

from tasks.core.rows import Case, Reject
from tasks.suites.failsafeqa.perturbations.irrelevant_context import (
    MOST_QUESTIONS,
    MOST_USES,
    perturb,
)
from tests.some import some
from tests.tasks.suites.failsafeqa.perturbations.conftest import baseline, context_of, pair_of


def says(verdict):
    return lambda operation, inputs: f"Because.\nVerdict: {verdict}"


def test_the_query_and_its_answer_come_from_another_filing(cases, material):
    rows = [row for row in perturb(cases, material) if isinstance(row, Case)]
    assert len(rows) == len(cases)
    for row in rows:
        details = json.loads(row.details)
        donor = material.pairs[details["donor_qa_pair_id"]]
        assert (row.query, row.target) == (donor.query, donor.answer)
        assert row.context_id == material.pairs[row.qa_pair_id].context_id != donor.context_id
        assert details["donor_filing_id"] == material.filing_ids[donor.context_id]
        assert not row.is_answerable
        assert details["model_check"]["verdict"] == "not answerable"
    assert len({(row.context_id, row.query) for row in rows}) == len(rows)


def test_a_donor_whose_figure_the_context_has_lends_nothing(cases, material, canned):
    harbor = material.contexts["ctx-harbor"]
    text = f"{harbor.text}\n\nIn 2003, a mill sold 18,340 tons for $7.45 million."
    contexts = {**material.contexts, "ctx-harbor": replace(harbor, text=text)}
    one = replace(material, contexts=contexts, generators=[canned(says("not answerable"))])
    rows = list(perturb(cases[:3], one))
    lent = [row.query for row in rows if isinstance(row, Case)]
    assert lent == ["Who holds the mortgage on the cider mill?"]
    reasons = {row.reason for row in rows if isinstance(row, Reject)}
    assert reasons == {"no query from another filing is out of scope here"}


def test_calls_about_one_context_share_a_prefix_and_stand_together(cases, material, canned):
    engine = canned(says("not answerable"))
    list(perturb(cases, replace(material, generators=[engine])))
    prefixes = [call.prefix.prefix_id for call in engine.asked[0]]
    assert len(set(prefixes)) == 2
    assert prefixes == sorted(prefixes, key=prefixes.index)
    call = engine.asked[0][0]
    assert call.inputs()["context"] in call.prefix.text
    assert call.inputs()["query"] in call.request.suffix


@pytest.mark.parametrize("reply", ["[[answerable]]", "it may be answerable or not"])
def test_rejects_a_case_if_no_query_is_said_to_be_out_of_scope(reply, cases, material, canned):
    engine = canned(lambda operation, inputs: reply)
    rows = list(perturb(cases, replace(material, generators=[engine])))
    assert {row.reason for row in rows if isinstance(row, Reject)} == {
        "no query from another filing is out of scope here"
    }
    asked = Counter(call.request.subject_id for calls in engine.asked for call in calls)
    assert max(asked.values()) <= MOST_QUESTIONS


def test_one_filing_alone_cannot_borrow(cases, material):
    only = {key: pair for key, pair in material.pairs.items() if pair.context_id == "ctx-harbor"}
    rows = list(perturb(cases[:3], replace(material, pairs=only)))
    assert {row.reason for row in rows} == {"no other filing to borrow a query from"}


def test_a_donor_lends_its_query_twice_at_most(material):
    pairs = [
        pair_of(n, f"f{n}", f"How much did Quill{n} earn in {1960 + n}?", f"${n + 100}.5 million")
        for n in range(60)
    ]
    contexts = [context_of(f"f{n}", f"Quill{n} earned ${n + 300}.7 million.") for n in range(60)]
    many = replace(
        material,
        pairs={pair.qa_pair_id: pair for pair in pairs},
        contexts={context.context_id: context for context in contexts},
        filing_ids={context.context_id: f"filing {context.context_id}" for context in contexts},
        company_names={},
    )
    rows = some(perturb([baseline(pair) for pair in pairs], many))
    uses = Counter(json.loads(row.details)["donor_qa_pair_id"] for row in rows)
    assert uses.total() == 60
    assert max(uses.values()) <= MOST_USES
