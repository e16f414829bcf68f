"""`tenkbench sql`: answers for people, for programs, and as files."""

from __future__ import annotations

import csv
import json
import os
import pty
import subprocess
import sys
from io import StringIO
from pathlib import Path

import duckdb
import pytest

from tasks.pipeline.settings import RunSettings
from tests.flows.typed import tenkbench


def test_json_has_a_line_for_each_row_of_each_statement(
    finished: RunSettings, capsys: pytest.CaptureFixture[str]
) -> None:
    query = "select range as n from range(2); select 'a\nb' as text"
    assert tenkbench("sql", query, "--lake", finished.lake, "--json") == 0
    lines = capsys.readouterr().out.splitlines()
    assert list(map(json.loads, lines)) == [{"n": 0}, {"n": 1}, {"text": "a\nb"}]


@pytest.mark.parametrize("query", ["SHOW TABLES;", ".tables", ".tables failsafeqa"])
def test_relations_are_listed_with_what_they_hold(
    query: str, finished: RunSettings, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tenkbench("sql", query, "--lake", finished.lake, "--json") == 0
    listed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    found = {row["relation"]: row["what it holds"] for row in listed}
    assert found["failsafeqa.leaderboard"].startswith("One row per")
    assert ("reports.spending" in found) is (query != ".tables failsafeqa")
    assert not [relation for relation in found if relation.startswith(("faith.", "raw."))]


def test_a_relations_columns_are_listed_with_what_they_are(
    finished: RunSettings, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tenkbench("sql", ".schema Reports.spending", "--lake", finished.lake, "--json") == 0
    listed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    (cost,) = [row for row in listed if row["column"] == "cost_usd"]
    assert cost["type"] == "DOUBLE"
    assert "dollars" in cost["what it is"]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("", "There is nothing to run"),
        ("/* a remark */;", "There is nothing to run"),
        ("select error('at this row') from range(3)", "at this row"),
    ],
)
def test_a_statement_that_says_nothing_or_fails_is_an_error(
    query: str, said: str, finished: RunSettings, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tenkbench("sql", query, "--lake", finished.lake, "--csv") == 1
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("from raw.filings where false", "No rows."),
        # a table shows what a model said, and runs none of it
        (
            "select chr(27) || '[2J' || chr(7) || ' [bold]x[/bold] :smile:' as said",
            "│ ⟨U+001B⟩[2J⟨U+0007⟩ [bold]x[/bold] :smile: │",
        ),
    ],
)
def test_a_terminal_gets_a_table_or_why_there_is_none(
    query: str,
    said: str,
    finished: RunSettings,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert tenkbench("sql", query, "--lake", finished.lake) == 0
    assert said in capsys.readouterr().out


def test_a_pipe_gets_csv_with_every_row_and_all_of_each_text(
    finished: RunSettings, capsys: pytest.CaptureFixture[str]
) -> None:
    query = (
        "select repeat('long, \"quoted\"\n', 100) as text, "
        "[1, 2] as list, null as nothing, range as n from range(3)"
    )
    assert tenkbench("sql", query, "--lake", finished.lake) == 0
    columns, *rows = csv.reader(capsys.readouterr().out.splitlines(keepends=True))
    assert columns == ["text", "list", "nothing", "n"]
    assert rows == [['long, "quoted"\n' * 100, "[1, 2]", "", str(n)] for n in range(3)]


@pytest.mark.parametrize(("is_terminal", "shown"), [(True, "⟨U+001B⟩[31mX"), (False, "\x1b[31mX")])
def test_csv_runs_nothing_on_a_terminal_or_in_a_spreadsheet(
    is_terminal: bool,
    shown: str,
    finished: RunSettings,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: is_terminal)
    query = "select chr(27) || '[31mX' as x, '=1+1' as text, -1 as number, ['=1'] as list"
    assert tenkbench("sql", query, "--lake", finished.lake, "--csv") == 0
    assert capsys.readouterr().out == f'x,text,number,list\n{shown},\'=1+1,-1,"[""=1""]"\n'


def test_a_finished_run_leaves_the_warehouse_for_any_duckdb(finished: RunSettings) -> None:
    file = Path(finished.lake) / "warehouse.duckdb"
    with duckdb.connect(file, read_only=True) as warehouse:
        assert warehouse.execute("select count(*) from raw.filings").fetchone() == (3,)
        ours, kept = (
            warehouse.execute(f"select count(*) from {relation}").fetchone()
            for relation in ("failsafeqa.metrics", "raw.metrics")
        )
    assert ours == kept


def test_on_a_terminal_tab_completes_and_a_wrong_line_is_no_end(finished: RunSettings) -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "flows.cli.app", "sql", "--lake", finished.lake]
    shell = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs)
    shown = b""
    for line in (b"from nosuch;\n", b"select 'it is'\nfrom failsafeqa.leaderb\t;\n", b"\x04"):
        while not shown.endswith(b"sql> "):
            shown += os.read(ours, 4096)
        os.write(ours, line)
        shown += b"\n"
    assert shell.wait(timeout=20) == 0
    for wanted in (b"No relation 'nosuch'", b"from failsafeqa.leaderboard", b"it is  "):
        assert wanted in shown


def test_a_pipe_is_one_text(
    finished: RunSettings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", StringIO("select 1 as a;\nselect 2 as b"))
    assert tenkbench("sql", "--lake", finished.lake, "--json") == 0
    assert capsys.readouterr().out.split("\n") == ['{"a": 1}', '{"b": 2}', ""]
