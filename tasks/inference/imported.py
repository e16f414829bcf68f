"""Answers made elsewhere: their files, and the engine that returns them."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path

import orjson
from pydantic import BaseModel, ValidationError

from tasks.core.errors import RunFailed
from tasks.core.rows import Response
from tasks.inference.batch_files import BatchReply, read_batch, response_to
from tasks.inference.cache.tables import Exported
from tasks.inference.engines import EngineOfRow
from tasks.inference.engines.failures import Refused
from tasks.inference.engines.openai_protocol import failed
from tasks.inference.operation import NOT_IMPORTED_TYPE, Call, Work
from tasks.models.catalogue import IMPORTED, Model

Answers = Mapping[str, Mapping[str, str]]  # model -> case_id -> text

NOT_IMPORTED = "no answer to this case was imported"
_COLUMNS = ("case_id", "model", "text")
_LONGEST_CELL = 2**24  # characters; `csv` allows 2 ** 17, and a thinking model writes more


class WrongAnswers(RunFailed):
    """A file of answers cannot be imported; the message names the line and the remedy."""


class _Row(BaseModel, strict=True):
    case_id: str
    model: str
    text: str


def read_answers(
    files: Collection[Path], cases: Collection[str], note: Callable[[str], None]
) -> Answers:
    """Read the answers of `.csv` and `.jsonl` files; further columns are ignored.

    An empty text is an answer, and a wrong one. A case whose call failed has no row.

    Args:
        cases: ids of the cases that can be answered.
        note: called with a sentence if calls of a batch failed: these have no answer.

    Raises:
        BatchFileError: a file of a batch API is malformed.
        WrongAnswers: a file is unreadable, has no rows, or one of its rows is not one answer to
            one of these cases.
    """
    answers: dict[str, dict[str, str]] = {}
    for file in files:
        n_before = sum(map(len, answers.values()))
        for line, row in _rows(file, note):
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


def _rows(file: Path, note: Callable[[str], None]) -> Iterator[tuple[int, _Row]]:
    """Yield each row with the number of its last line."""
    read = {".csv": _csv_rows, ".jsonl": _json_rows}.get(file.suffix.lower())
    if read is None:
        raise WrongAnswers(
            f"'{file}' is not a file of answers. Give a .csv with the columns case_id, model and "
            "text, a .jsonl with an object of these keys in each line, or the .jsonl that a batch "
            "API gave, with the case_id as custom_id."
        )
    try:
        if read is _json_rows and _is_of_batch(file):
            yield from _batch_rows(file, note)
        else:
            yield from read(file)
    except UnicodeDecodeError as error:
        raise WrongAnswers(f"{file} is not UTF-8 ({error.reason}). Save it as UTF-8.") from error
    except OSError as error:
        raise WrongAnswers(f"Cannot read {file}: {error.strerror}.") from error


def _csv_rows(file: Path) -> Iterator[tuple[int, _Row]]:
    csv.field_size_limit(_LONGEST_CELL)
    with file.open(encoding="utf-8-sig", newline="") as lines:
        table = csv.reader(lines, strict=True)
        try:
            header = next(table, [])
            if any(header.count(name) != 1 for name in _COLUMNS):
                raise WrongAnswers(
                    f"{file} needs one column each of case_id, model and text, separated by "
                    f"commas. Its first line has: {', '.join(header) or 'nothing'}."
                )
            for cells in table:
                if len(cells) != len(header):
                    if not cells:  # a blank line
                        continue
                    raise WrongAnswers(
                        f"{file}, line {table.line_num}: {len(cells)} cells, but the first line "
                        f"has {len(header)}. Nothing was imported. Quote texts that hold commas, "
                        "quotes or line breaks."
                    )
                by_name = dict(zip(header, cells, strict=True))
                yield table.line_num, _Row(**{name: by_name[name] for name in _COLUMNS})
        except csv.Error as error:
            raise WrongAnswers(
                f"{file}, line {table.line_num}: not CSV ({error}). Nothing was imported."
            ) from error


def _json_rows(file: Path) -> Iterator[tuple[int, _Row]]:
    with file.open(encoding="utf-8-sig") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                yield number, _Row.model_validate_json(line)
            except ValidationError as error:
                first = error.errors()[0]
                where = ".".join(map(str, first["loc"])) or "the line"
                raise WrongAnswers(
                    f"{file}, line {number}: {where}: {first['msg']}. Nothing was imported. Each "
                    'line is an object such as {"case_id": "...", "model": "...", "text": "..."}.'
                ) from error


def _is_of_batch(file: Path) -> bool:
    """Return whether a file's first line is a reply of a batch API."""
    with file.open(encoding="utf-8-sig") as lines:
        first = next(filter(str.strip, lines), "")
    try:
        found = json.loads(first)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and "custom_id" in found and "case_id" not in found


def _batch_rows(file: Path, note: Callable[[str], None]) -> Iterator[tuple[int, _Row]]:
    """Yield the answers of a file in OpenAI's or Anthropic's format; count failed calls."""
    failures = Counter[str]()
    for reply in read_batch(file):
        # its tokens were paid elsewhere: nobody counts them here
        response = response_to(_call_elsewhere(reply), reply, lambda said: None)
        if response.status == "ok":
            model = orjson.loads(reply.body).get("model")
            if not isinstance(model, str):
                raise WrongAnswers(
                    f"{file}, line {reply.line}: the reply does not name its model. Nothing was "
                    "imported. Add its name as model to the reply's body."
                )
            yield reply.line, _Row(case_id=reply.custom_id, model=model, text=response.text or "")
        elif response.error_type == "unreadable_reply":
            raise WrongAnswers(
                f"{file}, line {reply.line}: the reply is not a chat completion. Nothing was "
                "imported. Write such answers into a file with case_id, model and text."
            )
        else:
            failures[response.error_type or "failed"] += 1
    if failures:
        kinds = ", ".join(f"{n:,} {kind}" for kind, n in failures.items())
        note(f"{file}: {failures.total():,} without an answer ({kinds}); their cases stay unscored")


def _call_elsewhere(reply: BatchReply) -> Exported:
    """Return the call that a reply names; nothing else is known of it."""
    return Exported(
        request_id=reply.custom_id,
        key="",
        model="",
        operation="",
        n_prompt_tokens=0,
        price=None,
        file="",
        exported_at=0.0,
    )


class Imported(EngineOfRow):
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
    given = texts.get(call.request.case_id or "")
    if given is not None and given != response.text:
        raise WrongAnswers(
            f"Another case has the same prompt as '{call.request.case_id}' but a different answer. "
            "Nothing was imported. Give both the same text, or remove one of the rows."
        )
