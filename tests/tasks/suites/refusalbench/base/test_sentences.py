"""Sentences are asked for what they certainly say of the company, and for nothing else."""

from __future__ import annotations

import pytest

from tasks.suites.refusalbench.base.sentences import statements_of_sentence
from tasks.suites.shared.phrases import lower_words_of

WORDS = lower_words_of(
    "a the our we net sales income cash total revenue employees holders stores operating segment "
    "common stock of and long-term debt margin research development expense in customers"
)


def asked(sentence: str) -> set[tuple[str, str, str]]:
    found = statements_of_sentence(sentence, "Harrow Inc.", WORDS, 0, len(sentence))
    return {(each.query, each.answer, each.kind) for each in found}


@pytest.mark.parametrize(
    ("sentence", "query", "answer", "kind"),
    [
        (
            "Net sales were approximately $7.7 billion in fiscal 2023, compared with $7.2 billion.",
            "What were Harrow Inc.'s net sales in fiscal 2023?",
            "$7.7 billion",
            "money",
        ),
        (
            "Our operating margin was 10.7% in 2018, down from 11.2% in 2017 because of costs.",
            "What was Harrow Inc.'s operating margin in 2018?",
            "10.7%",
            "percent",
        ),
        (
            "At December 31, 2018, we had cash and cash equivalents of $38.2 million.",
            "What was Harrow Inc.'s cash and cash equivalents at December 31, 2018?",
            "$38.2 million",
            "money",
        ),
        (
            "Net sales of the Valves segment increased 8.2% to $214.6 million in 2018.",
            "By what percentage did Harrow Inc.'s net sales of the Valves segment increase in "
            "2018?",
            "8.2%",
            "percent",
        ),
        (
            "Net sales of the Valves segment increased 8.2% to $214.6 million in 2018.",
            "What was Harrow Inc.'s net sales of the Valves segment in 2018?",
            "$214.6 million",
            "money",
        ),
        (
            "Customers in Canada accounted for 39.3% of our net sales in 2018 and 38% in 2017.",
            "What percentage of Harrow Inc.'s net sales did customers in Canada represent in 2018?",
            "39.3%",
            "percent",
        ),
        (
            "As of December 31, 2017, we had approximately 80,110 full-time employees worldwide.",
            "How many full-time employees did Harrow Inc. have as of December 31, 2017?",
            "80,110",
            "number",
        ),
        (
            "As of March 22, 2010, there were 264 shareholders of record of our common stock.",
            "How many shareholders of record of its common stock did Harrow Inc. have as of "
            "March 22, 2010?",
            "264",
            "number",
        ),
        (
            "The Company was incorporated in Delaware on July 23, 1980, and has four plants.",
            "When was Harrow Inc. incorporated?",
            "July 23, 1980",
            "date",
        ),
        (
            "The Company was incorporated in Delaware on July 23, 1980, and has four plants.",
            "Under the laws of which state was Harrow Inc. incorporated?",
            "Delaware",
            "text",
        ),
        (
            "In July 2001, we acquired Industrial Technology, Inc. and two smaller companies.",
            "When did Harrow Inc. acquire Industrial Technology, Inc?",
            "July 2001",
            "date",
        ),
        (
            "Our common stock is traded on the Nasdaq Global Market under the symbol “HRWX”.",
            "Under which ticker symbol is Harrow Inc.'s common stock traded?",
            "HRWX",
            "text",
        ),
        (
            "The Company’s headquarters are located at 5 Mill Road, Traverse City, Michigan.",
            "In which city and state are Harrow Inc.'s headquarters located?",
            "Traverse City, Michigan",
            "text",
        ),
    ],
)
def test_asks_what_a_sentence_states(sentence: str, query: str, answer: str, kind: str) -> None:
    assert (query.replace("What was", "What were"), answer, kind) in {
        (found.replace("What was", "What were"), said, of) for found, said, of in asked(sentence)
    }


@pytest.mark.parametrize(
    "sentence",
    [
        "Net sales were $7.7 billion and $7.2 billion in 2023 and 2022, respectively.",  # which
        "Net sales were $5.1 billion in Europe in 2023, and much less in other places.",  # scope
        "Net sales increased from $4.1 million in 2017 to $5.2 million in 2018 by price.",  # time
        "The increase was $5.1 million in 2023 and came from acquisitions of other firms.",
        "Industry sales were $5.1 billion in 2023, and grew more slowly than in 2022.",  # others'
        "Net sales were $5.1 billion (excluding Canada) in 2023, which was a good year.",
        "Net sales were $5.1 billion in 2023, excluding sales of the Canadian subsidiary.",
        "Coca-Cola Amatil's net sales were $3.3 billion in 1997 and grew in all countries.",
        "This segment's sales were $3.3 billion in 1997 and grew in all of its countries.",
        "At December 29, 2001, we operated 158 plants in the U.S. and 103 plants elsewhere.",
        "In 1999, we acquired a company and entered into an agreement with the supplier.",
        "The Company was incorporated in Ohio in 1911 and reincorporated in Delaware in 1980.",
        "We expect that net sales will be $7.7 billion in 2024 if the weather is good enough.",
        "One customer accounted for 13% of our net sales in 2021.",
        "An indirect customer represented 19% of our net sales in 2021.",
        "Our common stock is traded under the symbol HRW and in London under the symbol HRL.",
    ],
)
def test_asks_nothing_that_a_sentence_leaves_open(sentence: str) -> None:
    assert asked(sentence) == set()
