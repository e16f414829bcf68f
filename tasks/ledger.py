"""The record of every call: what an engine was asked and what came back.

It wraps an engine, so a part that receives one leaves its `prefixes`, `requests` and
`responses` rows behind without knowing it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field, replace

from tasks.operations import Call, Engine
from tasks.schemas import Prefix, Request, Response


@dataclass
class OperationRecord:
    """All calls of one operation to one model: rows in the order in which they were asked."""

    prefixes: dict[str, Prefix] = field(default_factory=dict)
    requests: dict[str, Request] = field(default_factory=dict)
    responses: dict[str, Response] = field(default_factory=dict)

    def rows(self, shard: int = 0) -> Iterator[tuple[str, list[Prefix] | list[Request] | list[Response]]]:
        """(table, rows) for the three tables, as one shard of the step that asked."""
        requests = [
            replace(request, shard=shard, seq=seq) for seq, request in enumerate(self.requests.values())
        ]
        yield "prefixes", list(self.prefixes.values())
        yield "requests", requests
        yield "responses", [self.responses[request_id] for request_id in self.requests]


class Recorded:
    """An engine that remembers its calls, by operation."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.model = engine.model
        self.operations: dict[str, OperationRecord] = {}

    async def generate(self, calls: Sequence[Call]) -> AsyncIterator[Response]:
        """Answer what was not asked before in this step; repeat what was."""
        new: list[Call] = []
        for call in calls:
            record = self.operations.setdefault(call.request.operation, OperationRecord())
            earlier = record.responses.get(call.request.request_id)
            if earlier is not None:
                yield earlier
                continue
            record.prefixes.setdefault(call.prefix.prefix_id, call.prefix)
            record.requests[call.request.request_id] = call.request
            new.append(call)
        operation_of = {call.request.request_id: call.request.operation for call in new}
        async for response in self.engine.generate(new):
            self.operations[operation_of[response.request_id]].responses[response.request_id] = response
            yield response
