"""What FailSafeQA's paper reports besides its metrics, on lakes made by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tasks.core.ids import canonical_json
from tasks.core.rows import AttackVerdict, Case

VARIANTS = (
    *("baseline", "misspelled", "incomplete", "out_of_domain", "ocr"),
    *("missing_context", "irrelevant_context"),
)


def rated(*ratings: int) -> dict[str, int]:
    return dict(zip(VARIANTS, ratings, strict=True))


def test_spelling_errors_stand_beside_the_papers_shares(lake, asked) -> None:
    for name, kinds in (("a", ["split", "split", "typo"]), ("b", ["realword"])):
        lake.add_pair(name)
        (case,) = (
            each
            for each in lake.of(Case)
            if each.variant == "misspelled" and each.qa_pair_id == name
        )
        lake.swap(
            case, replace(case, details=canonical_json({"edits": [{"kind": k} for k in kinds]}))
        )
    assert asked("select kind, n, share, paper_share from failsafeqa.misspellings") == [
        ("split", 2, 0.5, 0.317),
        ("segment", 0, 0.0, 0.255),
        ("realword", 1, 0.25, 0.232),
        ("typo", 1, 0.25, 0.196),
    ]


@pytest.mark.parametrize("is_tried", [True, False])
def test_the_leaderboard_says_how_often_its_judge_was_taken_in(lake, asked, is_tried) -> None:
    lake.add_pair("a")
    lake.judge("a", rated(5, 5, 5, 5, 5, 5, 5))
    for number, rating in enumerate((6, 2, None) if is_tried else ()):
        lake.add(
            AttackVerdict(
                attack_verdict_id=f"verdict {number}", attack_id=f"attack {number}",
                kind="very long", rubric="answerable", answer="", at_least=1, at_most=3, judge="j",
                rating=rating, unscored_reason=None if rating else "unread", rationale="",
                judge_request_id=f"request {number}",
            )
        )  # fmt: skip
    (row,) = asked(
        "select n_attacks, n_fell from failsafeqa.leaderboard where source = 'this lake'"
    )
    assert row == ((3, 1) if is_tried else (0, 0))
