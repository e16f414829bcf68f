"""What the page shows as JSON: the rows that its figures are drawn from, and its cases."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from tasks.results.report.cases import case_data
from tasks.results.report.measured import Measured
from tasks.results.report.provenance import Provenance
from tasks.results.report.verdict import remark, verdict, warnings

# Relations whose rows stand in `cases`, with no more of the filings than the page shows.
_OF_CASES = ("reports.explain", "raw.contexts", "raw.qa_pairs", "suites.evidence")

# What the page packs as lists, by place.
_ANSWER = (
    "model",
    "verdict",
    "unscored_reason",
    "answer",
    "rationale",
    "finish_reason",
    "latency_ms",
    "answer_read",
)
_GAME = ("verdict", "unscored_reason", "rationale")
_MARK = ("number", "percent", "kind", "is_wanted", "line", "models")


def page_data(measured: Measured, sources: Provenance, n_checks: int) -> str:
    """Write what the page shows as JSON, numbers unrounded."""
    index, chunks = case_data(measured)
    models = [model["name"] for model in index["models"]]
    verdicts = index["verdicts"]
    variants = {case[0]: index["variants"][case[2]] for case in index["cases"]}
    queries = {case[0]: case[3] for case in index["cases"]}
    for chunk in chunks:
        for case in chunk["cases"]:
            case["variant"] = variants[case["id"]]
            case["query_as_asked"] = queries[case["id"]]
            case["answers"] = [_answer(each, models, verdicts) for each in case["answers"]]
            if "games" in case:
                case["games"] = [_game(each, models) for each in case["games"]]
            if "marks" in case:
                case["marks"] = [_mark(each, models) for each in case["marks"]]
    found = {
        "suite": measured.suite.name,
        "release": measured.release,
        "judge": measured.judge,
        "verdict": verdict(measured),
        "warnings": warnings(measured, is_of_samples=sources.is_of_samples),
        "remark": remark(measured),
        "n_answers": measured.n_answers,
        "n_unscored": measured.n_unscored,
        "n_checks": n_checks,
        "models": [asdict(model) for model in measured.models],
        "sources": asdict(sources),
        "relations": {
            relation: rows
            for relation, rows in measured.reports.items()
            if relation not in _OF_CASES
        },
        "questions": chunks,
    }
    return json.dumps(found, ensure_ascii=False, indent=1)


def _answer(packed: Sequence[Any], models: Sequence[str], verdicts: Any) -> dict[str, Any]:
    found = dict(zip(_ANSWER, packed, strict=True))
    verdict = verdicts.get(found["verdict"])
    return found | {
        "model": models[found["model"]],
        "verdict": verdict and verdict["name"],
        "is_good": verdict and verdict["isGood"],
    }


def _game(packed: Sequence[Any], models: Sequence[str]) -> dict[str, Any]:
    model, other, orders = packed
    first, second = (dict(zip(_GAME, order, strict=True)) for order in orders)
    return {
        "model": models[model],
        "other_model": models[other],
        "shown_first": first,
        "shown_second": second,
    }


def _mark(packed: Sequence[Any], models: Sequence[str]) -> dict[str, Any]:
    found = dict(zip(_MARK, packed, strict=True))
    return found | {"models": [models[place] for place in found["models"]]}
