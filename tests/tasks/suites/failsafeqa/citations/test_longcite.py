"""LongCite: agreement with the official post-processing, and the operation around it."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from tasks.inference.operation import ParseError
from tasks.inference.prompts import fill
from tasks.suites.failsafeqa.citations.longcite import OPERATION, CitationInputs, read_reply, tagged
from tasks.suites.failsafeqa.citations.statements import cited_spans
from tests.some import some

CONTEXT = "Sales rose. Costs fell by 3%.\n\nThe Company owns a mill. It has 12 staff."


def oracle(shared: Path) -> list[dict]:
    lines = (
        (shared / "reference" / "longcite" / "citation_spans.jsonl").read_text("utf-8").splitlines()
    )
    return [json.loads(line) for line in lines]


def cited(context: str, reply: str) -> list[list[tuple[int, int]]]:
    """Each statement's citations, as spans of the context's characters."""
    _, sentences = tagged(context)
    return [[*cited_spans(runs, sentences)] for runs in read_reply(reply)]


def test_cited_spans_agree_with_every_case_of_the_oracle(shared: Path) -> None:
    cases = oracle(shared)
    assert len(cases) == 120
    for case in cases:
        official = [
            [(span["start_char_idx"], span["end_char_idx"]) for span in statement["citation"] or ()]
            for statement in case["all_statements"]
        ]
        if "</statement>" not in case["model_output"]:
            assert not any(official), case["id"]
            continue
        ours = cited(case["context"], case["model_output"])
        # the official reader also lists the text between statements, which cites nothing
        assert list(filter(None, ours)) == list(filter(None, official)), case["id"]


def test_tagged_sentences_agree_with_every_case_of_the_oracle(shared: Path) -> None:
    for case in some(oracle(shared)):
        text, sentences = tagged(case["context"])
        assert text == case["splited_context"], case["id"]
        assert len(sentences) == case["n_sentences"], case["id"]


def test_overlong_number_cites_nothing() -> None:
    reply = f"<statement>Yes<cite>[0-{'9' * 5000}][1-{'9' * 30}]</cite></statement>"
    assert [end for ((_, end),) in cited(CONTEXT, reply)] == [len(CONTEXT)]


@pytest.mark.parametrize("reply", ["", "Sales rose.", "<statement>Sales rose.<cite>[0-0]</cite>"])
def test_a_reply_without_a_closed_statement_is_unreadable(reply: str) -> None:
    with pytest.raises(ParseError, match="no <statement> that is closed"):
        read_reply(reply)


def test_the_prompt_has_the_layout_that_longcite_was_tuned_on(shared: Path) -> None:
    """Instruction, the tagged document between its marks, an empty line, and the question."""
    for case in some(oracle(shared)):
        context, _ = tagged(case["context"])
        inputs = asdict(CitationInputs(context, case["query"], "It is 5."))
        filled = fill(OPERATION.template, inputs)
        prompt = filled.prefix + filled.suffix
        assert context == case["splited_context"]
        instruction, _, rest = prompt.partition("\n\n[Document Start]\n")
        assert "<statement>" in instruction
        assert "\n\n" not in instruction
        assert rest.startswith(f"{context}\n[Document End]\n\n{case['query']}\n")
        assert "Question:" not in prompt.replace(context, "")
