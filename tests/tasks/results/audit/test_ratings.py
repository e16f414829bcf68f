"""Ratings of several auditors, read one after the other: none is lost or counted twice."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tasks.core.rows import Audit, AuditItem
from tasks.lake.lake import Lake, Step
from tasks.results.audit.ratings import import_sheet
from tasks.results.audit.sheet import SheetError


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


def sheet(lake: Lake, *rows: tuple[str, str, str], name: str = "a.csv") -> Path:
    """(answer, rating, auditor) as a file."""
    file = lake.here / name
    with file.open("w", newline="") as out:
        csv.writer(out).writerows(
            [("id", "rating", "auditor", "note"), *((*row, "") for row in rows)]
        )
    return file


def ratings(lake: Lake) -> dict[tuple[str, str], int]:
    return {
        (row.audit_item_id, row.auditor): row.rating
        for commit in lake.commits("2026.11")
        for row in lake.each(commit, Audit)
    }


def test_several_auditors_and_files_come_together(lake: Lake) -> None:
    done = import_sheet(lake, sheet(lake, ("audit-0", "4", "Ann"), ("audit-0", "2", "Bob")))
    assert (done.n_new, done.n_changed, done.n_same, done.problems) == (2, 0, 0, ())
    done = import_sheet(lake, sheet(lake, ("audit-1", "5", "Ann"), ("audit-2", "", "")))
    assert (done.n_new, done.n_unrated) == (1, 1)
    assert ratings(lake) == {("audit-0", "Ann"): 4, ("audit-0", "Bob"): 2, ("audit-1", "Ann"): 5}


def test_a_corrected_file_replaces_what_it_corrects_and_the_same_file_nothing(lake: Lake) -> None:
    import_sheet(lake, sheet(lake, ("audit-0", "4", "Ann"), ("audit-1", "4", "Ann")))
    done = import_sheet(lake, sheet(lake, ("audit-0", "1", "Ann"), ("audit-1", "4", "Ann")))
    assert (done.n_new, done.n_changed, done.n_same) == (0, 1, 1)
    before = [commit.committed_at for commit in lake.commits()]
    done = import_sheet(lake, sheet(lake, ("audit-0", "1", "Ann")))
    assert (done.n_new, done.n_changed, done.n_same) == (0, 0, 1)
    assert [commit.committed_at for commit in lake.commits()] == before
    assert ratings(lake) == {("audit-0", "Ann"): 1, ("audit-1", "Ann"): 4}


def test_bad_rows_are_told_and_the_good_ones_taken(lake: Lake) -> None:
    file = sheet(
        lake,
        ("audit-0", "4", "Ann"),
        ("audit-9", "4", "Ann"),
        ("audit-1", "9", "Ann"),
        ("audit-0", "5", "Ann"),
        ("audit-2", "3", "all auditors"),
        ("audit-2", "3", "Bob\x1b[2J"),
        ("audit-2", "3", "B" * 61),
        ("audit-0", "4", "Ann"),
    )
    done = import_sheet(lake, file)
    assert ratings(lake) == {("audit-0", "Ann"): 4}
    told = sorted(done.problems)
    assert len(told) == 6
    assert [problem.split(": ")[0] for problem in told] == [
        f"{file}, row {n}" for n in (3, 4, 5, 6, 7, 8)
    ]
    assert "no answer with the id 'audit-9' was drawn from this lake" in told[0]
    assert "from 1 to 6" in told[1]
    assert "Ann rated this answer differently in row 2" in told[2]
    assert all("cannot name an auditor" in problem for problem in told[3:])
    assert "\x1b" not in "".join(told)


def test_a_lake_from_which_nothing_was_drawn_says_so(tmp_path: Path) -> None:
    lake = Lake(tmp_path / "other")
    lake.make()
    with pytest.raises(SheetError, match="no answers were drawn from the lake"):
        import_sheet(lake, sheet(lake, ("audit-0", "4", "Ann")))


def test_what_people_rated_is_taken_back_by_no_run(lake: Lake) -> None:
    from tasks.pipeline.plan import stale_commits

    import_sheet(lake, sheet(lake, ("audit-0", "4", "Ann")))
    assert stale_commits(lake, "2026.11") == []
