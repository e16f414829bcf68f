"""An estimate counts what the lake holds and runs the other steps in memory.

It says which steps those are. It sends and writes nothing.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from tasks.baseline import load_rules
from tasks.core.rows import Case, Prefix, Request
from tasks.inference import engines
from tasks.inference.engines.extractive import Extractive
from tasks.inference.operation import PRIME, Call
from tasks.lake.lake import Lake
from tasks.models.catalogue import Model, cost_of, find_model
from tasks.pipeline.plan import is_judged_on
from tasks.pipeline.settings import RunSettings, WrongSettings
from tasks.pipeline.sources import found_files
from tasks.results.estimate import call_costs, trial_build
from tasks.results.estimate.call_costs import EstimateLine, total
from tasks.results.estimate.estimate import estimate
from tasks.suites.failsafeqa.published import REQUIRED
from tasks.suites.registry import load_suite
from tasks.text.tokens import count_tokens
from tests.scripted import Scripted
from tests.some import some
from tests.without_prefect import flows_as_functions

MODELS = """
[models.paid]
engine = "openai"
description = "a model of the test's own"
base_url = "http://127.0.0.1:1/v1"
price = { prompt = 2.0, cached = 0.5, output = 8.0 }
"""
IMITATED = "predicted from answers of usual length"
BY_RULES = "predicted from made-up replies in place of models"
JUDGED = ("judge_answerable", "judge_missing_context", "judge_irrelevant_context")


def run_all(run: RunSettings) -> None:
    """Run all verbs but score, without Prefect."""
    from flows.build import build
    from flows.infer import infer
    from flows.ingest import ingest
    from flows.judge import judge

    with flows_as_functions():
        for flow in (ingest, build, infer, judge):
            flow(run)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> RunSettings:
    """A finished run on the packaged samples."""
    folder = tmp_path_factory.mktemp("estimate")
    (folder / "models.toml").write_text(MODELS, encoding="utf-8")
    run = RunSettings(
        lake=str(folder / "lake"),
        models_file=str(folder / "models.toml"),
        options={"pairs": 2},
        workers=1,
    )
    run_all(run)
    return run


@pytest.fixture(autouse=True)
def _nothing_is_sent_or_written(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Let every engine that would send fail, and no file of the built lake come, go or change."""

    def fail(*arguments: object) -> None:
        raise AssertionError("an estimate opened an engine that sends")

    for name in ("openai", "litellm", "vllm"):
        monkeypatch.setitem(engines.ENGINES, name, fail)
    lake = Path(request.getfixturevalue("built").lake)
    before = {path: path.stat().st_mtime_ns for path in lake.rglob("*")}
    yield
    assert before == {path: path.stat().st_mtime_ns for path in lake.rglob("*")}


@pytest.fixture
def unbuilt(built: RunSettings, tmp_path: Path) -> Iterator[RunSettings]:
    """The same run on a lake that is not there, and is not made."""
    yield replace(built, lake=str(tmp_path / "none"))
    assert not (tmp_path / "none").exists()


def line_of(
    lines: Sequence[EstimateLine], operation: str, model: str | None = None
) -> EstimateLine:
    (match,) = (
        line for line in lines if line.operation == operation and model in (None, line.model)
    )
    return match


def rows(run: RunSettings, row_type: type) -> list[Any]:
    lake = Lake(run.lake)
    return [row for commit in lake.commits(run.release) for row in lake.each(commit, row_type)]


def counts(lines: Sequence[EstimateLine]) -> dict[str, tuple[int, int, int]]:
    """Requests and prompt tokens, each whole and with shared heads once, by operation."""
    return {line.operation: (line.requests, line.prompt, line.shared) for line in lines}


def counts_in_lake(run: RunSettings) -> dict[str, tuple[int, int, int]]:
    """The same of the requests that a run has made; each step reads its heads once."""
    tokens_of = {prefix.prefix_id: prefix.n_tokens for prefix in rows(run, Prefix)}
    lake = Lake(run.lake)
    counts: dict[str, tuple[int, int, int]] = {}
    for commit in lake.commits(run.release):
        by_operation: dict[str, list[Request]] = {}
        for request in lake.each(commit, Request):
            if request.operation != PRIME:
                by_operation.setdefault(request.operation, []).append(request)
        for operation, requests in by_operation.items():
            whole = sum(request.n_prompt_tokens for request in requests)
            heads = Counter(request.prefix_id for request in requests)
            saved = sum((n - 1) * tokens_of[prefix_id] for prefix_id, n in heads.items())
            before = counts.get(operation, (0, 0, 0))
            counts[operation] = (
                before[0] + len(requests), before[1] + whole, before[2] + whole - saved,
            )  # fmt: skip
    return counts


def assert_same(
    counts: dict[str, tuple[int, int, int]], made: dict[str, tuple[int, int, int]]
) -> None:
    assert {operation: n for operation, (n, _, _) in counts.items()} == {
        operation: n for operation, (n, _, _) in made.items()
    }
    for operation, figures in counts.items():
        # heads of answers are counted in pieces: a token more or less where they meet
        assert figures == pytest.approx(made[operation], rel=1e-3), operation


# --- what is counted -----------------------------------------------------------------------


def test_a_built_lake_is_counted_as_what_its_run_asked(built: RunSettings) -> None:
    lines = estimate(built).lines
    assert {line.basis for line in lines if line.stage != "judge"} == {"counted"}
    assert all(line.answered == line.requests for line in lines if line.stage == "build")
    assert total(lines).prompt == total(lines).most_output == 0  # rules are in no total
    assert {line.operation: line.requests for line in lines} == {
        operation: n for operation, (n, _, _) in counts_in_lake(built).items()
    }


def test_a_run_that_rules_play_on_few_filings_is_estimated_exactly_before_it_starts(
    built: RunSettings, unbuilt: RunSettings
) -> None:
    lines = estimate(unbuilt).lines
    made = counts_in_lake(built)
    assert {line.basis for line in lines} == {"counted", IMITATED}
    steps = [line for line in lines if line.stage != "judge"]
    assert_same(counts(steps), {line.operation: made[line.operation] for line in steps})
    assert {"write_dialogue", "answer_neutral"} <= counts(lines).keys()


def test_another_models_answers_to_built_cases_are_counted(built: RunSettings) -> None:
    lines = estimate(replace(built, model=("paid",))).lines
    answers = line_of(lines, "answer_neutral")
    assert (answers.basis, answers.answered) == ("counted", 0)
    assert_same(counts([answers]), {"answer_neutral": counts_in_lake(built)["answer_neutral"]})
    judged = line_of(lines, "judge_answerable")
    assert judged.basis == IMITATED
    assert judged.requests == counts_in_lake(built)["judge_answerable"][0]


def test_judge_repeats_are_a_part_of_the_cases(built: RunSettings) -> None:
    cases = rows(built, Case)
    once = total(estimate(replace(built, judge=("paid",))).lines).requests
    for share in (0.1, 0.5, 1.0):
        again = replace(built, judge=("paid",), judge_repeats=share)
        n_again = sum(is_judged_on(1, again, case.case_id) for case in cases)
        assert total(estimate(again).lines).requests == once + n_again


def test_kept_replies_are_free_and_feed_the_steps_after_them(
    built: RunSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Kept(Extractive):
        """Rules that pass for a model, whose replies are kept."""

        identity = find_model("paid", built.models_file).identity  # type: ignore[assignment]

    def open_kept(model: Any, operations: Any, rules: Any) -> Any:
        return Kept(operations, load_rules(built.suite), model.name)

    run = replace(built, lake=str(tmp_path / "lake"), model=("paid",), judge=("paid",))
    run = replace(run, roles={"generator": ("paid",), "citer": ("paid",)})
    with monkeypatch.context() as patched:
        patched.setitem(engines.ENGINES, "openai", open_kept)
        patched.setattr(Model, "primes", False)  # rules answer no primer
        run_all(run)
    again = replace(run, release="again-dev")  # nothing of it is built
    lines = estimate(again).lines
    assert all(line.answered == line.requests for line in lines)
    assert {line.operation: line.requests for line in lines} == {
        operation: n for operation, (n, _, _) in counts_in_lake(run).items()
    }
    afresh = estimate(replace(again, fresh=True)).lines
    assert sum(line.answered for line in afresh) == 0


# --- what is predicted ---------------------------------------------------------------------


def test_what_no_rule_plays_ends_the_prediction_and_a_note_says_so(
    unbuilt: RunSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(call_costs, "rules_of", lambda *_, **__: {})
    prediction = estimate(replace(unbuilt, roles={"generator": ("paid",)}))
    assert line_of(prediction.lines, "write_dialogue").requests
    assert "answer_neutral" not in {line.operation for line in prediction.lines}
    assert any("step qa_pairs gives no rows" in note for note in prediction.notes)


def test_a_model_that_writes_finds_questions_where_rules_find_none(
    unbuilt: RunSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tasks.baseline.failsafeqa.questions.facts_of", lambda text: [])
    by_rules = {line.operation for line in estimate(unbuilt).lines}
    assert by_rules & {"write_dialogue", "answer_neutral"} == {"write_dialogue"}
    lines = estimate(replace(unbuilt, roles={"generator": ("paid",)})).lines
    n_contexts = line_of(lines, "write_dialogue").requests // 2  # --pairs
    assert line_of(lines, "answer_neutral").requests == 7 * 2 * n_contexts


@pytest.mark.parametrize("suite", ["tablequest", "refusalbench"])
def test_made_up_replies_of_models_make_cases(suite: str, unbuilt: RunSettings) -> None:
    roles = {role.name: ("paid",) for role in load_suite(suite).roles}
    lines = estimate(replace(unbuilt, suite=suite, roles=roles, options={})).lines
    assert sum(line.requests for line in lines if line.stage == "infer") > 5


def test_a_sample_of_the_filings_is_scaled_to_all(
    unbuilt: RunSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    ((_, drawn),) = trial_build.spread(found_files(unbuilt), 1)
    alone = estimate(replace(unbuilt, filings=str(drawn))).lines
    monkeypatch.setattr(trial_build, "FILINGS", 1)
    for line in some(estimate(unbuilt).lines):
        if line.stage != "judge":  # attacks do not grow with the filings
            assert line.basis == "predicted from 1 of 3 filings"
            assert line.requests == 3 * line_of(alone, line.operation).requests


def test_every_member_of_a_panel_is_asked_until_enough_figures_are_drawn(
    unbuilt: RunSettings,
) -> None:
    panel = ("gpt-4o", "o1", "gemini-1.5-pro-002")
    run = replace(unbuilt, suite="faith", roles={"panel": panel})
    n_votes = []
    for options in ({}, {"pairs": 3}):
        votes = [
            (line.model, line.requests, line.basis)
            for line in estimate(replace(run, options=options)).lines
            if line.operation == "answerability"
        ]
        n_votes.append(votes[0][1])
        assert votes == [(model, n_votes[-1], BY_RULES) for model in panel]
    assert n_votes[0] == 11
    assert n_votes[1] < n_votes[0]


def test_before_edgar_is_asked_the_packaged_samples_stand_for_the_filings(
    unbuilt: RunSettings,
) -> None:
    run = replace(unbuilt, filings="edgar:2018Q1", sample=30, contact="a b@c.example")
    prediction = estimate(run)
    bases = {line.basis for line in prediction.lines if line.stage != "judge"}
    assert bases == {"predicted from 3 of 30 filings"}
    dialogues = line_of(prediction.lines, "write_dialogue")
    assert dialogues.requests % 10 == 0
    assert dialogues.prompt / dialogues.requests > 20_000  # as real filings would fill a context
    assert any("3 packaged samples" in note and "30 filings" in note for note in prediction.notes)
    of_samples = estimate(unbuilt)
    for operation in ("rate_pair", "answer_neutral"):  # their length changes no number
        calls = [
            line_of(lines, operation).requests for lines in (prediction.lines, of_samples.lines)
        ]
        assert calls[0] == pytest.approx(10 * calls[1], rel=0.2)
    with pytest.raises(WrongSettings, match="Set --sample or --limit"):
        estimate(replace(run, sample=None))


# --- at most -------------------------------------------------------------------------------


def test_at_most_covers_a_run_with_the_longest_answers(
    unbuilt: RunSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def long_reply(call: Call) -> str:
        end = " Rating: [[3]]"
        return " word" * (call.request.sampling.max_tokens - count_tokens(end)) + end

    paid = find_model("paid", unbuilt.models_file)
    run = replace(unbuilt, options={}, model=("paid",), judge=("paid",))
    predicted = total(estimate(run).lines)
    made = replace(run, lake=str(tmp_path / "lake"))
    with monkeypatch.context() as patched:
        scripted = Scripted(long_reply, model="paid", identity=paid.identity)
        patched.setitem(engines.ENGINES, "openai", lambda *arguments: scripted)
        run_all(made)
    sent = [request for request in rows(made, Request) if request.model == "paid"]
    costs = [
        cost_of(paid, request.n_prompt_tokens, 0, request.sampling.max_tokens) for request in sent
    ]
    assert None not in costs
    assert sum(cost or 0.0 for cost in costs) <= (predicted.most_dollars or 0.0)


# --- a published file ----------------------------------------------------------------------


def test_a_published_file_is_counted_before_anything_is_built(
    unbuilt: RunSettings, tmp_path: Path
) -> None:
    records = [{column: f"{column} of row {row}." for column in REQUIRED} for row in range(3)]
    (tmp_path / "data.jsonl").write_text(json.dumps(records), encoding="utf-8")
    file = str(tmp_path / "data.jsonl")
    run = replace(unbuilt, dataset=file, model=("paid",), options={})
    lines = estimate(run).lines
    answers = line_of(lines, "answer_neutral")
    assert (answers.basis, answers.requests, answers.answered) == ("counted", 3 * 7, 0)
    assert not [line for line in lines if line.stage == "build"]
    assert line_of(lines, "judge_answerable").basis != "counted"


# --- what it says --------------------------------------------------------------------------


def test_refusals_of_the_run_are_told_and_do_not_stop_the_estimate(
    built: RunSettings, monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert estimate(replace(built, model=("DeepSeek-R1", "gpt-4o"))).notes == snapshot


def test_another_judges_prompts_are_counted_from_the_answers_that_are_there(
    built: RunSettings,
) -> None:
    lines = [
        line for line in estimate(replace(built, judge=("paid",))).lines if line.stage == "judge"
    ]
    assert {(line.basis, line.answered) for line in lines} == {(IMITATED, 0)}
    made = counts_in_lake(built)
    assert counts(lines) == {operation: made[operation] for operation in JUDGED}
