"""Replies of the rewriting operations, readable and unreadable."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tasks.core.rows import Case, Reject
from tasks.inference.operation import ParseError
from tasks.suites.failsafeqa.perturbations.rewriting import (
    INCOMPLETE,
    OUT_OF_DOMAIN,
    read_rewriting,
    rewrite_cases,
)
from tests.some import some

QUERY = "What was net income in 2017?"


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        ("", "gives no query"),
        ("Query: ?", "is empty"),
        ("Query: The answer is $5 million", "answers the query"),
        (f"Query: {'x' * 1001}", "more than 1000"),
    ],
)
def test_rejects_replies_that_are_no_query(reply, says):
    with pytest.raises(ParseError, match=says):
        read_rewriting(reply)


@pytest.mark.parametrize(
    ("how", "rewritten", "fault"),
    [
        (INCOMPLETE, "net income 2017", ""),
        (INCOMPLETE, "what was NET INCOME in 2017", "the rewriting is the query itself"),
        (INCOMPLETE, "What was net income in 2017, then?", "the rewriting is too long"),
        (
            OUT_OF_DOMAIN,
            "net income 2017: $5.2 million",
            "the rewriting brings an amount or a year of its own: $5.2 million",
        ),
    ],
)
def test_rewriting_must_differ_and_bring_no_figure(how, rewritten, fault):
    assert how.fault_of(QUERY, rewritten) == fault


REWRITES = {
    "incomplete": lambda query: query.rpartition(" in ")[0].split(" ", 1)[1],
    "out_of_domain": lambda query: query.split(" ", 1)[1],
}


def scripted(canned, first, again, verdict=lambda inputs: "same"):
    """An engine that rewrites as `first`, then as `again`, and checks as `verdict` says."""

    def reply(operation, inputs):
        if operation == "check_same_answer":
            return json.dumps({"reason": "Two years.", "verdict": verdict(inputs)})
        return f"Query: {(again if inputs['earlier'] else first)(inputs['query'])}"

    return canned(reply)


@pytest.mark.parametrize("part", [INCOMPLETE, OUT_OF_DOMAIN])
def test_a_models_rewriting_becomes_the_case_if_a_check_finds_the_same_answer(
    part, cases, material, canned
):
    cases = some(case for case in cases if " in 2" in case.query)
    engine = scripted(canned, REWRITES[part.name], REWRITES[part.name])
    rows = {
        row.qa_pair_id: row
        for row in rewrite_cases(part, cases, replace(material, generators=[engine]))
    }
    for case in cases:
        row = rows[case.qa_pair_id]
        assert isinstance(row, Case)
        assert row.query == REWRITES[part.name](case.query)
        details = json.loads(row.details)
        checks = [call for call in engine.calls if call.request.operation == "check_same_answer"]
        (check,) = (call for call in checks if call.request.case_id == case.case_id)
        assert details["same_answer"] == {"request_id": check.request.request_id, "verdict": "same"}
        assert check.inputs() == {
            "context": material.contexts[case.context_id].text,
            "company": material.company_names[case.context_id],
            "query": case.query,
            "answer": case.target,
            "rewritten": row.query,
        }


@pytest.mark.parametrize("part", [INCOMPLETE, OUT_OF_DOMAIN])
@pytest.mark.parametrize(
    ("verdict", "reason"),
    [
        ("several", "the document has several answers to the rewriting"),
        ("another", "the rewriting asks for something else"),
    ],
)
def test_a_rewriting_with_another_answer_is_asked_again_then_rejected(
    part, verdict, reason, cases, material, canned
):
    engine = scripted(
        canned,
        REWRITES[part.name],
        lambda query: f"Why {REWRITES[part.name](query)}"[:-1],
        lambda inputs: verdict,
    )
    (row,) = rewrite_cases(part, cases[:1], replace(material, generators=[engine]))
    assert isinstance(row, Reject)
    assert row.reason == reason
    assert [call.request.operation for call in engine.calls] == [
        part.operation.name,
        "check_same_answer",
    ] * 2
    assert f"{reason}: Two years." in engine.calls[2].inputs()["earlier"]


def test_a_check_that_cannot_be_read_is_a_reject(cases, material, canned):
    engine = scripted(canned, *[REWRITES["incomplete"]] * 2, lambda inputs: "maybe")
    (row,) = rewrite_cases(INCOMPLETE, cases[:1], replace(material, generators=[engine]))
    assert row.reason == "no verdict on the same answer could be read"
