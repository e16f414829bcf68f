"""TableQuest's accuracy by format of tables, and its change from HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from tasks.statistics.intervals import difference_interval
from tests.sql.conftest import HandmadeLake
from tests.sql.tables_asked import add_case, add_verdict, of_label, scored

N_FILINGS = 20
NAMES = ("formats", "leaderboard", "remarks")


def formats(
    lake: HandmadeLake, right: Mapping[str, Sequence[bool | None]]
) -> dict[str, list[dict[str, Any]]]:
    """Score one question of each of 20 filings in some formats; return the rows of relations.

    `right` says whether its answers are correct, by format; None is a failed call.
    """
    for number in range(N_FILINGS):
        add_case(lake, f"c{number}", "easy", variants=(*right,))
        for variant, answers in right.items():
            case_id = f"c{number} {variant}"
            label = {True: "correct", False: "wrong", None: None}[answers[number]]
            about = {"is_number": True, "em": 0, "f1": 0.0, "rouge_l": 0.0}
            add_verdict(lake, case_id, "reference", details=about, **of_label(label))
    with scored(lake) as connection:
        return {
            name: connection.sql(f"from tablequest.{name}").to_arrow_table().to_pylist()
            for name in NAMES
        }


def test_a_change_is_paired_and_its_interval_that_of_a_difference(lake) -> None:
    in_html = [number < 12 for number in range(N_FILINGS)]
    in_csv = [2 <= number < 13 for number in range(N_FILINGS)]
    found = formats(lake, {"html": in_html, "csv": in_csv})
    html, csv = found["formats"]
    assert (html["format"], html["n"], html["value"], html["change"]) == ("html", 20, 0.6, None)
    assert (csv["format"], csv["n"], csv["value"]) == ("csv", 20, 0.55)
    assert csv["change"] == pytest.approx(-0.05)
    assert (csv["n_html_only"], csv["n_format_only"]) == (2, 1)
    # the error of the mean of -1, -1, 1 and 17 zeros, by a bootstrap
    error = (sum((each + 0.05) ** 2 for each in (-1, -1, 1, *[0] * 17)) / 20 / 19) ** 0.5
    low, high = difference_interval(-0.05, error, 20)
    assert csv["change_low"] == pytest.approx(float(low), abs=0.02)
    assert csv["change_high"] == pytest.approx(float(high), abs=0.02)
    board = [(row["format"], row["n"]) for row in found["leaderboard"]]
    assert board == [("html", 20), ("csv", 20)]
    assert [row["says"] for row in found["remarks"]] == [
        "Each question is asked with its tables in html, csv: figures over all answers count it "
        "2 times."
    ]


def test_a_question_without_an_answer_in_one_format_is_not_compared(lake) -> None:
    all_right: list[bool | None] = [True] * N_FILINGS
    found = formats(lake, {"html": [None, *all_right[1:]], "markdown": [*all_right[1:], False]})
    html, markdown = found["formats"]
    assert (html["n"], html["n_unscored"]) == (19, 1)
    assert (markdown["n"], markdown["value"]) == (20, 0.95)
    assert markdown["change"] == pytest.approx(-1 / 19)
