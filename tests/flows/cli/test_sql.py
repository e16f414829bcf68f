"""`tenkbench sql`: answers for people, for programs, and as files."""

from __future__ import annotations

import csv
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from flows.cli.app import main
from tasks.pipeline.settings import RunSettings


def run(*tokens: str) -> int:
    """The exit status of a command."""
    try:
        main(tokens)
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0


def test_json_has_a_line_for_each_row_of_each_statement(
    finished: RunSettings, capsys: pytest.CaptureFixture[str]
) -> None:
    query = "select range as n from range(2); select 'a\nb' as text"
    assert run("sql", query, "--lake", finished.lake, "--json") == 0
    lines = capsys.readouterr().out.splitlines()
    assert list(map(json.loads, lines)) == [{"n": 0}, {"n": 1}, {"text": "a\nb"}]


def test_a_pipe_gets_csv(finished: RunSettings, capsys: pytest.CaptureFixture[str]) -> None:
    query = "select repeat('long ', 100) as text"
    assert run("sql", query, "--lake", finished.lake) == 0
    assert capsys.readouterr().out == f"text\n{'long ' * 100}\n"


@pytest.mark.parametrize("query", ["show tables", "SHOW TABLES;", ".tables", ".tables failsafeqa"])
def test_relations_are_listed_with_what_they_hold(
    query: str, finished: RunSettings, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("sql", query, "--lake", finished.lake, "--json") == 0
    listed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    found = {row["relation"]: row["what it holds"] for row in listed}
    assert found["failsafeqa.leaderboard"].startswith("One row per")
    assert ("reports.spending" in found) is (query != ".tables failsafeqa")
    assert not [relation for relation in found if relation.startswith(("faith.", "raw."))]


def test_a_relations_columns_are_listed_with_what_they_are(
    finished: RunSettings, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("sql", ".schema Reports.spending", "--lake", finished.lake, "--json") == 0
    listed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    (cost,) = [row for row in listed if row["column"] == "cost_usd"]
    assert cost["type"] == "DOUBLE"
    assert "dollars" in cost["what it is"]


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("", "There is nothing to run"),
        (" ;", "There is nothing to run"),
        ("/* a remark */;", "There is nothing to run"),
    ],
)
def test_a_statement_that_says_nothing_is_an_error(
    query: str, says: str, finished: RunSettings, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("sql", query, "--lake", finished.lake) == 1
    assert says in capsys.readouterr().err


def test_a_table_without_rows_says_so(
    finished: RunSettings,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert run("sql", "from raw.filings where false", "--lake", finished.lake) == 0
    assert capsys.readouterr().out.startswith("No rows.")


@pytest.mark.parametrize(("rows", "form"), [("range(100_000)", "--json"), ("range(3)", "--csv")])
def test_a_pipe_that_nobody_reads_to_the_end_is_cut_without_complaint(
    rows: str, form: str, finished: RunSettings
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [
        sys.executable,
        "-m",
        "flows.cli.app",
        "sql",
        f"from {rows}",
        "--lake",
        finished.lake,
        form,
    ]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    assert done.stderr == ""
    assert done.returncode == 1


def test_csv_has_every_row_and_all_of_each_text(
    finished: RunSettings, capsys: pytest.CaptureFixture[str]
) -> None:
    query = (
        "select repeat('long, \"quoted\"\n', 100) as text, "
        "[1, 2] as list, null as nothing, range as n from range(3)"
    )
    assert run("sql", query, "--lake", finished.lake, "--csv") == 0
    columns, *rows = csv.reader(capsys.readouterr().out.splitlines(keepends=True))
    assert columns == ["text", "list", "nothing", "n"]
    assert rows == [['long, "quoted"\n' * 100, "[1, 2]", "", str(n)] for n in range(3)]


@pytest.mark.parametrize(("is_terminal", "shown"), [(True, "⟨U+001B⟩[31mX"), (False, "\x1b[31mX")])
def test_csv_on_a_terminal_runs_no_escape(
    is_terminal: bool,
    shown: str,
    finished: RunSettings,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: is_terminal)
    assert run("sql", "select chr(27) || '[31mX' as x", "--lake", finished.lake, "--csv") == 0
    assert capsys.readouterr().out == f"x\n{shown}\n"


def test_csv_has_no_cell_that_a_spreadsheet_would_run(
    finished: RunSettings, capsys: pytest.CaptureFixture[str]
) -> None:
    query = "select '=1+1' as text, -1 as number, ['=1'] as list"
    assert run("sql", query, "--lake", finished.lake, "--csv") == 0
    assert capsys.readouterr().out == 'text,number,list\n\'=1+1,-1,"[""=1""]"\n'


def test_duckdb_writes_parquet(finished: RunSettings, tmp_path: Path) -> None:
    target = tmp_path / "metrics.parquet"
    query = f"copy (from failsafeqa.metrics) to '{target}'"
    assert run("sql", query, "--lake", finished.lake) == 0
    assert duckdb.sql(f"select count(*) > 0 from '{target}'").fetchall() == [(True,)]


def test_a_failing_row_ends_csv_with_its_error(
    finished: RunSettings, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        run("sql", "select error('at this row') from range(3)", "--lake", finished.lake, "--csv")
        == 1
    )
    assert "at this row" in capsys.readouterr().err


def test_the_terminal_is_asked_line_by_line(finished: RunSettings) -> None:
    ours, theirs = pty.openpty()
    shell = subprocess.Popen(
        [sys.executable, "-m", "flows.cli.app", "sql", "--lake", finished.lake],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "TERM": "dumb"},
    )
    os.close(theirs)
    os.write(
        ours,
        b"\nselect no_such;\n.schema raw.filings\nhelp\nshow tables\n"
        b"select count(*) as n_found\nfrom failsafeqa.leaderboard;\nexit\n",
    )
    seen = b""
    while True:
        try:
            read = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not read:
            break
        seen += read
    os.close(ours)
    assert shell.wait(60) == 0
    screen = seen.decode()
    assert "no_such" in screen  # told, and the shell goes on
    assert "...> from failsafeqa.leaderboard" in screen
    assert "n_found" in screen
    assert "source_uri" in screen  # of .schema
    assert ".tables SCHEMA" in screen  # of help
    assert "│ reports.spending" in screen  # of show tables


def test_a_table_shows_what_a_model_said_and_runs_none_of_it(
    finished: RunSettings,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    said = "chr(27) || '[2J' || chr(7) || ' [bold]x[/bold] :smile:'"
    assert run("sql", f"select {said} as said", "--lake", finished.lake) == 0
    assert "│ ⟨U+001B⟩[2J⟨U+0007⟩ [bold]x[/bold] :smile: │" in capsys.readouterr().out


def test_a_finished_run_leaves_the_warehouse_for_any_duckdb(finished: RunSettings) -> None:
    file = Path(finished.lake) / "warehouse.duckdb"
    with duckdb.connect(file, read_only=True) as warehouse:
        assert warehouse.execute("select count(*) from raw.filings").fetchone() == (3,)
        (n_metrics,) = warehouse.execute("select count(*) from failsafeqa.metrics").fetchone() or (
            0,
        )
        kept = warehouse.execute("select count(*) from raw.metrics").fetchone()
    assert kept == (n_metrics,)
