"""Replies of the rewriting operations, readable and unreadable."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tasks.core.rows import Case, Reject
from tasks.inference.operation import ParseError
from tasks.suites.failsafeqa.perturbations import incomplete, out_of_domain
from tasks.suites.failsafeqa.perturbations.rewriting import fault_of, read_rewriting

QUERY = "What was net income in 2017?"


@pytest.mark.parametrize(
    ("reply", "query"),
    [
        ("<query>net income 2017</query>", "net income 2017"),
        (
            ("Let me think.\n\n<query>net income 2017</query>\n<query> net income 2017 </query>"),
            "net income 2017",
        ),
        ("net income 2017", "net income 2017"),
        ('  "net income 2017"\n', "net income 2017"),
        ("<QUERY>\nnet income 2017\n</QUERY>", "net income 2017"),
    ],
)
def test_the_query_is_read_from_its_tags_or_from_a_bare_line(reply, query):
    assert read_rewriting(reply, are_terms=True) == query


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        ("", "empty"),
        ("<query> </query>", "empty"),
        ("<query>?</query>", "no text"),
        ("net income\n2017", "several lines"),
        ("<query>net income\n2017</query>", "several lines"),
        ("Answer: it was $5 million", "no line that is a request"),
        ("<query>The answer is $5 million</query>", "answers the query"),
        ("Sure, net income 2017", "refuses"),
        ("I cannot rewrite this.", "refuses"),
        (f"<query>{'x' * 1001}</query>", "more than 1000"),
    ],
)
def test_rejects_replies_that_are_no_query(reply, says):
    with pytest.raises(ParseError, match=says):
        read_rewriting(reply)


@pytest.mark.parametrize(
    ("rewritten", "fault"),
    [
        ("net income 2017", None),
        ("what was NET INCOME in 2017", "the rewriting is the query itself"),
        ("net income", "the rewriting loses a figure of the query"),
        (
            "net income 2017: $5.2 million",
            "the rewriting brings a figure that the query does not have",
        ),
        ("net income of the whole group for the business year 2017", "the rewriting is too long"),
    ],
)
def test_rewriting_must_differ_and_keep_the_figures(rewritten, fault):
    assert fault_of(QUERY, rewritten, most_chars=50) == fault


def test_the_name_of_the_form_is_no_figure():
    assert fault_of("What does the 10-K say about backlog?", "yearly report backlog", 100) is None
    assert fault_of("What was $1,200 for?", "$1200 purpose", 100) is None


@pytest.mark.parametrize("part", [incomplete, out_of_domain])
def test_a_models_rewriting_becomes_the_case(part, cases, material, canned):
    engine = canned(lambda operation, inputs: f"<query>{inputs['query'].split(' ', 1)[1]}</query>")
    rows = list(part.perturb(cases, replace(material, generators=[engine])))
    for case, row in zip(cases, rows, strict=True):
        assert isinstance(row, Case)
        assert row.query == case.query.split(" ", 1)[1]
    assert [call.request.operation for call in engine.asked[0]] == [part.OPERATION.name] * len(
        cases
    )
    assert [call.request.case_id for call in engine.asked[0]] == [case.case_id for case in cases]
    assert len({call.prefix.prefix_id for call in engine.asked[0]}) == 1


@pytest.mark.parametrize("part", [incomplete, out_of_domain])
@pytest.mark.parametrize(
    ("reply", "reason", "detail"),
    [
        ("", "no rewriting could be read from the reply", "empty"),
        ("{query}", "the rewriting is the query itself", "->"),
        ("<query>the figure 99</query>", "the rewriting", "99"),
    ],
)
def test_rejects_a_useless_reply_with_the_reason(
    part, reply, reason, detail, cases, material, canned
):
    engine = canned(lambda operation, inputs: reply.replace("{query}", inputs["query"]))
    rows = list(part.perturb(cases, replace(material, generators=[engine])))
    assert len(rows) == len(cases)
    for case, row in zip(cases, rows, strict=True):
        assert isinstance(row, Reject)
        assert row.parent_id == case.case_id
        assert row.reason.startswith(reason)
        assert detail in row.detail
