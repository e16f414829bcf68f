"""A suite outside the product, one registry entry and one SQL file: every command works on it."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest

from flows.benchmark import benchmark
from flows.infer import infer
from flows.judge import judge
from flows.score import score
from tasks.core.rows import Case, Context, Judgement, Reject
from tasks.lake.lake import Lake
from tasks.pipeline.plan import check_run
from tasks.pipeline.resolved import resolve, settings_of
from tasks.pipeline.settings import RunSettings, WrongSettings
from tasks.results.report.contents import SECTIONS
from tasks.suites.registry import SUITES
from tasks.warehouse.connection import open_warehouse
from tests.flows.rows import rows_of
from tests.flows.typed import succeed
from tests.servers.serving import Server, serving
from tests.servers.toy_models import COMPANIES
from tests.toy_suite.rows import Headline
from tests.without_prefect import flows_as_functions


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving(reply_rule="tests.servers.toy_models:reply") as running:
        yield running


@pytest.fixture(scope="module")
def run(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunSettings]:
    """A finished run of the toy suite; the registry names it while the module's tests run."""
    folder = tmp_path_factory.mktemp("toy")
    news = folder / "headlines.csv"
    lines = [f"{company} opens a plant,{company}" for company in COMPANIES]
    news.write_text("\n".join(["title,company", *lines, "Nobody opens a plant,", ""]))
    with pytest.MonkeyPatch.context() as patched, flows_as_functions():
        patched.setitem(SUITES, "toy", "tests.toy_suite")
        settings = settings_of(
            suite="toy",
            lake=str(folder / "lake"),
            workers=1,
            headlines=news,
            model=tuple(f"{name}@{server.url}" for name in ("m1", "m2")),
            judge=("recall", f"umpire@{server.url}"),
            generator=tuple(f"{name}@{server.url}" for name in ("g1", "g2")),
            verifier=tuple(f"{name}@{server.url}" for name in ("v1", "v2", "v3")),
        )
        benchmark(settings)
        yield settings


def test_a_source_of_its_own_gives_rows_and_rejects(run: RunSettings) -> None:
    assert sorted(headline.company for headline in rows_of(run, Headline)) == sorted(COMPANIES)
    assert [(row.stage, row.reason) for row in rows_of(run, Reject) if row.stage == "ingest"] == [
        ("ingest", "no company")
    ]
    assert {len(context.document_ids) for context in rows_of(run, Context)} == {2}


def test_fractions_and_wins_are_metrics(run: RunSettings) -> None:
    with open_warehouse(Lake(run.lake).files("dev")) as warehouse:
        found = warehouse.execute(
            "select model, judge, metric, slice_value, n, value from toy.metrics "
            "where slice_value in ('all', 'after') and slice_by in ('overall', 'placement') "
            "and metric in ('recall', 'wins') "
            "order by model, judge, slice_by"
        ).fetchall()
    assert found == [
        ("m1", "recall", "recall", "all", 12, 1.0),
        ("m1", "recall", "recall", "after", 6, 1.0),
        ("m1", "umpire", "wins", "all", 12, 1.0),
        ("m1", "umpire", "wins", "after", 6, 1.0),
        ("m2", "recall", "recall", "all", 12, 0.5),
        ("m2", "recall", "recall", "after", 6, 0.5),
        ("m2", "umpire", "wins", "all", 12, 0.0),
        ("m2", "umpire", "wins", "after", 6, 0.0),
    ]


@pytest.mark.parametrize("named", ["recall", "umpire"])
def test_report(run: RunSettings, named: str, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    succeed("report", str(page), "--suite", "toy", "--judge", named, "--lake", run.lake)
    shown = page.read_text(encoding="utf-8")
    metric = {"recall": "words found", "umpire": "games won"}[named]
    assert metric in shown
    sections = re.findall(r'<section id="(\w+)">', shown)  # those of every suite, and no others
    assert [name for name in SECTIONS if name in sections] == sections
    assert {"leaderboard", "slices", "questions", "cases", "provenance"} <= set(sections)


def test_explain(run: RunSettings, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["--suite", "toy", "--lake", run.lake, "--model", "m2"]
    succeed("explain", "--metric", "recall", *given)
    assert "0.500; n 12; 0 unscored" in capsys.readouterr().out
    succeed("explain", "--metric", "elo", "--judge", "umpire", *given)
    assert "n 12; 0 unscored" in capsys.readouterr().out
    case = next(
        row for row in rows_of(run, Judgement) if (row.model, row.other_model) == ("m2", "m1")
    )
    succeed("explain", case.case_id, "--judge", "umpire", "--full", *given)
    shown = capsys.readouterr().out
    for part in ("You read the news with care.", "other_answer", "umpire", "lost"):
        assert part in shown


def test_a_model_that_comes_later_is_compared_with_those_before(
    run: RunSettings, server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    later = replace(run, lake=str(tmp_path / "lake"))
    shutil.copytree(Lake(run.lake).here, later.lake)
    without_roles = replace(later, model=(f"m3@{server.url}",), roles={}, options={})
    check_run(resolve(without_roles), builds=False)
    infer(without_roles)
    judge(without_roles)
    score(without_roles)
    compared = Counter(
        (row.model, row.other_model)
        for row in rows_of(later, Judgement)
        if row.other_model is not None
    )
    assert compared == dict.fromkeys(permutations(("m1", "m2", "m3"), 2), 12)
    case_id = rows_of(later, Case)[0].case_id
    tokens = ["explain", case_id, "--model", "m3", "--judge", "umpire", "--suite", "toy"]
    succeed(*tokens, "--release", "dev", "--lake", later.lake)
    assert (
        len(re.findall(r"\bother_model\b", capsys.readouterr().out)) == 4
    )  # two models, both orders


def test_what_the_suite_cannot_run_is_refused(run: RunSettings) -> None:
    with pytest.raises(WrongSettings, match='no rule for "answer_after", "answer_before"'):
        check_run(resolve(replace(run, model=("extractive",), judge=("recall",))))
    with pytest.raises(WrongSettings, match=r"umpire. compares the answers of two models"):
        check_run(resolve(replace(run, model=run.model[:1], release="none-dev")))
