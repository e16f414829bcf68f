"""New filings only: which releases count, what is skipped and reported, what is remembered."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tasks.core.rows import Filing, Reject
from tasks.filings.edgar.manifest import LEFT_OUT
from tasks.filings.samples import sample_folder
from tasks.ingest import NothingNew, NothingUsable
from tasks.lake.lake import Lake, ReleaseConflict
from tasks.pipeline.resolved import resolve
from tasks.pipeline.settings import RunSettings, WrongSettings
from tasks.pipeline.sources import earlier_releases, plan_ingest, reasons_left_out
from tasks.pipeline.steps import MissingInput
from tests.built import ingest_files

TWO, THIRD = ("brackwater-2018.htm", "quillstone-2023.htm"), "tillamere-1997.txt"


@pytest.fixture
def run(tmp_path: Path) -> RunSettings:
    """Settings of a release of new filings, from a folder with two of the samples."""
    folder = tmp_path / "filings"
    folder.mkdir()
    for name in TWO:
        shutil.copy(sample_folder() / name, folder)
    return RunSettings(
        lake=str(tmp_path / "lake"), release="2026Q2", filings=str(folder), new_only=True, workers=1
    )


def add_third(run: RunSettings) -> None:
    shutil.copy(sample_folder() / THIRD, str(run.filings))


def read(run: RunSettings) -> list[str]:
    return [filing.source_uri for filing in Lake(run.lake).read(ingest_files(run), Filing)]


def test_filings_of_a_frozen_release_are_left_out_and_said_to_be(run: RunSettings) -> None:
    assert read(run) == list(TWO)
    add_third(run)
    later = replace(run, release="2026Q3")
    assert read(later) == [THIRD]
    lake = Lake(run.lake)
    later_ingest = plan_ingest(resolve(later)).finished()
    assert later_ingest is not None
    rejects = lake.read(later_ingest, Reject)
    assert [(reject.parent_id, reject.reason) for reject in rejects] == [
        (name, LEFT_OUT) for name in TWO
    ]
    assert all(reject.detail.endswith("is in release 2026Q2") for reject in rejects)
    assert reasons_left_out(lake, "2026Q3") == {LEFT_OUT: 2}


def test_a_release_that_may_change_takes_nothing_away(run: RunSettings) -> None:
    for release in ("dev", "2026Q1-dev"):
        assert read(replace(run, release=release)) == list(TWO)
    assert read(run) == list(TWO)


def test_without_the_setting_a_filing_may_be_in_two_releases(run: RunSettings) -> None:
    assert read(run) == read(replace(run, release="2026Q3", new_only=False)) == list(TWO)


def test_where_earlier_releases_have_them_all_there_is_no_release(run: RunSettings) -> None:
    read(run)
    with pytest.raises(
        NothingNew, match=r"(?s)no new 10-K in .*brackwater-2018.htm: .* is in release 2026Q2"
    ):
        read(replace(run, release="2026Q3"))
    assert Lake(run.lake).releases() == ["2026Q2"]


def test_a_new_filing_that_cannot_be_read_is_a_failure_and_not_nothing_new(
    run: RunSettings,
) -> None:
    read(run)
    (Path(str(run.filings)) / "new.txt").write_text(
        "ten words that are no annual report of anybody at all"
    )
    with pytest.raises(NothingUsable, match=r"(?s)new.txt: ") as failed:
        read(replace(run, release="2026Q3"))
    assert not isinstance(failed.value, NothingNew)


def test_what_came_later_changes_nothing_and_what_was_earlier_stays_left_out(
    run: RunSettings,
) -> None:
    read(run)
    add_third(run)
    later = replace(run, release="2026Q3")
    read(later)
    lake = Lake(run.lake)
    assert list(earlier_releases(lake, later)["new_only"]) == ["2026Q2"]
    for again in (later, RunSettings(lake=run.lake, release="2026Q3", workers=1)):
        assert plan_ingest(resolve(again)).finished()
    with pytest.raises(ReleaseConflict, match=r"new_only: \{'2026Q2': '\w+'\} -> nothing"):
        read(replace(later, new_only=False))
    assert read(replace(run, force=True)) == [*TWO, THIRD]  # 2026Q3 came later
    with pytest.raises(ReleaseConflict, match=r"new_only.2026Q2: \w+ -> \w+"):
        read(later)


def test_an_earlier_release_that_is_gone_is_named(run: RunSettings) -> None:
    read(run)
    add_third(run)
    later = replace(run, release="2026Q3-dev")
    read(later)
    lake = Lake(run.lake)
    for commit in lake.commits("2026Q2"):
        lake.retire(commit)
    with pytest.raises(MissingInput, match="release 2026Q2 is gone"):
        read(later)
    assert read(replace(later, force=True)) == [*TWO, THIRD]


def test_a_published_data_set_is_taken_whole() -> None:
    with pytest.raises(WrongSettings, match="--new-only and --dataset"):
        RunSettings(dataset="rows.jsonl", new_only=True)
