"""Answers made elsewhere: imported, judged and scored like any."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from flows.benchmark import benchmark
from flows.cli.exchange import import_answers
from flows.infer import infer
from flows.judge import judge
from tasks.core.rows import Metric, Request, Response
from tasks.inference.imported import WrongAnswers
from tasks.lake.lake import Lake
from tasks.models.catalogue import UnknownModel
from tasks.pipeline.clients import running
from tasks.pipeline.imports import check_free, load_answers
from tasks.pipeline.settings import RunSettings, WrongSettings
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
    answers, _ = load_answers(run, files, print)
    named = replace(run, model=tuple(f"{model}@imported" for model in answers))
    with running(named, answers=answers):
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


def test_an_empty_answer_is_wrong_and_not_missing(copied: RunSettings, tmp_path: Path) -> None:
    rows = [(case_id, "ours", "") for case_id in native(copied)]
    benchmark(replace(taken(copied, written(tmp_path / "a.csv", rows)), judge_repeats=0.0))
    found = [row for row in rows_of(copied, Response) if row.engine == "imported"]
    assert {(row.status, row.text) for row in found} == {("ok", "")}
    scored = [row for row in rows_of(copied, Metric) if row.model == "ours"]
    compliance = [row for row in scored if row.metric == "compliance"]
    assert {(row.value, row.n_unscored) for row in compliance} == {(0.0, 0)}


def test_a_second_import_replaces_the_first_and_leaves_the_rest_unanswered(
    copied: RunSettings, tmp_path: Path
) -> None:
    first, second, *_ = native(copied)
    taken(copied, written(tmp_path / "1.csv", [(first, "ours", "A"), (second, "ours", "B")]))
    named = taken(copied, written(tmp_path / "2.csv", [(first, "ours", "C")]))
    # the response cache does not bring the first import back, and keeps the second one
    infer(replace(named, force=True, fresh=True, retry_failed=True))
    found = [row for row in rows_of(copied, Response) if row.engine == "imported"]
    assert [row.text for row in found if row.status == "ok"] == ["C"]
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
        load_answers(finished, [file], print)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.csv", "case,model,text\n", "needs one column each of case_id"),
        (
            "a.csv",
            "case_id,model,text\nc,m,one, two\n",
            "line 2: 4 cells, but the first line has 3",
        ),
        ("a.csv", 'case_id,model,text\nc,m,"one\n', "not CSV"),
        ("a.csv", b"case_id,model,text\nc,m,\xff\n", "is not UTF-8"),
        ("a.jsonl", '{"case_id": "c", "model": "m"}\n', "line 1: text: Field required"),
        ("a.jsonl", '{"case_id": 1, "model": "m", "text": "t"}', "line 1: case_id: Input should"),
        ("a.jsonl", "[]\n", "line 1: the line: Input should be an object"),
        (
            "a.jsonl",
            '{"custom_id": "c", "error": null, "response": {"status_code": 200, "body": {}}}\n',
            "line 1: the reply is not a chat completion",
        ),
        ("a.jsonl", '{"custom_id": "x", "case_id": "c", "model": "m"}\n', "text: Field required"),
        ("a.parquet", "", "is not a file of answers"),
    ],
)
def test_unreadable_files_are_refused(
    finished: RunSettings, tmp_path: Path, name: str, content: str | bytes, says: str
) -> None:
    file = tmp_path / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(WrongAnswers, match=says):
        load_answers(finished, [file], print)


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
    assert " --model ours@imported --judge extractive --judge referee --models-file" in said
    assert "--retry-failed" not in said
    assert " failed" not in said
    assert "This run's calls" not in said


def openai_line(case: str, text: str) -> dict[str, Any]:
    """A line of the output file of OpenAI's batch API."""
    message = {"role": "assistant", "content": text, "refusal": None}
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": "gpt-5-2025-08-07",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12},
    }
    response = {"status_code": 200, "request_id": "req_1", "body": body}
    return {"id": "batch_req_1", "custom_id": case, "response": response, "error": None}


def anthropic_line(case: str, text: str) -> dict[str, Any]:
    """A line of the results of Anthropic's batch API."""
    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5-20250929",
        "content": [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 9, "output_tokens": 3},
    }
    return {"custom_id": case, "result": {"type": "succeeded", "message": message}}


def result_file(file: Path, *lines: dict[str, Any]) -> Path:
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return file


def test_results_of_a_batch_asked_elsewhere_are_answers(
    copied: RunSettings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second, third, fourth, *others = native(copied)
    failed = {"status_code": 400, "body": {"error": {"message": "too long", "type": "bad"}}}
    expired = {"code": "batch_expired", "message": "not executed in time"}
    openai = result_file(
        tmp_path / "output.jsonl",
        openai_line(second, "Two."),
        openai_line(first, "One."),
        {"custom_id": third, "response": failed, "error": None},
        {"custom_id": fourth, "response": None, "error": expired},
    )
    overloaded = {"type": "error", "error": {"type": "overloaded_error", "message": "later"}}
    anthropic = result_file(
        tmp_path / "results.jsonl",
        {"custom_id": first, "result": {"type": "errored", "error": overloaded}},
        anthropic_line(second, "Zwei."),
        anthropic_line(third, ""),
    )
    import_answers([openai, anthropic], copied)
    said = capsys.readouterr().err
    assert f"{openai}: 2 without an answer (1 bad_request, 1 batch_expired)" in said
    assert f"{anthropic}: 1 without an answer (1 server_error)" in said
    n_without = len(others) + 2
    assert f"gpt-5-2025-08-07: 2 answers imported, {n_without} cases have none" in said
    assert f"claude-sonnet-4-5-20250929: 2 answers imported, {n_without} cases have none" in said
    asked = {row.request_id: (row.model, row.case_id) for row in rows_of(copied, Request)}
    found = {
        asked[row.request_id]: row.text
        for row in rows_of(copied, Response)
        if row.engine == "imported" and row.status == "ok"
    }
    assert found == {
        ("gpt-5-2025-08-07", first): "One.",
        ("gpt-5-2025-08-07", second): "Two.",
        ("claude-sonnet-4-5-20250929", second): "Zwei.",
        ("claude-sonnet-4-5-20250929", third): "",
    }


def test_a_result_must_name_its_model_and_one_of_the_cases(
    finished: RunSettings, tmp_path: Path
) -> None:
    nameless = openai_line(next(iter(native(finished))), "One.")
    del nameless["response"]["body"]["model"]
    for line, says in (
        (openai_line("request-of-nobody", "One."), "line 1: the release has no case 'request-of"),
        (nameless, "line 1: the reply does not name its model"),
    ):
        with pytest.raises(WrongAnswers, match=says):
            load_answers(finished, [result_file(tmp_path / "a.jsonl", line)], print)


def test_a_frozen_release_takes_an_import_once(frozen: RunSettings, tmp_path: Path) -> None:
    case = next(iter(native(frozen)))
    file = written(tmp_path / "a.csv", [(case, "ours", "A")])
    taken(frozen, file)
    with pytest.raises(WrongAnswers, match=r"is frozen and has imported answers of 'ours'"):
        load_answers(frozen, [file], print)


def test_imported_answers_judge_nobody(copied: RunSettings) -> None:
    with pytest.raises(WrongSettings, match="has imported answers only"):
        benchmark(replace(copied, judge=("ours@imported",)))


def test_no_native_answer_is_replaced(copied: RunSettings, faulty) -> None:
    faulty("own", ["It does not say."])
    infer(replace(copied, model=("own",)))
    with pytest.raises(WrongAnswers, match="has answers of 'own' that the engine"):
        check_free(Lake(copied.lake), copied, "own")
