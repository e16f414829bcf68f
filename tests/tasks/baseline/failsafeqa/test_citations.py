"""The rules that cite find the sentences that state an answer."""

from __future__ import annotations

import json

import jsonschema

from tasks.baseline.failsafeqa.citations import reply_in_json, reply_in_longcite
from tasks.suites.failsafeqa.citations import json_spans, longcite
from tasks.suites.failsafeqa.citations.statements import cited_spans

REPORT = "Sales rose. Costs fell by 3%.\n\nThe Company owns a mill. It has 12 staff."
ROWS = (
    "Sales rose. Costs fell.\n\nUnits sold | 1993 | 1992\n"
    "Cars | 12 | 11\n\nThe Company owns a mill."
)


def test_the_rule_cites_a_row_and_the_head_that_names_its_year() -> None:
    context = (
        "We make cars.\n\n | 1993 | 1992\nTrucks | 5,400 | 5,100\n"
        "Cars | 12,340 | 11,200\nBuses | 77 | 61\n\nWe like cars."
    )
    reply = reply_in_json(
        json_spans.Inputs(
            json_spans.tagged(context)[0],
            "How many cars were sold?",
            "Cars sold in 1993 were 12,340.",
        )
    )
    (runs,) = json_spans.read_reply(reply)
    spans = cited_spans(runs, json_spans.tagged(context)[1])
    assert {context[start:end] for start, end in spans} == {
        "Cars | 12,340 | 11,200",
        "| 1993 | 1992",
    }


def test_the_rule_cites_the_sentences_that_state_the_answer() -> None:
    tagged, sentences = longcite.tagged(REPORT)
    reply = reply_in_longcite(
        longcite.Inputs(tagged, "How many people work there?", "Costs fell 3%. It has 12 staff.")
    )
    cited = [cited_spans(runs, sentences) for runs in longcite.read_reply(reply)]
    assert [[REPORT[start:end].strip() for start, end in spans] for spans in cited] == [
        ["Costs fell by 3%."],
        ["It has 12 staff."],
    ]


def test_cites_nothing_that_the_document_does_not_say() -> None:
    reply = reply_in_longcite(
        longcite.Inputs(
            longcite.tagged(REPORT)[0],
            "Who audits it?",
            "Smith & Wesson LLP audits the accounts in Boise.",
        )
    )
    assert longcite.read_reply(reply) == ((),)


def test_a_json_reply_fits_the_schema() -> None:
    tagged = json_spans.tagged(ROWS)[0]
    reply = reply_in_json(json_spans.Inputs(tagged, "What rose?", "Sales rose. Costs fell."))
    jsonschema.validate(json.loads(reply), json_spans.OPERATION.schema)
