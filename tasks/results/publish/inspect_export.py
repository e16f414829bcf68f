"""Export for inspect_ai: a log for each model and suite, of what it was asked, said and scored."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tasks.core.errors import RunFailed
from tasks.core.ids import sha256_hex
from tasks.lake.lake import Commit, Lake, LakeError
from tasks.pipeline.settings import place_options
from tasks.pipeline.sources import is_of_samples
from tasks.results.opened import check_current, check_there, opened_warehouse, rows_of
from tasks.results.publish.rows import FILINGS
from tasks.results.report.provenance import judges_of, own_prompts_note
from tasks.suites.registry import load_suite

if TYPE_CHECKING:
    import duckdb
    from inspect_ai import log, scorer

Row = Mapping[str, Any]

_STOPS = {"stop": "stop", "length": "max_tokens", "content_filter": "content_filter"}
# Columns that Inspect shows beside a case.
_SHOWN = (
    *("variant", "task", "is_answerable", "query", "qa_pair_id", "company", "cik", "form"),
    *("filing_id", "edgar_url", "period_end", "filed_date"),
)

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


def export_inspect(
    lake: Lake, release: str, folder: Path, suite: str | None = None, judge: str | None = None
) -> list[Path]:
    """Write FOLDER/logs, a log for each suite and model; return the logs.

    Args:
        suite: the only one to write.
        judge: the only one whose verdicts and metrics to write. By default all, those first that
            the newest run named.

    Raises:
        LakeError: the release does not exist, no model has answered, or answers or judgements are
            of cases that have been replaced. Or the folder is not empty.
        WrongUsage: the judge has not rated a suite.
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
    lake = lake.as_of_now()
    answered = _answered(lake, release, suite)
    judges = {}
    for name in dict.fromkeys(map(_suite_of, answered)):
        check_current(lake, release, name)
        named = judges_of(lake.commits(release), name, judge)
        judges[name] = named if judge is None else (judge,)
    (folder / "logs").mkdir(parents=True, exist_ok=True)
    files = []
    with opened_warehouse(lake, release) as warehouse:
        for commit in answered:
            of_suite, model = _suite_of(commit), commit.identity["parameters"]["model"]["name"]
            # its hash keeps two names apart that are the same without their signs
            name = f"{re.sub(r'[^A-Za-z0-9.-]+', '-', model)}-{sha256_hex(model)[:6]}"
            files.append(folder / "logs" / f"{of_suite}_{name}.eval")
            write_eval_log(_log(warehouse, lake, commit, judges[of_suite]), files[-1])
    return sorted(files)


def _answered(lake: Lake, release: str, suite: str | None) -> list[Commit]:
    check_there(lake, release)
    answered = [
        commit
        for commit in lake.commits(release)
        if suite in (None, _suite_of(commit))
        and ".infer." in commit.step.name
        and "model" in commit.identity["parameters"]
    ]
    if not answered:
        place = {"lake": lake.url, "release": release} | ({"suite": suite} if suite else {})
        raise LakeError(
            f"No model has answered {suite or 'anything'} in release '{release}' of '{lake.url}'. "
            "Prompts are written when models are asked. The rules cost nothing:\n"
            f"    tenkbench run{place_options(**place)} --model extractive"
        )
    return answered


def _suite_of(commit: Commit) -> str:
    """Return the suite of a step; ingest has none."""
    return commit.step.name.partition(".")[0]


# --- logs --------------------------------------------------------------------------------


def _log(
    warehouse: duckdb.DuckDBPyConnection, lake: Lake, answered: Commit, judges: Sequence[str]
) -> log.EvalLog:
    from inspect_ai import log

    release, suite = answered.step.release, load_suite(_suite_of(answered))
    asked_model = answered.identity["parameters"]["model"]
    is_rules = asked_model["engine"] == "extractive"
    # of the rules, we are the developer
    model = f"tenkbench/{asked_model['name']}" if is_rules else asked_model["name"]
    about = {"suite": suite.name, "model": asked_model["name"], "judges": list(judges)}
    of_answers = {
        "is_of_samples": is_of_samples(lake, release),
        "operations": [operation.name for operation in suite.answers],
        "variants": [*suite.variants],
    }
    of_metrics = {"release": release, "metrics": [*suite.page.metrics]}
    answers = rows_of(warehouse, _ANSWERS, about | of_answers)
    metrics = rows_of(warehouse, _METRICS, about | of_metrics)
    # of the same judge for all models, so that a list of logs compares like with like
    headline = log.HeadlineMetric(metric=suite.page.headline, scorer=next(iter(judges), None))
    identity = sha256_hex(f"{release} {suite.name} {asked_model['name']}")[:22]
    return log.EvalLog(
        status="success",
        eval=log.EvalSpec(
            eval_id=identity,
            run_id=identity,
            task_id=identity,
            created=answered.committed_at,
            task=suite.name,
            task_display_name=suite.title,
            task_description=suite.description,
            dataset=log.EvalDataset(name=f"{suite.name}/{release}", samples=len(answers)),
            model=model,
            config=log.EvalConfig(),
            headline_metric=headline,
            packages={"tenkbench": version("tenkbench")},
            metadata={
                "release": release,
                "is_rules": is_rules,
                "own_prompts": own_prompts_note(lake.commits(release), suite.name),
            },
        ),
        results=log.EvalResults(
            total_samples=len(answers),
            completed_samples=sum(row["status"] == "ok" for row in answers),
            scores=[_scores(judge, answers, metrics) for judge in judges],
            headline=headline,
        ),
        # when the first call was sent is not kept
        stats=log.EvalStats(started_at=answered.committed_at, completed_at=answered.committed_at),
        samples=[_sample(row, model) for row in answers],
    )


def _scores(judge: str, answers: Sequence[Row], metrics: Sequence[Row]) -> log.EvalScore:
    """Return a judge's metrics; `_low` and `_high` are the ends of their 95 % intervals."""
    from inspect_ai import log

    verdicts = [verdict for row in answers for verdict in row["verdicts"]]
    is_scored = [verdict["value"] is not None for verdict in verdicts if verdict["judge"] == judge]
    values = {
        row["metric"] + end: log.EvalMetric(
            name=row["metric"] + end,
            value=row[column],
            metadata={key: row[key] for key in ("n", "n_unscored", "n_groups")},
        )
        for row in metrics
        for end, column in (("", "value"), ("_low", "low"), ("_high", "high"))
        if row["judge"] == judge and row[column] is not None
    }
    return log.EvalScore(
        name=judge,
        scorer=judge,
        scored_samples=sum(is_scored),
        unscored_samples=len(is_scored) - sum(is_scored),
        metrics=values,
    )


def _sample(row: Row, model: str) -> log.EvalSample:
    from inspect_ai import log
    from inspect_ai import model as chat

    messages: list[chat.ChatMessage] = []
    if row["system"] is not None:
        messages.append(chat.ChatMessageSystem(content=row["system"], id="system"))
    messages.append(chat.ChatMessageUser(content=row["prompt"], id=row["request_id"]))
    content: str | list[chat.Content] = row["text"] or ""
    if row["reasoning"]:
        thoughts = chat.ContentReasoning(reasoning=row["reasoning"])
        content = [thoughts, chat.ContentText(text=row["text"] or "")]
    failure = f"{row['error_type'] or row['status']}: {row['error'] or ''}"
    output = chat.ModelOutput.from_content(
        model,
        content,
        stop_reason=_STOPS.get(row["finish_reason"] or "stop", "unknown"),  # type: ignore[arg-type]
        error=None if row["status"] == "ok" else failure,
    )
    output.choices[0].message.id = f"answer to {row['request_id']}"
    if row["n_prompt"] is not None and row["n_output"] is not None:
        output.usage = chat.ModelUsage(
            input_tokens=row["n_prompt"],
            output_tokens=row["n_output"],
            total_tokens=row["n_prompt"] + row["n_output"],
            input_tokens_cache_read=row["n_cached"],
            total_cost=row["cost_usd"],
        )
    output.time = None if row["latency_ms"] is None else row["latency_ms"] / 1000
    return log.EvalSample(
        id=row["case_id"],
        epoch=1,
        input=messages,
        target=row["target"],
        messages=[*messages, output.choices[0].message],
        output=output,
        scores={verdict["judge"]: _score(verdict, row["text"]) for verdict in row["verdicts"]},
        metadata=_about(row),
        model_usage={} if output.usage is None else {model: output.usage},
        total_time=output.time,
        uuid=row["request_id"],
    )


def _about(row: Row) -> dict[str, Any]:
    """Return what Inspect shows beside a case; nothing that is unknown."""
    about = {name: row[name] for name in _SHOWN} | dict(row["traits"] or {})
    return {
        name: str(value) if isinstance(value, date) else value
        for name, value in about.items()
        if value is not None
    }


def _score(verdict: Row, answer: str | None) -> scorer.Score:
    """Make a score: 1 for a right answer, 0 for a wrong one; the judge's own words beside it."""
    from inspect_ai import scorer

    names = ("rating", "label", "score")
    about = {name: verdict[name] for name in names if verdict[name] is not None}
    reason = verdict["unscored_reason"]
    return scorer.Score(
        value=math.nan if verdict["value"] is None else verdict["value"],
        answer=answer,
        explanation=verdict["rationale"] or reason or str(next(iter(about.values()), "")),
        reason=reason,
        metadata=about,
    )
