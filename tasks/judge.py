"""Judge: a model's responses -> judgements."""

from __future__ import annotations

from prefect import task
from prefect.cache_policies import NO_CACHE

from tasks.engines import load_engine
from tasks.judges import Answered
from tasks.ledger import Recorded
from tasks.schemas import Case, QAPair, Request, Response
from tasks.settings import RunSettings
from tasks.steps import committed, is_finished, plan_judgements, write_calls
from tasks.store import Commit, Lake, Part
from tasks.suites import load_suite


def n_answer_shards(run: RunSettings, model: str) -> int:
    """How many shards `judge_answers` has for a model; 0 when the step is finished."""
    lake = Lake(run.lake)
    if is_finished(lake, plan_judgements(lake, run, model), run):
        return 0
    return len(committed(lake, run.release, f"{run.suite}.infer.{model}").parts_of("responses"))


@task(name="judge answers", task_run_name="judge answers of {model}, shard {shard}", cache_policy=NO_CACHE)
def judge_answers(run: RunSettings, model: str, shard: int) -> list[Part]:
    """One shard of a model's answers -> judgements, in (context, pair, perturbation) order."""
    lake = Lake(run.lake)
    planned = plan_judgements(lake, run, model)
    suite = load_suite(run.suite)
    answers = planned.input(f"{run.suite}.infer.{model}")
    requests = lake.read_shard(answers, Request, shard)
    responses = {response.request_id: response for response in lake.read_shard(answers, Response, shard)}
    built = [commit for commit in planned.inputs if ".build." in commit.step.name]
    asked = {request.case_id or "" for request in requests}
    cases = {
        case.case_id: case for commit in built for case in lake.each(commit, Case, only=("case_id", asked))
    }
    of_pairs = {case.qa_pair_id for case in cases.values()}
    pairs = {
        pair.qa_pair_id: pair
        for commit in built
        for pair in lake.each(commit, QAPair, only=("qa_pair_id", of_pairs))
    }
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
