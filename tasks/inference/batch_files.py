"""Batch files in OpenAI's or Anthropic's format, for batch APIs or `vllm run-batch`.

One line is one call; `custom_id` is the request's id. The journal remembers which calls were
written and what they cost, so replies can be imported from their file alone. Replies come in any
order, from OpenAI (output and error files), from Anthropic (results) or from vLLM.
"""

from __future__ import annotations

import json
import math
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import orjson
from pydantic import BaseModel

from tasks.core.errors import RunFailed
from tasks.core.ids import canonical_json
from tasks.core.progress import teller
from tasks.core.rows import Prefix, Request, Response, Sampling
from tasks.inference.cache.response_cache import ResponseCache, is_kept
from tasks.inference.cache.tables import Answer, Charged, Exported, Imported, Kept, Record, Written
from tasks.inference.engines import EngineOfRow
from tasks.inference.engines.failures import Failure, Passing, Refused
from tasks.inference.engines.openai_protocol import (
    body_of,
    check_window,
    failed,
    most_bytes,
    most_tokens,
    read_completion,
    too_long,
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

    It leaves primers out, since nobody knows in which order a file is answered. If one file cannot
    hold all calls, further files are numbered.
    """

    def __init__(self, row: Model, journal: ResponseCache, file: Path) -> None:
        super().__init__(row)
        self.price = batch_price_of(row)
        self.journal = journal
        self.file = file
        self.files: list[_File] = []
        self.n_too_long = 0  # calls that do not fit the model's window
        self.most_usd = 0.0  # the most that the calls can cost

    async def answer(self, work: Work) -> None:
        """Write every call; answer only those that are too long, as failures.

        Raises:
            AwaitingBatch: calls were written.
        """
        operations: Counter[str] = Counter()
        elsewhere: Counter[str] = Counter()
        try:
            for group in work.groups:
                calls = [call for call in await work.open(group) if await self._fits(call, work)]
                operations.update(call.request.operation for call in calls)
                elsewhere.update(self._awaited(calls))
                self.journal.store(Written(tuple(map(self._write, calls)))).result()
        except OSError as error:
            raise BatchFileError(f"cannot write {self.file}: {error.strerror}") from error
        finally:
            for file in self.files:
                file.lines.close()
        if self.files:
            raise AwaitingBatch(self._sentence(operations, elsewhere))

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

    def _write(self, call: Call) -> Exported:
        """Write a call to the last file, or to a new one if that is full."""
        line, request = line_of(call, self.row), call.request
        if not self.files or not self.files[-1].has_room(line):
            numbered = f"{self.file.stem}-{len(self.files) + 1}{self.file.suffix}"
            self.files.append(_File(self.file.with_name(numbered) if self.files else self.file))
        file = self.files[-1]
        file.lines.write(line)
        file.n_calls += 1
        n_prompt = math.ceil(request.n_prompt_tokens * self.row.token_ratio)
        if self.price is not None:
            self.most_usd += self.price.most(n_prompt, most_tokens(call, self.row))
        return Exported(
            request_id=request.request_id,
            key=call.key,
            model=request.model,
            operation=request.operation,
            # of text: a provider's count of images differs, and an import compares with it
            n_prompt_tokens=n_prompt - math.ceil(call.n_image_tokens * self.row.token_ratio),
            price=None if self.price is None else canonical_json(asdict(self.price)),
            file=str(file.path.resolve()),
            exported_at=time.time(),
            most_output=most_tokens(call, self.row),
        )

    def _sentence(self, operations: Counter[str], elsewhere: Counter[str]) -> str:
        counted = " and ".join(f"{n:,} of {operation}" for operation, n in operations.items())
        sentence = (
            f"{operations.total():,} requests to {self.model} ({counted}) are written to "
            f"{', '.join(str(file.path) for file in self.files)}. Have them answered, and import "
            "the replies with `tenkbench import batch FILES` (and the same --lake). Then "
            "run this export again: it writes the calls that come next"
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
    """One new file of calls."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.n_calls = 0
        self.lines = path.open("xb")

    def has_room(self, line: bytes) -> bool:
        """Return whether the file may hold one more line."""
        return self.n_calls < MOST_CALLS and self.lines.tell() + len(line) <= MOST_BYTES


def line_of(call: Call, model: Model) -> bytes:
    """Return a call as a line of a batch file."""
    body = orjson.loads(body_of(call, model))
    if model.engine == "litellm":
        provider, _, body["model"] = model.called.rpartition("/")
        if provider == "anthropic":
            line = {"custom_id": call.request.request_id, "params": _anthropic(call, model, body)}
            return orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE)
        if provider not in ("", "openai"):
            raise BatchFileError(
                f"{model.name} is from {provider}, which takes no batch files in OpenAI's or "
                "Anthropic's format. Run it without export"
            )
        if model.thinks:  # these accept no sampling, and name the limit differently
            body["max_completion_tokens"] = body.pop("max_tokens")
            del body["temperature"]
            body.pop("top_p", None)
    return orjson.dumps(
        {
            "custom_id": call.request.request_id,
            "method": "POST",
            "url": "/v1/chat/completions",
            "body": body,
        },
        option=orjson.OPT_APPEND_NEWLINE,
    )


def _anthropic(call: Call, model: Model, body: dict[str, Any]) -> dict[str, Any]:
    """Turn a chat completion's body into that of Anthropic's Messages API."""
    if call.images:
        raise BatchFileError(f"{model.name}: images cannot be exported for Anthropic's batch API")
    *system, prompt = body.pop("messages")
    del body["stream"]
    body.pop("response_format", None)  # the API has no such field; the prompt says the format
    if model.thinks:  # these accept no sampling
        del body["temperature"]
        body.pop("top_p", None)
    return {**body, **({"system": system[0]["content"]} if system else {}), "messages": [prompt]}


# Anthropic's names of errors, as HTTP statuses; calls with others are asked again.
_STATUS_OF = {
    "invalid_request_error": 400,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
}

# --- replies -> journal --------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchReply:
    """One line of a file of replies."""

    line: int
    custom_id: str
    status: int | None  # HTTP; None if the call was not answered at all (expired, cancelled)
    body: bytes  # JSON of the chat completion or of the error


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchImport:
    """Counts of a file's imported replies."""

    n_kept: int  # answers, and failures that would recur, now in the response cache
    n_before: int  # imported before
    failed: dict[str, int]  # other failures by error type; they will be asked again


def import_batch(journal: ResponseCache, file: Path) -> BatchImport:
    """Import all of a file's replies into the journal, or none.

    Their cost is counted at the batch price that the model had when the calls were written.
    """
    replies = list(read_batch(file))
    if not replies:
        raise BatchFileError(f"{file} has no replies in it. Fetch the batch's output file again")
    exported = journal.find_exported([reply.custom_id for reply in replies])
    records: list[Record] = []
    imported: list[str] = []
    failures: Counter[str] = Counter()
    n_kept = n_before = 0
    now, note = time.time(), teller()
    for reply in replies:
        call = exported.get(reply.custom_id)
        if call is None:
            raise BatchFileError(
                f"{file}, line {reply.line}: request {reply.custom_id!r} was not written by this "
                "lake's `tenkbench export batch`. Nothing was imported"
            )
        if call.imported_at is not None:
            n_before += 1
            continue
        response = response_to(call, reply, note)
        answer = Answer(key=call.key, model=call.model, operation=call.operation, response=response)
        if is_kept(response):
            n_kept += 1
            records.append(Kept(answer, now))
        else:
            failures[str(response.error_type)] += 1
            if response.cost_usd is None:
                continue  # a free failure may be imported again
            records.append(Charged(answer, now))
        imported.append(call.request_id)
    journal.store(Imported(tuple(imported), now), *records).result()
    return BatchImport(n_kept=n_kept, n_before=n_before, failed=dict(failures))


def read_batch(file: Path) -> Iterator[BatchReply]:
    """Yield the replies of a file from OpenAI or `vllm run-batch`."""
    seen: dict[str, int] = {}
    try:
        with file.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                if not line.strip():
                    continue
                try:
                    reply = _reply_of(number, line)
                except ValueError as broken:
                    why = " ".join(str(broken).split())
                    raise BatchFileError(
                        f"{file}, line {number}: not a reply to a call ({why}). "
                        "Expected the complete output file of a batch. Nothing was imported; fetch "
                        "the file again"
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


class _Sent(BaseModel, strict=True):
    status_code: int
    body: Any = None


class _Result(BaseModel, strict=True):
    """What Anthropic says of one call."""

    type: Literal["succeeded", "errored", "canceled", "expired"]
    message: dict[str, Any] | None = None
    error: Any = None


class _Line(BaseModel, strict=True):
    custom_id: str
    response: _Sent | None = None
    result: _Result | None = None
    error: Any = None


def _sent_by_anthropic(result: _Result) -> tuple[_Sent | None, Any]:
    """Return a result as the response or the error of a line in OpenAI's format."""
    if result.type != "succeeded":
        said = result.error
        while isinstance(said, dict) and isinstance(said.get("error"), dict):
            said = said["error"]
        kind = said.get("type") if isinstance(said, dict) else None
        if kind not in _STATUS_OF:
            return None, said or {"code": result.type, "message": "the batch API did not answer"}
        return _Sent(status_code=_STATUS_OF[kind], body={"error": said}), None
    if result.message is None:
        raise ValueError("a result that succeeded, without its message")
    blocks, usage = result.message.get("content"), result.message.get("usage")
    if not isinstance(blocks, list) or not isinstance(usage, dict):
        raise ValueError("a message without content or usage")
    n_read = usage.get("cache_read_input_tokens") or 0
    n_written = usage.get("cache_creation_input_tokens") or 0
    message = {
        "content": "".join(each["text"] for each in blocks if each["type"] == "text"),
        "reasoning": "\n\n".join(each["thinking"] for each in blocks if each["type"] == "thinking"),
    }
    body = {
        "model": result.message.get("model"),
        "choices": [{"message": message, "finish_reason": result.message.get("stop_reason")}],
        "usage": {
            "prompt_tokens": usage["input_tokens"] + n_read + n_written,
            "completion_tokens": usage["output_tokens"],
            "prompt_tokens_details": {"cached_tokens": n_read},
        },
    }
    return _Sent(status_code=200, body=body), None


def _reply_of(number: int, line: bytes) -> BatchReply:
    found = _Line.model_validate_json(line)
    if found.result is not None:
        try:
            found.response, found.error = _sent_by_anthropic(found.result)
        except (KeyError, TypeError) as error:
            raise ValueError(f"a malformed message ({type(error).__name__}: {error})") from error
    if found.response is None and found.error is None:
        raise ValueError("neither response nor error")
    body = None if found.response is None else found.response.body
    if body is None:  # vLLM puts an error beside the response, OpenAI into its body
        is_whole = isinstance(found.error, dict) and "error" in found.error
        body = found.error if is_whole else {"error": found.error}
    status = None if found.response is None else found.response.status_code
    return BatchReply(
        line=number, custom_id=found.custom_id, status=status, body=orjson.dumps(body)
    )


def response_to(call: Exported, reply: BatchReply, note: Callable[[str], None]) -> Response:
    """Return a reply as the response that a server would have given."""
    price = None if call.price is None else Price(**json.loads(call.price))
    model = Model(name=call.model, engine=ENGINE, description="", price=price)
    try:
        if reply.status is None:
            error = orjson.loads(reply.body)["error"]
            said = error if isinstance(error, dict) else {"message": error}
            raise Passing(
                str(said.get("code") or "not_answered"), str(said.get("message") or error)
            )
        asked = _call_of(call)
        if len(reply.body) > most_bytes(asked, model):
            raise too_long(asked, model)
        return read_completion(asked, model, reply.status, {}, reply.body, note=note)
    except Failure as failure:
        return failed(
            call.request_id, failure, engine=ENGINE, attempts=1, cost_usd=failure.cost_usd
        )


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
        sampling=Sampling(temperature=0.0, max_tokens=call.most_output),
        prompt_sha256="",
        n_prompt_tokens=call.n_prompt_tokens,
        key=call.key,
        repairs=None,
        shard=0,
        seq=0,
    )
    return Call(request, Prefix(prefix_id="", text="", n_tokens=0))
