"""Answers made elsewhere: their files, and the engine that returns them."""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from pydantic import BaseModel, ValidationError

from tasks.core.errors import RunFailed
from tasks.core.rows import Response
from tasks.inference.engines import EngineOfRow
from tasks.inference.engines.failures import Refused
from tasks.inference.engines.openai_protocol import failed
from tasks.inference.operation import NOT_IMPORTED_TYPE, Call, Work
from tasks.models.catalogue import IMPORTED, Model

Answers = Mapping[str, Mapping[str, str]]  # model -> case_id -> text

NOT_IMPORTED = "no answer to this case was imported"
_LONGEST_CELL = 2**24  # characters; `csv` allows 2 ** 17, and a thinking model writes more


class WrongAnswers(RunFailed):
    """A file of answers cannot be imported; the message names the line and the remedy."""


class _Row(BaseModel, strict=True):
    case_id: str
    model: str
    text: str


def read_answers(files: Collection[Path], cases: Collection[str]) -> Answers:
    """Read the answers of `.csv` and `.jsonl` files; further columns are ignored.

    An empty text is an answer, and a wrong one. A case whose call failed has no row.

    Args:
        cases: ids of the cases that can be answered.

    Raises:
        WrongAnswers: a file is unreadable, has no rows, or one of its rows is not one answer to
            one of these cases.
    """
    answers: dict[str, dict[str, str]] = {}
    for file in files:
        n_before = sum(map(len, answers.values()))
        for line, row in _rows(file):
            where = f"{file}, line {line}:"
            if row.case_id not in cases:
                raise WrongAnswers(
                    f"{where} the release has no case '{row.case_id}' in this suite. Nothing was "
                    "imported. Name the release and suite that the cases are of (--release, "
                    "--suite), or remove this row."
                )
            texts = answers.setdefault(row.model, {})
            if row.case_id in texts:
                raise WrongAnswers(
                    f"{where} a second answer of '{row.model}' to '{row.case_id}'. Nothing was "
                    "imported. Keep one of them, or give repeats a model name of their own."
                )
            texts[row.case_id] = row.text
        if n_before == sum(map(len, answers.values())):
            raise WrongAnswers(f"{file} has no answers in it.")
    return answers


def _rows(file: Path) -> Iterator[tuple[int, _Row]]:
    """Yield each row with the number of its last line."""
    line = 0
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            if file.suffix.lower() == ".jsonl":
                for line, text in enumerate(lines, start=1):
                    if text.strip():
                        yield line, _Row.model_validate_json(text)
                return
            csv.field_size_limit(_LONGEST_CELL)
            table = csv.DictReader(lines, strict=True)
            names = table.fieldnames or []
            if len({*names}) < len(names):
                raise csv.Error("two columns have one name")
            for cells in table:
                line = table.line_num
                if None in cells:  # a comma in a text without quotes
                    raise csv.Error("more cells than columns")
                yield line, _Row.model_validate(cells)
    except (OSError, UnicodeDecodeError, csv.Error, ValidationError) as error:
        why = str(error)
        if isinstance(error, ValidationError):
            first = error.errors()[0]
            why = f"{'.'.join(map(str, first['loc'])) or 'the line'}: {first['msg']}"
        raise WrongAnswers(
            f"{file}, line {line}: {why}. Nothing was imported. Give UTF-8: a .csv with the "
            "columns case_id, model and text, whose texts are quoted, or a .jsonl with an object "
            "of these keys in each line."
        ) from error


class ImportedAnswers(EngineOfRow):
    """A model whose answers were made elsewhere; it asks nobody.

    The response cache keeps what was imported. A case without an answer is a failed call, which is
    kept as well until the next import.
    """

    def __init__(self, row: Model, texts: Mapping[str, str] | None = None) -> None:
        super().__init__(row)
        self.texts = texts or {}

    async def answer(self, work: Work) -> None:
        """Answer each call with its case's text."""
        for group in work.groups:
            for call in await work.open(group):
                await work.answered(call, self._response_to(call))

    def _response_to(self, call: Call) -> Response:
        request = call.request
        text = self.texts.get(request.case_id or "")
        if text is None:
            none = Refused(NOT_IMPORTED_TYPE, NOT_IMPORTED)
            return failed(request.request_id, none, engine=IMPORTED, attempts=0, cost_usd=None)
        return Response(
            request_id=request.request_id, status="ok", text=text, attempts=0, engine=IMPORTED
        )


def check_same(call: Call, response: Response, texts: Mapping[str, str]) -> None:
    """Refuse other texts for one prompt: the response cache keeps one answer to each.

    Raises:
        WrongAnswers: the file says something else of this case.
    """
    imported = texts.get(call.request.case_id or "")
    if imported is not None and imported != response.text:
        raise WrongAnswers(
            f"Another case has the same prompt as '{call.request.case_id}' but a different answer. "
            "Nothing was imported. Give both the same text, or remove one of the rows."
        )
