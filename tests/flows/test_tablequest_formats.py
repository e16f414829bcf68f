"""TableQuest asks the same questions with tables in HTML, Markdown and CSV."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from flows.benchmark import benchmark
from flows.report import report_of
from tasks.core.ids import stable_id
from tasks.core.rows import Case, Context, Prefix, QAPair, Request
from tasks.lake.lake import Lake
from tasks.pipeline.resolved import settings_of
from tasks.pipeline.settings import RunSettings
from tasks.results.opened import opened_warehouse
from tasks.suites.tablequest.snippets import in_format
from tests.built import build_steps, ingest_files
from tests.flows.rows import rows_of
from tests.servers.serving import serving
from tests.without_prefect import flows_as_functions

FORMATS = ("html", "markdown", "csv")
PER_LEVEL = 3


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunSettings:
    """Two models asked in three formats on the packaged samples, and compared by a judge."""
    with (
        serving(reply_rule="tests.servers.table_judges:reply") as server,
        flows_as_functions(),
    ):
        settings = settings_of(
            suite="tablequest",
            lake=str(tmp_path_factory.mktemp("formats") / "lake"),
            workers=1,
            per_level=PER_LEVEL,
            hard=True,
            table_format=("csv", "html", "markdown"),
            baseline="base",
            model=(f"base@{server.url}", f"clean@{server.url}"),
            judge=("reference", f"pairwise=sound@{server.url}"),
        )
        benchmark(settings)
    return settings


def asked(run: RunSettings, query: str) -> list[tuple[Any, ...]]:
    with opened_warehouse(Lake(run.lake), run.release) as connection:
        return connection.execute(query).fetchall()


def test_each_question_is_a_case_in_each_format(run: RunSettings, tmp_path: Path) -> None:
    cases = rows_of(run, Case)
    assert Counter(case.variant for case in cases) == dict.fromkeys(FORMATS, 3 * PER_LEVEL)
    of_pair = defaultdict(list)
    for case in cases:
        of_pair[case.qa_pair_id].append(replace(case, case_id="", variant=""))
    assert all(same == [same[0]] * 3 for same in of_pair.values())

    default = replace(
        run, lake=str(tmp_path / "lake"), options={"per_level": PER_LEVEL, "hard": True}
    )
    ingest_files(default)
    build_steps(default)
    assert sorted(rows_of(default, Case), key=str) == sorted(
        (case for case in cases if case.variant == "html"), key=str
    )
    assert {case.case_id for case in rows_of(default, Case)} == {
        stable_id("case", pair.qa_pair_id, "tablequest", "baseline")
        for pair in rows_of(default, QAPair)
    }


def test_prompts_of_a_question_differ_in_its_tables_only(run: RunSettings) -> None:
    texts = {context.context_id: context.text for context in rows_of(run, Context)}
    prefixes = {prefix.prefix_id: prefix.text for prefix in rows_of(run, Prefix)}
    cases = {case.case_id: case for case in rows_of(run, Case)}
    prompts: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for request in rows_of(run, Request):
        if request.case_id and request.operation.startswith("answer"):
            case = cases[request.case_id]
            prompt = prefixes[request.prefix_id] + request.suffix
            prompts[request.model, case.qa_pair_id][case.variant] = prompt
    assert len(prompts) == 2 * 3 * PER_LEVEL
    contexts = {case.qa_pair_id: texts[case.context_id or ""] for case in cases.values()}
    for (_, pair), shown in prompts.items():
        html = contexts[pair]
        assert shown["html"].count(html) == 1
        for table_format in ("markdown", "csv"):
            told = in_format(html, table_format)
            assert told != html
            assert shown[table_format] == shown["html"].replace(html, told)


def test_figures_name_their_format_and_pooled_ones_say_that_they_are(run: RunSettings) -> None:
    board = "select judge, model, format, n from tablequest.leaderboard order by all"
    found = asked(run, board)
    assert Counter(row[2] for row in found) == dict.fromkeys(FORMATS, 4)
    assert {row[3] for row in found if row[0] == "pairwise=sound"} == {3 * PER_LEVEL}
    rated = (
        "from tablequest.leaderboard select format, elo where model = 'base' and elo is not null"
    )
    assert dict(asked(run, rated)) == dict.fromkeys(FORMATS, 1000)
    formats = asked(
        run, "select model, level, format, n, n_html_only, mean_prompt_tokens "
        "from tablequest.formats"
    )  # fmt: skip
    assert [row[:3] for row in formats] == [
        (model, level, each)
        for model in ("base", "clean")
        for level in ("easy", "medium")
        for each in FORMATS
    ]
    assert {row[3] for row in formats} == {PER_LEVEL}
    assert all((row[4] is None) == (row[2] == "html") for row in formats)
    tokens = {row[2]: row[5] for row in formats}
    assert tokens["html"] > tokens["markdown"] > tokens["csv"]
    remark = "Each question is asked with its tables in html, markdown, csv: figures over all"
    html = report_of(Lake(run.lake), run.release, "tablequest", "reference").content.decode()
    assert remark in html
    assert "Accuracy by format of the tables" in html
