"""Export for inspect_ai: a log for each model and suite, of what it was asked, said and scored."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tasks.core.errors import RunFailed
from tasks.core.ids import sha256_hex
from tasks.lake.lake import Commit, Lake, LakeError
from tasks.pipeline.settings import place_options
from tasks.pipeline.sources import is_of_samples
from tasks.results.compare.built import check_current
from tasks.results.opened import check_there, opened_warehouse, rows_of
from tasks.results.publish.rows import FILINGS
from tasks.results.report.provenance import judges_of, own_prompts_note
from tasks.suites.registry import SUITES, load_suite
from tasks.suites.suite import Suite

if TYPE_CHECKING:
    import duckdb
    from inspect_ai.log import EvalLog, EvalSample, EvalScore
    from inspect_ai.scorer import Score

Row = Mapping[str, Any]

_STOPS = {"stop": "stop", "length": "max_tokens", "content_filter": "content_filter"}

# One row per case as a model was asked it, with its answer, its verdicts and its filing. Of several
# documents, the filing is the first one's. A verdict's value is 1 for right and 0 for wrong.
_ANSWERS = f"""
with filings as ({FILINGS}),
verdicts as (
    select
        request_id,
        list(
            {{
                judge: judge, value: value, rating: rating, label: label, score: judged.score,
                rationale: rationale, unscored_reason: judged.unscored_reason
            }}
            order by list_position($judges, judge)
        ) as verdicts
    from staging.judged_answers as judged
    inner join (select judgement_id, rationale from raw.judgements) using (judgement_id)
    where suite = $suite and model = $model and list_contains($judges, judge)
    group by all
)
select
    cases.case_id, cases.qa_pair_id, cases.variant, cases.query, cases.target,
    cases.is_answerable, qa_pairs.task, qa_pairs.answer as reference,
    map_concat(qa_pairs.traits, cases.traits) as traits,
    requests.request_id, prefixes.system,
    prefixes.text || requests.suffix as prompt,
    responses.* exclude (request_id, release, suite),
    coalesce(verdicts.verdicts, []) as verdicts,
    filings.* exclude (document_id)
from raw.requests as requests
inner join raw.responses as responses using (suite, request_id)
inner join (
    select suite, prefix_id, any_value(system) as system, any_value(text) as text
    from raw.prefixes group by all
) as prefixes using (suite, prefix_id)
inner join raw.cases as cases using (suite, case_id)
inner join raw.qa_pairs as qa_pairs using (suite, qa_pair_id)
inner join raw.contexts as whole
    on cases.suite = whole.suite and qa_pairs.context_id = whole.context_id
left join filings on whole.document_ids[1] = filings.document_id
left join verdicts using (request_id)
where requests.suite = $suite and requests.model = $model
    and list_contains($operations, requests.operation)
order by
    cases.qa_pair_id, coalesce(list_position($variants, cases.variant), 99), cases.case_id
"""
_METRICS = """
select judge, metric, value, low, high, n, n_unscored, n_groups from reports.metrics
where release = $release and suite = $suite and model = $model and slice_by = 'overall'
    and list_contains($judges, judge)
order by
    list_position($judges, judge), coalesce(list_position($metrics, metric), 99), metric
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAnswers:
    """All answers of one model in one suite."""

    release: str
    suite: Suite
    model: str
    is_rules: bool  # whether rules answered, not a language model
    answers: Sequence[Row]  # of `_ANSWERS`, a case each
    answered_at: str  # when they were complete, in UTC
    metrics: Sequence[Row]  # of `reports.metrics` over all cases
    judges: list[str]  # of any model of the suite, those first that the page shows
    own_prompts: str  # the sentence of `own_prompts_note`


def export_inspect(
    lake: Lake, release: str, folder: Path, suite: str | None = None, judge: str | None = None
) -> list[Path]:
    """Write FOLDER/logs; return the logs.

    Args:
        suite, judge: see `answers_of`.

    Raises:
        LakeError: no model has answered in the release, or the folder is not empty.
        RunFailed: inspect_ai is not installed.
    """
    try:
        from inspect_ai.log import write_eval_log
    except ImportError as missing:
        raise RunFailed(
            "inspect_ai is not installed. Install it:\n    pip install 'tenkbench[inspect]'"
        ) from missing
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise LakeError(f"'{folder}' is not empty. Name a new folder.")
    (folder / "logs").mkdir(parents=True, exist_ok=True)
    logs = []
    for answers in answers_of(lake, release, suite, judge):
        # its hash keeps two names apart that are the same without their signs
        name = f"{re.sub(r'[^A-Za-z0-9.-]+', '-', answers.model)}-{sha256_hex(answers.model)[:6]}"
        logs.append(folder / "logs" / f"{answers.suite.name}_{name}.eval")
        write_eval_log(_log(answers), logs[-1])
    return logs


def answers_of(
    lake: Lake, release: str, suite: str | None = None, judge: str | None = None
) -> Iterator[ModelAnswers]:
    """Yield each suite's models with their answers, one model at a time.

    Args:
        suite: the only one to yield.
        judge: the only one whose verdicts and metrics to yield. By default all, those first that
            the newest run named.

    Raises:
        LakeError: the release does not exist, no model has answered, or answers or judgements are
            of cases that have been replaced.
        UnknownJudge: the judge has not rated a suite.
    """
    lake = lake.as_of_now()
    check_there(lake, release)
    suites = [suite] if suite else SUITES
    commits = [each for each in lake.commits(release) if _suite_of(each) in suites]
    answered = [commit for commit in commits if _is_answering(commit)]
    if not answered:
        place = {"lake": lake.url, "release": release} | ({"suite": suite} if suite else {})
        raise LakeError(
            f"No model has answered {suite or 'anything'} in release '{release}' of '{lake.url}'. "
            "Prompts are written when models are asked. The rules cost nothing:\n"
            f"    tenkbench run{place_options(**place)} --model extractive"
        )
    for name in {*map(_suite_of, answered)}:
        check_current(lake, release, name)
    judges = {name: judges_of(commits, name, judge) for name in map(_suite_of, answered)}
    about = {"release": release, "is_of_samples": is_of_samples(lake, release)}
    with opened_warehouse(lake, release) as warehouse:
        for commit in sorted(answered, key=lambda each: [*SUITES].index(_suite_of(each))):
            suite_of = load_suite(_suite_of(commit))
            by = judges[suite_of.name] if judge is None else (judge,)
            yield _of_model(warehouse, suite_of, commit, about | {"judges": [*by]}, commits)


def _of_model(
    warehouse: duckdb.DuckDBPyConnection,
    suite: Suite,
    answered: Commit,
    about: Mapping[str, Any],
    commits: Sequence[Commit],
) -> ModelAnswers:
    model = answered.identity["parameters"]["model"]
    parameters = {
        **about,
        "suite": suite.name,
        "model": model["name"],
        "operations": [operation.name for operation in suite.answers],
        "variants": [*suite.variants],
        "metrics": [*suite.page.metrics],
    }

    def rows(query: str) -> list[dict[str, Any]]:
        used = {name: value for name, value in parameters.items() if f"${name}" in query}
        return rows_of(warehouse, query, used)

    return ModelAnswers(
        release=about["release"],
        suite=suite,
        model=model["name"],
        is_rules=model["engine"] == "extractive",
        answers=rows(_ANSWERS),
        answered_at=answered.committed_at,
        metrics=rows(_METRICS),
        judges=about["judges"],
        own_prompts=own_prompts_note(
            (each for each in commits if _suite_of(each) == suite.name), suite.name
        ),
    )


def _is_answering(commit: Commit) -> bool:
    return ".infer." in commit.step.name and "model" in commit.identity["parameters"]


def _suite_of(commit: Commit) -> str:
    """Return the suite of a step; ingest has none."""
    return commit.step.name.partition(".")[0]


# --- logs --------------------------------------------------------------------------------


def _log(answers: ModelAnswers) -> EvalLog:
    from inspect_ai.log import (
        EvalConfig,
        EvalDataset,
        EvalLog,
        EvalResults,
        EvalSpec,
        EvalStats,
        HeadlineMetric,
    )

    suite, model = answers.suite, answers.model
    if answers.is_rules:  # whose developer we are
        model = f"tenkbench/{model}"
    # of the same judge for all models, so that a list of logs compares like with like
    headline = HeadlineMetric(metric=suite.page.headline, scorer=next(iter(answers.judges), None))
    identity = sha256_hex(f"{answers.release} {suite.name} {answers.model}")[:22]
    samples = [_sample(each, model) for each in answers.answers]
    n_answered = sum(row["status"] == "ok" for row in answers.answers)
    return EvalLog(
        status="success",
        eval=EvalSpec(
            eval_id=identity,
            run_id=identity,
            task_id=identity,
            created=answers.answered_at,
            task=suite.name,
            task_display_name=suite.title,
            task_description=suite.description,
            task_version=0,
            dataset=EvalDataset(name=f"{suite.name}/{answers.release}", samples=len(samples)),
            model=model,
            config=EvalConfig(),
            headline_metric=headline,
            packages={"tenkbench": version("tenkbench")},
            metadata={
                "release": answers.release,
                "is_rules": answers.is_rules,
                "own_prompts": answers.own_prompts,
            },
        ),
        results=EvalResults(
            total_samples=len(samples),
            completed_samples=n_answered,
            scores=list(_scores(answers)),
            headline=headline,
        ),
        # when the first call was sent is not kept
        stats=EvalStats(started_at=answers.answered_at, completed_at=answers.answered_at),
        samples=samples,
    )


def _scores(answers: ModelAnswers) -> Iterator[EvalScore]:
    """Yield the metrics by judge; `_low` and `_high` are the ends of their 95 % intervals."""
    from inspect_ai.log import EvalMetric, EvalScore

    verdicts = [verdict for row in answers.answers for verdict in row["verdicts"]]
    for judge in answers.judges:
        of_judge = [each["value"] is not None for each in verdicts if each["judge"] == judge]
        metrics = {}
        for row in answers.metrics:
            ends = {"": row["value"], "_low": row["low"], "_high": row["high"]}
            for end, value in ends.items():
                if row["judge"] == judge and value is not None:
                    name = row["metric"] + end
                    about = {key: row[key] for key in ("n", "n_unscored", "n_groups")}
                    metrics[name] = EvalMetric(name=name, value=value, metadata=about)
        yield EvalScore(
            name=judge,
            scorer=judge,
            scored_samples=sum(of_judge),
            unscored_samples=len(of_judge) - sum(of_judge),
            metrics=metrics,
        )


def _sample(row: Row, model: str) -> EvalSample:
    from inspect_ai.log import EvalSample
    from inspect_ai.model import (
        ChatMessageSystem,
        ChatMessageUser,
        ContentReasoning,
        ContentText,
        ModelOutput,
        ModelUsage,
    )

    messages: list[Any] = []
    if row["system"] is not None:
        messages.append(ChatMessageSystem(content=row["system"], id="system"))
    messages.append(ChatMessageUser(content=row["prompt"], id=row["request_id"]))
    text = ContentText(text=row["text"] or "")
    thoughts = [ContentReasoning(reasoning=row["reasoning"])] if row["reasoning"] else []
    error = None
    if row["status"] != "ok":
        error = f"{row['error_type'] or row['status']}: {row['error'] or ''}"
    output = ModelOutput.from_content(
        model,
        [*thoughts, text] if thoughts else text.text,
        stop_reason=_STOPS.get(row["finish_reason"] or "stop", "unknown"),  # type: ignore[arg-type]
        error=error,
    )
    output.choices[0].message.id = f"answer to {row['request_id']}"
    if row["n_prompt"] is not None and row["n_output"] is not None:
        output.usage = ModelUsage(
            input_tokens=row["n_prompt"],
            output_tokens=row["n_output"],
            total_tokens=row["n_prompt"] + row["n_output"],
            input_tokens_cache_read=row["n_cached"],
            total_cost=row["cost_usd"],
        )
    seconds = None if row["latency_ms"] is None else row["latency_ms"] / 1000
    output.time = seconds
    scores = {verdict["judge"]: _score(verdict, row["text"]) for verdict in row["verdicts"]}
    return EvalSample(
        id=row["case_id"],
        epoch=1,
        input=messages,
        target=row["target"],
        messages=[*messages, output.choices[0].message],
        output=output,
        scores=scores,
        metadata=_about(row),
        model_usage={} if output.usage is None else {model: output.usage},
        total_time=seconds,
        uuid=row["request_id"],
    )


def _about(row: Row) -> dict[str, Any]:
    """Return what Inspect shows beside a case; nothing that is unknown."""
    names = ("variant", "task", "is_answerable", "query", "qa_pair_id", "company", "cik", "form")
    dates = {name: row[name] and str(row[name]) for name in ("period_end", "filed_date")}
    about = {name: row[name] for name in (*names, "filing_id", "edgar_url")} | dates
    known = about | dict(row["traits"] or {})
    return {name: value for name, value in known.items() if value is not None}


def _score(verdict: Row, answer: str | None) -> Score:
    """Make a score: 1 for a right answer, 0 for a wrong one; the judge's own words beside it."""
    from inspect_ai.scorer import Score

    about = {
        name: verdict[name] for name in ("rating", "label", "score") if verdict[name] is not None
    }
    reason = verdict["unscored_reason"]
    return Score(
        value=math.nan if verdict["value"] is None else verdict["value"],
        answer=answer,
        explanation=verdict["rationale"] or reason or str(next(iter(about.values()), "")),
        reason=reason,
        metadata=about,
    )
