"""How people's own answers, and their kinds of questions, agree with those of a dataset."""

from __future__ import annotations

import pytest

from tasks.core.rows import QAPair, QuestionAudit, QuestionItem

N_EASY, N_HARD = 12, 8
STRATA = {"qa": 12, "tg": 80}  # all of the one kind are drawn, a tenth of the other


@pytest.fixture
def lake(lake):
    """Questions on one filing each, of which Ann leaves one empty and does not rate another."""
    for kind, n in (("qa", N_EASY), ("tg", N_HARD)):
        for number in range(n):
            name = f"{kind}-{number:02}"
            lake.add_pair(name, task=kind, perturbations=())
            lake.add(
                QuestionItem(
                    question_item_id=f"item {name}",
                    draw_id="draw",
                    qa_pair_id=name,
                    stratum=kind,
                    n_stratum=STRATA[kind],
                    n_drawn=n,
                )
            )
            if name == "tg-00":
                continue
            is_rated = name != "tg-01"
            # two easy answers and one hard one differ; Ann takes a hard question for an easy one
            say(
                lake,
                name,
                "ann",
                None if not is_rated else name not in ("qa-03", "qa-05", "tg-02"),
                None if not is_rated else "qa" if name == "tg-07" else kind,
            )
    return lake


def say(lake, pair: str, auditor: str, agrees: bool | None, kind: str | None) -> None:
    lake.add(
        QuestionAudit(
            question_audit_id=f"{pair} {auditor}",
            question_item_id=f"item {pair}",
            auditor=auditor,
            answer="mine",
            sources="table 1",
            answered_at="2026-11-23T12:00:00+00:00",
            agrees=agrees,
            rated_kind=kind,
            note=None,
            rated_at=None,
        )
    )


COUNTS = "n_drawn, n_answered, n_rated, n_agreed, n_same_kind"
LISTS = "disagreed, other_kinds, not_answered, not_rated"


def test_counts_and_ids_are_given_by_kind(lake, asked) -> None:
    rows = asked(
        f"""select slice_value, {COUNTS}, {LISTS}, agreement, kind_agreement
        from reports.question_audits where rater = 'ann'"""
    )
    assert {row[0]: row[1:10] for row in rows} == {
        "all": (
            20,
            19,
            18,
            15,
            17,
            ["qa-03", "qa-05", "tg-02"],
            ["tg-07: qa"],
            ["tg-00"],
            ["tg-01"],
        ),
        "qa": (12, 12, 12, 10, 12, ["qa-03", "qa-05"], None, None, None),
        "tg": (8, 7, 6, 5, 5, ["tg-02"], ["tg-07: qa"], ["tg-00"], ["tg-01"]),
    }
    # overall, a kind counts as often as the release has it
    shares = {
        "qa": (10 / 12, 1.0),
        "tg": (5 / 6, 5 / 6),
        "all": (10 / 12, (12 + 80 * 5 / 6) / 92),
    }
    assert {row[0]: row[10:] for row in rows} == {
        name: pytest.approx(both) for name, both in shares.items()
    }


def test_agreement_has_an_interval_over_filings(lake, asked) -> None:
    rows = asked(
        """select agreement_low, agreement, agreement_high,
            kind_agreement_low, kind_agreement, kind_agreement_high
        from reports.question_audits where rater = 'ann' and slice_by = 'overall'"""
    )
    ((low, value, high, kind_low, kind_value, kind_high),) = rows
    assert 0 < low < value < high < 1
    assert 0 < kind_low < kind_value < kind_high < 1


def test_two_auditors_are_counted_apart_and_together(lake, asked) -> None:
    say(lake, "qa-00", "bob", agrees=False, kind="qa")
    rows = asked(
        f"select rater, {COUNTS}, agreement from reports.question_audits where slice_by = 'overall'"
    )
    found = {row[0]: row[1:] for row in rows}
    assert found["bob"] == (20, 1, 1, 0, 1, 0.0)
    assert found["all auditors"][:5] == (40, 20, 19, 15, 18)
    assert found["ann"][:5] == (20, 19, 18, 15, 17)


def test_a_question_that_the_release_has_lost_is_not_counted(lake, asked) -> None:
    lake.drop(next(row for row in lake.of(QAPair) if row.qa_pair_id == "qa-03"))
    ((n, disagreed),) = asked(
        """select n_drawn, disagreed from reports.question_audits
        where rater = 'ann' and slice_by = 'overall'"""
    )
    assert (n, disagreed) == (19, ["qa-05", "tg-02"])
