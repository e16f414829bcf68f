"""Export for Every Eval Ever, a shared format of evaluation results (schema 0.3.0)."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any
from uuid import UUID

from tasks.core.errors import WrongUsage
from tasks.lake.lake import Lake
from tasks.results.publish.answers import Answer, ModelAnswers, Verdict, answers_of, full_names
from tasks.results.publish.task_files import check_empty
from tasks.suites.suite import Derived

SCHEMA = "0.3.0"
_PART = re.compile(r"[\w.:+@-]*[\w+-]")


def export_every_eval_ever(
    lake: Lake,
    release: str,
    folder: Path,
    organization: str,
    model_ids: Mapping[str, str],
    suite: str | None = None,
    judge: str | None = None,
) -> list[Path]:
    """Write FOLDER/data; return its files of results, each with its answers beside it.

    Args:
        organization: who ran the evaluation.
        model_ids: model -> DEVELOPER/NAME; needed for names without a developer.
        suite, judge: see `answers_of`.

    Raises:
        LakeError: no model has answered in the release, or the folder is not empty.
        WrongUsage: a model's developer is not known.
    """
    check_empty(folder)
    lake = lake.as_of_now()
    ids = {
        model: _model_id(model, model_ids.get(model, full_name))
        for model, full_name in full_names(lake, release, suite).items()
    }  # all of them before the first file is written
    files = []
    for answers in answers_of(lake, release, suite, judge):
        model_id = ids[answers.model]
        collection = f"tenkbench-{answers.suite.name}"
        evaluation_id = f"{collection}/{model_id}/{_epoch(answers.made_at)}"
        # the same lake gives the same names: version 4, as the format wants, but not drawn
        name = UUID(
            bytes=hashlib.sha256(f"{evaluation_id} {release}".encode()).digest()[:16], version=4
        )
        developer, _, model = model_id.replace(":", "_").partition("/")
        path = Path("data", collection, developer, model.replace("/", "_"))
        (folder / path).mkdir(parents=True, exist_ok=True)
        details = path / f"{name}_samples.jsonl"
        rows = [
            json.dumps(row, ensure_ascii=False, sort_keys=True)
            for row in _instances(answers, evaluation_id, model_id)
        ]
        results = _results(answers, evaluation_id, model_id, organization)
        if rows:
            lines = "".join(f"{row}\n" for row in rows).encode()
            (folder / details).write_bytes(lines)
            results["detailed_evaluation_results"] = {
                "format": "jsonl",
                "file_path": details.as_posix(),
                "hash_algorithm": "sha256",
                "checksum": hashlib.sha256(lines).hexdigest(),
                "total_rows": len(rows),
            }
        files.append(folder / path / f"{name}.json")
        files[-1].write_text(json.dumps(results, indent=2, ensure_ascii=False), encoding="utf-8")
    return files


def _model_id(model: str, found: str) -> str:
    """Return what is found as DEVELOPER/NAME of a model.

    Raises:
        WrongUsage: it has no developer, or its parts name no folders.
    """
    parts = found.split("/")
    if len(parts) < 2 or not all(_PART.fullmatch(part) and part != "data" for part in parts):
        raise WrongUsage(
            f"'{found}' does not say who developed the model. Every Eval Ever wants "
            f"DEVELOPER/NAME:\n    --model-id {model}=DEVELOPER/NAME"
        )
    return found


def _epoch(time: str) -> str:
    return str(int(datetime.fromisoformat(time).timestamp()))


def _results(
    answers: ModelAnswers, evaluation_id: str, model_id: str, organization: str
) -> dict[str, Any]:
    about = {"deployment_type": "unknown", "model_availability": "unknown"}
    if answers.is_rules:
        about["kind"] = "a set of rules, not a language model"
    if answers.own_prompts:
        about["prompts"] = answers.own_prompts
    return {
        "schema_version": SCHEMA,
        "evaluation_id": evaluation_id,
        "evaluation_timestamp": _epoch(answers.answered_at),
        "retrieved_timestamp": _epoch(answers.made_at),
        "source_metadata": {
            "source_name": "tenkbench",
            "source_type": "evaluation_run",
            "source_organization_name": organization,
            "evaluator_relationship": "other",
        },
        "eval_library": {"name": "tenkbench", "version": version("tenkbench")},
        "model_info": {"name": answers.model, "id": model_id, "additional_details": about},
        "evaluation_results": [
            _result(answers, row) for row in answers.metrics if row["value"] is not None
        ],
    }


def _result(answers: ModelAnswers, row: Mapping[str, Any]) -> dict[str, Any]:
    suite, metric = answers.suite, row["metric"]
    label = suite.page.label(metric)
    found = suite.metrics.get(metric)
    is_share = isinstance(found, Derived) and found.is_share
    uncertainty: dict[str, Any] = {"num_samples": row["n"]}
    if row["low"] is not None and row["high"] is not None:
        uncertainty["confidence_interval"] = {
            "lower": row["low"],
            "upper": row["high"],
            "confidence_level": 0.95,
            "method": "by filing; see tenkbench's sql/README.md",
        }
    return {
        "evaluation_result_id": f"{row['judge']}/{metric}",
        "evaluation_name": suite.title,
        "source_data": {
            "dataset_name": f"tenkbench {suite.name}, release {answers.release}",
            "source_type": "other",
        },
        "metric_config": {
            "evaluation_description": label.meaning or label.name,
            # a metric by another judge is another one: no table may put both into one column
            "metric_id": f"tenkbench.{suite.name}.{metric}.{row['judge']}",
            "metric_name": f"{label.name}, judged by {row['judge']}",
            "lower_is_better": label.is_lower_better,
            **({"score_type": "continuous", "min_score": 0, "max_score": 1} if is_share else {}),
            "additional_details": {
                "judge": row["judge"],
                "judged_by": "a rule" if row["judge"] in suite.rules else "a model",
            },
        },
        "score_details": {
            "score": row["value"],
            "details": {"n_unscored": str(row["n_unscored"]), "n_groups": str(row["n_groups"])},
            "uncertainty": uncertainty,
        },
    }


def _instances(
    answers: ModelAnswers, evaluation_id: str, model_id: str
) -> Iterator[dict[str, Any]]:
    """Yield an instance for each answer and judge; the format has none for what is unscored."""
    for each in answers.answers:
        for verdict in each.verdicts:
            if verdict.value is not None and each.response.text is not None:
                yield _instance(answers, each, verdict, evaluation_id, model_id)


def _instance(
    answers: ModelAnswers, answer: Answer, verdict: Verdict, evaluation_id: str, model_id: str
) -> dict[str, Any]:
    asked, response, judge = answer.asked, answer.response, verdict.judgement.judge
    case, text = asked.case, response.text or ""
    system = f"{asked.prefix.system}\n\n" if asked.prefix.system else ""
    row: dict[str, Any] = {
        "schema_version": SCHEMA,
        "evaluation_id": evaluation_id,
        "model_id": model_id,
        "evaluation_name": answers.suite.title,
        "sample_id": case.case_id,
        "sample_hash": hashlib.sha256((case.query + case.target).encode()).hexdigest(),
        "interaction_type": "single_turn",
        "input": {
            "raw": case.query,
            "formatted": system + asked.prompt,
            "reference": [case.target],
        },
        "output": {
            "raw": [text],
            "reasoning_trace": [response.reasoning] if response.reasoning else None,
        },
        "answer_attribution": [
            {
                "turn_idx": 0,
                "source": "output.raw",
                "extracted_value": text,
                "extraction_method": f"judge {judge}",
                "is_terminal": True,
            }
        ],
        "evaluation": {"score": verdict.value, "is_correct": verdict.value == 1},
        "performance": {
            "latency_ms": response.latency_ms,
            "time_to_first_token_ms": response.first_token_ms,
        },
        "metadata": {
            name: str(value)
            for name, value in {**asked.about, "judge": judge, "judge_said": verdict.said}.items()
            if name != "query"
        },
    }
    if response.n_prompt is not None and response.n_output is not None:
        row["token_usage"] = {
            "input_tokens": response.n_prompt,
            "output_tokens": response.n_output,
            "total_tokens": response.n_prompt + response.n_output,
            "input_tokens_cache_read": response.n_cached,
        }
    return row
