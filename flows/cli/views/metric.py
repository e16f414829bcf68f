"""Terminal output of `tenkbench explain --metric`.

Ids are never broken over lines, so that they can be copied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.table import Table
from rich.text import Text

from flows.cli.views.case import HEADING, LONGEST_BESIDE, command, one_line
from flows.cli.views.console import console, print_json
from tasks.core.rows import Metric
from tasks.results.explain.disagreements import Contrast, Parting
from tasks.results.explain.explain import JudgedCase, Unit
from tasks.suites.page import Page
from tasks.suites.registry import load_suite
from tasks.text.shares import share
from tasks.text.visible import visible

# The narrowest query in characters; without room for it, a table becomes lines.
_LEAST_QUERY = 24
_MOST_TEXT = 40  # characters of an answer, its truth and a verdict's reason
_SCORES: dict[float | None, str] = {0: "fails", None: "unscored", 1: "holds"}

# Columns of a case, as `case_columns` of a suite's page name them.
COLUMNS: Mapping[str, Callable[[JudgedCase], str]] = {
    "variant": lambda case: case.variant,
    "rating": lambda case: case.unscored_reason or "" if _is_unscored(case) else _said(case),
    "compliant": lambda case: (
        "-" if case.is_compliant is None else "yes" if case.is_compliant else "no"
    ),
    "answer": lambda case: _beside(case.answer_read),
    "truth": lambda case: _beside(case.target),
    "verdict": lambda case: "unscored" if _is_unscored(case) else _said(case),
    "reason": lambda case: _beside(case.unscored_reason or case.rationale),
}


@dataclass(frozen=True, slots=True)
class _Row:
    """A case or pair, as cells of a table and as lines."""

    name: str
    query: str
    cells: tuple[str, ...]
    headline: str
    details: str = ""


# --- a cell ------------------------------------------------------------------------------


def show_cell(
    cell: Metric,
    units: Sequence[Unit],
    limit: int | None,
    place: Mapping[str, str | None],
    *,
    as_json: bool,
) -> None:
    """Show a metric and at most `limit` of its units.

    `place` holds the options suite, release and lake of suggested commands.
    """
    shown = units[:limit]
    if as_json:
        print_json(
            {"cell": asdict(cell), "n_units": len(units), "units": [asdict(unit) for unit in shown]}
        )
        return
    out, words = console(), load_suite(cell.suite).page
    _say(out, _heading_of(cell, f"{cell.metric} of {cell.model}"))
    _say(out, _value_of(cell))
    if meaning := words.values.get(cell.slice.partition("=")[0]):
        _say(out, meaning)
    for part in dict.fromkeys(unit.part for unit in shown):
        of_part = [unit for unit in shown if unit.part == part]
        rows = _pairs(of_part) if _are_pairs(of_part) else _cases(of_part, words.case_columns)
        _print_rows(out, part, *rows, words.centre)
    _say_more(out, len(units) - len(shown))
    if shown:
        example = shown[0].cases[0].case_id if shown[0].cases else shown[0].qa_pair_id
        whole = command(example, model=cell.model, judge=cell.judge, **place)
        _say(out, f"One of them in full: {whole}")


def _value_of(cell: Metric) -> str:
    if cell.value is None:
        return f"no value: n 0, {cell.n_unscored:,} unscored"
    said = [share(cell.value, 3)]
    if cell.ci_low is not None and cell.ci_high is not None:
        said.append(f"95 % interval {share(cell.ci_low, 3)} to {share(cell.ci_high, 3)}")
    said.append(f"n {cell.n:,}")
    said.append(f"{cell.n_unscored:,} unscored")
    if cell.n_unscored and cell.worst is not None and cell.best is not None:
        said.append(
            f"{share(cell.worst, 3)} if all of these failed, {share(cell.best, 3)} if all held"
        )
    return "; ".join(said)


def _cases(units: Sequence[Unit], columns: Sequence[str]) -> tuple[list[str], list[_Row]]:
    rows = []
    for case in (case for unit in units for case in unit.cases):
        said = {column: COLUMNS[column](case) for column in columns}
        headline = [_rating(case)]
        if "variant" in said:
            headline = [case.variant, *headline, case.unscored_reason or ""]
        texts = [f"{name} {said[name]}" for name in ("answer", "truth", "reason") if said.get(name)]
        rows.append(
            _Row(
                case.case_id,
                case.query,
                tuple(said.values()),
                "  ".join(filter(None, headline)),
                "; ".join(texts),
            )
        )
    return ["case", "query", *columns], rows


def _pairs(units: Sequence[Unit]) -> tuple[list[str], list[_Row]]:
    names = _perturbations(units)
    rows = []
    for unit in units:
        ratings = {case.variant: _rating(case) for case in unit.cases}
        score = _SCORES.get(unit.score, str(unit.score))
        cells = (*(ratings.get(name, "") for name in names), score)
        rows.append(_Row(unit.qa_pair_id, unit.query, cells, score, _of_each(names, ratings)))
    return ["pair", "query", *names, "pair holds"], rows


# --- two models --------------------------------------------------------------------------


def show_contrast(
    found: Contrast,
    partings: Sequence[Parting],
    limit: int | None,
    place: Mapping[str, str | None],
    *,
    as_json: bool,
) -> None:
    """Show how two models differ, with at most `limit` units.

    `place` holds the options suite, release and lake of suggested commands.
    """
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
    for score, holder in ((0, other), (1, model)):
        held = [parting for parting in shown if parting.unit.score == score]
        if held:
            title = f"Holds for {holder} only; {words.judging.given}s of {model} / of {other}"
            _print_rows(out, title, *_partings(held, words), words.centre)
    _say_more(out, len(partings) - len(shown))
    if shown:
        for unit, of_model in ((shown[0].unit, model), (shown[0].other_unit, other)):
            whole = command(
                shown[0].unit.cases[0].case_id, model=of_model, judge=cell.judge, **place
            )
            _say(
                out,
                f"{'One of them in full' if unit is shown[0].unit else 'By the other'}: {whole}",
            )


def _partings(partings: Sequence[Parting], words: Page) -> tuple[list[str], list[_Row]]:
    units = [parting.unit for parting in partings]
    are_pairs = _are_pairs(units)
    names = _perturbations([*units, *(parting.other_unit for parting in partings)])
    rows = []
    for parting in partings:
        unit = parting.unit
        ratings = {
            name: f"{one} / {other}"
            for name in names
            for one, other in [(_rating_of(unit, name), _rating_of(parting.other_unit, name))]
            if one or other
        }
        if are_pairs:
            cells = tuple(ratings.get(name, "") for name in names)
            rows.append(_Row(unit.unit_id, unit.query, cells, "", _of_each(names, ratings)))
        else:
            (case,), (other,) = unit.cases, parting.other_unit.cases
            given = ratings[case.variant]
            answers = f"{COLUMNS['answer'](case)} / {COLUMNS['answer'](other)}"
            cells = (
                (case.variant, given) if words.has_forms else (answers, _beside(case.target), given)
            )
            rows.append(_Row(unit.unit_id, case.query, cells, "  ".join(cells)))
    if are_pairs:
        return ["pair", "query", *names], rows
    said_of = ("variant",) if words.has_forms else ("answers", "truth")
    return ["case", "query", *said_of, f"{words.judging.given}s"], rows


def _rating_of(unit: Unit, variant: str) -> str:
    return next((_rating(case) for case in unit.cases if case.variant == variant), "")


# --- rows --------------------------------------------------------------------------------


def _is_unscored(case: JudgedCase) -> bool:
    return case.rating is None and case.label is None and case.score is None


def _said(case: JudgedCase) -> str:
    return case.label or str(case.score if case.rating is None else case.rating)


def _rating(case: JudgedCase) -> str:
    return "-" if _is_unscored(case) else f"{_said(case)}{'' if case.is_compliant else ' ✗'}"


def _are_pairs(units: Iterable[Unit]) -> bool:
    return any(len(unit.cases) > 1 for unit in units)


def _perturbations(units: Iterable[Unit]) -> list[str]:
    return sorted(
        {case.variant for unit in units for case in unit.cases},
        key=lambda name: (name != "baseline", name),
    )


def _of_each(names: Iterable[str], ratings: Mapping[str, str]) -> str:
    return ", ".join(f"{_words(name)} {ratings[name]}" for name in names if name in ratings)


def _print_rows(
    out: Console, title: str, columns: Sequence[str], rows: Sequence[_Row], centre: str | None
) -> None:
    """Print rows as a table, or as lines if too wide."""
    heads = [_words(column) for column in columns]
    others = [[one_line(cell) for cell in (row.name, *row.cells)] for row in rows]
    queries = [one_line(row.query) for row in rows]
    widths = [
        max(map(cell_len, column)) for column in zip([heads[0], *heads[2:]], *others, strict=True)
    ]
    # each column adds two spaces and a line; the table ends in another line
    room = min(out.width - sum(width + 3 for width in widths) - 4, LONGEST_BESIDE)
    if room < min(max(map(cell_len, queries)), _LEAST_QUERY):
        _print_lines(out, title, rows, centre)
        return
    table = Table(title=Text(_words(one_line(title))), title_justify="left", title_style=HEADING)
    for place, head in enumerate(heads):
        table.add_column(
            head, no_wrap=True, overflow="ellipsis", max_width=room if place == 1 else None
        )
    for (name, *cells), query in zip(others, queries, strict=True):
        table.add_row(*map(Text, (name, _cut(query, room, centre), *cells)))
    out.print(table)


def _print_lines(out: Console, title: str, rows: Sequence[_Row], centre: str | None) -> None:
    _say(out, Text(_words(one_line(title)), style=HEADING))
    for row in rows:
        said = "  ".join(one_line(part) for part in (row.name, row.headline) if part)
        room = max(out.width - cell_len(said) - 2, _LEAST_QUERY)
        _say(out, f"{said}  {_cut(one_line(row.query), room, centre)}")
        if row.details:
            _say(out, f"  {one_line(row.details)}")


def _cut(text: str, room: int, centre: str | None = None) -> str:
    """Cut a text to the room, around `centre` if found."""
    if cell_len(text) <= room:
        return text
    place = text.find(centre) if centre else -1
    start = place + (len(centre or "") - room) // 2 if place >= 0 else 0
    start = max(0, min(start, len(text) - room))
    shown = f"…{text[start + 1 :]}" if start else text
    return shown if cell_len(shown) <= room else f"{set_cell_size(shown, room - 1)}…"


def _beside(text: str | None) -> str:
    """Shorten a text to stand beside others."""
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
        _say(out, f"{n_more:,} more, none worse; --all lists them.")


def _say(out: Console, line: str | Text) -> None:
    """Print one of our own lines without wrapping it."""
    out.print(
        line if isinstance(line, Text) else Text(visible(line).replace("\n", " ")), soft_wrap=True
    )


def _words(name: str) -> str:
    return visible(name).replace("_", " ")
