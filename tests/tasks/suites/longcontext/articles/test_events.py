"""8-K Items: the first sentence that speaks of the company and reads on its own."""

from __future__ import annotations

import pytest

from tasks.core.rows import Reject
from tasks.suites.longcontext.articles.events import NO_STATEMENT, name_of, read_events, reads_alone
from tasks.suites.longcontext.articles.rows_of_file import DUPLICATE, NO_COMPANY, NO_DATE
from tasks.suites.longcontext.rows import News

SENTENCE = "On April 2, 2021, the Company opened a second plant in Toledo for its pumps."
ITEMS = {
    "item_8.01": f"ITEM 8.01 Other Events\n{SENTENCE}\nWe hired ninety people to run the plant.",
    "item_9.01": "The Company files the exhibits that the list of them names with this report.",
}
ROW = {"companies": "ACME PUMPS INC", "date": "2021-04-03", "items": ITEMS}


def test_an_item_gives_one_dated_statement_and_each_other_row_a_reject() -> None:
    rows = [
        ROW,
        ROW | {"items": {"item_9.01": "(d) Exhibits"}},
        ROW,
        ROW | {"companies": ""},
        ROW | {"date": "soon"},
        ROW | {"companies": "ACME PUMPS INC /DE/", "date": "2021-05-03"},
    ]
    read = list(read_events("f", list(enumerate(rows, start=1))))
    news = [row for row in read if isinstance(row, News)]
    assert [(row.title, row.published, row.item) for row in news] == [
        (f"Acme Pumps Inc: {SENTENCE}", day, "8.01") for day in ("2021-04-03", "2021-05-03")
    ]
    assert {mention.company for row in news for mention in row.mentions} == {"Acme Pumps Inc"}
    reasons = [row.reason for row in read if isinstance(row, Reject)]
    assert reasons == [NO_STATEMENT, DUPLICATE, NO_COMPANY, NO_DATE]


@pytest.mark.parametrize(
    ("sentence", "alone"),
    [
        (SENTENCE, True),
        ("This increased our net sales by 7% compared with those of the year before.", False),
        ("Our risks are described below and in other documents that we file in time.", False),
        ("A copy of the press release of the Company is attached as Exhibit 99.1 to it.", False),
        ("We opened a second plant (in Toledo and hired ninety people to run it.", False),
        ("We opened a second plant in Toledo and hired ninety people to run it:", False),
        ("We opened a plant.", False),
    ],
)
def test_a_statement_is_whole_and_points_to_nothing_else(sentence: str, alone: bool) -> None:
    assert reads_alone(sentence) == alone


def test_a_name_is_written_without_edgars_capitals_and_state() -> None:
    names = ("WELLS FARGO & COMPANY/MN", "HOME HEALTH INC \\PA\\", "Acme (Holdings) Inc.")
    assert [name_of(name) for name in names] == [
        "Wells Fargo & Company", "Home Health Inc", "Acme (Holdings) Inc.",
    ]  # fmt: skip
