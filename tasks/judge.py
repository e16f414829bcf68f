"""Judge: a model's responses -> judgements."""

from __future__ import annotations

from prefect import task
from prefect.cache_policies import NO_CACHE

from tasks.engines import load_engine
from tasks.judges import Answered
from tasks.ledger import Recorded
from tasks.schemas import Case, QAPair, Request, Response
from tasks.settings import RunSettings
from tasks.steps import build_step_names, committed, is_finished, plan_judgements, write_calls
from tasks.store import Commit, Lake, Part
from tasks.suites import load_suite

# Answers that one task has judged.
ANSWER_SHARD = 512


def n_answer_shards(run: RunSettings, model: str) -> int:
    """How many shards `judge_answers` has for a model; 0 when the step is finished."""
    lake = Lake(run.lake)
    if is_finished(lake, plan_judgements(lake, run, model), run):
        return 0
    answers = committed(lake, run.release, f"{run.suite}.infer.{model}")
    return -(-answers.n_rows("responses") // ANSWER_SHARD)


@task(name="judge answers", task_run_name="judge answers of {model}, shard {shard}", cache_policy=NO_CACHE)
def judge_answers(run: RunSettings, model: str, shard: int) -> list[Part]:
    """One shard of a model's answers -> judgements, in (context, pair, perturbation) order."""
    lake = Lake(run.lake)
    planned = plan_judgements(lake, run, model)
    suite = load_suite(run.suite)
    answers = committed(lake, run.release, f"{run.suite}.infer.{model}")
    requests = lake.read(answers, Request)[shard * ANSWER_SHARD : (shard + 1) * ANSWER_SHARD]
    responses = {
        response.request_id: response
        for response in lake.read(
            answers, Response, only=("request_id", {request.request_id for request in requests})
        )
    }
    built = [committed(lake, run.release, name) for name in build_step_names(run, suite)]
    cases = {case.case_id: case for commit in built for case in lake.read(commit, Case)}
    pairs = {pair.qa_pair_id: pair for commit in built for pair in lake.read(commit, QAPair)}
    answered = []
    for request in requests:
        case = cases[request.case_id or ""]
        answered.append(
            Answered(
                case=case,
                pair=pairs[case.qa_pair_id],
                request=request,
                response=responses[request.request_id],
            )
        )
    engine = Recorded(load_engine(run.judge, suite.operations, run.workers))
    judgements = list(suite.judge(answered, engine))
    parts = [
        planned.write(lake, "judgements", judgements, shard, suite=run.suite, judge=run.judge, model=model)
    ]
    return parts + write_calls(lake, planned, run, engine, shard, candidate=model)


@task(name="commit judgements", task_run_name="commit judgements of {model}", cache_policy=NO_CACHE)
def commit_judgements(run: RunSettings, model: str, parts: list[Part]) -> Commit:
    """Make the shards' judgements what the metrics see."""
    lake = Lake(run.lake)
    planned = plan_judgements(lake, run, model)
    return planned.commit(lake, parts) if parts else planned.finished(lake)
