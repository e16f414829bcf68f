"""The sections of the page, from the measured values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tasks.results.report.measured import Measured, ShownComparison
from tasks.results.report.messages import say
from tasks.results.report.panels import PagePart, dots, heatmaps, scatter
from tasks.results.report.tables import REJECTED, PageTable, by_judge, judge_tables, shown_table
from tasks.suites.page import Dots, Heatmap, Scatter, Shown

# The sections of every suite's page in order; each has a template in `sections/`.
SECTIONS = (
    "leaderboard",
    "about",
    "slices",
    "pairs",
    "prices",
    "questions",
    "judge",
    "cases",
    "provenance",
)


@dataclass(frozen=True, slots=True)
class PageSection:
    """A section of the page."""

    id: str  # its address on the page
    name: str  # in the page's contents
    title: str
    parts: Sequence[PagePart]
    text: str = ""  # of a suite's own section; templates have those of others


def sections(measured: Measured) -> list[PageSection]:
    """Fill the sections in the page's order; those without data are left out."""
    parts = {
        "leaderboard": _table_parts(by_judge(measured)),
        "slices": slice_parts(measured),
        "questions": _table_parts(shown_table(measured, REJECTED)),
        "judge": _table_parts(*judge_tables(measured)),
    }
    data = parts | {"pairs": measured.comparisons, "prices": measured.priced}
    may_be_empty = ("slices", "pairs", "prices", "judge")
    shown: list[PageSection] = []
    for id_ in SECTIONS:
        if data.get(id_) or id_ not in may_be_empty:
            n, of = measured.n_shown
            title = say("cases.some" if id_ == "cases" and n < of else f"{id_}.title")
            shown.append(PageSection(id_, say(f"{id_}.name"), title, parts.get(id_, [])))
        if id_ == "about":
            shown += _own_sections(measured)
    return shown


def _own_sections(measured: Measured) -> Iterator[PageSection]:
    """Fill the suite's own sections; those without data are left out."""
    for section in measured.page.sections:
        parts = [part for shown in section.shows if (part := _part(measured, shown))]
        if len(parts) == 1:  # it needs no title beside the section's
            parts = [replace(parts[0], title="")]
        if parts:
            text = section.text.format(**measured.parameters)
            yield PageSection(section.id, section.name, section.name, parts, text)


def _part(measured: Measured, shown: Shown) -> PagePart | None:
    match shown:
        case Dots():
            return dots(measured, shown)
        case Scatter():
            return scatter(measured, shown)
        case Heatmap():
            return heatmaps(measured, shown)
    return next(iter(_table_parts(shown_table(measured, shown))), None)


def slice_parts(measured: Measured) -> list[PagePart]:
    """Tabulate each dimension that divides the units of the metric for single answers."""
    parts = []
    for dimension, label in measured.page.all_dimensions.items():
        part = dots(measured, Dots(dimension=dimension, metrics=(measured.of_answers,)))
        if part and len(part.panels[""][0].columns) > 1:
            parts.append(PagePart(label.name, label.meaning, panels=part.panels))
    return parts


def _table_parts(*tables: PageTable | None) -> list[PagePart]:
    return [
        PagePart(table.title, "" if table.columns else table.meaning, table=table)
        for table in tables
        if table
    ]


# --- for templates -----------------------------------------------------------------------


def pairs(measured: Measured) -> list[ShownComparison]:
    """Return all comparisons, the better model first, in the leaderboard's order."""
    places = {model.name: place for place, model in enumerate(measured.models)}
    return [
        row
        for metric in measured.judge_of
        for row in sorted(
            measured.compared(metric), key=lambda row: (places[row.model], places[row.other_model])
        )
    ]


def widest(measured: Measured, metric: str) -> float:
    """Return the furthest end of differences in a metric; where all models are alike, 1."""
    rows = [row for row in measured.comparisons if row.metric == metric]
    return max(abs(end or 0.0) for r in rows for end in (r.difference, r.low, r.high)) or 1.0


def meaning(measured: Measured, metric: str) -> str:
    """Return what follows a metric's name: its meaning, options and direction."""
    label, derived = measured.page.metrics.get(metric), measured.suite.metrics.get(metric)
    text = f": {label.meaning}" if label else ""
    for option in derived.options if derived else ():
        value = measured.parameters[option]
        text += say("leaderboard.option", option=option.replace("_", " "), value=value)
    judge = measured.judge_of.get(metric, measured.judge)
    if judge != measured.judge:
        text += say("leaderboard.by", judge=judge)
    return text + (say("leaderboard.lower") if measured.is_lower_better(metric) else "")
