"""The answer is proved missing only if no reader could find or derive it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tasks.suites.refusalbench.proofs import prove
from tests.refusal_questions import (
    COUNT,
    FREIGHT,
    MULTI,
    PERCENT,
    PROSE,
    ROWS,
    SHARE,
    TABLE,
    base_question,
)

GONE = FREIGHT.replace("$7.7 billion", "an undisclosed amount")


def proof(base, text, *others, query=None):
    return prove(base, "missing_info", "medium", query or base.query, [text, *others])


def test_proves_a_redacted_figure_missing():
    assert proof(PROSE, GONE).kind == "absent"
    assert proof(ROWS, TABLE.replace("$7,734", "n/a")).kind == "absent"
    assert proof(PERCENT, SHARE.replace("18%", "a part")).kind == "absent"
    assert proof(MULTI, GONE, *[each.text for each in MULTI.passages[1:]]).kind == "absent"


@pytest.mark.parametrize(
    "rest",
    [
        "That is $7.7 billion.",
        "That is 7,700 million dollars.",
        "That is $7,734 million.",
        "That is $7,734,000,000.",
        "That is $7.69 billion, to be exact.",
        "Revenues were nearly $8 billion.",
        "Revenues were $7.7bn.",
        "Revenues were 7.7B USD.",
        "Revenues were US$7.7 billion.",
        "Revenues were seven point seven billion dollars.",
        "Revenues were 7.7 billion dollars.",
        "Operating income was $2.5 billion.",  # and expenses 5.2
        "Revenues rose by $0.6 billion.",  # from 7.1
        "Revenues were twice those of 2015.",
        "Coal brought $3.4 billion and all other freight $4.3 billion.",
        "Coal brought $3.1 billion, grain $2.2 billion and ore $2.4 billion.",
        "Expenses were 67.5% of revenues, and operating expenses $5.2 billion.",
        "Revenues grew by 8.5% from $7.1 billion.",
        "Revenues were half of $15.4 billion.",
        "\n\n(In millions) | 2021 | 2020\nRailway revenues | 7,734 | 7,102",
        "\n\n(In thousands) | 2021\nRailway revenues | 7,734,120",
        "\n\n(In billions) | 2021\nRailway revenues | 7.7",
    ],
)
def test_refuses_a_figure_that_is_stated_or_derivable(rest):
    assert proof(PROSE, f"{GONE} {rest}") is None


def test_refuses_a_cell_that_its_column_gives_away():
    gap = TABLE.replace("Freight revenues | $7,734", "Freight revenues | n/a")
    more = gap.replace("Fuel | 1,151 | 998", "Fuel | 1,151 | 998\nOther | 4,270 | 3,000")
    assert proof(ROWS, more) is None  # 2,313 + 1,151 + 4,270
    total = gap.replace("Fuel | 1,151 | 998", "Fees | 1,151 | 998\nTotal | 11,198 | 9,000")
    assert proof(ROWS, total) is None


@pytest.mark.parametrize(
    ("figure", "rows"),
    [
        # a mark in a label, a blank or a dash shifts no row
        ("2,345", "Cash (1) | 1,111 | 999/Bills | | 888/Ore | 707 | 606/All | 4,163 | 2,493"),
        ("2,345", "Cash | 1,111 | 9/Bills | | 8/Tax | — | 5/Ore | 707 | 6/All | 4,163 | 28"),
        ("4,163", "Cash (1) | 1,111 | 999/Bills | 2,345 | 888/Ore | 707 | 606/All | | 2,493"),
        ("2,345", "East | 1,111 | 999/West (a) | | 888/Between | (707) | (6)/All | 2,749 | 1"),
        # costs may be written as negative
        ("2,345", "Profit | 4,163 | 3,333/R&D (1) | 1,111 | 9/Ads | 707 | 6/Income | | 1"),
        ("2,345", "Profit | 4,163 | 3,333/R&D (1) | (1,111) | (9)/Ads | (707) | (6)/Income | |"),
        ("2,345", "Profit | 4,163 | 3,333/R&D | 1,111 | 9/Ads | 757 | 6/Other (a) | (50) |"),
        # rounded parts need not add up
        ("2,345", "Cash (1) | 1,111 | 999/Bills | | 888/Ore | 707 | 606/All | 4,164 | 2,493"),
        # where blanks align the columns
        ("2,345", "Cash      1,111     999/Bills               888/Ore         707     606/"
         "All       4,163   2,493"),
        ("2,345", "Cash (1) $ 1,111   $ 999/Bills                888/Ore          707     606/"
         "All      $ 4,163   2,493"),
        ("130", "It paid $80 million in cash, $30 million in stock and $20 million in notes."),
        ("130", "It paid $80 million.//It issued stock of $30 million.//It owes $20 million."),
        ("130", "Net of cash acquired of $12 million, it paid $118 million."),
    ],
)  # fmt: skip
def test_refuses_what_a_sum_of_the_table_or_its_sentences_gives_back(figure, rows):
    base = replace(PROSE, asked=replace(PROSE.asked, figure=f"${figure} million"))
    first, *_ = lines = f"(In millions) | 2023 | 2022/{rows}".split("/")
    assert proof(base, f"They are not disclosed.\n\n{chr(10).join(lines)}") is None
    assert proof(base, f"They are not disclosed.\n\n{first}") is not None


def test_refuses_a_number_of_things_that_can_be_counted():
    for figure, is_proved in (("2", False), ("9", False), ("144", True)):
        base = replace(COUNT, answers=(figure,), asked=replace(COUNT.asked, figure=figure))
        text = "Acme had [●] plans, the Salary Plan and the Bonus Plan."
        assert (proof(base, text) is not None) is is_proved


@pytest.mark.parametrize(
    "text",
    [
        SHARE.replace("18%", "18 percent"),
        SHARE.replace("18%", "eighteen percent"),
        SHARE.replace("18%", "1,800 basis points"),
        SHARE.replace("Coal made up 18%", "Freight other than coal made up 82%"),
        SHARE.replace("Coal made up 18%", "Coal made up 45 of 250"),
        SHARE.replace("18%", "0.18"),
        SHARE.replace("18%", "17.9%"),
        SHARE.replace("Coal made up 18%", "Coal and grain made up 49%"),
        SHARE.replace("18%", "one in five"),
    ],
)
def test_refuses_a_percentage_in_another_form(text):
    assert proof(PERCENT, text) is None


def test_refuses_a_count_that_follows_from_two_others():
    told = COUNT.passages[0].text.replace("158 shops", "most of its 261 shops")
    assert proof(COUNT, told.replace("The shops abroad", "The 103 shops abroad")) is None


def test_refuses_what_follows_from_a_count_and_a_price_or_a_growth():
    price = base_question(
        "We sold depositary shares for $1.14 billion in 2021.",
        "price of the depositary shares",
        "2021",
        "$1.14 billion",
    )
    told = "We sold depositary shares in 2021."
    assert proof(price, told).kind == "absent"
    assert proof(price, f"{told} The 45,600,000 depositary shares cost $25 each.") is None
    growth = base_question("Volume grew 9% in 2021.", "growth in volume", "2021", "9%")
    assert proof(growth, "Volume grew in 2021.").kind == "absent"
    told = "Volume was 14.9 billion cases in 2021, an increase of 1.2 billion cases."
    assert proof(growth, told) is None


def test_refuses_what_grew_by_an_amount_and_a_rate():
    spent = base_question("R&D was $1.1 billion in 2021.", "R&D", "2021", "$1.1 billion")
    assert proof(spent, "R&D grew by 42% in 2021.").kind == "absent"
    assert proof(spent, "R&D grew by 42% or $327 million in 2021.") is None


def test_refuses_a_row_that_its_column_adds_up_to():
    text = "| 2021\nFederal rate | 35.0%\nRate abroad | (13.4)%\nOther | (2.3)%"
    rate = base_question(f"{text}\nTax rate | 19.3%", "tax rate", "2021", "19.3%")
    assert proof(rate, f"{text}\nTax rate |") is None


def test_does_not_add_rates_of_several_years():
    text = "The tax rate was 25%, 22% and 19% in 2021, 2020 and 2019, respectively."
    margin = base_question("The margin was 3% in 2021.", "margin", "2021", "3%")
    assert proof(margin, f"There is a margin. {text}").kind == "absent"


def test_refuses_a_figure_that_noise_states():
    noise = MULTI.passages[1].text
    assert proof(MULTI, GONE, noise, "Kestrel Freight took in $7.7 billion in 2021.") is None


def test_refuses_a_changed_query():
    assert proof(PROSE, GONE, query="What were its grain revenues in fiscal 2021?") is None


def test_proves_that_no_word_of_a_name_is_left():
    text = "Priya Menon signed the agreement. She has been President since May."
    base = replace(
        PROSE,
        query="Who signed the agreement?",
        answers=("Priya Menon",),
        asked=None,
        passages=(replace(PROSE.passages[0], text=text),),
    )
    assert proof(base, "An officer signed the agreement.").kind == "absent"
    assert proof(base, "P. Menon signed the agreement.") is None
    assert proof(base, "Ms. MENON'S signature is on the agreement.") is None
