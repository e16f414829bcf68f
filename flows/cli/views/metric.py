"""Terminal output of `tenkbench explain --metric`: a table of the cases behind a number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rich.text import Text

from flows.cli.views.case import HEADING, command
from flows.cli.views.console import console, one_line, print_json, print_table
from tasks.core.rows import Metric
from tasks.results.explain.disagreements import Contrast
from tasks.results.explain.explain import JudgedCase, Unit
from tasks.suites.page import Page
from tasks.suites.registry import load_suite
from tasks.text.shares import interval, probability, share, signed_share
from tasks.text.visible import visible

_COLUMNS = ("id", "outcome", "query", "details")
_MOST_QUERY, _MOST_TEXT = 100, 40  # characters of a query; of an answer, its truth and a reason
_SCORES: dict[float | None, str] = {0: "fails", None: "unscored", 1: "holds"}
_GAMES: dict[float | None, str] = {0: "lost", 0.5: "tie", None: "unscored", 1: "won"}


def show_cell(
    cell: Metric,
    units: Sequence[Unit],
    parts: Sequence[Metric],
    limit: int | None,
    place: Mapping[str, str | None],
    *,
    as_json: bool,
) -> None:
    """Show a metric, the metrics that it is made of, and at most `limit` of its units.

    `place` holds the options suite, release and lake of suggested commands.
    """
    shown = units[:limit]
    if as_json:
        print_json(
            {
                "cell": asdict(cell),
                "parts": [asdict(part) for part in parts],
                "n_units": len(units),
                "units": [asdict(unit) for unit in shown],
            }
        )
        return
    words = load_suite(cell.suite).page
    _say(_heading_of(cell, cell.model), HEADING)
    _say(_value_of(cell))
    if parts:
        of_parts = [(part.metric, part.value, part.n) for part in parts]
        _say(f"made of {made_of(of_parts)}: {words.label(cell.metric).meaning}")
    if cell.slice_by in words.dimensions and words.dimensions[cell.slice_by].meaning:
        _say(words.dimensions[cell.slice_by].meaning)
    for part in dict.fromkeys(unit.part for unit in shown):
        rows = [_row_of(unit, words) for unit in shown if unit.part == part]
        print_table(_COLUMNS, rows, _words(part))
    _say_more(len(units) - len(shown))
    if shown:
        example = shown[0].cases[0].case_id if shown[0].cases else shown[0].qa_pair_id
        _say(f"One of them: {command(example, model=cell.model, judge=cell.judge, **place)}")


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


def made_of(parts: Sequence[tuple[str, float | None, int]]) -> str:
    """Name the metrics that another one is made of, each (metric, value, n)."""
    return " and ".join(
        f"{_words(metric)} {'-' if value is None else share(value, 3)} (n {n:,})"
        for metric, value, n in parts
    )


# --- two models --------------------------------------------------------------------------


def show_contrast(
    found: Contrast,
    limit: int | None,
    place: Mapping[str, str | None],
    *,
    as_json: bool,
) -> None:
    """Show how two models differ, with at most `limit` units.

    `place` holds the options suite, release and lake of suggested commands.
    """
    shown = found.units[:limit]
    if as_json:
        units = [{"unit": asdict(unit), "other_unit": asdict(other)} for unit, other in shown]
        print_json(asdict(found) | {"n_units": len(found.units), "units": units})
        return
    words = load_suite(found.cell.suite).page
    cell, model, other = found.cell, found.cell.model, found.other_cell.model
    _say(_heading_of(cell, f"{model} against {other}"), HEADING)
    n_neither = found.n - found.n_both - found.n_only_model - found.n_only_other
    _say(
        f"{found.n:,} are scored for both: {found.n_both:,} hold for both, {n_neither:,} for "
        f"neither, {found.n_only_other:,} for {other} only, {found.n_only_model:,} for {model} only"
    )
    if found.tested is not None:
        _say(_tested(found.tested))
    for score, holder in ((0, other), (1, model)):
        rows = [
            _row_of(unit, words, other_unit) for unit, other_unit in shown if unit.score == score
        ]
        if rows:
            title = f"Holds for {holder} only; verdicts of {model} / of {other}"
            print_table(_COLUMNS, rows, one_line(title))
    _say_more(len(found.units) - len(shown))
    for of_model in (model, other) if shown else ():
        case_id = shown[0][0].cases[0].case_id
        whole = command(case_id, model=of_model, judge=cell.judge, **place)
        _say(f"One of them, by {of_model}: {whole}")


def _tested(tested: Mapping[str, Any]) -> str:
    low, high = tested["low"], tested["high"]
    within = (
        "too few filings for an interval"
        if low is None or high is None
        else f"95 % interval {signed_share(low)} to {signed_share(high)}"
    )
    p = probability(tested["p_holm"])
    return f"Difference {signed_share(tested['difference'])} ({within}), P {p} (Holm)"


# --- rows and words ------------------------------------------------------------------------


def _row_of(unit: Unit, words: Page, other_unit: Unit | None = None) -> tuple[str, str, str, str]:
    """Return the row of a game, a pair or a case; of two models' units if two are given."""
    query = _cut(unit.query, _MOST_QUERY)
    if unit.other_model is not None:
        labels = [case.label or f"unscored: {case.unscored_reason}" for case in unit.cases]
        outcome = f"{_GAMES[unit.score]} against {unit.other_model}"
        return unit.unit_id, outcome, query, "; ".join(labels)
    others = {case.variant: case for case in other_unit.cases} if other_unit else {}
    cases = sorted(unit.cases, key=lambda case: (case.variant != "baseline", case.variant))
    ratings = {
        case.variant: " / ".join(
            map(_rating, (case, others[case.variant]) if other_unit else (case,))
        )
        for case in cases
        if not other_unit or case.variant in others
    }
    if unit.unit_id.startswith(unit.qa_pair_id):  # a pair
        named = ", ".join(f"{_words(variant)} {rating}" for variant, rating in ratings.items())
        return unit.qa_pair_id, "" if other_unit else _score(unit), query, named
    (case,) = cases
    outcome = f"{_form(case, words)}{ratings[case.variant]}"
    return case.case_id, outcome, query, _texts(case, others.get(case.variant))


def _texts(case: JudgedCase, other: JudgedCase | None) -> str:
    """Give what a judge read and why it decided, if it read an answer or gave no rating."""
    texts = {"answer": case.answer_read, "truth": case.target, "reason": case.rationale}
    if other is not None:
        answers = f"{_short(case.answer_read)} / {_short(other.answer_read)}"
        texts = {"answers": answers, "truth": case.target}
    if case.answer_read is None:
        texts = {}
    if case.unscored_reason is not None:
        texts["reason"] = case.unscored_reason
    return "; ".join(f"{name} {_short(text)}" for name, text in texts.items() if text)


def _form(case: JudgedCase, words: Page) -> str:
    return f"{_words(case.variant)} " if words.has_forms else ""


def _rating(case: JudgedCase) -> str:
    rating = case.label or (case.score if case.rating is None else case.rating)
    return "-" if rating is None else f"{rating}{' ✗' if case.is_compliant is False else ''}"


def _score(unit: Unit) -> str:
    """Say whether a pair holds, or its score."""
    return _SCORES.get(unit.score) or share(unit.score or 0)


def _cut(text: str, most: int) -> str:
    """Cut a text to `most` characters."""
    text = one_line(text)
    return text if len(text) <= most else f"{text[:most]}…"


def _short(text: str | None) -> str:
    return "-" if text is None else _cut(text, _MOST_TEXT)


def _heading_of(cell: Metric, models: str) -> str:
    judged = f"judged by {cell.judge}; {cell.suite}, release {cell.release}, slice {cell.slice}"
    return f"{cell.metric} of {models}, {judged}"


def _say_more(n_more: int) -> None:
    if n_more:
        _say(f"{n_more:,} more, no worse than these; --all lists them.")


def _say(line: str, style: str = "") -> None:
    """Print one of our own lines without wrapping it."""
    console().print(Text(one_line(line), style=style), soft_wrap=True)


def _words(name: str) -> str:
    return visible(name).replace("_", " ")
