"""Read-only commands about a lake, the catalogue or the machine."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from flows.cli.options import DEFAULTS, AsJson, LakeUrl, OneRelease, OneSuite, release_of, suite_of
from flows.cli.questions import WrongStatement, answer_each, relations_named_by
from flows.cli.views.console import (
    print_findings,
    print_json,
    print_note,
    print_result,
    print_table,
)
from tasks.pipeline.settings import WrongSettings

_COMPARE_TWO = ("reports.release_changes", "reports.release_rows")


def sql(
    query: str | None = None,
    /,
    *,
    lake: LakeUrl = DEFAULTS.lake,
    release: str | None = None,
    json: Annotated[bool, Parameter(help="Print JSON lines: an object for each row.")] = False,
    csv: bool = False,
) -> None:
    """Query the warehouse, such as "from reports.spending".

    To write Parquet: "copy (from reports.spending) to 'FILE.parquet'".

    Args:
        query: SQL to run, or .tables, .tables SCHEMA or .schema RELATION; without one, a pipe is
            read, or a terminal, where Tab completes names.
        release: One release; all if omitted.
        csv: Print CSV with whole texts (the default in a pipe), safe to open in a spreadsheet.
    """
    from flows.cli.shell import read_statements
    from tasks.lake.lake import Lake
    from tasks.results.opened import opened_warehouse
    from tasks.results.report.provenance import own_prompts_note
    from tasks.suites.registry import SUITES

    if json and csv:
        raise WrongSettings("--json and --csv exclude each other. Choose one.")
    opened = Lake(lake).as_of_now()
    if own := own_prompts_note(opened.commits(release), *SUITES):
        print_note(own)
    printed = partial(print_result, as_json=json, as_csv=csv)
    if query is None and not sys.stdin.isatty():
        query = sys.stdin.read()
    needed = None if query is None else relations_named_by(query)
    with opened_warehouse(opened, release, needed) as connection:
        for text in read_statements(connection) if query is None else [query]:
            try:
                if release and any(name in text for name in _COMPARE_TWO):
                    raise WrongStatement(
                        "--release leaves one release, and this compares two. Leave it out."
                    )
                for columns, rows in answer_each(connection, text):
                    printed(columns, rows)
            except WrongStatement as wrong:
                if query is not None:
                    raise
                print_note(str(wrong))


def explain(
    case: str | None = None,
    /,
    *,
    model: str | None = None,
    against: str | None = None,
    metric: str | None = None,
    slice: str = "overall",
    judge: str | None = None,
    suite: str | None = None,
    release: OneRelease = None,
    lake: LakeUrl = DEFAULTS.lake,
    limit: int = 20,
    all: bool = False,
    full: bool = False,
    json: AsJson = False,
) -> None:
    """Show the cases behind a metric, or one case in full.

    Args:
        case: Id of a case to show in full, or of a pair to show its cases side by side.
        model: Model under test; optional if there is only one.
        against: Other model: show only cases or pairs that exactly one of the two passes.
        metric: Metric to explain, such as robustness.
        slice: Slice of the metric, such as overall, task=qa or variant=ocr.
        judge: Judge or rule; optional if there is only one.
        suite: Suite [default: that of the case or of `run`, or else the lake's first].
        limit: With --metric, maximum number of cases or pairs, worst first.
        all: With --metric, show every case or pair.
        full: With a case, show whole prompts, including the judge's.
    """
    from flows.cli.views.metric import show_cases, show_cell
    from tasks.lake.lake import Lake
    from tasks.models.catalogue import name_of
    from tasks.results.explain.explain import (
        cell_units,
        differing,
        find_cell,
        find_judged,
        suites_with,
    )
    from tasks.results.opened import opened_warehouse
    from tasks.warehouse.releases import lake_parameters

    if (case is None) == (metric is None):
        raise WrongSettings(
            "Give either the id of a case or pair, or --metric and, optionally, --slice."
        )
    if limit < 1:
        raise WrongSettings("--limit must be at least 1")
    if against is not None and (metric is None or model is None):
        raise WrongSettings(
            "--against compares another model with --model. It also needs --model and --metric."
        )
    model, judge, against = (name and name_of(name) for name in (model, judge, against))
    most = None if all else limit
    release = release_of(lake, release)
    with opened_warehouse(Lake(lake).as_of_now(), release) as connection:
        of_case = [] if case is None or suite else suites_with(connection, case)
        suite = suite or (of_case[0] if len(of_case) == 1 else suite_of(lake, release))
        named: Any = {"suite": suite, "release": release, "lake": lake}
        if metric is None:
            rows = find_judged(connection, case or "", model=model, judge=judge, **named)
            is_pair = rows[0]["qa_pair_id"] == case
            show_cases(rows, is_pair=is_pair, is_full=full, as_json=json)
            return
        place = named | {"metric": metric, "slice_name": slice}
        cell = find_cell(connection, model=model, judge=judge, **place)
        parameters = lake_parameters(Lake(lake), release)
        units = cell_units(connection, cell, parameters, lake)
        if against is not None:
            other = find_cell(connection, model=against, judge=cell.judge, **place)
            units = differing(units, cell_units(connection, other, parameters, lake))
        if len(Lake(lake).releases()) == 1:
            del named["release"]
        show_cell(cell, units, most, named, against=against, as_json=json)


def report(
    file: Path | None = None,
    /,
    *,
    lake: LakeUrl = DEFAULTS.lake,
    release: OneRelease = None,
    suite: OneSuite = None,
    judge: str | None = None,
) -> None:
    """Write a release's figures, tests and answers as one HTML page a suite, and an overview.

    The pages work offline and can be printed. With --suite A,B or all, or several suites in the
    release, they are report-SUITE.html; index.html shows all scored releases of the lake.

    Args:
        file: HTML or JSON file for one suite, or a folder [default: report.html, or report].
        judge: Judge whose figures to show [default: the first that the newest run named].
    """
    from flows.report import write_report, write_reports
    from tasks.lake.lake import Lake
    from tasks.models.catalogue import name_of
    from tasks.results.report.overview import scored
    from tasks.suites.registry import suites_named

    release = release_of(lake, release)
    there = [of for named, of in scored(Lake(lake)) if named == release]
    suites = suites_named(suite) if suite else there
    if suite and len(suites) > 1 and (judge or (file and file.suffix)):
        raise WrongSettings("Of several suites, name a folder and no --judge; or name one --suite.")
    if len(suites) < 2 or judge or (file and file.suffix):
        one, target = suite or suite_of(lake, release), file or Path("report.html")
        print_note(*write_report(lake, release, one, target, judge and name_of(judge)))
    else:
        print_note(*write_reports(lake, release, suites, file or Path("report")))


def suites(*, json: AsJson = False) -> None:
    """List the benchmarks."""
    from tasks.suites.registry import SUITES, load_suite

    rows = [{"suite": name, "description": load_suite(name).description} for name in SUITES]
    if json:
        print_json(rows)
    else:
        print_table(["suite", "description"], [[*row.values()] for row in rows])


def models(*, models_file: str | None = None, json: AsJson = False) -> None:
    """List the models.

    Args:
        models_file: TOML file of your own models.
    """
    from flows.cli.views.estimate import show_models
    from tasks.models.catalogue import load_catalogue
    from tasks.pipeline.preflight import check_engine

    rows = list(load_catalogue(models_file).values())
    for model in rows:
        check_engine(model, models_file)
    show_models(rows, as_json=json)


def doctor(
    *,
    lake: LakeUrl = DEFAULTS.lake,
    model: tuple[str, ...] = (),
    models_file: str | None = None,
    json: AsJson = False,
) -> None:
    """Check every part of the lake, Prefect, Ray and the named models.

    Each failure has a remedy and makes the exit status 1. Unused services are not checked.

    Args:
        model: Model whose server and key to check, repeatable; no paid call is made.
        models_file: TOML file of your own models.
    """
    from flows.cli.doctor.doctor import examine

    findings = examine(lake, model, models_file)
    print_findings(findings, as_json=json)
    if not all(finding.ok for finding in findings):
        raise SystemExit(1)
