"""Terminal output of `tenkbench explain --metric`: a line or two for each case or pair.

Ids are never broken over lines, so that they can be copied.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from flows.cli.views.case import HEADING, LONGEST_BESIDE, command, one_line
from flows.cli.views.console import console, print_json
from tasks.core.rows import Metric
from tasks.results.explain.disagreements import Contrast, Difference, Parting
from tasks.results.explain.explain import JudgedCase, Unit
from tasks.suites.page import Page
from tasks.suites.registry import load_suite
from tasks.text.shares import interval, probability, share, signed_share
from tasks.text.visible import visible

_LEAST_QUERY = 24  # characters of a query that are shown in any case
_MOST_TEXT = 40  # characters of an answer, its truth and a verdict's reason
_SCORES: dict[float | None, str] = {0: "fails", None: "unscored", 1: "holds"}
_GAMES: dict[float | None, str] = {0: "lost", 0.5: "tie", None: "unscored", 1: "won"}


# --- a cell ------------------------------------------------------------------------------


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
    out, words = console(), load_suite(cell.suite).page
    _say(out, _heading_of(cell, f"{cell.metric} of {cell.model}"))
    _tell(out, _value_of(cell))
    if parts:
        of_parts = [(part.metric, part.value, part.n) for part in parts]
        _tell(out, f"made of {made_of(of_parts)}: {words.label(cell.metric).meaning}")
    if meaning := words.values.get(cell.slice_by):
        _tell(out, meaning)
    for part in dict.fromkeys(unit.part for unit in shown):
        _say(out, Text(_words(one_line(part)), style=HEADING))
        for unit in (unit for unit in shown if unit.part == part):
            if unit.other_model is not None:
                said = [unit.unit_id, _GAMES[unit.score], f"against {unit.other_model}"]
                _print_row(out, said, unit.query, "; ".join(map(_verdict, unit.cases)), words)
                continue
            if _is_pair(unit):
                ratings = [f"{_words(case.variant)} {_rating(case)}" for case in _in_order(unit)]
                score = _score(unit, words)
                _print_row(out, [unit.qa_pair_id, score], unit.query, ", ".join(ratings), words)
                continue
            for case in unit.cases:
                said = [case.case_id, *_form(case, words), _rating(case)]
                _print_row(out, said, case.query, _texts(case), words)
    _say_more(out, len(units) - len(shown))
    if shown:
        example = shown[0].cases[0].case_id if shown[0].cases else shown[0].qa_pair_id
        whole = command(example, model=cell.model, judge=cell.judge, **place)
        _say(out, f"One of them in full: {whole}")


def _value_of(cell: Metric) -> str:
    if cell.value is None:
        return f"no value: n 0, {cell.n_unscored:,} unscored"
    said = [share(cell.value, 3)]
    if cell.low is not None and cell.high is not None:
        said.append(f"95 % interval {share(cell.low, 3)} to {share(cell.high, 3)}")
    elif (cell.low, cell.high) != (None, None):
        said.append(f"95 % interval {interval(cell.low, cell.high)}")
    said.append(f"n {cell.n:,}")
    said.append(f"{cell.n_unscored:,} unscored")
    if cell.n_unscored and cell.worst is not None and cell.best is not None:
        said.append(
            f"{share(cell.worst, 3)} to {share(cell.best, 3)} whatever these would have scored"
        )
    return "; ".join(said)


def made_of(parts: Sequence[tuple[str, float | None, int]]) -> str:
    """Name the metrics that another one is made of, each (metric, value, n)."""
    return " and ".join(
        f"{_words(metric)} {'-' if value is None else share(value, 3)} (n {n:,})"
        for metric, value, n in parts
    )


def _texts(case: JudgedCase) -> str:
    """Give what a judge read and why it decided, if it read an answer or gave no rating."""
    texts = {"answer": case.answer_read, "truth": case.target, "reason": case.rationale}
    if case.answer_read is None:
        texts = {}
    if case.unscored_reason is not None:
        texts["reason"] = case.unscored_reason
    return "; ".join(f"{name} {_short(text)}" for name, text in texts.items() if text)


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
    partings = found.partings
    shown = partings[:limit]
    if as_json:
        print_json(
            {
                **{name: value for name, value in asdict(found).items() if name != "partings"},
                "n_units": len(partings),
                "units": [asdict(parting) for parting in shown],
            }
        )
        return
    out, words = console(), load_suite(found.cell.suite).page
    cell, model, other = found.cell, found.cell.model, found.other_cell.model
    _say(out, _heading_of(cell, f"{cell.metric} of {model} against {other}"))
    n_neither = found.n - found.n_both - found.n_only_model - found.n_only_other
    _say(
        out,
        f"{found.n:,} are scored for both: {found.n_both:,} hold for both, "
        f"{n_neither:,} for neither, {found.n_only_other:,} for {other} only, "
        f"{found.n_only_model:,} for {model} only",
    )
    if found.tested is not None:
        _say(out, _tested(found.tested))
    for score, holder in ((0, other), (1, model)):
        held = [parting for parting in shown if parting.unit.score == score]
        if held:
            title = f"Holds for {holder} only; {words.judging.given}s of {model} / of {other}"
            _say(out, Text(_words(one_line(title)), style=HEADING))
        for parting in held:
            _print_parting(out, parting, words)
    _say_more(out, len(partings) - len(shown))
    if shown:
        case_id = shown[0].unit.cases[0].case_id
        for of_model in (model, other):
            whole = command(case_id, model=of_model, judge=cell.judge, **place)
            _say(out, f"One of them in full, by {of_model}: {whole}")


def _tested(tested: Difference) -> str:
    within = (
        "too few filings for an interval"
        if tested.low is None or tested.high is None
        else f"95 % interval {signed_share(tested.low)} to {signed_share(tested.high)}"
    )
    p = probability(tested.p_holm)
    return f"Difference {signed_share(tested.difference)} ({within}), P {p} (Holm)"


def _print_parting(out: Console, parting: Parting, words: Page) -> None:
    unit, others = parting.unit, {case.variant: case for case in parting.other_unit.cases}
    ratings = {
        case.variant: f"{_rating(case)} / {_rating(others[case.variant])}"
        for case in _in_order(unit)
        if case.variant in others
    }
    if _is_pair(unit):
        of_each = ", ".join(f"{_words(variant)} {given}" for variant, given in ratings.items())
        _print_row(out, [unit.unit_id], unit.query, of_each, words)
        return
    (case,) = unit.cases
    other = others[case.variant]
    texts = ""
    if case.answer_read or other.answer_read:
        answers = f"{_short(case.answer_read)} / {_short(other.answer_read)}"
        texts = f"answers {answers}; truth {_short(case.target)}"
    said = [unit.unit_id, *_form(case, words), ratings[case.variant]]
    _print_row(out, said, case.query, texts, words)


# --- rows --------------------------------------------------------------------------------


def _is_pair(unit: Unit) -> bool:
    return unit.unit_id.startswith(unit.qa_pair_id)


def _in_order(unit: Unit) -> list[JudgedCase]:
    return sorted(unit.cases, key=lambda case: (case.variant != "baseline", case.variant))


def _form(case: JudgedCase, words: Page) -> list[str]:
    return [_words(case.variant)] if words.has_forms else []


def _rating(case: JudgedCase) -> str:
    given = case.label or (case.score if case.rating is None else case.rating)
    return "-" if given is None else f"{given}{' ✗' if case.is_compliant is False else ''}"


def _score(unit: Unit, words: Page) -> str:
    """Say whether a pair holds, or its score in part or on another scale."""
    if unit.score in _SCORES and (unit.score is None or _is_share(unit.part, words)):
        return _SCORES[unit.score]
    return share(unit.score or 0)


def _is_share(metric: str, words: Page) -> bool:
    return words.label(metric).scale == (0, 1)


def _verdict(case: JudgedCase) -> str:
    """Give a judge's verdict on two answers in one order, or why there is none."""
    return case.label or f"unscored: {case.unscored_reason}"


def _print_row(out: Console, said: Sequence[str], query: str, details: str, words: Page) -> None:
    """Print the texts of a case or pair, and as much of its query as fits the line."""
    before = "  ".join(map(one_line, said))
    room = min(max(out.width - cell_len(before) - 2, _LEAST_QUERY), LONGEST_BESIDE)
    _say(out, f"{before}  {_cut(one_line(query), room, words.centre)}")
    if details:
        _say(out, f"  {one_line(details)}")


def _cut(text: str, room: int, centre: str | None = None) -> str:
    """Cut a text to the room, around `centre` if found."""
    if cell_len(text) <= room:
        return text
    place = text.find(centre) if centre else -1
    start = place + (len(centre or "") - room) // 2 if place >= 0 else 0
    start = max(0, min(start, len(text) - room))
    shown = f"…{text[start + 1 :]}" if start else text
    return shown if cell_len(shown) <= room else f"{set_cell_size(shown, room - 1)}…"


def _short(text: str | None) -> str:
    return "-" if text is None else _cut(one_line(text), _MOST_TEXT)


def _heading_of(cell: Metric, what: str) -> Text:
    return Text.assemble(
        (one_line(what), HEADING),
        one_line(
            f", judged by {cell.judge}; {cell.suite}, release {cell.release}, slice {cell.slice}"
        ),
    )


def _say_more(out: Console, n_more: int) -> None:
    if n_more:
        _say(out, f"{n_more:,} more, no worse than these; --all lists them.")


def _tell(out: Console, line: str) -> None:
    """Print a sentence, wrapped at words."""
    out.print(Text(visible(line)))


def _say(out: Console, line: str | Text) -> None:
    """Print one of our own lines without wrapping it."""
    out.print(
        line if isinstance(line, Text) else Text(visible(line).replace("\n", " ")), soft_wrap=True
    )


def _words(name: str) -> str:
    return visible(name).replace("_", " ")
