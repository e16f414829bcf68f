"""Terminal output of `tenkbench explain`: the cases behind a number, or one case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from shlex import quote
from typing import Any

from flows.cli.options import DEFAULTS
from flows.cli.views.console import one_line, print_json, print_prose, print_table
from tasks.core.rows import Metric
from tasks.filings.samples import sample_folder
from tasks.results.explain.explain import JudgedCase, Unit
from tasks.suites.page import Page
from tasks.suites.registry import load_suite
from tasks.text.shares import interval, share
from tasks.text.visible import visible

_COLUMNS = ("id", "outcome", "query", "details")
_MOST_QUERY, _MOST_TEXT = 100, 40  # characters of a query; of an answer, its truth and a reason
_SCORES: dict[float | None, str] = {0: "fails", None: "unscored", 1: "holds"}
_GAMES: dict[float | None, str] = {0: "lost", 0.5: "tie", None: "unscored", 1: "won"}


def show_cell(
    cell: Metric,
    units: Sequence[Unit],
    limit: int | None,
    place: Mapping[str, str | None],
    *,
    against: str | None = None,
    as_json: bool,
) -> None:
    """Show a metric and at most `limit` of its units.

    `against` is another model, if only one of the two gets the units right. `place` holds the
    options suite, release and lake of suggested commands.
    """
    shown = units[:limit]
    if as_json:
        print_json(
            {"cell": asdict(cell), "n_units": len(units), "units": [asdict(unit) for unit in shown]}
        )
        return
    words = load_suite(cell.suite).page
    judged = f"judged by {cell.judge}; {cell.suite}, release {cell.release}, slice {cell.slice}"
    print_prose(f"{cell.metric} of {cell.model}, {judged}", _value_of(cell))
    if cell.slice_by in words.dimensions and words.dimensions[cell.slice_by].meaning:
        print_prose(words.dimensions[cell.slice_by].meaning)
    if against is not None:
        n_ours = sum(bool(unit.score) for unit in units)
        print_prose(
            f"{len(units):,} of these are right for only one of the two: {n_ours:,} for "
            f"{cell.model}, {len(units) - n_ours:,} for {against}."
        )
    n_of = Counter(unit.part for unit in units)
    for part, n in n_of.items():
        rows = [_row_of(unit, words) for unit in shown if unit.part == part]
        if rows:
            print_table(_COLUMNS, rows, _words(part))
        if left_out := n - len(rows):
            than_these = ", no worse than these" if rows else ""
            print_prose(f"{left_out:,} more of {_words(part)}{than_these}; --all lists them.")
    if shown:
        example = shown[0].cases[0].case_id if shown[0].cases else shown[0].qa_pair_id
        print_prose(f"One of them: {command(example, model=cell.model, judge=cell.judge, **place)}")


def _value_of(cell: Metric) -> str:
    if cell.value is None:
        return f"no value: n 0, {cell.n_unscored:,} unscored"
    words = [share(cell.value, 3)]
    if cell.low is not None and cell.high is not None:
        words.append(f"95 % interval {share(cell.low, 3)} to {share(cell.high, 3)}")
    elif (cell.low, cell.high) != (None, None):
        words.append(f"95 % interval {interval(cell.low, cell.high)}")
    words += [f"n {cell.n:,}", f"{cell.n_unscored:,} unscored"]
    if cell.n_unscored and cell.worst is not None and cell.best is not None:
        bounds = f"{share(cell.worst, 3)} to {share(cell.best, 3)}"
        words.append(f"{bounds} whatever these would have scored")
    return "; ".join(words)


def _row_of(unit: Unit, words: Page) -> tuple[str, str, str, str]:
    """Return the row of a game, a pair or a case."""
    query = _cut(unit.query, _MOST_QUERY)
    if unit.other_model is not None:
        labels = [case.label or f"unscored: {case.unscored_reason}" for case in unit.cases]
        outcome = f"{_GAMES[unit.score]} against {unit.other_model}"
        return unit.unit_id, outcome, query, "; ".join(labels)
    cases = sorted(unit.cases, key=lambda case: (case.variant != "baseline", case.variant))
    ratings = {case.variant: _rating(case) for case in cases}
    if unit.unit_id.startswith(unit.qa_pair_id):  # a pair
        named = ", ".join(f"{_words(variant)} {rating}" for variant, rating in ratings.items())
        outcome = _SCORES.get(unit.score) or share(unit.score or 0)
        return unit.qa_pair_id, outcome, query, named
    (case,) = cases
    form = f"{_words(case.variant)} " if words.has_forms else ""
    return case.case_id, f"{form}{ratings[case.variant]}", query, _texts(case)


def _texts(case: JudgedCase) -> str:
    """Give what a judge read and why it decided, if it read an answer or gave no rating."""
    texts = {"answer": case.answer_read, "truth": case.target, "reason": case.rationale}
    if case.answer_read is None:
        texts = {}
    if case.unscored_reason is not None:
        texts["reason"] = case.unscored_reason
    return "; ".join(f"{name} {_cut(text, _MOST_TEXT)}" for name, text in texts.items() if text)


def _rating(case: JudgedCase) -> str:
    rating = case.label or (case.score if case.rating is None else case.rating)
    return "-" if rating is None else f"{rating}{' ✗' if case.is_compliant is False else ''}"


def _cut(text: str, most: int) -> str:
    """Cut a text to `most` characters."""
    text = one_line(text)
    return text if len(text) <= most else f"{text[:most]}…"


def _words(name: str) -> str:
    return visible(name).replace("_", " ")


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
