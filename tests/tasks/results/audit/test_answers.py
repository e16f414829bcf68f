"""Which answers people rate, and that no rating of theirs is lost or counted twice."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.errors import RunFailed, WrongUsage
from tasks.core.rows import Audit, AuditItem
from tasks.lake.lake import Lake, LakeStep
from tasks.results.audit.answers import RATINGS
from tasks.results.audit.sheet import draw, import_sheet


def frame(sizes: dict[str, int], spare: frozenset[str] = frozenset()) -> str:
    """SQL of rows with ids in strata `kind: part` of these sizes."""
    return " union all ".join(
        f"select '{stratum} ' || n as id, '{stratum.partition(': ')[0]}' as kind, "
        f"'{stratum}' as stratum, {stratum in spare} as is_spare from range({n}) as _(n) "
        "where $suite = 's'"
        for stratum, n in sizes.items()
    )


def sizes_of(sizes: dict[str, int], n: int, spare: frozenset[str] = frozenset()) -> dict[str, int]:
    """Draw, and count the drawn rows by stratum, as each row says, too."""
    rows = draw(duckdb.connect(), frame(sizes, spare), "s", n, seed=1)
    n_of_stratum = Counter(row["stratum"] for row in rows)
    assert len({row["id"] for row in rows}) == len(rows)
    for row in rows:
        assert row["n_stratum"] == sizes[row["stratum"]]
        assert row["n_drawn"] == n_of_stratum[row["stratum"]]
    return dict(n_of_stratum)


@given(
    sizes=st.dictionaries(
        st.sampled_from(["a: x", "a: y", "b: x", "c"]), st.integers(1, 30), min_size=1
    ),
    n=st.integers(2, 40),
)
def test_a_draw_takes_as_many_of_each_stratum_as_it_has_or_as_the_others(
    sizes: dict[str, int], n: int
) -> None:
    drawn = sizes_of(sizes, n)
    for kind in {stratum.partition(": ")[0] for stratum in sizes}:
        of_kind = {name: size for name, size in sizes.items() if name.partition(": ")[0] == kind}
        assert sum(drawn[name] for name in of_kind) == min(n, sum(of_kind.values()))
        most = max(drawn[name] for name in of_kind)
        assert all(drawn[name] >= min(size, most - 1) for name, size in of_kind.items())


def test_spare_rows_come_last_and_too_few_are_refused() -> None:
    sizes = {"a: few": 3, "a: many": 90, "a: unused": 40}
    spare = frozenset({"a: unused"})
    assert sizes_of(sizes, 6, spare) == {"a: few": 3, "a: many": 3}
    assert sizes_of(sizes, 100, spare) == {"a: few": 3, "a: many": 90, "a: unused": 7}
    with pytest.raises(WrongUsage, match="each of 2 strata"):
        sizes_of(sizes, 1, spare)


def test_a_draw_depends_on_its_seed_and_shows_no_stratum_in_its_order() -> None:
    of_seeds = [
        [row["id"] for row in draw(duckdb.connect(), frame({"a": 50, "b": 50}), "s", 20, seed)]
        for seed in (1, 1, 2)
    ]
    assert of_seeds[0] == of_seeds[1]
    assert set(of_seeds[0]) != set(of_seeds[2])
    assert of_seeds[0] != sorted(of_seeds[0])


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    """Three answers drawn from a frozen release."""
    lake = Lake(tmp_path / "lake")
    lake.make()
    step, identity = (
        LakeStep("2026.11", "failsafeqa.audit.drawn.draw"),
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


def sheet(lake: Lake, *rows: tuple[str, str, str]) -> Path:
    """(answer, rating, auditor) as a file."""
    file = lake.here / "a.csv"
    with file.open("w", newline="") as out:
        csv.writer(out).writerows([("id", "rating", "auditor", "note"), *rows])
    return file


def ratings(lake: Lake) -> dict[tuple[str, str], int]:
    return {
        (row.audit_item_id, row.auditor): row.rating
        for commit in lake.commits("2026.11")
        for row in lake.each(commit, Audit)
    }


def test_several_auditors_and_files_come_together(lake: Lake) -> None:
    import_sheet(lake, sheet(lake, ("audit-0", "4,0", "Ann"), ("audit-0", "2", "Bob")), RATINGS)
    rows, n_empty = import_sheet(
        lake, sheet(lake, ("audit-1", "5", "Ann"), ("audit-2", "", "")), RATINGS
    )
    assert (len(rows), n_empty) == (1, 1)
    assert ratings(lake) == {("audit-0", "Ann"): 4, ("audit-0", "Bob"): 2, ("audit-1", "Ann"): 5}


def test_a_corrected_file_replaces_what_it_corrects_and_the_same_file_nothing(lake: Lake) -> None:
    import_sheet(lake, sheet(lake, ("audit-0", "4", "Ann"), ("audit-1", "4", "Ann")), RATINGS)
    import_sheet(lake, sheet(lake, ("audit-0", "1", "Ann"), ("audit-1", "4", "Ann")), RATINGS)
    before = [commit.committed_at for commit in lake.commits()]
    import_sheet(lake, sheet(lake, ("audit-0", "1", "Ann")), RATINGS)
    assert [commit.committed_at for commit in lake.commits()] == before
    assert ratings(lake) == {("audit-0", "Ann"): 1, ("audit-1", "Ann"): 4}


def test_a_file_without_a_column_is_refused(lake: Lake) -> None:
    file = lake.here / "a.csv"
    file.write_text("id,rating,note\naudit-0,4,\n")
    with pytest.raises(RunFailed, match="lacks a column: its first row must name"):
        import_sheet(lake, file, RATINGS)


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (("audit-1", "9", "Ann"), "the rating '9' is not a whole number from 1 to 6"),
        (("audit-1", "4.5", "Ann"), "the rating '4.5' is not"),
        (("audit-0", "5", "Ann"), "Ann filled it in differently in a row above"),
        (("audit-9", "4", "Ann"), "nothing with the id 'audit-9' was drawn from this lake"),
        (("audit-1", "4", ""), "no auditor is named"),
        (("audit-1", "4", "all auditors"), "'all auditors' cannot name an auditor"),
        (("audit-1", "4", "Bob\x1b[2J"), r"'Bob\x1b[2J' cannot name an auditor"),
        (("audit-1", "4", "B" * 61), f"'{'B' * 60}' cannot name an auditor"),
    ],
)
def test_a_row_that_cannot_be_used_is_named_and_nothing_is_stored(
    lake: Lake, row: tuple[str, str, str], says: str
) -> None:
    with pytest.raises(RunFailed) as refused:
        import_sheet(lake, sheet(lake, ("audit-0", "4,0", "Ann"), row), RATINGS)
    assert f"a.csv, row 3: {says}" in str(refused.value)
    assert ratings(lake) == {}


def test_a_lake_from_which_nothing_was_drawn_says_so(tmp_path: Path) -> None:
    lake = Lake(tmp_path / "other")
    lake.make()
    with pytest.raises(RunFailed, match="Nothing was drawn from the lake"):
        import_sheet(lake, sheet(lake, ("audit-0", "4", "Ann")), RATINGS)


def test_what_people_rated_is_taken_back_by_no_run(lake: Lake) -> None:
    from tasks.pipeline.plan import stale_commits

    import_sheet(lake, sheet(lake, ("audit-0", "4", "Ann")), RATINGS)
    assert stale_commits(lake, "2026.11") == []
