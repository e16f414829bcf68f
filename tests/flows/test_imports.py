"""Answers made elsewhere: imported, judged and scored like any."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest

from flows.benchmark import benchmark
from flows.cli.exchange import import_answers
from flows.infer import infer
from flows.judge import judge
from tasks.core.rows import Metric, Request, Response
from tasks.inference.imported import WrongAnswers
from tasks.lake.lake import Lake
from tasks.models.catalogue import UnknownModel
from tasks.pipeline.clients import opened
from tasks.pipeline.imports import check_free, load_answers
from tasks.pipeline.resolved import resolve
from tasks.pipeline.settings import RunSettings
from tasks.results.opened import opened_warehouse
from tests.flows.rows import rows_of


def native(run: RunSettings) -> dict[str, str]:
    """What the rules have answered, by case."""
    texts = {row.request_id: row.text for row in rows_of(run, Response)}
    return {
        row.case_id: texts[row.request_id] or ""
        for row in rows_of(run, Request)
        if row.case_id is not None and row.operation.startswith("answer")
    }


def written(file: Path, rows: list[tuple[str, str, str]]) -> Path:
    if file.suffix == ".csv":
        with file.open("w", encoding="utf-8-sig", newline="") as out:
            csv.writer(out).writerows(
                [("latency", "text", "case_id", "model"), *((1, t, c, m) for c, m, t in rows)]
            )
    else:
        lines = (json.dumps({"case_id": c, "model": m, "text": t, "n": 1}) for c, m, t in rows)
        file.write_text("\n".join(lines), encoding="utf-8")
    return file


def taken(run: RunSettings, *files: Path) -> RunSettings:
    """Import files without a command; return the settings of runs that go on with them."""
    answers, _ = load_answers(run, files)
    named = replace(run, model=tuple(f"{model}@imported" for model in answers))
    with opened(named, answers):
        infer(named)
    return named


def metrics_of(run: RunSettings, model: str) -> dict[tuple[str, ...], tuple[object, ...]]:
    return {
        (row.judge, row.metric, row.slice_by, row.slice_value): (
            row.value,
            row.low,
            row.high,
            row.n,
        )
        for row in rows_of(run, Metric)
        if row.model == model
    }


def test_imported_answers_have_the_metrics_of_the_same_native_ones(
    copied: RunSettings, tmp_path: Path
) -> None:
    rows = [(case_id, "ours", text) for case_id, text in native(copied).items()]
    halves = rows[: len(rows) // 2], rows[len(rows) // 2 :]
    files = [
        written(tmp_path / f"a{kind}", half)
        for kind, half in zip((".csv", ".jsonl"), halves, strict=True)
    ]
    named = taken(copied, *files)
    benchmark(replace(named, judge_repeats=0.0))  # nobody is asked
    found = metrics_of(copied, "ours")
    assert found == metrics_of(copied, "extractive")
    assert len(found) > 50
    engines = {row.engine for row in rows_of(copied, Response)}
    assert engines == {"extractive", "imported"}


def test_a_second_import_replaces_the_first_and_leaves_the_rest_unanswered(
    copied: RunSettings, tmp_path: Path
) -> None:
    first, second, *_ = native(copied)
    taken(copied, written(tmp_path / "1.csv", [(first, "ours", "A"), (second, "ours", "B")]))
    named = taken(copied, written(tmp_path / "2.csv", [(first, "ours", "C"), (second, "ours", "")]))
    # the response cache does not bring the first import back, and keeps the second one
    infer(replace(named, force=True, fresh=True, retry_failed=True))
    found = [row for row in rows_of(copied, Response) if row.engine == "imported"]
    assert {row.text for row in found if row.status == "ok"} == {"C", ""}  # empty, not missing
    assert {row.error_type for row in found if row.status != "ok"} == {"not_imported"}
    assert len(found) == len(native(copied))


def test_the_same_import_again_changes_nothing_and_no_import_is_a_call(
    copied: RunSettings, tmp_path: Path
) -> None:
    first, second, *_ = native(copied)
    file = written(tmp_path / "a.csv", [(first, "ours", "A"), (second, "ours", "B")])
    lake = Lake(copied.lake)
    n_kept = "select status, count(*) from raw.journal where model = 'ours' group by 1 order by 1"
    found = []
    for _ in range(2):
        taken(copied, file)
        with opened_warehouse(lake, "dev") as warehouse:
            found.append((warehouse.execute(n_kept).fetchall(), lake.commits("dev")))
            assert warehouse.execute("from reports.spending where model = 'ours'").fetchall() == []
    assert found[0] == found[1]
    assert found[0][0] == [("error", len(native(copied)) - 2), ("ok", 2)]


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([("case-of-nobody", "ours", "A")], "line 2: the release has no case 'case-of-nobody'"),
        ([("{case}", "ours", "A"), ("{case}", "ours", "A")], "line 3: a second answer of 'ours'"),
        ([("{case}", "gpt-4o", "A")], "'gpt-4o' is a model of the catalogue"),
        ([("{case}", "o@h", "A")], "no model is named 'o@h@imported'"),
        ([], "has no answers in it"),
    ],
)
def test_nothing_is_guessed(
    finished: RunSettings, tmp_path: Path, rows: list[tuple[str, str, str]], says: str
) -> None:
    case = next(iter(native(finished)))
    file = written(tmp_path / "a.csv", [(c.format(case=case), m, t) for c, m, t in rows])
    with pytest.raises((WrongAnswers, UnknownModel), match=says):
        load_answers(finished, [file])


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.csv", "case,model,text\nc,m,one\n", "line 2: case_id: Field required"),
        ("a.csv", "case_id,model,text,text\nc,m,1,2\n", "two columns have one name"),
        ("a.csv", "case_id,model,text\nc,m,one, two\n", "line 2: more cells than columns"),
        ("a.csv", "case_id,model,text\nc,m\n", "line 2: text: Input should be a valid string"),
        ("a.csv", 'case_id,model,text\nc,m,"one\n', "unexpected end of data"),
        ("a.csv", b"case_id,model,text\nc,m,\xff\n", "Give UTF-8"),
        ("a.jsonl", '{"case_id": "c", "model": "m"}\n', "line 1: text: Field required"),
        ("a.jsonl", '{"case_id": 1, "model": "m", "text": "t"}', "line 1: case_id: Input should"),
        ("a.jsonl", "[]\n", "line 1: the line: Input should be an object"),
        ("a.parquet", b"PAR1\xff", "Give UTF-8"),
    ],
)
def test_unreadable_files_are_refused(
    finished: RunSettings, tmp_path: Path, name: str, content: str | bytes, says: str
) -> None:
    file = tmp_path / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(WrongAnswers, match=says):
        load_answers(finished, [file])


def test_an_import_names_the_judges_of_the_release_and_asks_nobody(
    copied: RunSettings, faulty, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    faulty("referee", ["Fine.\nRating: [[4]]"])
    judge(replace(copied, judge=("referee",), judge_repeats=0.0))
    case, *others = native(copied)
    file = written(tmp_path / "a.csv", [(case, "ours", "A")])
    models_file = tmp_path / "mine.toml"
    models_file.write_text("")
    import_answers([file], replace(copied, models_file=str(models_file)))
    said = capsys.readouterr().err
    assert f"ours: 1 answers imported, {len(others)} cases have none" in said
    assert "no imported answer" not in said
    assert f"Release {copied.release}" not in said
    assert " --model ours@imported --judge extractive --judge referee\n" in said
    assert said.count("--models-file") == 2
    assert "--retry-failed" not in said
    assert " failed" not in said
    assert "This run's calls" not in said


def test_what_a_release_has_is_not_replaced_if_it_is_frozen_or_was_asked_for(
    frozen: RunSettings, tmp_path: Path
) -> None:
    case = next(iter(native(frozen)))
    file = written(tmp_path / "a.csv", [(case, "ours", "A")])
    taken(frozen, file)
    with pytest.raises(WrongAnswers, match=r"is frozen and has imported answers of 'ours'"):
        load_answers(frozen, [file])
    with pytest.raises(WrongAnswers, match="has answers of 'extractive' that the engine"):
        check_free(resolve(frozen), "extractive")
