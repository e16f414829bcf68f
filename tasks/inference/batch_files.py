"""Batch files in OpenAI's format, for batch APIs or `vllm run-batch`.

One line is one call; `custom_id` is the request's id. The journal remembers which calls were
written and what they cost, so replies can be imported from their file alone. Replies come in any
order, from OpenAI (output and error files) or from vLLM.
"""

from __future__ import annotations

import json
import math
import os
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson

from tasks.core.errors import RunFailed
from tasks.core.ids import canonical_json
from tasks.core.rows import Prefix, Request, Response, Sampling
from tasks.inference.cache.response_cache import Answer, Exported, ResponseCache, is_kept
from tasks.inference.engines.base import EngineOfRow
from tasks.inference.engines.failures import Failure, Passing, Refused
from tasks.inference.engines.openai_protocol import (
    body_of,
    check_window,
    failed,
    most_tokens,
    read_completion,
)
from tasks.inference.operation import Call, Work
from tasks.models.catalogue import Model, batch_price_of
from tasks.models.prices import Price

ENGINE = "batch"

# OpenAI's limits per file; the bytes leave a margin, since megabytes are not always counted alike.
MOST_CALLS = 50_000
MOST_BYTES = 190_000_000


class AwaitingBatch(RunFailed):
    """A run's calls are in files and await replies."""


class BatchFileError(RunFailed):
    """A file of calls or replies cannot be written or used."""


# --- calls -> files ------------------------------------------------------------------------


class BatchWriter(EngineOfRow):
    """An engine that writes its calls to files instead of sending them.

    It leaves primers out, since nobody knows in which order a file is answered.

    Args:
        row: the model's row, with its name at the provider, settings and price.
        journal: the lake's response cache.
        file: the file to write; if one cannot hold all calls, further files are numbered.

    Raises:
        BatchFileError: the file exists.
    """

    def __init__(self, row: Model, journal: ResponseCache, file: Path) -> None:
        super().__init__(row)
        self.price = batch_price_of(row)
        self.journal = journal
        self.file = file
        self.n_files = 0
        self.n_too_long = 0  # calls that do not fit the model's window
        self.most_usd = 0.0  # the most that the calls can cost
        _refuse_existing(file)

    async def answer(self, work: Work) -> None:
        """Write every call; answer only those that are too long, as failures.

        Raises:
            AwaitingBatch: calls were written.
            BatchFileError: a file cannot be written.
        """
        operations: Counter[str] = Counter()
        elsewhere: Counter[str] = Counter()
        files: list[_File] = []
        try:
            for group in work.groups:
                calls = [call for call in await work.open(group) if await self._fits(call, work)]
                operations.update(call.request.operation for call in calls)
                elsewhere.update(self._awaited(calls))
                exported = []
                for call in calls:
                    line = line_of(call, self.row)
                    if not files or not files[-1].has_room(line):
                        files.append(self._next_file())
                    files[-1].write(line)
                    self.most_usd += self._most_usd(call)
                    exported.append(_exported(call, self.row, files[-1].path))
                self.journal.add_exported(exported)
            for file in files:
                file.finish()
        finally:
            for file in files:
                file.discard()
        if files:
            raise AwaitingBatch(
                self._sentence(operations, elsewhere, [file.path for file in files])
            )

    async def _fits(self, call: Call, work: Work) -> bool:
        """Return whether to write a call; settle it if too long."""
        if call.is_primer:
            return False
        try:
            check_window(call, self.row)
        except Refused as refused:
            self.n_too_long += 1
            request_id = call.request.request_id
            await work.answered(
                call, failed(request_id, refused, engine=self.row.engine, attempts=0, cost_usd=None)
            )
            return False
        return True

    def _awaited(self, calls: Sequence[Call]) -> Iterator[str]:
        """Yield the earlier file of each call that still awaits its reply."""
        for earlier in self.journal.find_exported(
            [call.request.request_id for call in calls]
        ).values():
            if earlier.imported_at is None and Path(earlier.file).exists():
                yield earlier.file

    def _most_usd(self, call: Call) -> float:
        """Return the most US dollars that a batched call can cost."""
        if self.price is None:
            return 0.0
        return self.price.most(_prompt_tokens(call, self.row), most_tokens(call, self.row))

    def _next_file(self) -> _File:
        self.n_files += 1
        numbered = self.file.with_name(f"{self.file.stem}-{self.n_files}{self.file.suffix}")
        return _File(self.file if self.n_files == 1 else numbered)

    def _sentence(
        self, operations: Counter[str], elsewhere: Counter[str], files: Sequence[Path]
    ) -> str:
        counted = " and ".join(f"{n:,} of {operation}" for operation, n in operations.items())
        sentence = (
            f"{operations.total():,} requests to {self.model} ({counted}) are written to "
            f"{', '.join(map(str, files))}. Have them answered, and import the replies with "
            "`tenkbench import openai-batch FILES` (and the same --lake). Then run this export "
            "again: it writes the calls that come next"
        )
        if self.price is not None:
            sentence += (
                f". They cost at most ${self.most_usd:,.2f} at the provider's price for batches"
            )
        if self.n_too_long:
            sentence += (
                f". {self.n_too_long:,} more do not fit the window of {self.row.window:,} tokens: "
                "they are not written, and fail in that run"
            )
        if elsewhere:
            sentence += (
                f". {elsewhere.total():,} of them are also in {', '.join(elsewhere)}, without "
                "imported answers. If that file is still being answered, leave them out of this "
                "one, or they are paid for twice"
            )
        return sentence


class _File:
    """One file of calls, which appears once it is finished.

    Raises:
        BatchFileError: it exists, or cannot be written.
    """

    def __init__(self, path: Path) -> None:
        _refuse_existing(path)
        self.path = path
        self.n_calls = 0
        self.unfinished = path.with_name(f"{path.name}.unfinished")
        with _told(path):
            self.lines = self.unfinished.open("wb")

    def has_room(self, line: bytes) -> bool:
        """Return whether the file may hold one more line."""
        return self.n_calls < MOST_CALLS and self.lines.tell() + len(line) <= MOST_BYTES

    def write(self, line: bytes) -> None:
        with _told(self.path):
            self.lines.write(line)
        self.n_calls += 1

    def finish(self) -> None:
        """Move the complete file to its name."""
        with _told(self.path):
            self.lines.close()
            os.replace(self.unfinished, self.path)

    def discard(self) -> None:
        """Remove the file if it is unfinished."""
        self.lines.close()
        self.unfinished.unlink(missing_ok=True)


def line_of(call: Call, model: Model) -> bytes:
    """Return a call as a line of a batch file.

    Raises:
        BatchFileError: the model's provider does not take files of this format.
    """
    body = orjson.loads(body_of(call, model))
    if model.engine == "litellm":
        provider, _, body["model"] = model.called.rpartition("/")
        if provider not in ("", "openai"):
            raise BatchFileError(
                f"{model.name} is from {provider}, which takes no batch files in OpenAI's format. "
                "Run it without export"
            )
        if model.thinks:  # these accept no temperature, and name the limit differently
            body["max_completion_tokens"] = body.pop("max_tokens")
            del body["temperature"]
    return orjson.dumps(
        {
            "custom_id": call.request.request_id,
            "method": "POST",
            "url": "/v1/chat/completions",
            "body": body,
        },
        option=orjson.OPT_APPEND_NEWLINE,
    )


def _exported(call: Call, model: Model, file: Path) -> Exported:
    request = call.request
    price = batch_price_of(model)
    assert request.key is not None  # a model has an identity
    return Exported(
        request_id=request.request_id,
        key=request.key,
        model=request.model,
        operation=request.operation,
        n_prompt_tokens=_prompt_tokens(call, model),
        price=None if price is None else canonical_json(asdict(price)),
        file=str(file.resolve()),
        exported_at=time.time(),
    )


def _prompt_tokens(call: Call, model: Model) -> int:
    """Return the prompt's tokens as estimated for the model."""
    return math.ceil(call.request.n_prompt_tokens * model.token_ratio)


def _refuse_existing(file: Path) -> None:
    if file.exists():
        raise BatchFileError(f"{file} exists. Have it answered and imported, or give another name")


@contextmanager
def _told(file: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise BatchFileError(f"cannot write {file}: {error.strerror}") from error


# --- replies -> journal --------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchReply:
    """One line of a file of replies.

    Attributes:
        status: HTTP status; None if the call was not answered at all (expired, cancelled).
        body: JSON of the chat completion or of the error.
    """

    line: int
    custom_id: str
    status: int | None
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchImport:
    """Counts of a file's imported replies.

    Attributes:
        n_kept: answers, and failures that would recur, now in the response cache.
        n_before: replies that were imported before.
        failed: other failures by error type; they will be asked again.
    """

    n_kept: int
    n_before: int
    failed: dict[str, int]


def import_batch(journal: ResponseCache, file: Path) -> BatchImport:
    """Import all of a file's replies into the journal, or none.

    Their cost is counted at the batch price that the model had when the calls were written.

    Raises:
        BatchFileError: the file has no replies, or a line is unreadable, a duplicate, or not a
            reply to a call of this lake.
    """
    replies = list(read_batch(file))
    if not replies:
        raise BatchFileError(
            f"{file} has no replies in it; expected the complete output file of a batch. Fetch it "
            "again"
        )
    exported = journal.find_exported([reply.custom_id for reply in replies])
    answers: list[Answer] = []
    charged: list[Answer] = []
    imported: list[str] = []
    failures: Counter[str] = Counter()
    n_before = 0
    for reply in replies:
        call = exported.get(reply.custom_id)
        if call is None:
            raise BatchFileError(
                f"{file}, line {reply.line}: request {reply.custom_id!r} was not written by this "
                "lake's `tenkbench export openai-batch`. Nothing was imported"
            )
        if call.imported_at is not None:
            n_before += 1
            continue
        response = _response_of(call, reply)
        answer = Answer(key=call.key, model=call.model, operation=call.operation, response=response)
        if is_kept(response):
            answers.append(answer)
        else:
            failures[str(response.error_type)] += 1
            if response.cost_usd is None:
                continue  # a free failure may be imported again
            charged.append(answer)
        imported.append(call.request_id)
    journal.add_all(answers, charged, imported)
    return BatchImport(n_kept=len(answers), n_before=n_before, failed=dict(failures))


def read_batch(file: Path) -> Iterator[BatchReply]:
    """Yield the replies of a file from OpenAI or `vllm run-batch`.

    Raises:
        BatchFileError: a line is no reply, or repeats the call of an earlier line.
    """
    seen: dict[str, int] = {}
    try:
        with file.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                if not line.strip():
                    continue
                try:
                    reply = _reply_of(number, line.removeprefix(b"\xef\xbb\xbf"))
                except (ValueError, KeyError, TypeError) as broken:
                    what = (
                        "broken JSON"
                        if isinstance(broken, orjson.JSONDecodeError)
                        else "no reply to a call"
                    )
                    raise BatchFileError(
                        f"{file}, line {number}: {what} ({broken}); expected the complete output "
                        "file of a batch. Nothing was imported; fetch the file again"
                    ) from broken
                if reply.custom_id in seen:
                    raise BatchFileError(
                        f"{file}, line {number}: request {reply.custom_id!r} was already answered "
                        f"in line {seen[reply.custom_id]}. Nothing was imported. Remove one of them"
                    )
                seen[reply.custom_id] = number
                yield reply
    except IsADirectoryError as error:
        raise BatchFileError(f"{file} is a folder. Name the files of replies in it") from error
    except OSError as error:
        raise BatchFileError(f"cannot read {file}: {error.strerror}") from error


def _reply_of(number: int, line: bytes) -> BatchReply:
    record = orjson.loads(line)
    if not isinstance(record, dict):
        raise TypeError("the line is not an object")
    custom_id, response, error = record["custom_id"], record.get("response"), record.get("error")
    if not isinstance(custom_id, str):
        raise TypeError("custom_id is not a string")
    if not isinstance(response, dict) and error is None:
        raise KeyError("neither response nor error")
    status, body = None, None
    if isinstance(response, dict):
        status, body = response["status_code"], response.get("body")
        if not isinstance(status, int):
            raise TypeError("status_code is not a number")
    # vLLM puts an error beside the response, OpenAI into its body
    said = body if body is not None else error if _has_error(error) else {"error": error}
    return BatchReply(line=number, custom_id=custom_id, status=status, body=orjson.dumps(said))


def _has_error(error: Any) -> bool:
    return isinstance(error, dict) and "error" in error


def _response_of(call: Exported, reply: BatchReply) -> Response:
    """Return a reply as the response that a server would have given."""
    price = None if call.price is None else Price(**json.loads(call.price))
    model = Model(name=call.model, engine=ENGINE, description="", price=price)
    try:
        if reply.status is None:
            code, said = _reason(reply)
            raise Passing(code, said)
        return read_completion(_call_of(call), model, reply.status, {}, reply.body)
    except Failure as failure:
        return failed(
            call.request_id, failure, engine=ENGINE, attempts=1, cost_usd=failure.cost_usd
        )


def _reason(reply: BatchReply) -> tuple[str, str]:
    """Return why a call was not answered: a code and a message."""
    error = orjson.loads(reply.body)["error"]
    if not isinstance(error, dict):
        return "not_answered", str(error)
    return str(error.get("code") or "not_answered"), str(error.get("message") or error)


def _call_of(call: Exported) -> Call:
    """Return a call without prompt, for reading its reply."""
    request = Request(
        request_id=call.request_id,
        case_id=None,
        subject_id="",
        operation=call.operation,
        model=call.model,
        prefix_id="",
        suffix="",
        fields=(),
        sampling=Sampling(temperature=0.0, max_tokens=0),
        prompt_sha256="",
        n_prompt_tokens=call.n_prompt_tokens,
        key=call.key,
        repairs=None,
        shard=0,
        seq=0,
    )
    return Call(request, Prefix(prefix_id="", text="", n_tokens=0))
