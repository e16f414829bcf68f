"""An estimate counts what the lake holds, predicts the rest and says which; it sends and writes nothing."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tasks.core.rows import Case, Prefix, QAPair, Request, Response
from tasks.core.settings import RunSettings, WrongSettings
from tasks.filings.samples import sample_folder
from tasks.inference.cache.response_cache import ResponseCache
from tasks.inference.client import Client
from tasks.inference.context import RunContext
from tasks.inference.engines.extractive import Extractive
from tasks.inference.operation import Call, Work
from tasks.lake.lake import Lake, ReleaseConflict
from tasks.models.catalogue import Model, find_model
from tasks.pipeline.plan import is_judged_on, plan_cases, plan_contexts, plan_ingest, plan_qa_pairs
from tasks.results.estimate.call_costs import Line, total
from tasks.results.estimate.estimate import estimate
from tasks.results.estimate.gpu_time import gpu_hours
from tasks.suites.build_inputs import Shown
from tasks.suites.failsafeqa.judges.attacks import load_attacks
from tasks.suites.registry import UnknownSuite, load_suite
from tasks.suites.shared.published import DatasetError
from tests.calls import streamed
from tests.handed import Handed

MODELS = """
[models.paid]
engine = "openai"
description = "a model of the test's own"
base_url = "http://127.0.0.1:1/v1"
price = { prompt = 2.0, cached = 0.5, output = 8.0 }

[models.thinking]
engine = "openai"
description = "one that thinks"
base_url = "http://127.0.0.1:1/v1"
thinks = true
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> RunSettings:
    """A finished run of the baseline on the samples, made without Prefect's engine, but for its metrics."""
    from tasks.build import build_cases, build_contexts, build_qa_pairs, commit_qa_pairs, pair_shards
    from tasks.infer import infer_prefixes, infer_responses
    from tasks.ingest import ingest_filings
    from tasks.judge import commit_judgements, judge_answers, judge_attacks, waves_of

    folder = tmp_path_factory.mktemp("estimate")
    (folder / "models.toml").write_text(MODELS, encoding="utf-8")
    run = RunSettings(lake=str(folder / "lake"), models_file=str(folder / "models.toml"), pairs=2, workers=1)
    context = RunContext(run)
    ingest_filings.fn(run)
    build_contexts.fn(run)
    commit_qa_pairs.fn(
        run,
        [part for shard in range(len(pair_shards(run))) for part in build_qa_pairs.fn(run, context, shard)],
    )
    for variant in ("baseline", *load_suite(run.suite).perturbations):
        build_cases.fn(run, context, variant)
    infer_prefixes.fn(run)
    infer_responses.fn(run, context, "extractive")
    commit_judgements.fn(
        run,
        "extractive",
        "extractive",
        judge_answers.fn(run, context, "extractive", ["extractive"], waves_of(run, ["extractive"])[0])[
            "extractive"
        ],
    )
    judge_attacks.fn(run, context, "extractive")
    return run


@pytest.fixture
def copied(built: RunSettings, tmp_path: Path) -> RunSettings:
    shutil.copytree(built.lake, tmp_path / "lake")
    return replace(built, lake=str(tmp_path / "lake"))


def n_attacks(operation: str) -> int:
    """How many of the standing attacks a judge's operation is asked about."""
    scenes, attacks = load_attacks()
    return sum(f"judge_{scenes[attack.scene].rubric}" == operation for attack in attacks)


def line_of(lines: Sequence[Line], operation: str, model: str | None = None) -> Line:
    (found,) = (line for line in lines if line.operation == operation and model in (None, line.model))
    return found


def rows(run: RunSettings, row_type: type, operation: str | None = None) -> list:
    lake = Lake(run.lake)
    found = [row for commit in lake.commits(run.release) for row in lake.each(commit, row_type)]
    return found if operation is None else [row for row in found if row.operation == operation]


def tokens_of(run: RunSettings, operation: str) -> tuple[int, int]:
    """Prompt tokens of an operation's requests as they are in the lake: each read whole, and heads once."""
    prefixes = {prefix.prefix_id: prefix.n_tokens for prefix in rows(run, Prefix)}
    requests = rows(run, Request, operation)
    whole = sum(request.n_prompt_tokens for request in requests)
    suffixes = sum(request.n_prompt_tokens - prefixes[request.prefix_id] for request in requests)
    heads = {request.prefix_id for request in requests}
    return whole, suffixes + sum(prefixes[prefix_id] for prefix_id in heads)


# --- a run that is finished ----------------------------------------------------------------


def test_a_finished_run_has_nothing_left_to_ask(built: RunSettings) -> None:
    lines = estimate(built).lines
    assert {line.basis for line in lines} == {"counted"}
    assert all(line.answered == line.requests for line in lines)
    assert total(lines).prompt == total(lines).most_output == 0


def test_a_finished_runs_lines_are_its_requests(built: RunSettings) -> None:
    estimated = {line.operation: line.requests for line in estimate(built).lines if line.requests}
    made: dict[str, int] = {}
    for request in rows(built, Request):
        made[request.operation] = made.get(request.operation, 0) + 1
    assert estimated == made


# --- a model that is added -----------------------------------------------------------------


def test_answers_to_built_cases_are_counted_from_their_prompts(built: RunSettings) -> None:
    line = line_of(estimate(replace(built, model=("paid",))).lines, "answer")
    whole, once = tokens_of(built, "answer")  # the baseline was sent the same prompts
    assert (line.basis, line.requests, line.answered) == ("counted", len(rows(built, Case)), 0)
    # a head's tokens are counted in pieces here: a token more or less where they meet
    assert line.prompt == pytest.approx(whole, rel=1e-3)
    assert line.shared == pytest.approx(once, rel=1e-3)


def test_another_judges_prompts_are_counted_from_the_answers_that_are_there(built: RunSettings) -> None:
    lines = estimate(replace(built, judge=("paid",))).lines
    for operation in ("judge_answerable", "judge_missing_context", "judge_irrelevant_context"):
        line = line_of(lines, operation)
        whole, once = tokens_of(built, operation)
        assert (line.basis, line.answered) == ("counted", 0)
        assert (line.prompt, line.shared) == (whole, once)


def test_verdicts_on_answers_that_are_not_there_are_predicted(built: RunSettings) -> None:
    one = estimate(replace(built, model=("paid",), judge=("paid",))).lines
    two = estimate(replace(built, model=("paid", "thinking"), judge=("paid",))).lines
    for operation in ("judge_answerable", "judge_missing_context"):
        first, both = line_of(one, operation), line_of(two, operation)
        assert first.basis == "predicted"
        assert both.requests - n_attacks(operation) == 2 * (first.requests - n_attacks(operation))
        # both models' answers to a question are judged below one head
        assert both.shared - first.shared < both.prompt - first.prompt


def test_what_a_judge_is_asked_again_is_a_part_of_the_cases_and_a_smaller_part_is_in_a_larger_one(
    built: RunSettings,
) -> None:
    operation, judge = "judge_answerable", ("paid",)
    once, tenth, half, all_again = (
        line_of(estimate(replace(built, judge=judge, judge_repeats=share)).lines, operation)
        for share in (0.0, 0.1, 0.5, 1.0)
    )
    n_answers = once.requests - n_attacks(operation)
    assert once.basis == half.basis == "counted"
    assert once.requests <= tenth.requests < half.requests < all_again.requests
    assert all_again.requests == once.requests + n_answers
    asked_again = {
        share: {
            case.case_id
            for case in rows(built, Case)
            if is_judged_on(1, replace(built, judge_repeats=share), case.case_id)
        }
        for share in (0.1, 0.5)
    }
    assert asked_again[0.1] < asked_again[0.5]
    unbuilt = [replace(built, lake=f"{built.lake}-none", judge_repeats=share) for share in (0.0, 0.5)]
    before, more = (line_of(estimate(run).lines, operation) for run in unbuilt)
    assert more.requests - before.requests == pytest.approx(
        (before.requests - n_attacks(operation)) / 2, abs=1
    )


def test_each_judge_has_lines_of_its_own(built: RunSettings) -> None:
    lines = estimate(replace(built, judge=("extractive", "paid"))).lines
    assert line_of(lines, "judge_answerable", "extractive").answered
    assert not line_of(lines, "judge_answerable", "paid").answered


def test_what_is_judged_already_is_free(built: RunSettings) -> None:
    line = line_of(estimate(replace(built, model=("extractive", "paid"))).lines, "judge_answerable")
    assert line.answered == len(rows(built, Request, "judge_answerable"))
    assert line.requests == 2 * line.answered - n_attacks("judge_answerable")


# --- money and time ------------------------------------------------------------------------


def test_dollars_follow_from_tokens_and_prices(built: RunSettings) -> None:
    line = line_of(estimate(replace(built, model=("paid",))).lines, "answer")
    assert line.dollars is not None
    assert line.dollars * 1e6 == pytest.approx(
        line.shared * 2.0 + (line.prompt - line.shared) * 0.5 + line.output * 8.0
    )
    assert line.most_dollars is not None
    assert line.most_dollars * 1e6 == pytest.approx(line.prompt * 2.0 + line.requests * 2_048 * 8.0)


def test_a_model_that_thinks_is_taken_to_answer_as_long_as_it_may(built: RunSettings) -> None:
    line = line_of(estimate(replace(built, model=("thinking",))).lines, "answer")
    assert line.output == line.most_output == line.requests * 2_048
    assert line.dollars is None


def test_gpu_hours_are_arithmetic_for_prompts_and_memory_for_answers() -> None:
    model = find_model("Meta-Llama-3.1-8B-Instruct")
    reading = gpu_hours(model, 1, 25_000, 25_000, 0)
    assert reading == pytest.approx(2 * 8.03e9 * 25_000 / (989e12 * 0.4) / 3600)
    n, length, n_output = 1_540, 25_000, 1_540 * 250
    together = (72 - 3 - 16.1) * 1e9 // 131_072 // (length + 125)
    writing = (16.1e9 / together + 131_072 * (length + 125)) * n_output / (3.35e12 * 0.6) / 3600
    assert gpu_hours(model, n, n * length, 0, n_output) == pytest.approx(writing)


def test_sharing_saves_gpu_hours_and_an_api_or_a_layout_that_does_not_fit_has_none() -> None:
    model = find_model("Qwen2.5-72B-Instruct")
    shared, whole = gpu_hours(model, 7, 175_000, 25_000, 0), gpu_hours(model, 7, 175_000, 175_000, 0)
    assert shared is not None
    assert whole == pytest.approx(7 * shared)
    assert gpu_hours(find_model("gpt-4o"), 1, 1_000, 1_000, 10) is None
    assert gpu_hours(find_model("DeepSeek-R1"), 1, 25_000, 25_000, 10) is None


def test_a_total_adds_up_and_is_predicted_where_one_of_its_lines_is(built: RunSettings) -> None:
    lines = estimate(replace(built, model=("paid", "extractive"), judge=("paid",))).lines
    whole = total(lines)
    assert whole.requests == sum(line.requests for line in lines if not line.is_rule)
    assert whole.dollars == pytest.approx(sum(line.dollars or 0.0 for line in lines))
    assert whole.basis == "predicted"
    assert total(line for line in lines if line.is_rule).requests == 0


# --- a run under way -----------------------------------------------------------------------


class Answering:
    """An engine that answers by rule what it is asked, until it has answered enough."""

    def __init__(self, model: Model, most: int) -> None:
        self.model = model.name
        self.identity = model.identity
        self.rules = Extractive(load_suite("failsafeqa").operations, workers=1)
        self.left = most

    async def answer(self, work: Work) -> None:
        async def some(call: Call, response: Response) -> Sequence[Call]:
            if self.left <= 0:
                return ()
            self.left -= 1
            return await work.answered(call, response)

        handed = Handed(work.groups, some)
        handed.open = work.open  # type: ignore[method-assign]
        await self.rules.answer(handed)


@pytest.fixture
def kept() -> Callable[[RunSettings], ResponseCache]:
    from tasks.inference.cache.response_cache import cache_of

    return lambda run: cache_of(run.lake)


def test_answers_in_the_ledger_are_free(
    copied: RunSettings, kept: Callable[[RunSettings], ResponseCache]
) -> None:
    from tasks.infer import _groups, _prefix_tokens, case_shards
    from tasks.pipeline.plan import plan_responses

    run = replace(copied, model=("paid",))
    before = line_of(estimate(run).lines, "answer")
    lake, suite = Lake(run.lake), load_suite(run.suite)
    ledger = Client(Answering(find_model("paid", run.models_file), most=before.requests // 2), kept(run))
    planned = plan_responses(lake, run, "paid")
    shards = case_shards(lake, planned, suite)
    groups = list(_groups(lake, planned, suite, ledger, shards, _prefix_tokens(lake, planned)))

    streamed(ledger, groups)
    after = line_of(estimate(run).lines, "answer")
    assert (after.requests, after.answered) == (before.requests, before.requests // 2)
    assert after.prompt < before.prompt
    assert after.most_output == before.most_output - after.answered * 2_048
    assert line_of(estimate(replace(run, fresh=True)).lines, "answer").answered == 0
    assert line_of(estimate(replace(run, model=("thinking",))).lines, "answer").answered == 0


def test_what_the_ledger_holds_of_a_build_that_was_stopped_is_free(
    copied: RunSettings, kept: Callable[[RunSettings], ResponseCache]
) -> None:
    run = replace(copied, generator="paid")
    before = estimate(run).lines
    lake, suite = Lake(run.lake), load_suite(run.suite)
    ledger = Client(Answering(find_model("paid", run.models_file), most=20), kept(run))
    from tasks.core.rows import Context

    contexts = [
        context
        for commit in lake.commits(run.release)
        if commit.step.name.endswith("contexts")
        for context in lake.each(commit, Context)
    ]
    engines = {"generator": [ledger], "citer": [ledger]}
    shown = Shown(contexts=contexts, documents=lambda _: {}, engines=engines, run=run)
    with pytest.raises(RuntimeError, match="lost"):  # the engine stops in the middle of the ratings
        list(suite.write(shown))
    after = estimate(run).lines
    first, ratings = line_of(after, "write_dialogue"), line_of(after, "rate_pair")
    assert first.answered == len(contexts) * suite.setting(run, "pairs")
    assert ratings.answered == 20 - first.answered
    assert ratings.prompt < line_of(before, "rate_pair").prompt
    assert ratings.dollars is not None
    assert line_of(after, "choose_query") == line_of(before, "choose_query")


# --- a run that has not started ------------------------------------------------------------


def test_a_run_that_has_not_started_is_predicted_and_nothing_is_written(
    built: RunSettings, tmp_path: Path
) -> None:
    run = replace(built, lake=str(tmp_path / "lake"))
    lines = estimate(run).lines
    assert {line.basis for line in lines} == {"predicted"}
    assert not (tmp_path / "lake").exists()
    for operation in ("rate_pair", "cite_longcite", "answer", "judge_answerable"):
        line, actual = line_of(lines, operation), rows(built, Request, operation)
        assert line.requests == pytest.approx(len(actual), rel=0.35), operation
        assert line.prompt == pytest.approx(tokens_of(built, operation)[0], rel=0.5), operation


def test_predictions_grow_with_what_is_asked_for(built: RunSettings, tmp_path: Path) -> None:
    run = replace(built, lake=str(tmp_path / "lake"))
    run = replace(run, model=("paid",), generator="paid", citer="paid", judge=("paid",))
    once, twice = (total(estimate(replace(run, pairs=pairs)).lines) for pairs in (2, 4))
    n_fixed = len(load_attacks()[1])
    assert twice.requests - n_fixed == pytest.approx(2 * (once.requests - n_fixed), rel=0.02)
    assert twice.shared < 2 * once.shared


def test_no_head_is_read_where_nothing_is_asked(tmp_path: Path) -> None:
    """With a pair a filing, fewer than all contexts are cited and answered: heads of the others are not counted."""
    run = RunSettings(
        lake=str(tmp_path / "lake"), filings="edgar:2018Q1", sample=40, pairs=1, contact="a b@c.example",
        model=("gpt-4o",), generator="gpt-4o", citer="gpt-4o", judge=("gpt-4o",),
    )  # fmt: skip
    lines = estimate(run).lines
    assert {line.operation for line in lines if line.shared > line.prompt} == set()


def test_ingested_documents_are_cut_as_the_build_would(copied: RunSettings) -> None:
    run = replace(copied, context_tokens=700)
    lines, notes = estimate(run).lines, estimate(run).notes
    assert {line.basis for line in lines} == {"predicted"}
    assert not any("filings" in note for note in notes)
    assert (
        0
        < line_of(lines, "write_dialogue").shared
        < line_of(estimate(replace(run, context_tokens=1_400)).lines, "write_dialogue").shared
    )


def test_a_file_tells_how_many_of_the_filings_were_read(tmp_path: Path) -> None:
    (tmp_path / "filings").mkdir()
    sample = next(sample_folder().glob("*.htm*"))
    for number in range(3):
        shutil.copy(sample, tmp_path / "filings" / f"{number}{''.join(sample.suffixes)}")
    found = estimate(RunSettings(lake=str(tmp_path / "lake"), filings=str(tmp_path / "filings")))
    assert any("from 3 of 3 filings" in note for note in found.notes)


# --- what it says --------------------------------------------------------------------------


def test_refusals_of_the_run_are_told_and_do_not_stop_the_estimate(
    built: RunSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    notes = "\n".join(estimate(replace(built, model=("DeepSeek-R1", "gpt-4o"))).notes)
    assert "DeepSeek-R1 does not fit its layout" in notes
    assert "OPENAI_API_KEY" in notes or "gpt-4o" in notes


@pytest.mark.parametrize(
    ("settings", "refused", "said"),
    [
        ({"suite": "fait"}, UnknownSuite, "no suite is named 'fait'"),
        ({"suite": "faith", "judge": ("gpt-4o",)}, WrongSettings, "--judge takes strict, official, not gpt-4o"),
        ({"judge": ("strict",)}, WrongSettings, "strict is a rule that suite faith judges by"),
        ({"dataset": "faith.json"}, WrongSettings, "laid out as FAITH's published file, not as FailSafeQA's"),
        ({"suite": "faith", "dataset": "faith.json", "pairs": 3}, WrongSettings, "--pairs would change nothing"),
        ({"suite": "faith", "dataset": "none.json"}, DatasetError, "no such file"),
    ],
)  # fmt: skip
def test_what_the_run_refuses_is_not_estimated(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    settings: dict[str, Any],
    refused: type[Exception],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    report = {"metadata": {}, "tables": {}, "instances": []}
    Path("faith.json").write_text(json.dumps([report]), encoding="utf-8")
    with pytest.raises(refused, match=said):
        estimate(RunSettings(lake="lake", **settings))
    assert not Path("lake").exists()


def test_a_frozen_release_refuses_an_estimate_as_it_would_refuse_the_run(
    built: RunSettings, tmp_path: Path
) -> None:
    lake = Lake(tmp_path / "lake")
    run = replace(built, lake=lake.url, release="2026.11")
    planned = plan_ingest(lake, run)
    planned.commit(lake, [])
    with pytest.raises(ReleaseConflict):
        estimate(replace(run, limit=1))


def test_building_steps_are_looked_up_by_the_settings_that_they_depend_on(built: RunSettings) -> None:
    lake = Lake(built.lake)
    steps = [plan_contexts(lake, built), plan_qa_pairs(lake, built), plan_cases(lake, built, "incomplete")]
    assert all(lake.commit_of(planned.step) is not None for planned in steps)
    again = estimate(replace(built, seed=18)).lines
    assert line_of(again, "rate_pair").basis == "predicted"
    assert len(rows(built, QAPair)) > 0
