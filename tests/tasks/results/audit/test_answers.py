"""Which answers people rate, and that no rating of theirs is lost or counted twice."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

from tasks.core.errors import WrongUsage
from tasks.core.rows import Audit, AuditItem
from tasks.lake.lake import Lake, Step
from tasks.results.audit.answers import JudgedAnswer, import_ratings, stratified
from tasks.results.audit.sheet import SheetError
from tasks.results.audit.store import take_turns

PERTURBATIONS = ("baseline", "ocr", "missing_context")


def frame(n: int = 600) -> list[JudgedAnswer]:
    """Answers of which one in ten is not compliant."""
    return [
        JudgedAnswer(
            judgement_id=f"judgement {number}",
            request_id=f"request {number}",
            judge_request_id=f"judging {number}",
            rubric="missing_context" if number % 3 == 2 else "answerable",
            variant=PERTURBATIONS[number % 3],
            is_compliant=number % 10 != 0,
            answer_sha256="",
            quotes=(),
        )
        for number in range(n)
    ]


def test_fewer_answers_than_strata_are_refused_with_the_number_that_would_do() -> None:
    with pytest.raises(WrongUsage, match="6 strata"):
        stratified(frame(), 5, seed=1)


def test_each_stratum_gives_as_many_as_it_has_or_as_the_others() -> None:
    taken = take_turns(stratified(frame(), 100, seed=1), 100)
    sizes = [len(answers) for answers in taken.values()]
    assert sum(sizes) == 100
    assert set(sizes) == {16, 17}
    few = {"rare": frame()[:2], "common": frame()[2:]}
    assert Counter(map(len, take_turns(few, 20).values())) == {2: 1, 18: 1}
    assert sum(map(len, take_turns(few, 1000).values())) == 600


def test_a_draw_depends_on_its_seed_and_not_on_the_order_of_rows() -> None:
    def drawn(rows: list[JudgedAnswer], seed: int) -> set[str]:
        taken = take_turns(stratified(rows, 100, seed), 100)
        return {answer.request_id for of_stratum in taken.values() for answer in of_stratum}

    assert drawn(frame(), 1) == drawn(frame()[::-1], 1)
    assert drawn(frame(), 1) != drawn(frame(), 2)


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    """Three answers drawn from a frozen release."""
    lake = Lake(tmp_path / "lake")
    lake.make()
    step, identity = (
        Step("2026.11", "failsafeqa.audit.drawn.draw"),
        {"parameters": {}, "inputs": {}},
    )
    items = [
        AuditItem(
            audit_item_id=f"audit-{number}",
            draw_id="draw",
            judgement_id="j",
            request_id=f"r{number}",
            answer_sha256="",
            rubric="answerable",
            stratum="s",
            n_stratum=3,
            n_drawn=3,
        )
        for number in range(3)
    ]
    lake.commit(step, identity, [lake.write(step, identity, AuditItem, items, suite="failsafeqa")])
    return lake


def sheet(lake: Lake, *rows: tuple[str, str, str], note: str = "") -> Path:
    """(answer, rating, auditor) as a file."""
    file = lake.here / "a.csv"
    with file.open("w", newline="") as out:
        csv.writer(out).writerows(
            [("id", "rating", "auditor", "note"), *((*row, note) for row in rows)]
        )
    return file


def ratings(lake: Lake) -> dict[tuple[str, str], int]:
    return {
        (row.audit_item_id, row.auditor): row.rating
        for commit in lake.commits("2026.11")
        for row in lake.each(commit, Audit)
    }


def test_several_auditors_and_files_come_together(lake: Lake) -> None:
    done = import_ratings(lake, sheet(lake, ("audit-0", "4", "Ann"), ("audit-0", "2", "Bob")))
    assert (done.n_rated, done.problems) == (2, ())
    done = import_ratings(lake, sheet(lake, ("audit-1", "5", "Ann"), ("audit-2", "", "")))
    assert (done.n_rated, done.n_unrated) == (1, 1)
    assert ratings(lake) == {("audit-0", "Ann"): 4, ("audit-0", "Bob"): 2, ("audit-1", "Ann"): 5}


def test_a_corrected_file_replaces_what_it_corrects_and_the_same_file_nothing(lake: Lake) -> None:
    import_ratings(lake, sheet(lake, ("audit-0", "4", "Ann"), ("audit-1", "4", "Ann")))
    done = import_ratings(lake, sheet(lake, ("audit-0", "1", "Ann"), ("audit-1", "4", "Ann")))
    assert done.n_rated == 2
    before = [commit.committed_at for commit in lake.commits()]
    import_ratings(lake, sheet(lake, ("audit-0", "1", "Ann")))
    assert [commit.committed_at for commit in lake.commits()] == before
    assert ratings(lake) == {("audit-0", "Ann"): 1, ("audit-1", "Ann"): 4}


@pytest.mark.parametrize("rating", ["9", "4.5", "good", ""])
def test_a_rating_that_is_none_or_given_twice_is_named_and_the_others_are_taken(
    lake: Lake, rating: str
) -> None:
    rows = [("audit-0", "4,0", "Ann"), ("audit-0", "5", "Ann"), ("audit-1", rating, "Ann")]
    done = import_ratings(lake, sheet(lake, *rows, note="hm"))
    assert ratings(lake) == {("audit-0", "Ann"): 4}
    assert len(done.problems) == 2
    assert "row 3: Ann rated this answer differently" in done.problems[0]
    assert f"row 4: the rating {rating!r} is not a whole number from 1 to 6" in done.problems[1]


def test_a_lake_from_which_nothing_was_drawn_says_so(tmp_path: Path) -> None:
    lake = Lake(tmp_path / "other")
    lake.make()
    with pytest.raises(SheetError, match="Nothing was drawn from the lake"):
        import_ratings(lake, sheet(lake, ("audit-0", "4", "Ann")))


def test_what_people_rated_is_taken_back_by_no_run(lake: Lake) -> None:
    from tasks.pipeline.plan import stale_commits

    import_ratings(lake, sheet(lake, ("audit-0", "4", "Ann")))
    assert stale_commits(lake, "2026.11") == []
