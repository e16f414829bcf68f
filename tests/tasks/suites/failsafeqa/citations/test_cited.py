"""The part that cites: pairs in; cited pairs or rejects out, in order."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import pytest

from tasks.baseline.failsafeqa import RULES
from tasks.core.rows import Context, QAPair, Reject
from tasks.filings.reader.filing import parse_filing
from tasks.inference.engines.extractive import Extractive
from tasks.models.catalogue import CitationFormat
from tasks.quantities.figures import find_figures
from tasks.suites.failsafeqa.citations import json_spans, longcite
from tasks.suites.failsafeqa.citations.cited import CHECK, cite
from tasks.suites.failsafeqa.contexts import truncate
from tasks.text.sentences import split_sentences
from tests.scripted import Scripted

BEFORE = "ACME MILLS, INC.\n\nAnnual report for 2017.\n\n"
CONTEXT_TEXT = (
    "Item 1. Business\n\nAcme Mills makes paper. It was founded in 1901.  Mills stand in Ohio.\n\n"
    "As of year end, we employed 1,250 people. Most of them are in Ohio.\n\n | 2017 | 2016\n"
    "Net sales | 12,345 | 11,800\n\n"
    "Prices rose."
)
TEXT = BEFORE + CONTEXT_TEXT + "\n\nItem 2. Properties\n\nWe own two mills."
CONTEXT = Context(
    context_id="ctx-1", document_ids=("doc-1",), kind="truncated", text=CONTEXT_TEXT, n_tokens=1,
    encoding="cl100k_base", start_char=len(BEFORE), details="{}",
)  # fmt: skip
PAIR = QAPair(
    qa_pair_id="pair-1", context_id="ctx-1", query="How many people does Acme employ?",
    answer="It employed 1,250 people.", task="qa", citations=(), citation_text="", quality=5,
)  # fmt: skip
FORMATS: list[CitationFormat] = ["longcite", "json"]

OPERATIONS = {
    operation.name: operation for operation in (longcite.OPERATION, json_spans.OPERATION, CHECK)
}


YES = Scripted(lambda call: "Verdict: yes")
CUT_OFF = Scripted(lambda call: "Verdict: yes", finish_reason="length")


def run(
    citer, checker=YES, pairs=(PAIR,), context=CONTEXT, reply_format: CitationFormat = "json"
) -> list:
    return list(
        cite(pairs, {"ctx-1": context}, {"doc-1": TEXT}, citer, checker, reply_format=reply_format)
    )


def always(text: str | None) -> Scripted:
    return Scripted(lambda call: text)


def cites(number: int) -> str:
    """Cite one sentence or table row in JSON."""
    return f'{{"statements": [{{"statement": "A", "citation": [[{number}, {number}]]}}]}}'


@pytest.mark.parametrize("end", ["Prices rose.", "Net sales | 12,345 | 11,800", "It was founded"])
def test_nothing_beyond_the_context_is_cited(end: str) -> None:
    context = replace(CONTEXT, text=CONTEXT_TEXT[: CONTEXT_TEXT.index(end) + len(end)])
    tagged = json_spans.tagged(context.text)[1]
    (pair,) = run(always(cites(len(tagged) - 1)), context=context)
    assert pair.citations[-1].quote.endswith(end)


@pytest.mark.parametrize(
    ("citer", "checker", "reason"),
    [
        (always(None), YES, "citation reply unreadable"),
        (always("I cannot."), YES, "citation reply unreadable"),
        (always(cites(99)), YES, "no citation found"),
        (always(cites(3)), always(None), "support verdict unreadable"),
        (always(cites(3)), always("Well."), "support verdict unreadable"),
        (always(cites(3)), always("Verdict: no"), "citations do not support the answer"),
        (always(cites(3)), CUT_OFF, "support verdict unreadable"),
    ],
)
def test_rejects_say_where_and_why(citer, checker, reason: str) -> None:
    (row,) = run(citer, checker)
    assert isinstance(row, Reject)
    assert (row.stage, row.parent_id, row.reason) == ("qa_pairs", "pair-1", reason)
    assert row.detail


def test_what_is_whole_in_a_cut_reply_counts() -> None:
    cut = Scripted(
        lambda call: "<statement>A<cite>[3-3]</cite></statement><statement>B<ci",
        finish_reason="length",
    )
    assert isinstance(run(cut, reply_format="longcite")[0], QAPair)
    cut = Scripted(
        lambda call: '{"statements": [{"statement": "A", "citation": [[4, 4]]}, {"stat',
        finish_reason="length",
    )
    assert isinstance(run(cut)[0], QAPair)


def test_pairs_keep_their_order_and_every_one_comes_out_once() -> None:
    pairs = [replace(PAIR, qa_pair_id=f"pair-{n}", answer=f"Answer {n}.") for n in range(6)]
    citer = Scripted(lambda call: None if "Answer 2" in call.request.suffix else cites(3))
    checker = Scripted(
        lambda call: "Verdict: no" if "Answer 4" in call.request.suffix else "Verdict: yes"
    )
    rows = run(citer, checker, pairs)
    assert [row.parent_id if isinstance(row, Reject) else row.qa_pair_id for row in rows] == [
        p.qa_pair_id for p in pairs
    ]
    assert [type(row).__name__ for row in rows].count("Reject") == 2
    assert len(checker.calls) == 5


@pytest.mark.parametrize("reply_format", FORMATS)
@pytest.mark.parametrize("filing", ["textron_2001_10-K405_main.txt", "sandston_2021_main.htm.gz"])
def test_cites_answers_from_a_real_filing_in_place(
    shared: Path, filing: str, reply_format: CitationFormat
) -> None:
    data = (shared / "filings" / filing).read_bytes()
    document = parse_filing(
        gzip.decompress(data) if filing.endswith(".gz") else data, filing
    ).document
    later = replace(document, paragraphs=document.paragraphs[30:])  # so that offsets count
    context = truncate(later, limit=8_000)
    assert isinstance(context, Context)
    assert context.start_char > 0
    stated = [
        (start, context.text[start:end])
        for start, end in split_sentences(context.text)
        if end - start > 80
        and " | " not in context.text[start:end]
        and find_figures(context.text[start:end])
    ][:12]
    pairs = [
        replace(
            PAIR,
            qa_pair_id=str(start),
            context_id=context.context_id,
            query="What is stated?",
            answer=sentence,
        )
        for start, sentence in stated
    ]
    engine = Extractive(OPERATIONS, RULES)
    texts = {document.document_id: document.text}
    rows = list(
        cite(pairs, {context.context_id: context}, texts, engine, engine, reply_format=reply_format)
    )
    assert len(rows) == len(pairs) > 5
    for row in rows:
        assert isinstance(row, QAPair), row
        start = int(row.qa_pair_id) + context.start_char
        assert all(document.text[c.start_char : c.end_char] == c.quote for c in row.citations)
        assert any(c.start_char <= start < c.end_char for c in row.citations)
