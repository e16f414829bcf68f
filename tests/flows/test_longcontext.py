"""Long context end to end on invented headlines: from articles to metrics and what leads back."""

from __future__ import annotations

import csv
import json
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from flows.benchmark import benchmark
from flows.cli.app import main
from tasks.core.rows import Case, Judgement
from tasks.lake.lake import Lake
from tasks.pipeline.plan import has_nothing_to_do
from tasks.pipeline.resolved import settings_of
from tasks.pipeline.settings import RunSettings
from tasks.pipeline.sources import shows_samples
from tasks.results.audit.questions import (
    ask_people,
    compare,
    draw_questions,
    import_agreement,
    questions_of,
)
from tasks.results.publish.folder import publish
from tasks.suites.longcontext.rows import Article, PlacedArticle
from tasks.warehouse.connection import open_warehouse
from tests.flows.rows import rows_of
from tests.without_prefect import flows_as_functions


@pytest.fixture(scope="module")
def run(finished: RunSettings, tmp_path_factory: pytest.TempPathFactory) -> RunSettings:
    """A finished run on invented headlines; `score` ends it only if all checks pass."""
    lake = tmp_path_factory.mktemp("longcontext") / "lake"
    shutil.copytree(Lake(finished.lake).here, lake)
    own = {"lengths": (4_000,), "records": (4,), "queries": 2}
    settings = settings_of(suite="longcontext", lake=str(lake), workers=1, **own)
    with flows_as_functions():
        benchmark(settings)
    return settings


def test_each_task_has_as_many_records_with_needles_as_without(run: RunSettings) -> None:
    cases = [case for case in rows_of(run, Case) if case.suite == "longcontext"]
    haystacks = [case for case in cases if case.variant == "best_practices"]
    assert len(haystacks) == 4 * 4 * 2
    assert sum(case.is_answerable for case in haystacks) == 4 * 4
    singles = [case.target for case in cases if case.variant == "single"]
    assert min(singles.count("yes"), singles.count("no")) > 4 * 4
    judged = [row for row in rows_of(run, Judgement) if row.judge in ("strict", "paper")]
    assert len(judged) == 2 * len(cases)


def test_invented_headlines_are_not_called_filings(run: RunSettings, finished: RunSettings) -> None:
    lake = Lake(run.lake)
    assert shows_samples(lake, finished)
    assert shows_samples(lake, replace(run, suite="tablequest"))  # not built yet
    assert not shows_samples(lake, run)


def test_a_second_run_has_nothing_to_do(run: RunSettings) -> None:
    assert has_nothing_to_do(Lake(run.lake), run)


def test_a_number_leads_back_to_the_haystack(
    run: RunSettings, capsys: pytest.CaptureFixture[str]
) -> None:
    place = ("--suite", "longcontext", "--lake", run.lake)
    options = ("--metric", "f1", "--judge", "strict", *place)
    with pytest.raises(SystemExit) as ended:
        main(["explain", *options])
    assert not ended.value.code
    listed = capsys.readouterr().out
    assert "correct ✗" not in listed
    correct = next(line for line in listed.splitlines() if "  correct  " in line)
    with pytest.raises(SystemExit):
        main(["explain", correct.split()[0], "--full", "--judge", "strict", *place])
    said = capsys.readouterr().out
    assert "Article ID: 1; " in said
    assert "article_ids" in said


def test_people_label_titles_blind_and_their_agreement_is_stored(
    run: RunSettings, tmp_path: Path
) -> None:
    lake = Lake(str(tmp_path / "lake"))
    shutil.copytree(Lake(run.lake).here, lake.here)
    titles = {row.title: row for row in rows_of(run, Article)}
    found = questions_of(lake, "dev", "longcontext")
    # though so small a run asks few titles alone
    assert len(draw_questions(found.values(), 200, 3)) == 200
    drawn = draw_questions(found.values(), 12, 3)
    asked = [question for question, *_ in drawn]
    assert set(Counter(each.answer for each in asked).values()) == {4}
    placed = {row.article_id for row in rows_of(run, PlacedArticle)}
    assert {titles[each.context].article_id for each in asked} <= placed
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    page = ask_people(lake, first, ("dev", "longcontext"), drawn)
    assert "neutral" not in page.read_text().replace("positive, neutral or negative", "")
    for each in asked:
        company = each.query.split("investor in ")[1].split("?")[0]
        labels = {mention.company: mention.sentiment for mention in titles[each.context].mentions}
        assert each.answer == labels[company]
    with first.open(newline="") as file:
        rows = list(csv.DictReader(file))
    rewritten(first, [row | {"your answer": "positive", "auditor": "ann"} for row in rows])
    compare(lake, first, second)
    with second.open(newline="") as file:
        rows = list(csv.DictReader(file))
    said = ["yes" if row["our answer"] == "positive" else "no" for row in rows]
    kind = "company_sentiment"
    rewritten(
        second,
        [row | {"agree": each, "kind": kind} for row, each in zip(rows, said, strict=True)],
    )
    assert import_agreement(lake, second).n_new == 12
    with open_warehouse(lake.files("dev")) as warehouse:
        (row,) = warehouse.execute(
            "select n_rated, n_agreed, n_same_kind from reports.question_audits "
            "where rater = 'ann' and slice_by = 'overall'"
        ).fetchall()
    assert row == (12, sum(each.answer == "positive" for each in asked), 12)


def rewritten(file: Path, rows: list[dict[str, str]]) -> None:
    with file.open("w", newline="") as opened:
        writer = csv.DictWriter(opened, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def test_haystacks_are_published_although_no_filing_states_them(
    run: RunSettings, tmp_path: Path
) -> None:
    publish(Lake(run.lake), ["dev"], tmp_path)
    rows = [
        row
        for file in (tmp_path / "longcontext").glob("*.parquet")
        for row in pq.read_table(file).to_pylist()
    ]
    assert {row["filing_id"] for row in rows} == {None}
    (row, *_) = [row for row in rows if row["variant"] != "single" and row["is_answerable"]]
    assert all(f"Article ID: {number}; " in row["context"] for number in json.loads(row["target"]))
