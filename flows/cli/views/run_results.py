"""End of a run: a line for each model, what to know of it, and further commands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from shlex import quote
from typing import Any

from flows.cli.options import DEFAULTS
from flows.cli.views.console import print_json, print_note, print_prose, print_table
from tasks.lake.lake import Lake
from tasks.models.catalogue import name_of
from tasks.pipeline.settings import RunSettings, place_options
from tasks.results.estimate.call_costs import RULES
from tasks.results.explain.explain import why_missing
from tasks.results.opened import opened_warehouse, rows_of
from tasks.results.report.failures import trial_sentences, unscored_sentences
from tasks.results.report.measured import SIGNIFICANT
from tasks.results.report.provenance import own_prompts_note
from tasks.statistics import FEWEST_GROUPS
from tasks.statistics.paired import least_exchange_p
from tasks.suites.registry import load_suite, suites_named
from tasks.suites.suite import Suite
from tasks.text.shares import interval
from tasks.warehouse.sql_files import REMARKS, has_relation

Row = Mapping[str, Any]
Tables = Mapping[str, Sequence[Row]]  # name of a query -> its rows

_MOST_SENTENCES = 5
_READ = {
    "leaderboard": "from reports.leaderboard where",
    "unscored": "from reports.unscored_reasons where",
    "trials": "from reports.judge_trials where",
    "by_rules": f"select operation from reports.operations where model = '{RULES}' and",
}


def print_results(settings: RunSettings, *, as_json: bool) -> None:
    """Print the leaderboard of each suite and what to know of it; as JSON, all rows together.

    Raises:
        LakeError: the release does not exist.
    """
    suites = list(map(load_suite, suites_named(settings.suite)))
    lake, release = Lake(settings.lake).as_of_now(), settings.release
    queries = {suite.name: _queries(suite) for suite in suites}
    text = "; ".join(query for of in queries.values() for query in of.values())
    with opened_warehouse(lake, release, text) as connection:
        tables = [
            {name: rows_of(connection, query, {}) for name, query in of.items()}
            for of in queries.values()
        ]
    if own := own_prompts_note(lake.commits(release), *queries):
        (print_note if as_json else print_prose)(own)
    if as_json:
        print_json([row for rows in tables for row in rows["leaderboard"]])
        return
    for suite, rows in zip(suites, tables, strict=True):
        _print_suite(suite, rows, settings)
    if None in (_interval(row) for rows in tables for row in rows["leaderboard"]):
        print_prose(f"No interval (-): fewer than {FEWEST_GROUPS} filings have such cases")
    _say_more(settings, tables)


def _queries(suite: Suite) -> dict[str, str]:
    """Name the queries for what the end of a run tells of a suite; a warehouse has one release."""
    queries = {name: f"{query} suite = '{suite.name}'" for name, query in _READ.items()}
    if has_relation(suite.name, REMARKS):
        queries[REMARKS] = f"from {suite.name}.{REMARKS}"
    return queries


def _print_suite(suite: Suite, tables: Tables, settings: RunSettings) -> None:
    board, where = tables["leaderboard"], _place(settings)
    for metric in dict.fromkeys(row["metric"] for row in board):
        _print_board(suite, settings.release, metric, [r for r in board if r["metric"] == metric])
    if all(row["value"] is None for row in board):
        headline = suite.page.headline
        print_prose(f"No {suite.page.metric_name(headline)}: {why_missing(suite, headline)}")
    print_prose(*_too_few(board), *_no_common_judge(board), *_rests_on(suite, board, settings))
    print_prose(*_not_judged(tables["unscored"], where), *trial_sentences(tables["trials"]))
    print_prose(*_by_rules(suite, {row["operation"] for row in tables["by_rules"]}))
    remarks = sorted(tables.get(REMARKS, ()), key=lambda row: not row.get("is_failure"))
    listed = 'To list them: tenkbench sql{} "{}"'
    print_prose(*(f"{row['says']} {listed.format(where, row['query'])}" for row in remarks))


def _print_board(suite: Suite, release: str, metric: str, rows: Sequence[Row]) -> None:
    """Print a line for each judge and model, best first."""
    label = suite.page.label(metric)
    columns = ("model", label.name, "95 % interval", "n", "ahead of", "p (Holm)", "judge")
    facts = ("p_holm", "judge")
    lines = [
        (row["model"], row["value"], _interval(row), row["n"], _led(row), *map(row.get, facts))
        for row in rows
    ]
    print_table(columns, lines, f"{suite.title}, release {release}")
    print_prose(f"{label.name}: {label.meaning}" if label.meaning else label.name)


def _led(row: Row) -> str | None:
    n_more = (row["n_ahead_of"] or 1) - 1
    return f"{row['ahead_of']} and {n_more} more" if n_more else row["ahead_of"]


def _interval(row: Row) -> str | None:
    ends = row["low"], row["high"]
    return None if ends == (None, None) else interval(*ends)


def _rests_on(suite: Suite, board: Sequence[Row], settings: RunSettings) -> Iterator[str]:
    """Say of how much a model's headline does not speak, and how to list it."""
    for row in [row for row in board if row["n_unscored"]][:_MOST_SENTENCES]:
        name, n = f"{row['model']}: {suite.page.metric_name(row['metric'])}", row["n"]
        rests = f"{name} rests on {n:,} of {n + row['n_unscored']:,}"
        yield f"{rests}. The others: {_explain(row, settings)} --all"


def _explain(row: Row, settings: RunSettings) -> str:
    """Write the command that lists the cases behind a metric."""
    named = (f" --{name} {quote(row[name])}" for name in ("metric", "model", "judge"))
    of_suite = place_options(suite=row["suite"])
    return f"tenkbench explain{_place(settings)}{of_suite}{''.join(named)}"


def _too_few(board: Sequence[Row]) -> Iterator[str]:
    """Say so if no lead could show, however large."""
    for judge in dict.fromkeys(row["judge"] for row in board):
        scored = [row for row in board if row["judge"] == judge and row["value"] is not None]
        groups = [row["n_groups"] for row in scored]
        n_pairs = len(groups) * (len(groups) - 1) // 2
        if n_pairs and n_pairs * least_exchange_p(max(groups)) >= SIGNIFICANT:
            yield (
                f"No lead can show by {judge}: with {max(groups):,} filings and {n_pairs:,} "
                "comparisons, chance can explain any difference"
            )


def _no_common_judge(board: Sequence[Row]) -> Iterator[str]:
    """Say so if no judge has judged all models of a leaderboard."""
    judges: dict[str, set[str]] = {}
    for row in board:
        judges.setdefault(row["model"], set()).add(row["judge"])
    if judges and not set.intersection(*judges.values()):
        listed = "; ".join(
            f"{model} by {', '.join(sorted(judges[model]))}" for model in sorted(judges)
        )
        yield f"No judge has judged all of these models, so do not compare them: {listed}."


def _not_judged(rows: Sequence[Row], where: str) -> Iterator[str]:
    """Say whose answers could not be judged, worst first."""
    sentences = list(unscored_sentences(rows))
    yield from sentences[:_MOST_SENTENCES]
    if sentences:
        yield f'To list all: tenkbench sql{where} "from reports.unscored_reasons"'


def _by_rules(suite: Suite, operations: Set[str]) -> Iterator[str]:
    """Name the roles that rules have played in these operations, and how models play them."""
    roles = {role: f"--{role.replace('_', '-')} MODEL" for role in suite.roles_of(operations)}
    if roles:
        yield (
            f"By rules, unchecked, a demonstration: the work of {', '.join(roles)}. "
            f"Models do it with {' '.join(roles.values())}"
        )


def _place(settings: RunSettings) -> str:
    where = place_options(lake=settings.lake)
    is_only = Lake(settings.lake).releases() == [DEFAULTS.release]
    return where if is_only else f"{where} --release {settings.release}"


def _say_more(settings: RunSettings, tables: Sequence[Tables]) -> None:
    """Suggest further commands; that for a number is of a judge and model of the run, if scored."""
    where = _place(settings)
    lines = [
        f"Everything on one page: tenkbench report{where}{place_options(suite=settings.suite)}"
    ]
    models, judges = (list(map(name_of, names)) for names in (settings.model, settings.judge))
    scored = [row for rows in tables for row in rows["leaderboard"] if row["value"] is not None]
    place = {name: at for at, name in enumerate(judges)}  # the page is by the first
    scored.sort(key=lambda row: (row["model"] not in models, place.get(row["judge"], len(place))))
    if scored:
        lines.append(f"The cases behind a number: {_explain(scored[0], settings)}")
    lines.append(f'Every table: tenkbench sql{where} ".tables"')
    print_note(*lines)
