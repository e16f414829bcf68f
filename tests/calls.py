"""Calls made by hand for tests of engines: questions on documents, grouped by prefix."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from tasks.core.ids import sha256_hex, stable_id
from tasks.core.rows import Prefix, Request, Response, Sampling
from tasks.inference.client import Client
from tasks.inference.operation import Backend, Call, Group, cache_key, grouped, prefix_id_of
from tasks.models.catalogue import Model
from tasks.text.tokens import count_tokens
from tests.filled import filled

# 1,601 tokens: long enough for any provider's cache
LONG = "Net sales rose in every segment but one. " * 200


def call_of(
    document: str,
    query: str,
    model: Model,
    *,
    max_tokens: int = 16,
    schema: Mapping[str, Any] | None = None,
) -> Call:
    """A question to a document, as `render` would make it."""
    n_tokens = count_tokens(document)
    prefix = Prefix(prefix_id=prefix_id_of(document), text=document, n_tokens=n_tokens)
    sampling = Sampling(temperature=0.0, max_tokens=max_tokens)
    prompt_sha256 = sha256_hex(document + query)
    request = filled(
        Request,
        request_id=stable_id("req", model.name, prompt_sha256),
        subject_id=query,
        operation="ask",
        model=model.name,
        prefix_id=prefix.prefix_id,
        suffix=query,
        sampling=sampling,
        prompt_sha256=prompt_sha256,
        n_prompt_tokens=n_tokens + count_tokens(query),
        key=cache_key(model.identity, sampling, schema, prompt_sha256),
    )
    return Call(request, prefix, schema)


def group_of(document: str, n_calls: int, model: Model, **options: Any) -> list[Call]:
    """So many questions to one document."""
    queries = [f" Question {number}?" for number in range(n_calls)]
    return [call_of(document, query, model, **options) for query in queries]


async def collect(engine: Client | Backend, calls: Sequence[Call]) -> dict[str, Response]:
    """All responses by request_id, primers aside; each call is answered once."""
    client = engine if isinstance(engine, Client) else Client(engine, part=None)
    found: dict[str, Response] = {}
    async for call, response in client.stream(grouped(calls)):
        if not call.is_primer:
            assert call.request.request_id not in found, "answered twice"
            found[call.request.request_id] = response
    assert found.keys() == {call.request.request_id for call in calls}
    return found


def streamed(
    client: Client, groups: Sequence[Group], heard: list[tuple[Call, Response]] | None = None
) -> list[tuple[Call, Response]]:
    """All that a stream yields; `heard` has it also if the stream fails."""
    found = [] if heard is None else heard

    async def read() -> None:
        async for answer in client.stream(groups):
            found.append(answer)

    asyncio.run(read())
    return found


def answers(engine: Client | Backend, calls: Sequence[Call]) -> list[Response]:
    """The calls' responses, in the calls' order."""
    found = asyncio.run(collect(engine, calls))
    return [found[call.request.request_id] for call in calls]
