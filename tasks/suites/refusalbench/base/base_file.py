"""Questions of a user's file, one JSON object a line.

Keys: `query`; `answers`, a text or a list; `context`, one passage, or `passages`, a list of ten
objects with `text` and `is_signal`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tasks.core.ids import stable_id
from tasks.core.rows import Reject
from tasks.core.untrusted import read_json, without_halves
from tasks.suites.refusalbench.base.answers import holds, kind_of, states
from tasks.suites.refusalbench.base.excerpts import LIMIT
from tasks.suites.refusalbench.base.noise import MOST_SIGNAL, TEN
from tasks.suites.refusalbench.rows import BasePassage, BaseQuestion, FileQuestion
from tasks.suites.refusalbench.strata import UNKNOWN, Setting
from tasks.suites.suite import Source
from tasks.text.tokens import count_tokens

NO_OBJECT = "the line is no JSON object"
NO_QUERY = "the line has no query"
NO_ANSWER = "the line has no answers"
NO_PASSAGES = "the line has neither one context nor ten passages with a text and is_signal"
BAD_SIGNAL = "not one to five of the ten passages are signal"
TOO_LONG = f"a passage has more than {LIMIT} tokens"
NOT_STATED = "an answer is not in the passage, or in no signal passage"
IN_NOISE = "a noise passage has the answer"
DUPLICATE = "the same query and passages as an earlier line"
OTHER_SETTING = "--settings leaves out questions with so many passages"


class _Unusable(Exception):
    """Why a line cannot be used: the reason."""


def read_questions(file: Path) -> Iterator[FileQuestion | Reject]:
    """Yield the questions of a file, and a reject for each line that gives none."""
    seen: dict[str, int] = {}
    with file.open(encoding="utf-8-sig") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                question = _question(number, line)
                first = seen.setdefault(question.file_question_id, number)
                if first != number:
                    raise _Unusable(DUPLICATE)
                yield question
            except _Unusable as unusable:
                detail = f"line {number:,}: {line.strip()[:200]}"
                yield _reject("ingest", f"{file.name}:{number}", str(unusable), detail)


SOURCE = Source(option="base_file", rows=FileQuestion, read=read_questions, version=3)


def _question(number: int, line: str) -> FileQuestion:
    try:
        row = read_json(without_halves(line))
    except ValueError:
        row = None
    if not isinstance(row, dict):
        raise _Unusable(NO_OBJECT)
    query, answers = row.get("query"), row.get("answers")
    if not isinstance(query, str) or not query.strip():
        raise _Unusable(NO_QUERY)
    if isinstance(answers, str):
        answers = [answers]
    if not isinstance(answers, list) or not answers or not all(map(_is_text, answers)):
        raise _Unusable(NO_ANSWER)
    passages = _passages(row)
    if any(count_tokens(passage.text) > LIMIT for passage in passages):
        raise _Unusable(TOO_LONG)
    signal = [passage.text for passage in passages if passage.is_signal]
    if len(passages) == TEN and not 1 <= len(signal) <= MOST_SIGNAL:
        raise _Unusable(BAD_SIGNAL)
    if not all(any(states(text, answer) for text in signal) for answer in answers):
        raise _Unusable(NOT_STATED)
    noise = [passage.text for passage in passages if not passage.is_signal]
    if any(holds(text, answer) for text in noise for answer in answers):
        raise _Unusable(IN_NOISE)
    return FileQuestion(
        file_question_id=stable_id("file question", query, *(each.text for each in passages)),
        line=number,
        query=query.strip(),
        answers=tuple(answer.strip() for answer in answers),
        passages=tuple(passages),
    )


def _passages(row: dict[str, Any]) -> list[BasePassage]:
    """Return one passage or ten."""
    context, passages = row.get("context"), row.get("passages")
    if _is_text(context) and passages is None:
        passages = [{"text": context, "is_signal": True}]
    elif context is not None or not isinstance(passages, list) or len(passages) not in (1, TEN):
        raise _Unusable(NO_PASSAGES)
    for each in passages:
        is_whole = isinstance(each, dict) and _is_text(each.get("text"))
        if not is_whole or not isinstance(each.get("is_signal"), bool):
            raise _Unusable(NO_PASSAGES)
    return [
        BasePassage(
            text=each["text"].strip(),
            is_signal=each["is_signal"],
            document_id=None,
            start_char=0,
        )
        for each in passages
    ]


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def questions_of_file(
    rows: Iterable[FileQuestion], settings: Sequence[Setting]
) -> Iterator[BaseQuestion | Reject]:
    """Make base questions of a file's rows; one passage is single, ten are multi."""
    for row in rows:
        setting: Setting = "single" if len(row.passages) == 1 else "multi"
        if setting not in settings:
            yield _reject("questions", row.file_question_id, OTHER_SETTING, row.query)
            continue
        yield BaseQuestion(
            base_question_id=stable_id("base question", setting, row.file_question_id),
            setting=setting,
            source="file",
            source_id=f"line {row.line}",
            query=row.query,
            answers=row.answers,
            passages=row.passages,
            sector=UNKNOWN,
            answer_kind=kind_of(row.answers[0]),
        )


def _reject(stage: str, parent_id: str, reason: str, detail: str) -> Reject:
    return Reject(
        reject_id=stable_id("reject", stage, parent_id, reason),
        stage=stage,
        parent_id=parent_id,
        reason=reason,
        detail=detail,
    )
