"""Sentences: laws for any text, named cases, and agreement with hand-labelled stops."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.text.sentences import Span, split_sentences

HERE = Path(__file__).parent

# Pieces of which filings are made, so that generated texts hit the rules.
PIECES = st.sampled_from(
    [
        "Inc.",
        "U.S.",
        "No. 5",
        "rose 3.5%.",
        "The Company",
        "(a)",
        "\n",
        "\n\n",
        " | ",
        "  ",
        "$1.2",
        "Item 7.",
        '"',
        ")",
        "☐",
        "Why?",
        "é",
        "\t",
    ]
)


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


@settings(deadline=None)
@given(st.one_of(st.text(), st.lists(PIECES).map(" ".join), st.lists(PIECES).map("".join)))
def test_every_visible_character_is_in_exactly_one_sentence(text: str) -> None:
    spans = split_sentences(text)
    covered = [index for start, end in spans for index in range(start, end)]
    assert covered == sorted(set(covered))
    assert {i for i, char in enumerate(text) if not char.isspace()} <= set(covered)
    for start, end in spans:
        assert text[start:end] == text[start:end].strip() != ""
        assert not re.search(r"\n\s*\n", text[start:end])


@settings(deadline=None)
@given(st.lists(PIECES).map(" ".join))
def test_paragraphs_do_not_influence_each_other(text: str) -> None:
    alone = sentences(text)
    assert sentences(f"Before it.\n\n{text}\n\nAfter it.") == ["Before it.", *alone, "After it."]


def test_text_without_words_has_no_sentences() -> None:
    assert split_sentences("") == split_sentences(" \n\n \t") == []


def test_spans_count_from_the_start_of_the_text() -> None:
    assert split_sentences("  Sales rose.  Costs fell. ") == [Span(2, 13), Span(15, 26)]


@pytest.mark.parametrize(
    "text",
    [
        "Acme Holdings, Inc. (the “Company”) is a Delaware corporation.",
        "Mr. J. P. Smith Jr. was appointed on Jan. 2, 2018.",
        "The U.S. Treasury sold No. 2 oil at approx. $3.5 million vs. $2.1 million in 1997.",
        "Costs include (i) rebates, e.g. cash; (ii) reserves, i.e. accruals, etc. and (iii) other.",
        "Item 7. Management's Discussion and Analysis",
        "Refer to “Item 1A. Risk Factors” in this report.",
        "12. Related Party Transactions",
        "Total revenues ........ 12",
        "Yahoo! Inc. is a customer.",
    ],
)
def test_full_stop_inside_a_sentence_does_not_end_it(text: str) -> None:
    assert sentences(text) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "We own 40% of Acme Inc.| The rest is public.",
        "He led Koch Industries, Inc.| Mr. Broadwater came in 2015.",
        "See Note 3.| Total debt was $45.6 million.",
        "It sold plants outside the U.S.| In 2003 it sold more.",
        "Holders own Class B.| They vote.",
        "“We may fail.”| Our auditors doubt it.",
        "Did margins improve?| Yes, by 3.5 points.",
        "It ended in 2016.| 12 plants remain.",
        "Japanese Competition.| The market share of Ford fell.",
        "It has a terminal.|The rest was sold.",
        "Sales rose.(1)| Costs fell.",
        "We are a shell.| eBay is not.",
    ],
)
def test_full_stop_before_a_new_sentence_ends_one(text: str) -> None:
    assert sentences(text.replace("|", "")) == [part.strip() for part in text.split("|")]


def test_table_row_is_a_sentence_in_both_layouts() -> None:
    rows = ["| 2017 | 2016", "Net sales, Inc. The rest | $ 1,200.5 | 1,100"]
    assert sentences("\n".join(rows)) == rows
    aligned = [
        "Units Sold....................   881,000    882,000",
        "Total          1,763,000",
        "-----      -----",
    ]
    assert sentences("Sales by type\nwere these:\n" + "\n".join(aligned)) == [
        "Sales by type\nwere these:",
        *aligned,
    ]


def test_joins_lines_of_wrapped_prose() -> None:
    assert sentences("Sales  in the\nU.S. and  abroad\nrose. Costs\nfell.") == [
        "Sales  in the\nU.S. and  abroad\nrose.",
        "Costs\nfell.",
    ]


def test_contested_stops_of_twenty_filings_match_labels() -> None:
    right = wrong_end = missed = 0
    for line in (HERE / "contested_stops.jsonl").read_text("utf-8").splitlines():
        stop = json.loads(line)
        spans = split_sentences(stop["before"] + stop["after"])
        ends = any(end == len(stop["before"]) for _, end in spans)
        right += ends and stop["ends_sentence"]
        wrong_end += ends and not stop["ends_sentence"]
        missed += stop["ends_sentence"] and not ends
    assert right + missed == 139
    assert wrong_end + missed <= 2


def test_prose_of_thirteen_filings_splits_as_labelled() -> None:
    found = extra = missed = 0
    for window in (HERE / "prose_windows.txt").read_text("utf-8").split("@@ ")[1:]:
        marked = window.partition("\n")[2].strip()
        expected = [part.strip() for line in marked.split("\n") if line for part in line.split("‖")]
        got = sentences(marked.replace("‖", ""))
        found += len(set(expected) & set(got))
        extra += len(set(got) - set(expected))
        missed += len(set(expected) - set(got))
    assert found > 90
    assert extra + missed <= 3  # one sentence ends in `U.S.` before a name: two sides of one miss
