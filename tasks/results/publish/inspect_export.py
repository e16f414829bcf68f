"""Export for inspect_ai: a log for each model and suite."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tasks.core.errors import RunFailed
from tasks.core.ids import sha256_hex
from tasks.lake.lake import Lake, LakeError
from tasks.results.publish.answers import ModelAnswers, Row, answers_of

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample, EvalScore
    from inspect_ai.scorer import Score

_STOPS = {"stop": "stop", "length": "max_tokens", "content_filter": "content_filter"}


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

    suite, model = answers.suite, answers.full_name
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
