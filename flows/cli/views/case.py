"""Terminal output of `tenkbench explain`: one judged case, field by field, or a pair's cases.

The report's page shows a case beside the filing, with what was changed marked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from shlex import quote
from typing import Any

from flows.cli.options import DEFAULTS
from flows.cli.views.console import one_line, print_json, print_table
from tasks.filings.samples import sample_folder

# Left out of suggested commands.
_DEFAULTS = {"slice": "overall", "suite": DEFAULTS.suite, "lake": DEFAULTS.lake}

_INVENTED = "not on EDGAR: a sample filing of an invented company"

FIELDS = (
    *("release", "suite", "qa_pair_id", "case_id", "variant", "traits", "is_answerable"),
    *("original_query", "query", "target", "model", "answer", "answer_read", "finish_reason"),
    *("other_model", "other_answer", "judge", "is_by_rule", "rating", "label", "score"),
    *("is_compliant", "unscored_reason", "rationale", "cited", "context_id", "changed"),
    *("evidence", "company", "form", "period_end", "filed_date", "item", "filing_id"),
    *("source_uri", "edgar_url"),
)
PROMPTS = ("prompt_prefix", "prompt_suffix", "judge_prompt_prefix", "judge_prompt_suffix")


def command(case: str | None = None, **options: str | None) -> str:
    """Write the `explain` command for these options, without defaults."""
    named = {
        name: value for name, value in options.items() if value not in (None, _DEFAULTS.get(name))
    }
    words = [
        case or "",
        *(f"--{name} {quote(one_line(value or ''))}" for name, value in named.items()),
    ]
    return " ".join(["tenkbench explain", *filter(None, words)])


def show_cases(
    rows: Sequence[Mapping[str, Any]], *, is_pair: bool, is_full: bool, as_json: bool
) -> None:
    """Show the judgements of a case, in full with prompts, or those of a pair's cases."""
    rows = [dict(row) | {"edgar_url": _address(row), "cited": _cited(row)} for row in rows]
    if as_json:
        print_json(rows)
    elif is_pair:
        columns = ("case_id", "variant", "verdict", "query", "answer")
        cells = [[{**row, "verdict": _verdict(row)}[name] for name in columns] for row in rows]
        print_table(columns, cells, rows[0]["qa_pair_id"])
    else:
        names = (*FIELDS, *(PROMPTS if is_full else ()))
        for row in rows:
            values = [(name, str(row[name])) for name in names if row[name] not in (None, {}, "")]
            print_table(("field", "value"), values)


def _address(row: Mapping[str, Any]) -> str | None:
    is_sample = row["source_uri"] in {file.name for file in sample_folder().iterdir()}
    return _INVENTED if is_sample else row["edgar_url"]


def _cited(row: Mapping[str, Any]) -> str:
    return "\n".join(citation["quote"] for citation in row["citations"]) or row["citation_text"]


def _verdict(row: Mapping[str, Any]) -> Any:
    """Return a rating, label or score, or why there is none."""
    verdicts = (row["rating"], row["label"], row["score"], row["unscored_reason"])
    return next((str(verdict) for verdict in verdicts if verdict is not None), None)
