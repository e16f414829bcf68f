"""Labels read as noun phrases, with the article and verb that they need."""

from __future__ import annotations

import pytest

from tasks.baseline.tablequest.labels import Spelling, clean_label, is_many, with_article

TEXT = "We and our partner Google sell products. Our net sales and earnings per share rose."


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Net sales (1)", "Net sales"),
        ("Goodwill (Notes 1 and 5)", "Goodwill"),
        ("Total capital{1}", "Total capital"),
        ("Revenues . . . . . .", "Revenues"),
        ("Investment in Conrail Inc.", "Investment in Conrail Inc."),
        ("Revenues*:", "Revenues"),
        ("Net debt (in billions)", "Net debt"),
        ("Net income (loss)", "Net income (loss)"),
    ],
)
def test_scale_and_marks_of_notes_are_no_part_of_a_label(text: str, label: str) -> None:
    assert clean_label(text) == label


@pytest.mark.parametrize(
    ("label", "phrase"),
    [
        ("Total Net Sales", "total net sales"),
        ("NET SALES", "net sales"),
        ("Google revenue", "Google revenue"),
        ("Basic (Loss) Earnings Per Share", "basic (loss) earnings per share"),
        ("Restructuring costs", "restructuring costs"),
        ("Zephyr revenue", ""),  # a name, or not
        ("ZEPHYR REVENUE", ""),
        ("TOTAL CURRENT LIABILITIES", "total current liabilities"),
        ("Sales and marketing", ""),  # no noun of its own
        ("Interest and other, net", ""),
    ],
)
def test_only_names_keep_capitals_in_a_sentence(label: str, phrase: str) -> None:
    assert Spelling.of([TEXT], []).phrase(label) == phrase


@pytest.mark.parametrize(
    ("phrase", "named"),
    [
        ("provision for income taxes", "the provision for income taxes"),
        ("allowance for doubtful accounts", "the allowance for doubtful accounts"),
        ("total assets", "total assets"),
        ("net income (loss)", "net income (loss)"),
        ("accounts receivable, net", "accounts receivable, net"),
        ("cash and cash equivalents", "cash and cash equivalents"),
        ("total available-for-sale securities", "total available-for-sale securities"),
        ("net revenues as a percentage of sales", "net revenues as a percentage of sales"),
    ],
)
def test_single_things_take_an_article(phrase: str, named: str) -> None:
    assert with_article(phrase) == named


@pytest.mark.parametrize(
    "phrase",
    [
        "securities held to maturity",
        "total assets measured at fair value",
        "total available-for-sale securities",
        "selling, general and administrative expenses",
        "proceeds from long-term debt",
    ],
)
def test_plurals_take_a_plural_verb(phrase: str) -> None:
    assert is_many(phrase)
