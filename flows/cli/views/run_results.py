"""End of a run: a line for each model, what to know of it, and further commands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from shlex import quote
from typing import TYPE_CHECKING, Any

from flows.cli.options import DEFAULTS
from flows.cli.views.console import print_json, print_note, print_prose, print_table
from tasks.lake.lake import Lake
from tasks.models.catalogue import name_of
from tasks.pipeline.settings import RunSettings, place_options
from tasks.results.estimate.call_costs import RULES
from tasks.results.explain.explain import why_missing
from tasks.results.opened import opened_warehouse, rows_of
from tasks.results.report.failures import trial_sentences, unscored_sentences
from tasks.results.report.provenance import own_prompts_note
from tasks.statistics import FEWEST_GROUPS
from tasks.suites.registry import load_suite, suites_named
from tasks.suites.suite import Suite
from tasks.text.shares import interval
from tasks.warehouse.sql_files import REMARKS, has_relation

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Row = Mapping[str, Any]
Found = Mapping[str, Sequence[Row]]  # name of a query -> its rows

_MOST_SENTENCES = 5
_OF_SUITE = "where suite = $suite and release = $release"
_READ = {
    "leaderboard": f"from reports.leaderboard {_OF_SUITE}",
    "metrics": f"from reports.metrics {_OF_SUITE} and slice_by = 'overall' and n_unscored > 0",
    "unscored": f"from reports.unscored_reasons {_OF_SUITE}",
    "trials": f"from reports.judge_trials {_OF_SUITE}",
    "by_rules": f"select operation from reports.operations {_OF_SUITE} and model = '{RULES}'",
}


def print_results(settings: RunSettings, *, as_json: bool) -> None:
    """Print the leaderboard of each suite and what to know of it; as JSON, all rows together.

    Raises:
        LakeError: the release does not exist.
    """
    suites = list(map(load_suite, suites_named(settings.suite)))
    lake = Lake(settings.lake).as_of_now()
    remarks = [f"{suite.name}.{REMARKS}" for suite in suites if has_relation(suite.name, REMARKS)]
    text = "; ".join((*(f"from {relation}" for relation in remarks), *_READ.values()))
    with opened_warehouse(lake, settings.release, text) as connection:
        found = [_found(connection, suite, settings.release) for suite in suites]
    own = own_prompts_note(lake.commits(settings.release), *(suite.name for suite in suites))
    if own:
        (print_note if as_json else print_prose)(own)
    if as_json:
        print_json([row for rows in found for row in rows["leaderboard"]])
        return
    for suite, rows in zip(suites, found, strict=True):
        _print_suite(suite, rows, settings)
    if None in (_interval(row) for rows in found for row in rows["leaderboard"]):
        print_prose(f"No interval (-): fewer than {FEWEST_GROUPS} filings have such cases")
    _say_more(settings, found)


def _found(connection: DuckDBPyConnection, suite: Suite, release: str) -> Found:
    """Read what the end of a run tells of a suite, by name."""
    place = {"suite": suite.name, "release": release}
    found = {name: rows_of(connection, query, place) for name, query in _READ.items()}
    has_remarks = has_relation(suite.name, REMARKS)
    query = f"from {suite.name}.{REMARKS} where release = $release"
    return found | {
        REMARKS: rows_of(connection, query, {"release": release}) if has_remarks else []
    }


def _print_suite(suite: Suite, found: Found, settings: RunSettings) -> None:
    remarks = [
        (
            row.get("is_failure"),
            f'{row["says"]} To list them: tenkbench sql{_place(settings)} "{row["query"]}"',
        )
        for row in found[REMARKS]
    ]
    print_prose(*(line for is_failure, line in remarks if is_failure))
    board = found["leaderboard"]
    for metric in dict.fromkeys(row["metric"] for row in board):
        _print_board(suite, settings.release, metric, [r for r in board if r["metric"] == metric])
    if all(row["value"] is None for row in board):
        headline = suite.page.headline
        print_prose(f"No {suite.page.metric_name(headline)}: {why_missing(suite, headline)}")
    print_prose(*_no_common_judge(board), *_rests_on(suite, found["metrics"], settings))
    print_prose(*_not_judged(found["unscored"], _place(settings)))
    print_prose(*trial_sentences(found["trials"]))
    print_prose(*_by_rules(suite, {row["operation"] for row in found["by_rules"]}))
    print_prose(*(line for is_failure, line in remarks if not is_failure))


def _print_board(suite: Suite, release: str, metric: str, rows: Sequence[Row]) -> None:
    """Print a line for each judge and model, best first."""
    label = suite.page.label(metric)
    columns = ("model", label.name, "95 % interval", "n", "ahead of", "p (Holm)", "judge")
    facts = ("n", "ahead_of", "p_holm", "judge")
    lines = [
        (row["model"], row["value"], _interval(row), *(row[fact] for fact in facts)) for row in rows
    ]
    print_table(columns, lines, f"{suite.title}, release {release}")
    print_prose(f"{label.name}: {label.meaning}" if label.meaning else label.name)


def _interval(row: Row) -> str | None:
    ends = row["low"], row["high"]
    return None if ends == (None, None) else interval(*ends)


def _rests_on(suite: Suite, rows: Sequence[Row], settings: RunSettings) -> Iterator[str]:
    """Say of how many questions a metric does not speak, and how to list them."""
    fewest = {row["metric"]: row for row in sorted(rows, key=lambda row: row["n"], reverse=True)}
    for metric, row in fewest.items():
        if metric in suite.page.metrics:
            n, model, judge = row["n"], quote(row["model"]), quote(row["judge"])
            yield (
                f"{suite.page.metric_name(metric)} rests on {n:,} of {n + row['n_unscored']:,}. "
                f"The others: tenkbench explain{_place(settings)}"
                f"{place_options(suite=suite.name)} --metric {metric} --model {model} "
                f"--judge {judge} --all"
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


def _say_more(settings: RunSettings, found: Sequence[Found]) -> None:
    """Suggest further commands; that for a number is of a judge and model of the run, if scored."""
    where = _place(settings)
    lines = [
        f"Everything on one page: tenkbench report{where}{place_options(suite=settings.suite)}"
    ]
    models = set(map(name_of, settings.model))
    scored = [row for rows in found for row in rows["leaderboard"] if row["value"] is not None]
    scored.sort(key=lambda row: row["model"] not in models)
    if scored:
        of_suite = place_options(suite=scored[0]["suite"])
        named = (f" --{name} {quote(scored[0][name])}" for name in ("metric", "model", "judge"))
        lines.append(
            f"The cases behind a number: tenkbench explain{where}{of_suite}{''.join(named)}"
        )
    lines.append(f'Every table: tenkbench sql{where} ".tables"')
    print_note(*lines)
