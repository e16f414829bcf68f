"""What a run of a published file would be made of: the file's own rows, and the lake's answers only where they are to those."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tasks.core.settings import RunSettings
from tasks.pipeline.steps import MissingInput
from tasks.results.estimate.call_costs import Line
from tasks.results.estimate.estimate import estimate
from tasks.suites.failsafeqa.published import REQUIRED


def published(file: Path, n: int) -> str:
    records = [
        {column: f"{column} of row {row} in {file.stem}, in words of its own." for column in REQUIRED}
        for row in range(n)
    ]
    file.write_text(json.dumps(records), encoding="utf-8")
    return str(file)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> RunSettings:
    """A published file of three records in a lake of its own, answered and judged by the baseline, without Prefect's engine."""
    from tasks.build import build_dataset
    from tasks.infer import infer_prefixes, infer_responses
    from tasks.ingest import ingest_filings
    from tasks.judge import commit_judgements, judge_answers, judge_attacks, waves_of

    folder = tmp_path_factory.mktemp("published")
    run = RunSettings(lake=str(folder / "lake"), dataset=published(folder / "three.json", 3), workers=1)
    ingest_filings.fn(run)
    build_dataset.fn(run)
    infer_prefixes.fn(run)
    infer_responses.fn(run, "extractive")
    (wave,) = waves_of(run, ["extractive"])
    parts = judge_answers.fn(run, "extractive", ["extractive"], wave)
    commit_judgements.fn(run, "extractive", "extractive", parts["extractive"])
    judge_attacks.fn(run, "extractive")
    return run


def line_of(run: RunSettings, operation: str) -> Line:
    (found,) = (line for line in estimate(run).lines if line.operation == operation)
    return found


def test_a_published_file_is_counted_before_anything_is_built(tmp_path: Path) -> None:
    run = RunSettings(lake=str(tmp_path / "lake"), dataset=published(tmp_path / "data.jsonl", 3))
    answers, verdicts = line_of(run, "answer"), line_of(run, "judge_answerable")
    assert (answers.basis, answers.requests, answers.answered) == ("counted", 3 * 7, 0)
    assert (verdicts.basis, verdicts.answered) == ("predicted", 0)
    assert "write_dialogue" not in {line.operation for line in estimate(run).lines}


def test_a_published_file_that_is_finished_has_nothing_left_to_ask(finished: RunSettings) -> None:
    lines = estimate(finished).lines
    assert {line.basis for line in lines} == {"counted"}
    assert all(line.answered == line.requests for line in lines)
    assert line_of(finished, "answer").requests == 3 * 7


def test_files_that_would_have_to_be_read_again_and_are_not_named_are_no_samples(
    finished: RunSettings,
) -> None:
    with pytest.raises(MissingInput, match=r"would have to be read again .*name them with --dataset"):
        estimate(replace(finished, dataset=None, encoding="o200k_base"))


def test_pairs_that_rules_find_are_counted_in_the_filings_whatever_is_drawn_of_them(tmp_path: Path) -> None:
    """The packaged samples: the panel is asked about 252 figures, of which 68 have a proof that no other value rivals."""
    panel = ("gpt-4o", "o1", "gemini-1.5-pro-002")
    run = RunSettings(suite="faith", lake=str(tmp_path / "lake"), panel=panel)
    found = estimate(run)
    votes = [line for line in found.lines if line.operation == "answerability"]
    assert [(line.model, line.requests, line.basis) for line in votes] == [
        (model, 252, "predicted") for model in panel
    ]
    assert line_of(run, "answer").requests == 68
    assert any("that rules find in 3 of 3 contexts" in note for note in found.notes)
    three = estimate(replace(run, pairs=3)).lines
    assert [line.requests for line in three if line.operation == "answerability"] == [252] * 3
    assert [line.requests for line in three if line.operation == "answer"] == [9]


def test_of_filings_that_are_ingested_some_tell_how_many_pairs_rules_find(tmp_path: Path) -> None:
    from tasks.ingest import ingest_filings

    run = RunSettings(suite="faith", lake=str(tmp_path / "lake"), workers=1)
    ingest_filings.fn(run)
    assert line_of(run, "answer").requests == 68
    assert line_of(replace(run, pairs=2), "answer").requests == 6


def test_where_no_filing_is_there_a_panel_is_asked_about_all_figures_of_few_pairs(tmp_path: Path) -> None:
    run = RunSettings(
        suite="faith", lake=str(tmp_path / "lake"), filings="edgar:2018Q1", sample=10, contact="a b@c.example",
        panel=("gpt-4o", "o1", "gemini-1.5-pro-002"),
    )  # fmt: skip
    few, all_of_them = estimate(replace(run, pairs=3)).lines, estimate(run).lines
    votes = [
        [line.requests for line in lines if line.operation == "answerability"] for lines in (few, all_of_them)
    ]
    assert votes[0] == votes[1] == [1520] * 3
    answers = [
        [line.requests for line in lines if line.operation == "answer"] for lines in (few, all_of_them)
    ]
    assert answers == [[30], [289]]


def test_answers_to_another_file_are_no_answers_to_this_one(finished: RunSettings, tmp_path: Path) -> None:
    others = (
        (replace(finished, dataset=published(tmp_path / "two.json", 2)), 2),
        (replace(finished, limit=1), 1),
        (replace(finished, encoding="o200k_base"), 3),
    )
    n_attacks = line_of(finished, "judge_answerable").requests - 3 * 5
    for run, n in others:
        answers, verdicts = line_of(run, "answer"), line_of(run, "judge_answerable")
        assert (answers.requests, answers.answered) == (n * 7, 0)
        # the standing attacks are about no file: their verdicts stay
        assert (verdicts.requests, verdicts.answered) == (n * 5 + n_attacks, n_attacks)
        assert verdicts.basis == "predicted"
