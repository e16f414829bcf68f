"""A release of TableQuest as others get it: its data set, and what a run of it is refused."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from flows.cli.exports import export_published
from tasks.core.errors import WrongUsage
from tasks.core.rows import Document
from tasks.lake.lake import Lake
from tasks.pipeline.plan import check_settings
from tasks.pipeline.resolved import settings_of
from tasks.pipeline.settings import RunSettings, WrongSettings
from tasks.results.publish.folder import publish
from tests.built import build_steps, ingest_files
from tests.flows.rows import rows_of
from tests.some import some


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunSettings:
    """TableQuest built on the packaged samples, by rules."""
    lake = tmp_path_factory.mktemp("tablequest") / "lake"
    settings = settings_of(suite="tablequest", lake=str(lake), per_level=4, hard=True, workers=1)
    ingest_files(settings)
    build_steps(settings)
    return settings


def test_the_data_set_has_a_row_for_each_question_and_its_citations_stand_where_they_say(
    run: RunSettings, tmp_path: Path
) -> None:
    (split,) = publish(Lake(run.lake), ["dev"], tmp_path)
    (suite,) = split.suites
    rows = pq.read_table(tmp_path / suite.files[0]).to_pylist()
    assert sorted(row["task"] for row in rows) == sorted(["easy", "medium", "hard"] * 4)
    reports = [document.text for document in rows_of(run, Document)]
    for citation, context in some(
        [(citation, row["context"]) for row in rows for citation in row["citations"]]
    ):
        start, end = citation["start_char"], citation["end_char"]
        assert citation["quote"] in {text[start:end] for text in (context, *reports)}
    assert {row["context_kind"] for row in rows} == {"snippet"}


def test_the_card_says_what_is_asked_and_what_was_left_out(
    run: RunSettings, tmp_path: Path
) -> None:
    publish(Lake(run.lake), ["dev"], tmp_path)
    card = (tmp_path / "README.md").read_text(encoding="utf-8")
    for said in (
        "`medium` a calculation from cells",
        "| `dev` | `tablequest` | 3 | 12 | 12 |",
        "per_level 4",
        "more than --per-level (qa_pairs)",
        "2412.09884",
    ):
        assert said in card


def test_a_layout_that_its_authors_have_not_published_is_not_written(
    run: RunSettings, tmp_path: Path
) -> None:
    with pytest.raises(WrongUsage, match="tenkbench export hf FOLDER"):
        export_published(run.lake, run.release, "tablequest", tmp_path / "rows.json")


def test_a_baseline_that_no_model_is_is_named_with_what_to_type(run: RunSettings) -> None:
    compared = replace(run, judge=("pairwise=gpt-4-turbo",))
    with pytest.raises(WrongSettings, match=re.escape('"gpt-4o" (--baseline)')) as refused:
        check_settings(compared)
    assert "\n  --model gpt-4o" in str(refused.value)
    for options in ({"compare": "all"}, {"baseline": "extractive"}):
        with pytest.raises(WrongSettings, match=r"Name a second --model\.$"):
            check_settings(replace(compared, options=options))
    two = replace(compared, model=("extractive", "other@http://localhost:1"))
    with pytest.raises(WrongSettings, match=re.escape('start from "gpt-4o" (--baseline)')):
        check_settings(replace(two, options={"compare": "all"}))
