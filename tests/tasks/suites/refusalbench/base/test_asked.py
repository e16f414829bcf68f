"""What a question asks for: known only if its words and its passage decide it."""

from __future__ import annotations

import pytest

from tasks.suites.refusalbench.base.asked import asked_of, read_query, restated

HEAD = "[Harrow Corp., annual report, fiscal year ended June 30, 2023]\n"
PROSE = (
    f"{HEAD}Our net sales were $7.7 billion in fiscal 2023, up from $7.1 billion in fiscal 2022. "
    "At June 30, 2023, we employed 4,120 persons. The effective tax rate was 21.5% in fiscal 2023."
)
ROWS = f"""{HEAD}Statements of Operations

(In millions)

| Year Ended June 30,
| 2023 | 2022
Net sales | $7,700 | $7,100
Cost of sales | 4,100 | 3,900
Net income | 320 | 288"""


@pytest.mark.parametrize(
    ("query", "answer", "text", "known"),
    [
        (
            "What were Harrow Corp.'s net sales in fiscal 2023?",
            "$7.7 billion",
            PROSE,
            ("Harrow Corp.", "net sales", "fiscal 2023"),
        ),
        (
            "What were the net sales of Harrow in fiscal 2023?",
            "$7.7 billion",
            PROSE,
            ("Harrow", "net sales", "fiscal 2023"),
        ),
        (
            "How many persons did Harrow Corp. employ at June 30, 2023?",
            "4,120",
            PROSE,
            ("Harrow Corp.", "persons", "June 30, 2023"),
        ),
        (
            "What was Harrow’s effective tax rate for fiscal 2023?",
            "21.5%",
            PROSE,
            ("Harrow", "effective tax rate", "fiscal 2023"),
        ),
        (
            "What was Harrow Corp.'s cost of sales in 2022?",
            "$3,900 million",
            ROWS,
            ("Harrow Corp.", "cost of sales", "2022"),
        ),
    ],
)
def test_company_measure_and_period_are_read_of_query_and_passage(
    query: str, answer: str, text: str, known: tuple[str, ...]
) -> None:
    for filer in ("", "Harrow Corp."):
        asked = asked_of(query, answer, [text], filer=filer)
        assert asked is not None
        assert (asked.company, asked.measure, asked.period, asked.figure) == (*known, answer)


@pytest.mark.parametrize(
    ("query", "answer", "text"),
    [
        # no company, or only a pronoun or a word for it
        ("What were net sales in fiscal 2023?", "$7.7 billion", PROSE),
        ("What were the Company's net sales in fiscal 2023?", "$7.7 billion", PROSE),
        ("What were its net sales in fiscal 2023?", "$7.7 billion", PROSE),
        # a name that no passage says is a company's, or another one's
        ("What were Ultrabright's net sales in fiscal 2023?", "$7.7 billion", PROSE),
        # no period, several, or not the passage's
        ("What were Harrow Corp.'s net sales?", "$7.7 billion", PROSE),
        ("What were Harrow Corp.'s net sales in 2022 and in 2023?", "$7.7 billion", PROSE),
        ("What were Harrow Corp.'s net sales in fiscal 2021?", "$7.7 billion", PROSE),
        ("What were Harrow Corp.'s net sales in 2022?", "$7,700 million", ROWS),
        # another measure than the passage's
        ("What were Harrow Corp.'s foreign net sales in fiscal 2023?", "$7.7 billion", PROSE),
        ("What were Harrow Corp.'s sales in 2022?", "$3,900 million", ROWS),
        # a share of something else; a text
        ("What was Harrow Corp.'s net income in fiscal 2023?", "21.5%", PROSE),
        ("What was Harrow Corp.'s largest office in fiscal 2023?", "Ohio", PROSE),
    ],
)
def test_what_is_not_decided_stays_unknown(query: str, answer: str, text: str) -> None:
    assert asked_of(query, answer, [text]) is None


def test_a_filer_is_not_asked_of_in_a_question_about_its_subsidiary() -> None:
    query = "What were OmniQuip's net sales in fiscal 2023?"
    assert asked_of(query, "$7.7 billion", [PROSE], filer="Harrow Corp.") is None
    assert restated(query, "Harrow Corp.") == query


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("What were net sales in 2023?", "What were Harrow Corp.'s net sales in 2023?"),
        (
            "What was the Company’s goodwill as of June 30, 2023?",
            "What was Harrow Corp.'s goodwill as of June 30, 2023?",
        ),
        (
            "How many persons did the Company and its subsidiaries employ at June 30, 2023?",
            "How many persons did Harrow Corp. employ at June 30, 2023?",
        ),
        (
            "What percentage of the company's net sales did hand tools account for in 2023?",
            "What percentage of Harrow Corp.'s net sales did hand tools represent in 2023?",
        ),
        (
            "By how much did operating income increase in 2023?",
            "By how much did Harrow Corp.'s operating income increase in 2023?",
        ),
        ("What did the Company sell in 1997?", "What did the Company sell in 1997?"),
        ("Why did net sales rise in 2023?", "Why did net sales rise in 2023?"),
    ],
)
def test_a_question_of_a_filing_names_its_company_if_its_form_is_known(
    query: str, named: str
) -> None:
    assert restated(query, "Harrow Corp.") == named
    assert restated(query, "") == query
    assert restated(named, "Harrow Corp.") == named


def test_a_measure_that_is_known_needs_no_form() -> None:
    query = "According to the second table, what amount is shown for “Net sales” in 2023?"
    assert read_query(query) is None
    assert restated(query, "Harrow Corp.", "net sales") == (
        "What were Harrow Corp.'s net sales in 2023?"
    )
