"""What the page shows as JSON: the rows that its figures are drawn from, and its cases."""

from __future__ import annotations

import json
from dataclasses import asdict

from tasks.results.report.cases import case_data
from tasks.results.report.measured import Measured
from tasks.results.report.provenance import Provenance
from tasks.results.report.verdict import remark, verdict, warnings

# Relations whose rows stand in `cases`, with no more of the filings than the page shows.
_OF_CASES = ("reports.explain", "raw.contexts", "raw.qa_pairs", "suites.evidence")


def page_data(measured: Measured, sources: Provenance, n_checks: int) -> str:
    """Write what the page shows as JSON, numbers unrounded."""
    _, questions = case_data(measured)
    shown = {
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
        "questions": questions,
    }
    return json.dumps(shown, ensure_ascii=False, indent=1)
