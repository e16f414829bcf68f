"""Output of a finished run: tables, notes and further commands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from shlex import quote
from typing import Any

from flows.cli.options import DEFAULTS
from flows.cli.questions import answer
from flows.cli.views.console import (
    heading,
    lacks_interval,
    print_json,
    print_note,
    print_prose,
    print_report,
)
from tasks.lake.lake import Lake
from tasks.models.catalogue import name_of
from tasks.pipeline.settings import RunSettings, place_options
from tasks.results.estimate.call_costs import RULES
from tasks.results.explain.explain import why_missing
from tasks.results.opened import opened_warehouse, rows_of
from tasks.results.report.failures import trial_sentences, unscored_sentences
from tasks.results.report.provenance import own_prompts_note
from tasks.statistics import FEWEST_GROUPS
from tasks.suites.registry import load_suite
from tasks.suites.suite import Suite
from tasks.warehouse.sql_files import REMARKS, has_relation, report_of

Table = tuple[list[str], list[tuple[Any, ...]]]

_UNSCORED = "from reports.unscored_reasons"
_TRIALS = "from reports.judge_trials where suite = $suite"
_MOST_SENTENCES = 5

# Suite of rows that belong to none, such as unreadable filings.
_OF_EVERY_SUITE = (None, "all")


def print_results(settings: RunSettings, *, as_json: bool) -> None:
    """Print the suite's main tables, on request as JSON.

    Raises:
        LakeError: the release does not exist.
    """
    suite = load_suite(settings.suite)
    shown = [*suite.page.headlines, *([REMARKS] if has_relation(suite.name, REMARKS) else [])]
    queries = {name: f"select * from {report_of(suite.name, name)}" for name in shown}
    about = {
        "by_rules": "select operation from reports.operations "
        f"where suite = '{suite.name}' and model = '{RULES}'",
        "scored": f"select distinct metric, judge, model from {suite.name}.metrics "
        f"where release = '{settings.release}' and value is not null order by all",
    }
    text = "; ".join((*queries.values(), *about.values(), _UNSCORED, _TRIALS))
    lake = Lake(settings.lake).as_of_now()
    with opened_warehouse(lake, settings.release, text) as connection:
        answers = {
            report: _of_suite(suite, answer(connection, query)) for report, query in queries.items()
        }
        facts = {name: answer(connection, query)[1] for name, query in about.items()}
        of_suite = {"suite": suite.name}
        unscored = rows_of(connection, f"{_UNSCORED} where suite = $suite", of_suite)
        trials = rows_of(connection, _TRIALS, of_suite)
    if own := own_prompts_note(lake.commits(settings.release), suite.name):
        (print_note if as_json else print_prose)(own)
    if as_json:
        print_json(
            {
                name: [dict(zip(columns, row, strict=True)) for row in rows]
                for name, (columns, rows) in answers.items()
            }
        )
        return
    remarks = list(_remarks(*answers.get(REMARKS, ([], [])), _place(settings)))
    print_prose(*(line for is_failure, line in remarks if is_failure))
    for name in suite.page.headlines:
        print_report(name, *answers[name])
        print_prose(*_no_common_judge(*answers[name]))
    print_prose(*_not_judged(suite, unscored, _place(settings)))
    print_prose(*trial_sentences(trials))
    print_prose(*_by_rules(suite, {name for (name,) in facts["by_rules"]}))
    print_prose(*_legend(suite, [answers[name] for name in suite.page.headlines]))
    print_prose(*(line for is_failure, line in remarks if not is_failure))
    _say_more(settings, suite, facts["scored"])


def _of_suite(suite: Suite, table: Table) -> Table:
    """Drop the rows of other suites from a table."""
    columns, rows = table
    if "suite" not in columns:
        return table
    place = columns.index("suite")
    return columns, [row for row in rows if row[place] in (suite.name, *_OF_EVERY_SUITE)]


def _by_rules(suite: Suite, operations: Set[str]) -> Iterator[str]:
    """Name the roles that rules have played in these operations, and how models play them."""
    roles = {role: f"--{role.replace('_', '-')} MODEL" for role in suite.roles_of(operations)}
    if roles:
        yield (
            f"By rules, unchecked, a demonstration: the work of {', '.join(roles)}. "
            f"Models do it with {' '.join(roles.values())}"
        )


def _no_common_judge(columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> Iterator[str]:
    """Say so if no judge has judged all models of a table; published figures do not count."""
    if not {"model", "judge"} <= set(columns):
        return
    judges: dict[str, set[str]] = {}
    for row in rows:
        named = dict(zip(columns, row, strict=True))
        if named.get("source", "this lake") == "this lake":
            judges.setdefault(named["model"], set()).add(named["judge"])
    if not judges or set.intersection(*judges.values()):
        return
    listed = "; ".join(f"{model} by {', '.join(sorted(by))}" for model, by in judges.items())
    yield f"No judge has judged all of these models, so do not compare them: {listed}."


def _not_judged(suite: Suite, rows: Sequence[Mapping[str, Any]], where: str) -> Iterator[str]:
    """Say whose answers could not be judged, worst first."""
    sentences = list(unscored_sentences(rows))
    yield from sentences[:_MOST_SENTENCES]
    if sentences:
        yield f'To list all: tenkbench sql{where} "{_UNSCORED}"'


def _legend(suite: Suite, tables: Sequence[Table]) -> Iterator[str]:
    """Explain the names in tables and missing intervals."""
    if any(lacks_interval(*table) for table in tables):
        yield f"No interval (-): fewer than {FEWEST_GROUPS} filings have such cases"
    names: dict[str, None] = {}  # columns, and dimensions of slices
    for columns, rows in tables:
        names |= dict.fromkeys(columns)
        if "slice_by" in columns:
            place = columns.index("slice_by")
            names |= dict.fromkeys(row[place] for row in rows)
    metrics = {name: suite.page.label(name).meaning for name in names if name in suite.metrics}
    cells = (
        cell for columns, rows in tables for row in rows for cell in zip(columns, row, strict=True)
    )
    for name in metrics.keys() - {name for name, value in cells if value is not None}:
        metrics[name] += f"; {why_missing(suite, name)}"
    values = {name: label.meaning for name, label in suite.page.dimensions.items() if label.meaning}
    for meanings in (metrics, values):
        yield from (f"{heading(name)}: {meanings[name]}" for name in names if name in meanings)


def _remarks(
    columns: Sequence[str], rows: Sequence[tuple[Any, ...]], where: str
) -> Iterator[tuple[bool, str]]:
    """Yield each remark with whether it says that a judge failed."""
    for row in rows:
        remark = dict(zip(columns, row, strict=True))
        line = f'{remark["says"]} To list them: tenkbench sql{where} "{remark["query"]}"'
        yield bool(remark.get("is_failure")), line


def _place(settings: RunSettings) -> str:
    where = place_options(lake=settings.lake)
    is_only = Lake(settings.lake).releases() == [DEFAULTS.release]
    return where if is_only else f"{where} --release {settings.release}"


def _say_more(settings: RunSettings, suite: Suite, scored: Sequence[tuple[str, str, str]]) -> None:
    """Suggest further commands on this lake; `scored` are its metrics, judges and models."""
    where, of_suite = _place(settings), place_options(suite=settings.suite)
    lines = [f"Everything on one page: tenkbench report{where}{of_suite}"]
    judges = [name_of(judge) for judge in settings.judge or suite.default_judges]
    models = [name_of(model) for model in settings.model]
    order = [*suite.page.metrics]
    # of the run's models and judges, if they are scored, and of the suite's first metric
    cells = sorted(
        (judge not in judges, model not in models, order.index(metric), judge, model)
        for metric, judge, model in scored
        if metric in order
    )
    if cells:
        *_, place, judge, model = cells[0]
        several = len({by for _, by, of in scored if of == model}) > 1
        lines.append(
            f"The cases behind a number: tenkbench explain{where}{of_suite} --metric "
            f"{order[place]} --model {quote(model)}"
            + (f" --judge {quote(judge)}" if several else "")
        )
    table = report_of(suite.name, suite.page.headlines[0])
    lines.append(f'A table: tenkbench sql{where} "from {table}"')
    lines.append(f'Names of all tables: tenkbench sql{where} ".tables"')
    print_note(*lines)
