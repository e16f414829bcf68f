"""Calls as files of OpenAI's batch format, for a provider's batch API or `vllm run-batch` to answer.

One line is one call: `custom_id` is the request's id. The journal remembers what was written, so that
replies need nothing but the file that holds them: whose they are, and what they cost, is in the lake.
Replies come in any order, from OpenAI (output and error files) or from vLLM.
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

# What OpenAI takes in one file; the bytes with a margin, for what one reads as a megabyte.
MOST_CALLS = 50_000
MOST_BYTES = 190_000_000


class AwaitingBatch(RunFailed):
    """The calls that a run needs answered are in files; the message says which, and how to go on."""


class BatchFileError(RunFailed):
    """A file of calls or replies cannot be written or used; the message names it, and the line."""


# --- calls -> files ------------------------------------------------------------------------


class BatchWriter(EngineOfRow):
    """An engine that writes its calls to files in place of sending them.

    Primers are left out: nobody can say in which order a file is answered.

    Args:
        row: the model as the catalogue has it: its name at the provider, its settings and its price.
        journal: the lake's.
        file: where to; further files, where one cannot hold all calls, are numbered.

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
        self.most_usd = 0.0  # that the calls can cost
        _refuse_existing(file)

    async def answer(self, work: Work) -> None:
        """Write every call; answers none, but for those that are too long: these fail as they would if they were sent.

        Raises:
            AwaitingBatch: there were calls to write.
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
        """Whether a call belongs into a file; one that is too long for the model is settled with that failure."""
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
        """Files of earlier exports that hold calls whose replies have not been imported."""
        for earlier in self.journal.find_exported(
            [call.request.request_id for call in calls]
        ).values():
            if earlier.imported_at is None and Path(earlier.file).exists():
                yield earlier.file

    def _most_usd(self, call: Call) -> float:
        """The most that a call can cost in a batch."""
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
            f"{', '.join(map(str, files))}; have them answered, take the replies in with `tenkbench import "
            "openai-batch FILES` (and the same --lake), then run this same export again: it writes the calls that come next"
        )
        if self.price is not None:
            sentence += (
                f". They cost at most ${self.most_usd:,.2f} at the provider's price for batches"
            )
        if self.n_too_long:
            sentence += (
                f". {self.n_too_long:,} more do not fit the window of {self.row.window:,} tokens: they are not "
                "written, and fail in that run"
            )
        if elsewhere:
            sentence += (
                f". {elsewhere.total():,} of them are also in {', '.join(elsewhere)}, from which no answer to "
                "them was imported: where that file is still being answered, leave them out of this one, or they are paid for twice"
            )
        return sentence


class _File:
    """One file of calls; it appears when it is finished.

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
        """Whether it may hold one more."""
        return self.n_calls < MOST_CALLS and self.lines.tell() + len(line) <= MOST_BYTES

    def write(self, line: bytes) -> None:
        with _told(self.path):
            self.lines.write(line)
        self.n_calls += 1

    def finish(self) -> None:
        """Have it appear, whole."""
        with _told(self.path):
            self.lines.close()
            os.replace(self.unfinished, self.path)

    def discard(self) -> None:
        """Remove it where it was not finished."""
        self.lines.close()
        self.unfinished.unlink(missing_ok=True)


def line_of(call: Call, model: Model) -> bytes:
    """A call as a line of a batch file.

    Raises:
        BatchFileError: the model's provider takes no files of this format.
    """
    body = orjson.loads(body_of(call, model))
    if model.engine == "litellm":
        provider, _, body["model"] = model.called.rpartition("/")
        if provider not in ("", "openai"):
            raise BatchFileError(
                f"{model.name} is {provider}'s, which takes no batch files in OpenAI's format; run it without export"
            )
        if model.thinks:  # these take no temperature, and call the limit otherwise
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
    """As estimated for the model."""
    return math.ceil(call.request.n_prompt_tokens * model.token_ratio)


def _refuse_existing(file: Path) -> None:
    if file.exists():
        raise BatchFileError(f"{file} exists; have it answered and imported, or give another name")


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

    status  HTTP status of the reply; None where the call was not answered at all (expired, cancelled)
    body    JSON of the chat completion, or of what went wrong
    """

    line: int
    custom_id: str
    status: int | None
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchImport:
    """What became of a file's replies.

    n_kept     answers, and failures that would come again: the response cache has them now
    n_before   imported before
    failed     how many of the others failed, by error type: they will be asked again
    """

    n_kept: int
    n_before: int
    failed: dict[str, int]


def import_batch(journal: ResponseCache, file: Path) -> BatchImport:
    """Put a file's replies into the journal: all, or none where one cannot be used.

    What they cost is counted at the price for batches that the model had when the calls were written.

    Raises:
        BatchFileError: there is none, a line cannot be read, is not a reply to a call of this lake, or comes twice.
    """
    replies = list(read_batch(file))
    if not replies:
        raise BatchFileError(
            f"{file} has no replies in it; expected the output file of a batch, whole: fetch it again"
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
                f"{file}, line {reply.line}: request {reply.custom_id!r} was not written by this lake's "
                "`tenkbench export openai-batch`; nothing was imported"
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
                continue  # what was free may be imported again
            charged.append(answer)
        imported.append(call.request_id)
    journal.add_all(answers, charged, imported)
    return BatchImport(n_kept=len(answers), n_before=n_before, failed=dict(failures))


def read_batch(file: Path) -> Iterator[BatchReply]:
    """The replies of a file, of OpenAI (output or error file) or of `vllm run-batch`.

    Raises:
        BatchFileError: a line is no reply, or answers a call that an earlier line has answered.
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
                        f"{file}, line {number}: {what} ({broken}); expected the output file of a batch, whole: fetch it "
                        "again; nothing was imported"
                    ) from broken
                if reply.custom_id in seen:
                    raise BatchFileError(
                        f"{file}, line {number}: request {reply.custom_id!r} was answered in line "
                        f"{seen[reply.custom_id]} already; remove one of the two; nothing was imported"
                    )
                seen[reply.custom_id] = number
                yield reply
    except IsADirectoryError as error:
        raise BatchFileError(f"{file} is a folder; name the files of replies in it") from error
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
    # vLLM puts what went wrong beside the response, OpenAI into its body
    said = body if body is not None else error if _has_error(error) else {"error": error}
    return BatchReply(line=number, custom_id=custom_id, status=status, body=orjson.dumps(said))


def _has_error(error: Any) -> bool:
    return isinstance(error, dict) and "error" in error


def _response_of(call: Exported, reply: BatchReply) -> Response:
    """A reply as the response that its call would have had from a server."""
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
    """Why a call was not answered at all: a word, and what there is to read."""
    error = orjson.loads(reply.body)["error"]
    if not isinstance(error, dict):
        return "not_answered", str(error)
    return str(error.get("code") or "not_answered"), str(error.get("message") or error)


def _call_of(call: Exported) -> Call:
    """As much of a call as reading its reply takes: the prompt is not needed any more."""
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
