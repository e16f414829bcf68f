"""The calls of a step, as rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from tasks.core.rows import Prefix, Request, Response
from tasks.inference.operation import PRIME, Call, primer_id
from tasks.lake.lake import Commit, Lake

Key = TypeVar("Key")


@dataclass
class OperationRecord:
    """The calls of one operation to one model, until they are in a part."""

    elsewhere: Collection[str] = ()  # ids of prefixes that are rows of another step
    written: set[str] = field(default_factory=set)  # ids of prefixes and requests in a part
    n_written: int = 0  # requests in a part
    prefixes: dict[str, Prefix] = field(default_factory=dict)
    requests: dict[str, Request] = field(default_factory=dict)
    responses: dict[str, Response] = field(default_factory=dict)
    streams: dict[str, int] = field(default_factory=dict)  # request_id -> stream of the step

    def add(self, call: Call, response: Response, stream: int = 0) -> None:
        """Add one call and its answer, unless it is there."""
        request_id = call.request.request_id
        if request_id in self.responses or request_id in self.written:
            return
        prefix_id = call.prefix.prefix_id
        if prefix_id not in self.elsewhere and prefix_id not in self.written:
            self.prefixes.setdefault(prefix_id, call.prefix)
        self.requests[request_id] = call.request
        self.responses[request_id] = response
        self.streams[request_id] = stream

    def take_rows(
        self, shard: int = 0
    ) -> Iterator[tuple[str, list[Prefix] | list[Request] | list[Response]]]:
        """Yield (table, rows), which the caller writes, for each table, and keep their ids only.

        In the order of asking: no stream of calls may be in progress.
        """
        ordered = sorted(
            self.requests.values(),
            key=lambda request: (self.streams[request.request_id], request.seq, request.request_id),
        )
        prefix_ids = dict.fromkeys(request.prefix_id for request in ordered)
        if prefixes := [self.prefixes[of] for of in prefix_ids if of in self.prefixes]:
            yield "prefixes", prefixes
        numbered = enumerate(ordered, start=self.n_written)
        yield "requests", [replace(request, shard=shard, seq=seq) for seq, request in numbered]
        yield "responses", [self.responses[request.request_id] for request in ordered]
        self.n_written += len(ordered)
        self.written |= self.prefixes.keys() | self.requests.keys()
        # a failed call is not asked again: no cache would repeat its failure
        self.responses = {
            request_id: response
            for request_id, response in self.responses.items()
            if response.status != "ok"
        }
        for rows in (self.prefixes, self.requests, self.streams):
            rows.clear()


def divided(
    records: Mapping[str, OperationRecord], key_of: Callable[[Request], Key]
) -> dict[Key, dict[str, OperationRecord]]:
    """Divide records by a key; primers follow their group's first call."""
    served = {
        primer_id(request_id): request
        for operation, record in records.items()
        if operation != PRIME
        for request_id, request in record.requests.items()
    }
    parts: dict[Key, dict[str, OperationRecord]] = {}
    for operation, record in records.items():
        for request_id, request in record.requests.items():
            of_key = parts.setdefault(key_of(served.get(request_id, request)), {})
            of_key.setdefault(operation, OperationRecord()).add(
                Call(request, record.prefixes[request.prefix_id]),
                record.responses[request_id],
                record.streams[request_id],
            )
    return parts


# --- calls of a finished step ----------------------------------------------------------------


def failures(lake: Lake, commit: Commit) -> Counter[tuple[str, str]]:
    """Count a step's failed calls to models by type and error, without primers."""
    rows = replies(lake, commit, "error_type", "error")
    return Counter((kind, error) for kind, error in rows if error is not None)


def cut_off(lake: Lake, commit: Commit) -> tuple[int, int]:
    """Count a step's replies that end at their max_tokens, empty or not, and all its replies."""
    ends = [end for (end,) in replies(lake, commit, "finish_reason") if end is not None]
    return ends.count("length"), len(ends)


def limited_answers(lake: Lake, commit: Commit, most_of: Mapping[str, int]) -> Counter[int]:
    """Count a step's answers that were limited to what was left of a window, by their limit.

    Args:
        most_of: operation -> most tokens of its answer.
    """
    answers = lake.columns(commit, "responses", "request_id", "status")
    sent = {request_id for request_id, status in answers if status == "ok"}
    requests = lake.columns(commit, "requests", "request_id", "operation", "sampling")
    return Counter(
        sampling["max_tokens"]
        for request_id, operation, sampling in requests
        if request_id in sent and sampling["max_tokens"] < most_of.get(operation, 0)
    )


def replies(lake: Lake, commit: Commit, *columns: str) -> Iterator[tuple[Any, ...]]:
    """Yield some columns of a step's responses, without those to primers."""
    operations = lake.columns(commit, "requests", "request_id", "operation")
    primers = {request_id for request_id, operation in operations if operation == PRIME}
    for request_id, *values in lake.columns(commit, "responses", "request_id", *columns):
        if request_id not in primers:
            yield tuple(values)
