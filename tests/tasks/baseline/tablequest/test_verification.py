"""The rule accepts what the figures of the tables bear out, and says that it is a rule."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest

from tasks.baseline.tablequest import RULES
from tasks.filings.reader.table_html import table_html
from tasks.suites.tablequest.snippets import write_snippet

SALES = write_snippet(
    [
        "Results (in millions):",
        table_html(
            (
                ("", "2023", "2022"),
                ("Pump sales", "$426", "$380"),
                ("Total net sales", "$639", "$600"),
            ),
            {},
        ),
    ]
)


@dataclass(frozen=True)
class Shown:
    """What the verifier is shown."""

    query: str
    level: str
    answer: str
    own_answer: str
    context: str = SALES
    steps: str = ""


def _verdict(shown: Shown) -> dict[str, Any]:
    verdict: dict[str, Any] = json.loads(RULES["verify_question"].reply(shown))
    return verdict


def test_accepts_what_it_answers_alike() -> None:
    verdict = _verdict(
        Shown("What were pump sales in 2023?", "easy", "$426 million", "426 million")
    )
    assert [verdict[key] for key in ("relevant", "reasonable", "valid", "agrees")] == [True] * 4
    assert verdict["level"] == "easy"
    assert "Pump sales" in verdict["sources"]
    assert "rule" in verdict["reason"]


def test_rejects_what_it_answers_otherwise() -> None:
    verdict = _verdict(
        Shown("What were pump sales in 2023?", "easy", "$380 million", "$426 million")
    )
    assert not verdict["agrees"]
    assert not verdict["valid"]


@pytest.mark.parametrize(
    ("query", "level"),
    [
        ("What were pump sales in 2023?", "easy"),
        ("By what percentage did pump sales increase from 2022 to 2023?", "medium"),
        ("How did pump sales develop from 2022 to 2023, and why?", "hard"),
    ],
)
def test_tells_levels_by_the_words_of_the_question(query: str, level: str) -> None:
    assert _verdict(Shown(query, "easy", "$1", "$1"))["level"] == level


def test_a_question_about_nothing_in_the_tables_is_not_relevant() -> None:
    assert not _verdict(Shown("Who chairs the board?", "easy", "Kim Wood", "Kim Wood"))["relevant"]


@pytest.mark.parametrize(
    ("answer", "agrees"),
    [
        ("Pump sales rose by 12.1%, from $380 million to $426 million.", True),
        ("Pump sales of $426 million were 66.7% of total net sales of $639 million.", True),
        ("Pump sales rose by 15.0%, from $380 million to $426 million.", False),
        ("Pump sales did well.", False),
    ],
)
def test_an_analysis_agrees_if_its_figures_follow_from_cells(answer: str, agrees: bool) -> None:
    query = "How did pump sales develop, and why?"
    assert _verdict(Shown(query, "hard", answer, "anything"))["agrees"] is agrees
