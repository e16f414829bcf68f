"""Maskable figures of Item 7, their neighbours, and those given away."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tasks.quantities.figures import find_figures
from tasks.suites.faith.questions.masked_spans import (
    HAS_MASK,
    OF_ITS_SENTENCE,
    STATED_BESIDE,
    STATED_TWICE,
    FoundSpan,
    find_spans,
    given_away,
)
from tests.masked_filing import masked_filing


@pytest.fixture(scope="module")
def spans() -> list[FoundSpan]:
    return list(find_spans(masked_filing().document))


def with_figure(spans: list[FoundSpan], text: str) -> FoundSpan:
    return next(span for span in spans if span.figure.text == text)


def test_finds_figures_of_sentences_but_not_of_tables_notes_or_periods(spans):
    assert "; ".join(span.figure.text for span in spans) == (
        "$4,100 thousand; $3,900 thousand; 23%; $30 thousand; 26.6%; 27.2%; 26.6%; "
        "$617 thousand; $617 thousand"
    )


def test_span_lies_between_its_neighbours(spans):
    document = masked_filing().document
    for span in spans:
        figure = span.figure
        assert document.text[span.start_char :].startswith(span.sentence)
        assert span.sentence[figure.start_char : figure.end_char] == figure.text
    first, third = with_figure(spans, "$4,100 thousand"), with_figure(spans, "23%")
    assert first.before == "Results of Operations"
    assert first.after == third.sentence
    assert third.before == first.sentence
    # the neighbour before a paragraph's first sentence stands before the table and its notes
    assert with_figure(spans, "$30 thousand").before.startswith("(1) The loss")


def test_passage_has_one_sentence_per_line_without_the_figure(spans):
    span = with_figure(spans, "$4,100 thousand")
    assert (
        span.query.split("\n")[1]
        == "Net sales were [MASK] in 2023, compared with $3,900 thousand in 2022."
    )
    assert "4,100" not in span.query


def test_figure_repeated_in_its_words_is_given_away(spans):
    assert given_away(with_figure(spans, "$4,100 thousand")) is None
    assert given_away(with_figure(spans, "26.6%")) == STATED_TWICE
    assert given_away(with_figure(spans, "$617 thousand")) == STATED_BESIDE
    span = with_figure(spans, "23%")
    # rounded, it is the same: an answer would be taken for right
    assert given_away(replace(span, after="It was 23.4%.")) == STATED_BESIDE
    assert given_away(replace(span, after="It was 24% or $23.")) is None
    assert given_away(replace(span, after="It was [MASK].")) == HAS_MASK


@pytest.mark.parametrize(
    ("sentence", "given"),
    [
        ("Sales rose from $380.2 million by 12% to $426 million.", ["12%", "$426 million"]),
        ("Cost rose by $59, or 211%, to $87.", ["$59", "211%", "$87"]),
        ("Cost rose by $5.0, or 10.0%, from $50.0.", ["$5.0", "10.0%", "$50.0"]),
        ("Sales fell by 38% to $13.7 million from $22.2 million.", ["38%"]),  # others only nearly
    ],
)
def test_a_figure_that_others_of_its_sentence_give_is_given_away(spans, sentence, given):
    spans = [replace(spans[0], sentence=sentence, figure=f) for f in find_figures(sentence)]
    gone = [span.figure.text for span in spans if given_away(span) == OF_ITS_SENTENCE]
    assert gone == given
    assert not any(given_away(span, own_sentence=True) for span in spans)
