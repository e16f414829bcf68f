"""How a number's explanation looks on a terminal: a cell with its cases, one case whole, a pair's cases side by side.

What models, filings and questions say is shown behind a bar, so that no line of theirs passes for one of ours, and with
its control characters spelled out.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from shlex import quote
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from flows.console import console, print_json
from tasks.explain import Explained, Unit
from tasks.report.visible import visible
from tasks.schemas import Metric
from tasks.text.differences import Piece, word_differences
from tasks.text.passages import Passage

# A prompt holds a filing: so many characters of its beginning and of its end are shown where not all is asked for.
_PROMPT_END = 700
# Of an answer or a query where cases stand side by side.
_SHORT = 160

_BAR = "  │ "
_HEADING = "bold"
_MARKS = {"removed": ("[-", "-]"), "added": ("{+", "+}"), "quoted": ("«", "»")}
_STYLES = {"removed": "red strike", "added": "green", "quoted": "black on yellow", "left_out": "dim"}
_SCORES = {0: "fails", None: "unscored", 1: "holds"}


# --- a cell ------------------------------------------------------------------------------


def show_cell(cell: Metric, units: Sequence[Unit], limit: int | None, *, as_json: bool) -> None:
    """A cell and what it counts, so many at most, in the order in which they come."""
    shown = units if limit is None else units[:limit]
    if as_json:
        print_json({"cell": asdict(cell), "n_units": len(units), "units": [asdict(unit) for unit in shown]})
        return
    out = console()
    out.print(_heading_of(cell), soft_wrap=True)
    out.print(_value_of(cell), soft_wrap=True)
    for part in dict.fromkeys(unit.part for unit in shown):
        of_part = [unit for unit in shown if unit.part == part]
        is_of_pairs = any(len(unit.cases) > 1 for unit in of_part)
        out.print(_pairs_table(part, of_part) if is_of_pairs else _cases_table(part, of_part))
    if len(shown) < len(units):
        out.print(f"{len(units) - len(shown):,} more, none worse; --all lists them.")
    if shown:
        who = f"--model {quote(_line(cell.model))} --judge {quote(_line(cell.judge))}"
        example = shown[0].cases[0].case_id if shown[0].cases else shown[0].qa_pair_id
        out.print(
            Text(f"One of them whole: tenkbench explain {example} {who}"),
            soft_wrap=True,
        )


def _heading_of(cell: Metric) -> Text:
    return Text.assemble(
        (_line(f"{cell.metric} of {cell.model}"), _HEADING),
        f", judged by {_line(cell.judge)}; {cell.suite}, release {cell.release}, slice {cell.slice}",
    )


def _value_of(cell: Metric) -> Text:
    if cell.value is None:
        return Text(f"no value: n 0, {cell.n_unscored:,} unscored")
    said = [f"{cell.value:.3f}"]
    if cell.ci_low is not None and cell.ci_high is not None:
        said.append(f"95 % interval {cell.ci_low:.3f} to {cell.ci_high:.3f}")
    said.append(f"n {cell.n:,}")
    said.append(f"{cell.n_unscored:,} unscored")
    if cell.n_unscored:
        said.append(f"{cell.worst:.3f} if all of these had failed, {cell.best:.3f} if all had held")
    return Text("; ".join(said))


def _cases_table(part: str, units: Sequence[Unit]) -> Table:
    table = _table(part, ["case", "perturbation", "query", "rating", "compliant"])
    for unit in units:
        for case in unit.cases:
            rating = case.unscored_reason if case.rating is None else str(case.rating)
            compliant = "-" if case.is_compliant is None else "yes" if case.is_compliant else "no"
            _add(table, [case.case_id, case.perturbation, _short(case.query), rating or "", compliant])
    return table


def _pairs_table(part: str, units: Sequence[Unit]) -> Table:
    names = sorted(
        {case.perturbation for unit in units for case in unit.cases},
        key=lambda name: (name != "baseline", name),
    )
    table = _table(part, ["pair", "query", *names, "pair holds"])
    for unit in units:
        ratings = {
            case.perturbation: "-"
            if case.rating is None
            else f"{case.rating}{'' if case.is_compliant else ' ✗'}"
            for case in unit.cases
        }
        _add(
            table,
            [
                unit.qa_pair_id,
                _short(unit.query),
                *(ratings.get(name, "") for name in names),
                _SCORES[unit.score],
            ],
        )
    return table


def _table(title: str, columns: Iterable[str]) -> Table:
    table = Table(title=title.replace("_", " "), title_justify="left", title_style=_HEADING)
    for column in columns:
        table.add_column(column.replace("_", " "), overflow="fold")
    return table


def _add(table: Table, cells: Iterable[str]) -> None:
    table.add_row(*(Text(visible(cell)) for cell in cells))


def _short(text: str) -> str:
    return textwrap.shorten(text, _SHORT, placeholder=" …")


# --- a case ------------------------------------------------------------------------------


def show_case(
    row: Explained,
    passages: Sequence[Passage],
    shown_citations: Sequence[Sequence[Piece]],
    *,
    is_full: bool,
    as_json: bool,
) -> None:
    """One judged case whole; of the prompts their beginning and end, where not all is asked for."""
    if as_json:
        difference = [asdict(piece) for piece in word_differences(row.original_query, row.query)]
        details = json.loads(row.details)
        found: dict[str, Any] = {**asdict(row), "details": details, "query_difference": difference}
        found["passages"] = [asdict(passage) for passage in passages]
        found["shown_citations"] = [[asdict(piece) for piece in pieces] for pieces in shown_citations]
        print_json(found)
        return
    out = console()
    has_colours = _has_colours(out)
    _title(out, row.case_id, f"{row.perturbation} of {row.qa_pair_id}, {row.suite} {row.release}")
    _block(out, "Query", _query(row, has_colours))
    for line in _changes(row):
        out.print(Text(f"  {line}"), soft_wrap=True)
    _block(out, "Prompt", _prompt(row.prompt_prefix, row.prompt_suffix, is_full))
    _block(out, f"Answer of {row.model}", Text(visible(row.answer)) if row.answer is not None else None)
    if row.finish_reason not in (None, "stop"):
        out.print(Text(f"  it ended by {_line(row.finish_reason)}"), soft_wrap=True)
    _block(
        out,
        "Target" if row.is_answerable else "Target: to refuse, since the context lacks this",
        Text(visible(row.target)) if row.target else None,
    )
    _title(out, f"Rating by {row.judge}", _rating(row))
    if row.rationale:
        _bars(out, Text(visible(row.rationale)))
    if is_full:
        prompt = _prompt(row.judge_prompt_prefix, row.judge_prompt_suffix, is_full)
        _block(out, f"Prompt of {row.judge}", prompt)
    cited = [_marked(((part.kind, part.text) for part in passage.parts), has_colours) for passage in passages]
    _blocks(out, "Cited", cited)
    if row.citation_text and not passages:
        _block(out, "Cited, not word by word in the filing", Text(visible(row.citation_text)))
    copies = [_marked(_pieces(pieces), has_colours) for pieces in shown_citations]
    _blocks(out, "Cited, as the model was shown it", copies)
    _title(out, "Filing", _filing(row))
    if row.edgar_url:
        out.print(Text(f"  {row.edgar_url}"), soft_wrap=True)


def _pieces(pieces: Iterable[Piece]) -> Iterable[tuple[str, str]]:
    return ((piece.kind, piece.text) for piece in pieces)


def _query(row: Explained, has_colours: bool) -> Text:
    pieces = word_differences(row.original_query, row.query)
    if row.is_answerable or row.query == row.original_query:
        return _marked(_pieces(pieces), has_colours)
    # another question took its place: word by word they have nothing to say to each other
    return _marked([("removed", row.original_query), ("plain", "\n"), ("added", row.query)], has_colours)


def _changes(row: Explained) -> list[str]:
    """What else than the query is not as in the pair."""
    if row.context_id is None:
        return ["shown without any document"]
    if row.context_id != row.original_context_id:
        return [f"shown with another text of the document: {row.context_kind} ({row.context_id})"]
    return []


def _prompt(prefix: str | None, suffix: str | None, is_full: bool) -> Text | None:
    if prefix is None or suffix is None:
        return None
    prompt = prefix + suffix
    left_out = len(prompt) - 2 * _PROMPT_END
    if is_full or left_out <= 0:
        return Text(visible(prompt))
    shown = Text(visible(prompt[:_PROMPT_END]))
    shown.append(f"\n… {left_out:,} characters; --full shows them …\n", style=_STYLES["left_out"])
    return shown.append(visible(prompt[-_PROMPT_END:]))


def _rating(row: Explained) -> str:
    if row.rating is None:
        return f"none: {row.unscored_reason}"
    return f"{row.rating} of 6, {'compliant' if row.is_compliant else 'not compliant'}"


def _filing(row: Explained) -> str:
    period = f"for {row.period_end}" if row.period_end else None
    filed = f"filed {row.filed_date}" if row.filed_date else None
    item = f"Item {row.item}" if row.item else None
    said = (row.company, row.form, period, filed, row.filing_id, item)
    return ", ".join(part for part in said if part)


def _has_colours(out: Console) -> bool:
    return out.is_terminal and out.color_system is not None and not out.no_color


def _marked(parts: Iterable[tuple[str, str]], has_colours: bool) -> Text:
    """Pieces in a row: changes and quotations in colours, or between marks where there are none."""
    text = Text()
    for kind, part in parts:
        if kind == "left_out":
            text.append(f" … {len(part):,} characters … ", style=_STYLES[kind])
        elif kind in _MARKS:
            before, after = ("", "") if has_colours else _MARKS[kind]
            text.append(f"{before}{visible(part)}{after}", style=_STYLES[kind])
        else:
            text.append(visible(part))
    return text


def _title(out: Console, heading: str, rest: str) -> None:
    out.print(Text.assemble((_line(heading), _HEADING), f"  {_line(rest)}" if rest else ""), soft_wrap=True)


def _line(text: str) -> str:
    """What stands in a line of ours, in which nobody else may begin another."""
    return " ".join(visible(text).split())


def _block(out: Console, heading: str, text: Text | None) -> None:
    _title(out, heading, "" if text is not None else "none")
    if text is not None:
        _bars(out, text)


def _blocks(out: Console, heading: str, texts: Sequence[Text]) -> None:
    """Texts that are not neighbours, under one heading."""
    for number, text in enumerate(texts):
        if number:
            out.print()
        else:
            _title(out, heading, "")
        _bars(out, text)


def _bars(out: Console, text: Text) -> None:
    """Text that is not ours, each line behind a bar."""
    width = max(out.width - len(_BAR), 20)
    for line in text.split("\n", allow_blank=True):
        for wrapped in line.wrap(out, width):
            out.print(Text(_BAR, style="dim").append_text(wrapped), soft_wrap=True)


# --- a pair ------------------------------------------------------------------------------


def show_pair(rows: Sequence[Explained], *, as_json: bool) -> None:
    """All judged cases of a pair side by side: what was asked, answered and rated."""
    if as_json:
        hidden = ("prompt_prefix", "prompt_suffix", "judge_prompt_prefix", "judge_prompt_suffix")
        print_json([_without(asdict(row), hidden) for row in rows])
        return
    out = console()
    first = rows[0]
    _title(
        out,
        first.qa_pair_id,
        f"{first.model}, judged by {first.judge}; {first.suite} {first.release}",
    )
    _block(out, "Query", Text(visible(first.original_query)))
    has_colours = _has_colours(out)
    table = _table("cases", ["case", "perturbation", "query", "answer", "rating"])
    for row in rows:
        query = Text("as it is") if row.query == row.original_query else _query(row, has_colours)
        answer = Text(visible(_short(row.answer))) if row.answer is not None else Text("none")
        table.add_row(row.case_id, row.perturbation, query, answer, Text(visible(_rating(row))))
    out.print(table)
    _title(out, "Filing", _filing(first))


def _without(values: dict[str, Any], hidden: Iterable[str]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name not in hidden}
