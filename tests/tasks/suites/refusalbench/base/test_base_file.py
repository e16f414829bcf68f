"""A user's questions: one passage or ten; each line is a question or a reject with its reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tasks.core.rows import Reject
from tasks.suites.refusalbench.base import base_file
from tasks.suites.refusalbench.base.base_file import OTHER_SETTING, read_questions
from tasks.suites.refusalbench.base.questions import build_questions
from tasks.suites.refusalbench.rows import FileQuestion
from tasks.suites.shared import published
from tasks.suites.shared.published import DatasetError
from tests.base_questions import inputs_of, questions_of

TEXT = "Harrow had net sales of $7.7 billion in fiscal 2023. It was incorporated in Delaware."
NOISE = [f"Harrow has {n} plants in Ohio." for n in range(20, 29)]
ONE = {"query": "What were net sales?", "answers": "$7.7 billion", "context": TEXT}


def ten(*signal: str, noise: list[str] | None = None) -> list[dict[str, Any]]:
    texts = [*signal, *(NOISE if noise is None else noise)]
    return [{"text": text, "is_signal": text in signal} for text in texts]


def read(tmp_path: Path, *rows: Any) -> list[FileQuestion | Reject]:
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    file = tmp_path / "base.jsonl"
    file.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return list(read_questions(file))


def test_reads_questions_of_one_passage_and_of_ten(tmp_path: Path) -> None:
    multi = {"query": "Which state?", "answers": ["Delaware"], "passages": ten(TEXT)}
    rows = read(tmp_path, ONE, multi)
    first, second = questions_of((), *rows, base_file=tmp_path / "base.jsonl")
    assert (first.setting, first.answers, first.answer_kind) == (
        "single",
        ("$7.7 billion",),
        "money",
    )
    assert (second.setting, second.source, second.source_id) == ("multi", "file", "question 2")
    assert [passage.is_signal for passage in second.passages] == [True] + [False] * 9
    assert second.answer_kind == "text"


def test_a_setting_that_is_left_out_is_a_reject(tmp_path: Path) -> None:
    rows = read(tmp_path, ONE)
    inputs = inputs_of(*rows, base_file=tmp_path / "base.jsonl", settings=("multi",))
    (reject,) = build_questions(inputs)
    assert isinstance(reject, Reject)
    assert reject.reason == OTHER_SETTING


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ({**ONE, "query": " "}, published.FIELD_EMPTY),
        ({**ONE, "answers": []}, published.WRONG_VALUE),
        ({**ONE, "answers": ["$7.7 billion", 5]}, published.WRONG_TYPE),
        ({"query": "q", "answers": "a", "passages": [{"text": "a"}]}, published.FIELD_MISSING),
        ({**ONE, "passages": ten(TEXT)}, base_file.NO_PASSAGES),
        (
            {"query": "q", "answers": "a", "passages": ten(noise=[*NOISE, "b"])},
            base_file.BAD_SIGNAL,
        ),
        ({**ONE, "answers": "$7.9 billion"}, base_file.NOT_STATED),
        ({**ONE, "context": TEXT + " word" * 400}, base_file.TOO_LONG),
        (
            {
                "query": "Which state?",
                "answers": "Delaware",
                "passages": ten(TEXT, noise=[*NOISE[:8], "It moved to Delaware."]),
            },
            base_file.IN_NOISE,
        ),
    ],
)
def test_a_bad_line_is_a_reject_with_its_reason(tmp_path: Path, line: Any, reason: str) -> None:
    good, bad = read(tmp_path, ONE, line)
    assert isinstance(good, FileQuestion)
    assert isinstance(bad, Reject)
    assert (bad.stage, bad.reason, bad.parent_id) == ("ingest", reason, "base.jsonl, question 2")


@pytest.mark.parametrize("line", ["{not json", "[" * 100_000, '{"query": "no answers"}'])
def test_a_broken_file_is_refused(tmp_path: Path, line: str) -> None:
    with pytest.raises(DatasetError, match="give one JSON object a line"):
        read(tmp_path, line)


def test_a_repeated_question_is_a_reject(tmp_path: Path) -> None:
    _, again = read(tmp_path, ONE, ONE)
    assert isinstance(again, Reject)
    assert again.reason == base_file.DUPLICATE
