"""A run whose calls a batch API answers: written, answered elsewhere, taken in, gone on with."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tasks.core.rows import Judgement, Response
from tasks.lake.lake import Lake
from tasks.pipeline.settings import RunSettings
from tests.flows.typed import succeed

OPTIONS = [
    "--pairs",
    "2",
    "--model",
    "gpt-4o",
    "--model",
    "o3-mini",
    "--judge",
    "gpt-4o",
    "--attacks",
]


def answered(file: Path, reply: Callable[[str], str]) -> Path:
    """The output file of a batch API: lines in another order than they were asked."""
    replies = []
    for line in file.read_text().splitlines():
        call = json.loads(line)
        text = reply(call["body"]["messages"][0]["content"])
        body = {
            "model": call["body"]["model"],
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "stop",
                    "message": {"role": "assistant", "content": text},
                }
            ],
            "usage": {"prompt_tokens": len(line) // 4, "completion_tokens": 5},
        }
        response = {"status_code": 200, "request_id": "r", "body": body}
        replies.append(
            {"id": "b", "custom_id": call["custom_id"], "response": response, "error": None}
        )
    output = file.with_suffix(".out.jsonl")
    output.write_text("".join(json.dumps(each) + "\n" for each in reversed(replies)))
    return output


def test_a_run_is_answered_by_files_stage_by_stage_without_a_key(
    copied: RunSettings,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    folder = tmp_path / "batches"
    lake = ["--lake", copied.lake]
    export = ["export", "batch", *lake, *OPTIONS, str(folder)]

    succeed(*export)
    said = capsys.readouterr().err
    asked = sorted(folder.iterdir())
    assert [file.name for file in asked] == ["gpt-4o-1.jsonl", "o3-mini-1.jsonl"]
    assert all(str(file) in said for file in asked)
    replies = [str(answered(file, lambda prompt: "I cannot tell.")) for file in asked]
    succeed("import", "batch", *replies, *lake)

    succeed(
        *export
    )  # the judge's turn: one file for both models' answers, one for the attacks on it
    for name in ("gpt-4o-2.jsonl", "gpt-4o-3.jsonl"):
        judged = answered(folder / name, lambda prompt: "Fine.\nRating: [[4]]")
        succeed("import", "batch", str(judged), *lake)

    succeed(*export)
    assert "the run is complete" in capsys.readouterr().err
    rows = [
        row
        for commit in Lake(copied.lake).commits("dev")
        for row in Lake(copied.lake).read(commit, Judgement)
    ]
    by_judge = [row for row in rows if row.judge == "gpt-4o"]
    assert {row.model for row in by_judge} == {"gpt-4o", "o3-mini"}
    assert {row.rating for row in by_judge} == {4}
    responses = [
        row
        for commit in Lake(copied.lake).commits("dev")
        for row in Lake(copied.lake).read(commit, Response)
    ]
    paid = [row.cost_usd for row in responses if row.engine == "batch"]
    assert paid
    assert all(cost is not None and cost > 0 for cost in paid)
