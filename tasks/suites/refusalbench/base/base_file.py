"""Questions of a user's file, one JSON object a line.

Keys: `query`; `answers`, a text or a list; `context`, one passage, or `passages`, a list of ten
objects with `text` and `is_signal`. Of ten passages an answer may be long: signal need not state it
word by word.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from tasks.core.ids import stable_id
from tasks.core.rejects import reject_of
from tasks.core.rows import Reject
from tasks.suites.refusalbench.base.answers import holds, is_long, kind_of
from tasks.suites.refusalbench.base.excerpts import LIMIT
from tasks.suites.refusalbench.base.noise import MOST_SIGNAL, TEN
from tasks.suites.refusalbench.rows import BasePassage, BaseQuestion, FileQuestion
from tasks.suites.refusalbench.strata import Setting
from tasks.suites.shared.published import Entry, Text, listed, parsed, read_records
from tasks.suites.suite import Source
from tasks.text.tokens import count_tokens

NO_PASSAGES = "the question has neither one context nor ten passages"
BAD_SIGNAL = "not one to five of the ten passages are signal"
TOO_LONG = f"a passage has more than {LIMIT} tokens"
NOT_STATED = "an answer is not in the passage, or in no signal passage"
IN_NOISE = "a noise passage has the answer"
DUPLICATE = "the same query and passages as an earlier question"
OTHER_SETTING = "--settings leaves out questions with so many passages"


class _Passage(Entry):
    text: Text
    is_signal: bool


class _Question(Entry):
    query: Text
    answers: Annotated[
        list[Text],
        Field(min_length=1),
        BeforeValidator(lambda answers: [answers] if isinstance(answers, str) else answers),
    ]
    context: Text | None = None
    passages: list[_Passage] | None = None


def read_questions(file: Path) -> Iterator[FileQuestion | Reject]:
    """Yield the questions of a file, and a reject for each entry that gives none.

    Raises:
        DatasetError: the file cannot be read, or holds no JSON objects.
    """
    seen: set[str] = set()
    layout = "give one JSON object a line with query, answers, and context or passages"
    for number, entry in enumerate(read_records(file, ("query", "answers"), layout), start=1):
        place = f"{file.name}, question {number}"
        question = parsed(_Question, entry)
        if isinstance(question, list):
            yield reject_of("ingest", place, question[0][0], listed(question))
            continue
        passages = _passages_of(question)
        question_id = stable_id(
            "file question", question.query, *(passage.text for passage in passages)
        )
        reason = _fault(question, passages) or (DUPLICATE if question_id in seen else None)
        if reason is not None:
            yield reject_of("ingest", place, reason, question.query[:200])
            continue
        seen.add(question_id)
        yield FileQuestion(
            file_question_id=question_id,
            number=number,
            query=question.query.strip(),
            answers=tuple(answer.strip() for answer in question.answers),
            passages=tuple(passages),
        )


SOURCE = Source(option="base_file", rows=FileQuestion, read=read_questions, version=5)


def _passages_of(question: _Question) -> list[BasePassage]:
    passages: list[Any] = [] if question.context is None else [(question.context, True)]
    passages += [(passage.text, passage.is_signal) for passage in question.passages or ()]
    return [
        BasePassage(text=text.strip(), is_signal=is_signal, document_id=None, start_char=0)
        for text, is_signal in passages
    ]


def _fault(question: _Question, passages: Sequence[BasePassage]) -> str | None:
    """Return why a question cannot be asked of its passages; None if it can."""
    signal = [passage.text for passage in passages if passage.is_signal]
    noise = [passage.text for passage in passages if not passage.is_signal]
    if len(passages) not in (1, TEN):
        return NO_PASSAGES
    if any(count_tokens(passage.text) > LIMIT for passage in passages):
        return TOO_LONG
    if not 1 <= len(signal) <= MOST_SIGNAL:
        return BAD_SIGNAL
    short = [one for one in question.answers if len(passages) == 1 or not is_long(one)]
    if not all(any(holds(text, answer) for text in signal) for answer in short):
        return NOT_STATED
    if any(holds(text, answer) for text in noise for answer in short):
        return IN_NOISE
    return None


def questions_of_file(
    rows: Iterable[FileQuestion], settings: Sequence[Setting]
) -> Iterator[BaseQuestion | Reject]:
    """Make base questions of a file's rows; one passage is single, ten are multi."""
    for row in rows:
        setting: Setting = "single" if len(row.passages) == 1 else "multi"
        if setting not in settings:
            yield reject_of("questions", row.file_question_id, OTHER_SETTING, row.query)
            continue
        yield BaseQuestion(
            base_question_id=stable_id("base question", setting, row.file_question_id),
            setting=setting,
            source="file",
            source_id=f"question {row.number}",
            query=row.query,
            answers=row.answers,
            passages=row.passages,
            answer_kind=kind_of(row.answers[0]),
        )
