"""LongCite: agreement with the official post-processing, and the operation around it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.inference.operation import ParseError
from tasks.inference.prompts import inputs_of
from tasks.suites.failsafeqa.citations.longcite import (
    OPERATION,
    Inputs,
    parse,
    sentence_spans,
    tag_sentences,
)
from tests.some import some

CONTEXT = "Sales rose. Costs fell by 3%.\n\nThe Company owns a mill. It has 12 staff."


def oracle(shared: Path) -> list[dict]:
    lines = (
        (shared / "reference" / "longcite" / "citation_spans.jsonl").read_text("utf-8").splitlines()
    )
    return [json.loads(line) for line in lines]


def test_statements_and_spans_agree_with_every_case_of_the_oracle(shared: Path) -> None:
    cases = oracle(shared)
    assert len(cases) == 120
    for case in cases:
        assert parse(case["context"], case["model_output"]) == case["all_statements"], case["id"]


def test_tagged_sentences_agree_with_every_case_of_the_oracle(shared: Path) -> None:
    for case in some(oracle(shared)):
        assert tag_sentences(case["context"]) == case["splited_context"], case["id"]
        assert len(sentence_spans(case["context"])) == case["n_sentences"], case["id"]


def test_the_operation_reads_the_statements_that_parse_resolves(shared: Path) -> None:
    for case in some(oracle(shared)):
        if "</statement>" in case["model_output"]:
            raw = OPERATION.parse(case["model_output"])
            assert [s.statement for s in raw] == [s["statement"] for s in case["all_statements"]]


@settings(deadline=None)
@given(st.text(alphabet=st.sampled_from("AB. \n。！?Inc\u201d"), max_size=80))
def test_sentences_cover_a_context_from_the_first_one_to_its_end(context: str) -> None:
    spans = sentence_spans(context)
    if context.strip():
        assert context[: spans[0][0]].strip() == ""
        assert "".join(context[start:end] for start, end in spans) == context[spans[0][0] :]
        assert all(not context[start].isspace() for start, _ in spans)
    else:
        assert spans == []


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "<statement>",
                "</statement>",
                "<cite>",
                "</cite>",
                "[0-1]",
                "[2-2]",
                "[1-0]",
                "[3]",
                "Yes.",
                "[9-9]",
                " ",
            ]
        )
    ).map("".join)
)
def test_spans_are_quotes_of_the_context_for_any_reply(reply: str) -> None:
    for statement in parse(CONTEXT, reply):
        for span in statement["citation"] or ():
            assert span["cite"] == CONTEXT[span["start_char_idx"] : span["end_char_idx"]] != ""
            assert 0 <= span["start_sentence_idx"] <= span["end_sentence_idx"] < 4
        assert len(statement["citation"] or ()) <= 3


def test_overlong_number_cites_nothing() -> None:
    (_, statement, _) = parse(
        CONTEXT, f"<statement>Yes<cite>[0-{'9' * 5000}][1-{'9' * 30}]</cite></statement>"
    )
    assert [span["end_sentence_idx"] for span in statement["citation"] or ()] == [3]


def test_an_empty_context_has_no_sentences_to_cite() -> None:
    assert tag_sentences("") == ""
    assert parse("", "<statement>Yes<cite>[0-0]</cite></statement>")[1]["citation"] == []


@pytest.mark.parametrize("reply", ["", "Sales rose.", "<statement>Sales rose.<cite>[0-0]</cite>"])
def test_a_reply_without_a_closed_statement_is_unreadable(reply: str) -> None:
    with pytest.raises(ParseError, match="no <statement> that is closed"):
        OPERATION.parse(reply)


def test_the_splitter_is_trained_once_per_context(monkeypatch: pytest.MonkeyPatch) -> None:
    import nltk.tokenize.punkt

    trained = []
    official = nltk.tokenize.punkt.PunktSentenceTokenizer
    monkeypatch.setattr(
        nltk.tokenize.punkt,
        "PunktSentenceTokenizer",
        lambda text: trained.append(text) or official(text),
    )
    context = "A context that no other test uses. It has two sentences."
    for _ in range(3):
        tag_sentences(context)
        parse(context, "<statement>Yes<cite>[0-0]</cite></statement>")
    assert trained == [context]


def test_the_template_takes_the_operations_inputs() -> None:
    assert sorted(inputs_of(OPERATION.template)) == sorted(Inputs.__dataclass_fields__)
