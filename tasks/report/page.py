"""The page: everything that it shows, in one HTML file that loads nothing and runs no script but its own.

What models wrote reaches the page in two ways only: as text that the template escapes, and as packed data that the
scripts set as text. The content policy allows the scripts and the style of this page by their hashes and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import files
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from tasks.report import charts, scatter
from tasks.report.cases import Blocks, case_blocks
from tasks.report.measured import OVERALL, Estimate, Measured, measure
from tasks.report.provenance import Provenance, provenance
from tasks.report.trial import Table, trial_tables
from tasks.report.verdict import SIGNIFICANT, overall, turned, verdict
from tasks.report.visible import visible
from tasks.report.words import METRICS, PERTURBATIONS, metric_name, perturbation_name

if TYPE_CHECKING:
    import duckdb

    from tasks.store import Commit
    from tasks.suites import Suite

# Joined in this order in one module, so that they need no loader.
_SCRIPTS = ("elements.js", "blocks.js", "tables.js", "case.js", "cases.js")
_TITLES = {"failsafeqa": "FailSafeQA"}


def page(
    warehouse: duckdb.DuckDBPyConnection, commits: Sequence[Commit], suite: Suite, release: str, n_checks: int
) -> str:
    """The report of a suite in one release, as HTML.

    Args:
        warehouse: of that release, with the beta that its metrics were computed with.
        commits: of that release.
        n_checks: how many checks a release must pass before it is scored.

    Raises:
        NothingMeasured: the release has no metrics of the suite.
    """
    sources = provenance(commits, suite.name)
    measured = measure(
        warehouse, suite=suite.name, release=release, beta=sources.beta, answer_operation=suite.answer.name
    )
    return _render(
        measured,
        sources,
        case_blocks(warehouse, measured),
        trial_tables(warehouse, suite.name, release),
        n_checks,
    )


def _render(
    measured: Measured, sources: Provenance, blocks: Blocks, trial: Sequence[Table], n_checks: int
) -> str:
    scripts = [_data_tables(), "\n".join(_file(name) for name in _SCRIPTS)]
    style = _file("page.css")
    environment = Environment(
        loader=PackageLoader("tasks.report", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        finalize=_visible,
    )
    environment.filters |= {
        "share": _share,
        "change": _change,
        "count": lambda n: f"{n:,}",
        "probability": _probability,
        "moment": _moment,
    }
    comparisons = _pairs(measured)
    figures = _figures(measured)
    shown = _shown(figures, comparisons, bool(trial or measured.unscored))
    return environment.get_template("page.html.jinja").render(
        measured=measured,
        suite_title=_TITLES.get(measured.suite, measured.suite),
        policy=_policy(scripts, style),
        style=Markup(style),
        scripts=[Markup(script) for script in scripts],
        blocks=blocks,
        sections=[(id_, title) for id_, title in _SECTIONS if id_ in shown],
        verdict=verdict(measured),
        baselines=[model.name for model in measured.models if model.is_baseline],
        metrics=[
            {
                "key": metric,
                "name": metric_name(metric),
                "meaning": METRICS[metric].meaning if metric in METRICS else "",
            }
            for metric in measured.shown_metrics
            if any(measured.of(model.name, metric) for model in measured.models)
        ],
        headline_name=metric_name(measured.headline),
        perturbations=[
            (words.name, words.meaning)
            for name, words in PERTURBATIONS.items()
            if f"perturbation={name}" in {key[2] for key in measured.estimates}
        ],
        figures=figures,
        changes=_changes(measured),
        pairs=comparisons,
        pairs_span=max((abs(end) for row in comparisons for end in row.ends), default=1.0),
        verbs=_verbs(measured),
        n_of=_numbers(measured),
        n_unscored=sum(row.n for row in measured.unscored if row.judge == measured.judge),
        n_left_out=len(measured.models) - len(charts.columns_of(measured)),
        trial=trial,
        unscored=_unscored(measured),
        provenance=sources,
        n_checks=n_checks,
    )


# The contents, in the page's order.
_SECTIONS = (
    ("leaderboard", "Leaderboard"),
    ("perturbations", "Forms"),
    ("tradeoff", "Trade-off"),
    ("ratings", "Ratings"),
    ("tasks", "Tasks"),
    ("slices", "Filings"),
    ("pairs", "Pairs"),
    ("prices", "Cost"),
    ("questions", "Questions"),
    ("judge", "Judge"),
    ("cases", "Answers"),
    ("provenance", "Sources"),
)


# --- what the sections show --------------------------------------------------------------


def _figures(measured: Measured) -> dict[str, Any]:
    slice_metric = "compliance" if "compliance" in measured.metrics else measured.headline
    return {
        "perturbation": charts.perturbation_figure(measured),
        "tradeoff": scatter.tradeoff_figure(measured),
        "ratings": charts.rating_figure(measured),
        "tasks": charts.task_figure(measured),
        "tokens": charts.tokens_figure(measured),
        "slices": charts.slice_figures(measured, slice_metric),
        "slice_metric": metric_name(slice_metric),
        "prices": scatter.price_figures(measured),
    }


def _shown(figures: Mapping[str, Any], comparisons: Sequence[_Pair], has_trial: bool) -> set[str]:
    """The sections that this release has something for."""
    drawn = {"perturbations": "perturbation", "tradeoff": "tradeoff", "ratings": "ratings", "tasks": "tasks"}
    drawn |= {"slices": "slices", "prices": "prices"}
    shown = {section for section, figure in drawn.items() if figures[figure]}
    shown |= {"leaderboard", "questions", "cases", "provenance"}
    return shown | ({"pairs"} if comparisons else set()) | ({"judge"} if has_trial else set())


def _changes(measured: Measured) -> dict[str, Any]:
    """Each model's share of good answers by perturbation, with its change from the baseline where both are answers."""
    names = [name for name in PERTURBATIONS if charts.good_answers(measured, name)]
    rows = []
    for model in measured.models:
        cells = []
        start = _value(measured.of(model.name, "compliance", "perturbation=baseline"))
        for name in names:
            metric = charts.metric_of(measured, name)
            value = _value(measured.of(model.name, metric, f"perturbation={name}"))
            is_change = (
                metric == "compliance" and name != "baseline" and value is not None and start is not None
            )
            cells.append(
                (value, value - start if is_change and value is not None and start is not None else None)
            )
        rows.append((model, cells))
    return {"columns": [perturbation_name(name) for name in names], "rows": rows}


def _value(cell: Estimate | None) -> float | None:
    return None if cell is None else cell.value


@dataclass(frozen=True, slots=True)
class _Pair:
    """One row of the table of pairs: the better model first."""

    metric_name: str
    model: str
    other_model: str
    difference: float
    ci_low: float | None
    ci_high: float | None
    p_holm: float | None
    detectable: float | None
    n: int

    @property
    def is_significant(self) -> bool:
        return self.p_holm is not None and self.p_holm < SIGNIFICANT

    @property
    def ends(self) -> list[float]:
        return [end for end in (self.difference, self.ci_low, self.ci_high) if end is not None]


def _pairs(measured: Measured) -> list[_Pair]:
    rows = []
    for metric in measured.metrics:
        places = {model.name: place for place, model in enumerate(measured.models)}
        found = [row for row in overall(measured, metric) if row.difference is not None]
        ahead = {}
        for row in found:
            better = row if row.difference is not None and row.difference >= 0 else turned(row)
            ahead.setdefault(frozenset((row.model, row.other_model)), better)
        ordered = sorted(ahead.values(), key=lambda row: (places[row.model], places[row.other_model]))
        rows += [
            _Pair(
                metric_name(metric),
                row.model,
                row.other_model,
                row.difference or 0.0,
                row.ci_low,
                row.ci_high,
                row.p_holm,
                row.minimum_detectable_difference,
                row.n,
            )
            for row in ordered
        ]
    return rows


def _verbs(measured: Measured) -> list[dict[str, Any]]:
    return [
        {"verb": verb, "n": n, "objects": [f"{row.object} {row.n}" for row in rows if row.object is not None]}
        for (verb, n), rows in (
            (key, list(found))
            for key, found in groupby(measured.query_verbs, key=lambda row: (row.verb, row.n_verb))
        )
    ]


def _numbers(measured: Measured) -> dict[str, str]:
    """How many units stand behind the cells of each figure: `70`, or `68 to 72`."""

    def range_of(cells: list[Estimate | None]) -> str:
        counts = sorted({cell.n for cell in cells if cell is not None})
        return (
            "0"
            if not counts
            else f"{counts[0]:,}"
            if len(counts) == 1
            else f"{counts[0]:,} to {counts[-1]:,}"
        )

    def cells(metrics: Sequence[str], is_wanted: Any) -> str:
        return range_of(
            [
                cell
                for (_, metric, name), cell in measured.estimates.items()
                if metric in metrics and is_wanted(name)
            ]
        )

    ratings = sorted({row.n - row.n_unscored for row in measured.ratings})
    return {
        "headline": cells([measured.headline], lambda name: name == OVERALL),
        "perturbation": cells(
            ["compliance", "context_grounding"],
            lambda name: name.startswith("perturbation=") and "," not in name,
        ),
        "tasks": cells(measured.shown_metrics, lambda name: name.startswith("task=")),
        "slices": cells(
            ["compliance"], lambda name: name.partition("=")[0] in charts.DIMENSIONS and "," not in name
        ),
        "ratings": "0" if not ratings else f"{ratings[0]:,} to {ratings[-1]:,}",
    }


def _unscored(measured: Measured) -> Table | None:
    """Why answers have no rating, by judge, perturbation and reason, over all models."""
    counts: dict[tuple[str, str, str], int] = {}
    for row in measured.unscored:
        key = (row.judge, perturbation_name(row.perturbation), row.unscored_reason)
        counts[key] = counts.get(key, 0) + row.n
    if not counts:
        return None
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return Table(
        "Answers without a rating",
        "An answer that could not be rated counts neither as good nor as bad; every figure says how many there are.",
        ("Judge", "Form", "Reason", "Answers"),
        tuple((*key, f"{n:,}") for key, n in ordered),
        frozenset({"Answers"}),
    )


# --- texts of values ---------------------------------------------------------------------


def _visible(value: Any) -> Any:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _change(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−").replace("+0.00", "0.00").replace("−0.00", "0.00")


def _probability(value: float | None) -> str:
    if value is None:
        return "–"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def _moment(text: str) -> str:
    return datetime.fromisoformat(text).strftime("%Y-%m-%d %H:%M")


# --- scripts and style -------------------------------------------------------------------


def _file(name: str) -> str:
    return (files("tasks.report") / name).read_text(encoding="utf-8")


def _data_tables() -> str:
    """DataTables' script, as the package itables carries it; `DataTable` is what it gives to the page.

    It is found without importing itables, which is for notebooks.

    Raises:
        RuntimeError: this version of itables keeps it otherwise.
    """
    found = find_spec("itables")
    folders = (found.submodule_search_locations if found else None) or [""]
    script = Path(folders[0], "html", "dt_bundle.js").read_text(encoding="utf-8")
    body, _, exports = script.rpartition("export{")
    jquery = re.search(r"(\w+) as jQuery\b", exports.partition("}")[0])
    if jquery is None:
        raise RuntimeError(
            "itables' script does not give jQuery and DataTables; requirements.lock has one that does"
        )
    licenses = exports.partition(";")[2]
    return f"{body}globalThis.DataTable={jquery[1]}.fn.dataTable;{licenses}".replace("</script", "<\\/script")


def _policy(scripts: Sequence[str], style: str) -> str:
    """The content policy: these scripts, this style, and nothing from anywhere."""
    allowed = " ".join(_hash(script) for script in scripts)
    return f"default-src 'none'; script-src {allowed}; style-src {_hash(style)}; base-uri 'none'; form-action 'none'"


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
