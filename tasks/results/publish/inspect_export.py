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
from tasks.results.publish.answers import Answer, ModelAnswers, Verdict, answers_of

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
    n_answered = sum(each.response.status == "ok" for each in answers.answers)
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

    scored = [v for each in answers.answers for v in each.verdicts]
    for judge in answers.judges:
        of_judge = [each.value is not None for each in scored if each.judgement.judge == judge]
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


def _sample(answer: Answer, model: str) -> EvalSample:
    from inspect_ai.event import ModelEvent, ScoreEvent
    from inspect_ai.log import EvalSample
    from inspect_ai.model import (
        ChatMessageSystem,
        ChatMessageUser,
        ContentReasoning,
        ContentText,
        GenerateConfig,
        ModelOutput,
        ModelUsage,
    )

    asked, response = answer.asked, answer.response
    case = asked.case
    system = asked.prefix.system
    messages: list[Any] = [] if system is None else [ChatMessageSystem(content=system, id="system")]
    messages.append(ChatMessageUser(content=asked.prompt, id=asked.request.request_id))
    text = ContentText(text=response.text or "")
    thoughts = [ContentReasoning(reasoning=response.reasoning)] if response.reasoning else []
    error = None
    if response.status != "ok":
        error = f"{response.error_type or response.status}: {response.error or ''}"
    output = ModelOutput.from_content(
        model,
        [*thoughts, text] if thoughts else text.text,
        stop_reason=_STOPS.get(response.finish_reason or "stop", "unknown"),  # type: ignore[arg-type]
        error=error,
    )
    output.choices[0].message.id = f"answer to {asked.request.request_id}"
    if response.n_prompt is not None and response.n_output is not None:
        output.usage = ModelUsage(
            input_tokens=response.n_prompt,
            output_tokens=response.n_output,
            total_tokens=response.n_prompt + response.n_output,
            input_tokens_cache_read=response.n_cached,
            total_cost=response.cost_usd,
        )
    seconds = None if response.latency_ms is None else response.latency_ms / 1000
    output.time = seconds
    sampling = asked.request.sampling
    config = GenerateConfig(
        temperature=sampling.temperature, max_tokens=sampling.max_tokens, top_p=sampling.top_p
    )
    scores = {each.judgement.judge: _score(each, response.text) for each in answer.verdicts}
    asking = ModelEvent(
        model=model, input=messages, tools=[], tool_choice="none", config=config, output=output
    )
    scoring = [
        ScoreEvent(score=score, target=case.target, scorer=judge) for judge, score in scores.items()
    ]
    return EvalSample(
        id=case.case_id,
        epoch=1,
        input=messages,
        target=case.target,
        messages=[*messages, output.choices[0].message],
        output=output,
        scores=scores,
        metadata=asked.about,
        events=[asking, *scoring],
        model_usage={} if output.usage is None else {model: output.usage},
        total_time=seconds,
        uuid=asked.request.request_id,
    )


def _score(verdict: Verdict, answer: str | None) -> Score:
    """Make a score: 1 for a right answer, 0 for a wrong one; the judge's own words beside it."""
    from inspect_ai.scorer import Score

    row = verdict.judgement
    about = {"rating": row.rating, "label": row.label, "score": row.score}
    return Score(
        value=math.nan if verdict.value is None else verdict.value,
        answer=answer,
        explanation=row.rationale or row.unscored_reason or verdict.said,
        reason=row.unscored_reason,
        metadata={name: value for name, value in about.items() if value is not None},
    )
