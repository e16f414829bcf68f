"""TableQuest's ratings, outcomes and position bias, of judges whose verdicts are known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import permutations
from typing import Any

import pytest

from tasks.statistics.ratings import elo_from_points
from tests.sql.conftest import HandmadeLake
from tests.sql.tables_asked import LEVELS, add_case, add_verdict, of_label, scored

# (case, model shown first, other model) -> verdict on the first; None is unscored
Verdict = Callable[[int, str, str], str | None]


@contextmanager
def judged(
    lake: HandmadeLake, models: tuple[str, ...], verdict: Verdict, n_cases: int = 15
) -> Iterator[Callable[[str], list[tuple[Any, ...]]]]:
    """Score a lake in which a judge compared models on cases of all levels in turn; ask it."""
    for number in range(n_cases):
        case_id = f"c{number}"
        add_case(lake, case_id, LEVELS[number % 3])
        for first, second in permutations(models, 2):
            add_verdict(
                lake, case_id, "j", first, second, **of_label(verdict(number, first, second))
            )
    with scored(lake) as connection:
        yield lambda query: connection.execute(query).fetchall()


def by_level(hard: str, easy: str) -> Verdict:
    """Model `a` does `hard` on hard questions and `easy` on the others, whatever the order."""
    opposite = {"won": "lost", "lost": "won", "tie": "tie"}

    def verdict(case: int, first: str, _: str) -> str:
        label = hard if LEVELS[case % 3] == "hard" else easy
        return label if first == "a" else opposite[label]

    return verdict


def test_a_judge_that_always_prefers_the_first_answer_has_failed_and_rates_no_model(
    lake: HandmadeLake,
) -> None:
    why = "no rating: the judge follows the order of the answers"
    with judged(lake, ("base", "a", "b"), lambda *_: "won") as rows:
        columns = "n, elo, low, bradley_terry, is_clipped, unrated_reason"
        ratings = rows(f"select {columns} from tablequest.ladder")
        assert {row[1:] for row in ratings} == {(*[None] * 3, False, why)}
        assert len(ratings) == 3 * 4
        found = "select distinct value from tablequest.metrics where metric = 'elo'"
        assert rows(found) == [(1000,)]
        outcomes = "select distinct n_won, n_tied, n_lost from tablequest.outcomes"
        assert rows(f"{outcomes} where level = 'all'") == [(0, 15, 0)]
        rows("set variable baseline = 'base'")
        of_all = "suite, n, shares from reports.rating_shares where expected = 'all'"
        assert rows(f"select distinct {of_all}") == [("tablequest", 15, "tie: 1.00")]
        bias = (
            "level, n, n_decided, first_share, order_dependent_share from tablequest.position_bias"
        )
        assert rows(f"select {bias}") == [
            ("all", 45, 45, 1.0, 1.0),
            ("easy", 15, 15, 1.0, 1.0),
            ("medium", 15, 15, 1.0, 1.0),
            ("hard", 15, 15, 1.0, 1.0),
        ]
        ((says,),) = rows("select says from tablequest.remarks")
        assert says == (
            "The judge j failed: in 45 of 45 games its verdict changes with the order of the "
            "answers, and it gives the answer shown first 1.00 of all points. Its "
            "ratings do not show which model is better."
        )


def test_only_what_both_orders_say_is_won_or_lost(lake: HandmadeLake) -> None:
    """Of 12 cases: 3 won and 2 lost in both orders, 6 of other kinds, 1 with one verdict."""
    said = [*[("won", "won")] * 3, *[("lost", "lost")] * 2, ("won", "lost"), ("lost", "won")]
    said += [("won", "tie"), ("tie", "lost"), ("tie", "tie"), ("tie", "won"), ("won", None)]
    opposite = {"won": "lost", "lost": "won", "tie": "tie", None: None}

    def verdict(case: int, first: str, _: str) -> str | None:
        shown_first, shown_second = said[case]
        return shown_first if first == "a" else opposite[shown_second]

    with judged(lake, ("a", "base"), verdict, len(said)) as rows:
        found = rows(
            "select model, n, n_won, n_tied, n_lost, n_unscored from tablequest.outcomes "
            "where level = 'all'"
        )
        assert found == [("a", 11, 3, 6, 2, 1), ("base", 11, 2, 6, 3, 1)]
        bias = "n, n_decided, n_order_dependent, first_share from tablequest.position_bias"
        # a tie is half a point: 2 in (won, lost), 0 in (lost, won), 1 in each of six sound pairs,
        # 1.5 in (won, tie) and (tie, lost), 0.5 in (tie, won)
        assert rows(f"select {bias} where level = 'all'") == [(11, 7, 5, 11.5 / 22)]
        ((n, elo),) = rows(
            "select n, elo from tablequest.ladder where level = 'all' and model = 'a'"
        )
        assert (n, elo) == (11, pytest.approx(elo_from_points(6, 11)))


def test_ratings_by_level_their_spread_and_what_is_clipped(lake: HandmadeLake) -> None:
    with judged(lake, ("a", "base"), by_level("lost", "won")) as rows:
        ladder = rows(
            "select level, model, elo, n, is_clipped, bradley_terry, unrated_reason is null "
            "from tablequest.ladder"
        )
        clipped = float(elo_from_points(5, 5))
        pooled = pytest.approx(float(elo_from_points(10, 15)))
        assert ladder == [
            ("all", "a", pooled, 15, False, pooled, True),
            ("all", "base", 1000, 15, False, 1000, True),
            ("easy", "a", pytest.approx(clipped), 5, True, None, False),
            ("easy", "base", 1000, 5, False, 1000, True),
            ("hard", "base", 1000, 5, False, 1000, True),
            ("hard", "a", pytest.approx(2000 - clipped), 5, True, None, False),
            ("medium", "a", pytest.approx(clipped), 5, True, None, False),
            ("medium", "base", 1000, 5, False, 1000, True),
        ]


def test_the_papers_tables_are_consistent(lake: HandmadeLake) -> None:
    with judged(lake, ("base", "a"), lambda *_: "tie") as rows:
        printed = rows(
            "select model, elo, hard_elo, accuracy, easy_accuracy, medium_accuracy "
            "from tablequest.paper_models"
        )
        assert len(printed) == 10
        assert printed.pop(2) == ("gpt-4o", 1000, 1000, None, None, None)  # the anchor
        for _, _, _, accuracy, easy, medium in printed:
            assert accuracy == pytest.approx((easy + medium) / 2)
            # shares of 80 questions
            assert [easy * 80, medium * 80] == pytest.approx([round(easy * 80), round(medium * 80)])
        elo, hard = next((elo, hard) for name, elo, hard, *_ in printed if name == "gpt-4o-vision")
        assert round(float(elo_from_points(19, 80)), 2) == hard == 797.37
        assert round(float(elo_from_points(84, 240)), 2) == elo == 892.46
        shape = rows("select level from tablequest.shape where release is null")
        assert shape == [("easy",), ("medium",), ("hard",)]
